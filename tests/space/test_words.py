"""The texts of the page: complete in both languages, and told again when the language changes."""

import re
from pathlib import Path
from string import Formatter

import pytest

import change_it.space
from change_it.space.words import LANGUAGES, Words, say, texts

SOURCE = Path(change_it.space.__file__).parent


def fields(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_say_the_same_things():
    italian, english = texts("it"), texts("en")
    assert list(italian) == list(english)
    assert {key: fields(text) for key, text in italian.items()} == {
        key: fields(text) for key, text in english.items()
    }
    assert all(text.strip() for text in [*italian.values(), *english.values()])


def test_the_languages_differ():
    same = [key for key, text in texts("it").items() if text == texts("en")[key]]
    assert len(same) < len(texts("it")) / 4, same


def test_every_key_in_the_code_has_a_text():
    sections = {key.partition(".")[0] for key in texts("it")}
    pattern = re.compile(rf'"((?:{"|".join(sections)})\.[a-zA-Z_]+)"')
    used = {key for path in SOURCE.glob("*.py") for key in pattern.findall(path.read_text(encoding="utf-8"))}
    assert "transfer.button" in used
    assert used - {"page.css"} <= set(texts("it"))


def test_an_unknown_language_is_taken_for_italian():
    assert say("xx", "tabs.transfer") == say("it", "tabs.transfer") != say("en", "tabs.transfer")


def test_values_are_texts_and_nothing_else():
    told = say("en", "limits.direction", known="{known.__class__} <b>")
    assert "{known.__class__} <b>" in told


def test_components_are_told_again_in_the_other_language():
    import gradio as gr

    with gr.Blocks():
        words = Words("en")
        box = words.tell(gr.Textbox(), label="transfer.headline", placeholder="transfer.headline_placeholder")
        choice = words.tell(gr.Radio(), choices={"a": "transfer.button", "b": "transfer.own"})
        table = words.tell(gr.Dataframe(), headers=["transfer.words", "transfer.figures"])
    assert box.label == say("en", "transfer.headline")
    assert choice.choices == [(say("en", "transfer.button"), "a"), (say("en", "transfer.own"), "b")]
    assert words.components == [words.language, box, choice, table]
    _, box_told, choice_told, table_told = words.updates("it")
    assert box_told["label"] == say("it", "transfer.headline")
    assert box_told["placeholder"] == say("it", "transfer.headline_placeholder")
    assert choice_told["choices"][1] == (say("it", "transfer.own"), "b")
    assert table_told["headers"] == [say("it", "transfer.words"), say("it", "transfer.figures")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_page_can_be_told_in_every_language(language):
    from change_it.space.interface import build

    page = build(None, language)
    labels = [block.label for block in page.blocks.values() if block.get_block_name() == "tabitem"]
    assert labels[:4] == [
        say(language, f"tabs.{name}") for name in ("transfer", "score", "compare", "quality")
    ]
