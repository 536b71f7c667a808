"""Generators as a function: what is read, what comes back, and which ones a folder offers."""

import pytest
from tiny_generators import WORDS, save_generator
from transformers import GenerationConfig

from change_it import HeadlineTransfer, InputError
from change_it.corpus.test_set import Item
from change_it.generators.transfer import Search

HEADLINES = ["Crolla il ponte", "Approvata la riforma fiscale", "Sciopero"]
ARTICLES = [f"Roma. {WORDS}", "Approvata ieri la riforma fiscale, dice Rossi.", "Sciopero dei treni " * 30]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """sum in both directions, s2s1 for gio alone."""
    root = tmp_path_factory.mktemp("generators")
    save_generator(root / "sum-gio", seed=1)
    save_generator(root / "sum-rep", to="rep", seed=2)
    save_generator(root / "s2s1-gio", recipe="s2s1", architecture="s2s", seed=3)
    return root


@pytest.fixture(scope="module")
def both(folder):
    return HeadlineTransfer.from_pretrained(folder, recipe="sum", device="cpu")


def test_each_outlet_has_its_own_generator_and_order_is_kept_in_any_batches(both):
    aims = ["gio", "rep", "gio"]
    mixed = both(HEADLINES, article=ARTICLES, to=aims)
    items = zip(HEADLINES, ARTICLES, aims, strict=True)
    assert mixed == [both(headline, article=article, to=to) for headline, article, to in items]
    assert mixed == both(HEADLINES, article=ARTICLES, to=aims, batch_size=1)
    assert mixed == both(iter(HEADLINES), article=iter(ARTICLES), to=iter(aims))
    assert both(HEADLINES, article=ARTICLES, to="rep")[0] != mixed[0]


@pytest.mark.parametrize("article", [" \n", None, float("nan")])
def test_an_empty_source_is_refused_in_a_call_and_gives_no_candidates(both, article):
    with pytest.raises(InputError, match="empty texts in article at 1: give a text for every item"):
        both(HEADLINES, article=[ARTICLES[0], article, ARTICLES[2]], to="gio")
    texts = zip(HEADLINES, [ARTICLES[0], "", ARTICLES[2]], strict=True)
    offered = both.propose([Item("", "", "gio", *item) for item in texts], Search())
    assert [bool(candidates) for candidates in offered] == [True, False, True]
    assert both("", article=ARTICLES[2], to="gio") == offered[2][0].text


def test_calls_that_do_not_fit_are_refused(both):
    with pytest.raises(InputError, match="headline is one text: give a list of texts"):
        both.candidates(HEADLINES[0], article=ARTICLES[:1], to="gio")
    with pytest.raises(InputError, match="num_beams=0 is out of range: give a whole number"):
        both(HEADLINES[0], article=ARTICLES[0], to="gio", decoding=GenerationConfig(num_beams=0))


def test_a_text_in_another_language_is_said_once(folder):
    transfer = HeadlineTransfer.from_pretrained(folder, recipe="sum", device="cpu")
    english = "The bridge on the highway collapsed yesterday, and nobody was hurt."
    says = r"'The bridge .*' is not in the language of the generator \(it\)"
    with pytest.warns(UserWarning, match=says) as said:
        written = [transfer(texts, article=texts, to="gio") for texts in ([WORDS, english], english)]
    assert written[0][1] == written[1]
    assert len(said) == 1


def test_a_folder_chooses_by_recipe_and_outlet(folder, tmp_path):
    one = HeadlineTransfer.from_pretrained(folder, recipe="sum", to="rep", device="cpu")
    assert (one.targets, one.generators["rep"].folder) == (("rep",), folder / "sum-rep")
    for name in ("a-trial", "b-trial"):
        save_generator(tmp_path / name)
    with pytest.raises(InputError, match=r"several generators for gio: give one of them, .*a-trial or "):
        HeadlineTransfer.from_pretrained(tmp_path, device="cpu")
