"""Prompts: the corpus's language, examples of the training set alone; and models that are asked by them as they are."""

import shutil
from dataclasses import replace

import polars as pl
import pyarrow.parquet as pq
import pytest

from change_it.corpus.folder import read_table
from change_it.generators.prompt import Prompt, headline_of
from change_it.scoring.item import Item

ITEM = Item("", "colle", "faro", "Crolla il ponte", "Il ponte {to} sulla statale è crollato.")


@pytest.fixture(scope="module")
def prompt(corpus):
    return Prompt.of_corpus(corpus, shots=3)


def test_a_prompt_has_instruction_examples_and_the_item(prompt):
    text = prompt.text(ITEM)
    assert text.startswith("Riscrivi il titolo di un articolo come lo stamperebbe il giornale faro.")
    assert text.count("Titolo su colle:") == text.count("Titolo su faro:") == 4
    assert text.endswith(
        "Articolo: Il ponte {to} sulla statale è crollato.\n\nTitolo su colle: Crolla il ponte\nTitolo su faro:"
    )
    assert "Titolo su colle:" in prompt.text(replace(ITEM, target="colle"))


def test_no_example_is_of_a2(corpus, prompt):
    test = set(read_table(corpus, "articles", "test", ["id"])["id"])
    pairs = read_table(corpus, "pairs", "train", ["a_id", "b_id", "a_headline", "b_headline"])
    allowed = {text for a, b, *texts in pairs.iter_rows() if not {a, b} & test for text in texts}
    for examples in prompt.examples.values():
        assert {text for pair in examples.pairs for text in (pair.headline, pair.answer)} <= allowed


def test_a_pair_that_touches_a2_is_left_out(corpus, tmp_path):
    folder = shutil.copytree(corpus, tmp_path / "corpus")
    test = pl.read_parquet(folder / "articles/test.parquet")["id"][0]
    path = folder / "pairs/train.parquet"
    pairs = pl.read_parquet(path)
    before = len(Prompt.of_corpus(str(folder), shots=1).examples["faro"].pairs)
    first = pairs["a_id"][0]
    table = pairs.with_columns(pl.col("a_id").replace(first, test))
    pq.write_table(table.to_arrow().cast(pq.read_schema(path)), path)
    after = len(Prompt.of_corpus(str(folder), shots=1).examples["faro"].pairs)
    assert after == before - (pairs["a_id"] == first).sum()


@pytest.mark.parametrize(
    ("answer", "headline"),
    [
        ("Ecco il nuovo titolo:\n\n«Crolla il ponte»", "Crolla il ponte"),
        ("Here's a new headline in the style of right: Bridge falls", "Bridge falls"),
        ("1. Crolla il ponte\n2. Il ponte cade", "Crolla il ponte"),
        ("Ecco il piano: meno tasse", "Ecco il piano: meno tasse"),
        ("Un ponte:", "Un ponte:"),
        ('**Faro:** "Crolla il ponte"', "Crolla il ponte"),
        ("In colle: crolla il ponte", "crolla il ponte"),
        ("Faro spento: due feriti", "Faro spento: due feriti"),
        ("'Ndrangheta, blitz all'alba", "'Ndrangheta, blitz all'alba"),
        ('"Uno", disse "due"', '"Uno", disse "due"'),
        (" \n", ""),
        ("<think>\nUn titolo:\n</think>\n\nCrolla il ponte", "Crolla il ponte"),
        ("<think>\nSenza fine", ""),
        ("Breve?</think>Crolla il ponte", "Crolla il ponte"),
        ("```text\nCrolla il ponte\n```", "Crolla il ponte"),
        ("\ufeffCrolla il ponte\x00", "Crolla il ponte"),
    ],
)
def test_what_introduces_a_headline_is_left_out(answer, headline):
    assert headline_of(answer, outlets=("colle", "faro")) == headline
