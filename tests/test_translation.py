"""The texts of reports and study: complete in both languages."""

import copy
import json
import pickle
import re
from pathlib import Path
from string import Formatter

import change_it
from change_it.errors import InputError
from change_it.translation import Message, load_texts, localized, translate

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
        for folder in ("results", "annotation", "audit", "commands")
        for pattern in ("*.py", "templates/*.jinja")
        for path in (SOURCE / folder).glob(pattern)
    ]
    used = {key for path in sources for key in pattern.findall(path.read_text(encoding="utf-8"))}
    assert "verdict.none" in used
    used = {key for key in used if not key.endswith(("_", ".css", ".html", ".json", ".md"))}
    assert used <= set(load_texts("it"))


def test_an_unknown_language_is_taken_for_italian():
    assert translate("xx", "compare.neither") == "nessuno" != translate("en", "compare.neither")


def test_values_are_texts_and_nothing_else():
    message = translate("en", "compare.only", system="{system.__class__} <b>")
    assert "{system.__class__} <b>" in message


def test_a_message_is_english_until_it_is_shown():
    message = Message("compare.only", system="mine")
    assert json.loads(json.dumps([message])) == [translate("en", "compare.only", system="mine")]
    for again in (message, str(message), copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
        assert localized("it", again) == translate("it", "compare.only", system="mine")
    assert localized("it", InputError(message)) == localized("it", message)
    assert localized("it", InputError("disk full")) == "disk full"
