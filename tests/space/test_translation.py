"""The texts of the page: complete in both languages, and updated when the language changes."""

import copy
import json
import pickle
import re
from pathlib import Path
from string import Formatter

import pytest

import change_it
from change_it.errors import InputError
from change_it.translation import LANGUAGES, Message, Texts, load_texts, localized, translate

SOURCE = Path(change_it.__file__).parent


def fields(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_have_the_same_texts():
    italian, english = load_texts("it"), load_texts("en")
    assert list(italian) == list(english)
    assert {key: fields(text) for key, text in italian.items()} == {
        key: fields(text) for key, text in english.items()
    }
    assert all(text.strip() for text in [*italian.values(), *english.values()])


def test_the_languages_differ():
    same = [key for key, text in load_texts("it").items() if text == load_texts("en")[key]]
    assert len(same) < len(load_texts("it")) / 4, same


def test_every_key_in_the_code_has_a_text():
    sections = {key.partition(".")[0] for key in load_texts("it")}
    pattern = re.compile(rf'"((?:{"|".join(sections)})\.[a-zA-Z_]+)"')
    sources = [
        path
        for folder in ("space", "results", "audit")
        for pattern in ("*.py", "templates/*.jinja")
        for path in (SOURCE / folder).glob(pattern)
    ]
    used = {key for path in sources for key in pattern.findall(path.read_text(encoding="utf-8"))}
    assert "transfer.button" in used
    used = {key for key in used if not key.endswith(("_", ".css", ".html", ".json", ".md"))}
    assert used <= set(load_texts("it"))


def test_an_unknown_language_is_taken_for_italian():
    assert (
        translate("xx", "tabs.transfer")
        == translate("it", "tabs.transfer")
        != translate("en", "tabs.transfer")
    )


def test_values_are_texts_and_nothing_else():
    message = translate("en", "limits.direction", known="{known.__class__} <b>")
    assert "{known.__class__} <b>" in message


def test_a_message_is_english_until_it_is_shown():
    message = Message("limits.candidates", most=8)
    assert json.loads(json.dumps([message])) == [translate("en", "limits.candidates", most=8)]
    for again in (message, str(message), copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
        assert localized("it", again) == translate("it", "limits.candidates", most=8)
    assert localized("it", InputError(message)) == localized("it", message)
    assert localized("it", InputError("disk full")) == "disk full"


def test_components_change_to_the_other_language():
    import gradio as gr

    with gr.Blocks():
        texts = Texts("en")
        box = texts.add(gr.Textbox(), label="transfer.headline", placeholder="transfer.headline_placeholder")
        choice = texts.add(gr.Radio(), choices={"a": "transfer.button", "b": "transfer.own"})
        table = texts.add(gr.Dataframe(), headers=["transfer.words", "transfer.figures"])
    assert box.label == translate("en", "transfer.headline")
    assert choice.choices == [
        (translate("en", "transfer.button"), "a"),
        (translate("en", "transfer.own"), "b"),
    ]
    assert texts.components == [texts.language, box, choice, table]
    _, box_update, choice_update, table_update = texts.updates("it")
    assert box_update["label"] == translate("it", "transfer.headline")
    assert box_update["placeholder"] == translate("it", "transfer.headline_placeholder")
    assert choice_update["choices"][1] == (translate("it", "transfer.own"), "b")
    assert table_update["headers"] == [translate("it", "transfer.words"), translate("it", "transfer.figures")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_page_can_be_built_in_every_language(language):
    from change_it.space.app import build

    page = build(None, language)
    labels = [block.label for block in page.blocks.values() if block.get_block_name() == "tabitem"]
    assert labels[:4] == [
        translate(language, f"tabs.{name}") for name in ("transfer", "score", "quality")
    ]
