"""Compliancy inside a `Seq2SeqTrainer`."""

import numpy as np
import pytest
from saved_judges import build_encoder, save_judges
from tiny_generators import WORDS
from transformers import EvalPrediction

from change_it import InputError, Judges, compute_metrics
from change_it.scoring.compute import compute_compliancy

SOURCES = ["il ponte crolla sulla statale", "sciopero generale dei treni", "festival aperto al pubblico"]
ARTICLES = [f"{source}, la riforma approvata" for source in SOURCES]
LABELS = ["rep", "gio", "rep"]
#: What can be told without a fluency judge.
KNOWN = ("compliancy", "style", "edited", "hh", "ah", "main", "evidence")


@pytest.fixture(scope="module")
def judges(tmp_path_factory):
    folder = save_judges(tmp_path_factory.mktemp("judges"), [WORDS, *SOURCES, *ARTICLES], ("rep", "gio"))
    return Judges.from_pretrained(folder, device="cpu")


@pytest.fixture(scope="module")
def tokenizer():
    return build_encoder([WORDS])[1]


def ids_of(tokenizer, texts):
    """As `predict_with_generate` gives them: padded with -100."""
    rows = tokenizer(texts, padding=True)["input_ids"]
    return np.array([[id_ if id_ != tokenizer.pad_token_id else -100 for id_ in row] for row in rows])


def test_shares_are_those_of_compliancy(judges, tokenizer):
    compute = compute_metrics(judges, tokenizer, SOURCES, ARTICLES, LABELS)
    written = ["la riforma crolla", "il ponte dei treni", "sciopero al festival"]
    texts = tokenizer.batch_decode(tokenizer(written)["input_ids"], skip_special_tokens=True)
    expected = compute_compliancy(texts, SOURCES, ARTICLES, LABELS, judges, resamples=1)
    for given in (ids_of(tokenizer, written), (ids_of(tokenizer, written), None)):
        found = compute(EvalPrediction(predictions=given, label_ids=None))
        assert found == {name: pytest.approx(expected[name]) for name in KNOWN}


def test_what_is_no_headline_of_these_sources_is_refused(judges, tokenizer):
    compute = compute_metrics(judges, tokenizer, SOURCES, ARTICLES, LABELS)
    with pytest.raises(InputError, match="predict_with_generate=True"):
        compute(EvalPrediction(predictions=np.zeros((3, 4, 200)), label_ids=None))
    with pytest.raises(InputError, match="2 headlines were written for 3 sources"):
        compute(EvalPrediction(predictions=np.zeros((2, 4), dtype=int), label_ids=None))
