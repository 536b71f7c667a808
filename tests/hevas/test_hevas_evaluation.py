from dataclasses import replace

import numpy as np
import pytest
from drawn import texts

from change_it import InputError
from change_it.hevas.documents import Documents
from change_it.hevas.evaluation import Evaluation, chosen_metrics, evaluate
from change_it.hevas.measuring import MetricOptions
from change_it.hevas.metrics import METRICS
from change_it.hevas.readability import average_word_length, fog, tag_ratios
from change_it.hevas.spaces import LatentSemantic, TopicModel, WordEmbeddings, divergences, train_vectors
from change_it.text.rouge import headline_rouge
from change_it.text.tagging import load_tagger
from change_it.text.tokens import words

ARTICLES = texts(6, 1, shortest=10, longest=40)
REFERENCES = tuple(zip(texts(6, 2), texts(6, 3), strict=True))
HEADLINES = texts(6, 4)
OPTIONS = MetricOptions(topics=2, lsi="3")
DOCUMENTS = Documents(tuple("abcdef"), tuple(ARTICLES), REFERENCES, "drawn")


def test_every_metric_is_the_one_of_its_module():
    evaluation = evaluate(DOCUMENTS, {"documents": ["…"] * 6, "mine": HEADLINES}, options=OPTIONS)
    assert evaluation.metrics == tuple(METRICS)
    split, lists = [words(text) for text in ARTICLES], [[text] for text in ARTICLES]
    lsi = LatentSemantic(split, keep=("number", 3), language="it")
    lda = TopicModel(split, topics=2, language="it")
    embeddings = WordEmbeddings(split, train_vectors(split))
    informativeness = [*headline_rouge(HEADLINES, REFERENCES).values()]
    for space in (lsi, lda, embeddings):
        informativeness += [space.coverage(HEADLINES), space.to_references(HEADLINES, REFERENCES)]
    informativeness += zip(divergences(HEADLINES, lists), divergences(HEADLINES, REFERENCES), strict=True)
    nouns = tag_ratios(HEADLINES, load_tagger("it"), "it")
    expected = np.vstack([*informativeness, nouns, fog(HEADLINES, "it"), average_word_length(HEADLINES)])
    np.testing.assert_allclose(evaluation.values["mine"].T, expected, atol=1e-12)
    assert [*evaluation.means["mine"].values()] == pytest.approx(expected.mean(axis=1))
    assert not evaluation.values["documents"].any()
    assert evaluation.written.tolist() == [[False, True]] * 6


@pytest.mark.parametrize(
    ("metric", "changes"),
    [
        ("JS-C", {"weights": "tf-idf"}),
        ("LSA-C", {"lsi": "2"}),
        ("LSA-C", {"stop_words": "none"}),
        ("TM-C", {"topics": 3}),
        ("TM-C", {"seed": 2}),
    ],
)
def test_options_reach_the_metrics(metric, changes):
    usual, changed = (
        evaluate(DOCUMENTS, {"mine": HEADLINES}, metrics=[metric], options=replace(OPTIONS, **several))
        for several in ({}, changes)
    )
    assert not np.allclose(usual.values["mine"], changed.values["mine"])
    assert usual.signature != changed.signature


def example(**columns):
    """Systems x and y measured by columns of (values of x, values of y)."""
    x, y = np.moveaxis(np.array([*columns.values()], np.float64), 0, -1)
    empty = {system: np.zeros(len(x), bool) for system in "xy"}
    names = tuple(name.replace("_", "-") for name in columns)
    return Evaluation(names, {"x": x, "y": y}, empty, tuple(map(str, range(len(x)))), "")


def test_normalisation_and_ranks_by_hand():
    evaluation = example(
        R_WSU=([0.2, 0.4], [0.6, 1.2]),
        WE_C=([-0.5, 0.4], [0.4, -0.5]),
        KL_C=([0.1, 0.3], [0, 0]),
        JS_C=([0.9, 0.9], [0, 0]),
        NR=([0.25, 0], [0.5, 0.5]),
        Fog=([4, 8], [6, 6]),
        AWL=([5, 5], [5, 5]),
    )
    assert [*evaluation.normalised] == ["R-WSU", "WE-C", "KL-C", "NR", "Fog", "AWL"]
    x = [[0.2, 0, 0.9, 0.75, 1, 0.5], [0.4, 0.4, 0.7, 1, 0, 0.5]]
    y = [[0.6, 0.4, 1, 0.5, 0.5, 0.5], [1, 0, 1, 0.5, 0.5, 0.5]]
    np.testing.assert_allclose(np.stack([*evaluation.normalised.values()]).T, [x, y])
    assert evaluation.overall == pytest.approx({"x": 6.35 / 12, "y": 7 / 12})
    shared = {"WE-C": 1, "Fog": 1, "AWL": 1}
    assert evaluation.ranks["x"] == {"R-WSU": 2, "KL-C": 2, "NR": 1, **shared}
    assert evaluation.ranks["y"] == {"R-WSU": 1, "KL-C": 1, "NR": 2, **shared}
    assert [*evaluation.overall] == ["y", "x"]


@pytest.mark.parametrize("metric", ["Fog", "AWL"])
def test_what_has_no_upper_end_is_stretched_over_the_documents_of_all_systems(metric):
    """From 4, the lowest, to 10, the highest; neither over one system nor from 0."""
    evaluation = example(**{metric: ([4, 8], [6, 10])})
    x, y = evaluation.normalised[metric].T.tolist()
    assert x == pytest.approx([1, 1 - 4 / 6])  # less is better
    assert y == pytest.approx([1 - 2 / 6, 0])


def test_metrics_that_do_not_tell_systems_apart_can_be_left_out():
    evaluation = example(
        WE_C=([0.9, 0, 0.9], [0.91, 0.91, 0.91]),
        R_2=([0.01, 0, 0.01], [0.02, 0.02, 0.02]),
        JS_C=([0, 0, 0], [0, 0, 0]),
        AWL=([4, 0, 5], [5, 5, 5]),
    )
    evaluation.empty["x"][1] = True
    assert evaluation.indistinct == ["WE-C", "JS-C"]
    distinct = replace(evaluation, distinct=True)
    assert ([*evaluation.normalised], [*distinct.normalised]) == (["WE-C", "R-2", "AWL"], ["R-2", "AWL"])
    assert distinct.ranks["x"] == {"R-2": 2, "AWL": 1}
    mine = evaluate(DOCUMENTS, {"mine": HEADLINES}, metrics=["Fog"], distinct=True)
    assert "|average:distinct|" in mine.signature


def test_metrics_are_chosen_by_name_and_category():
    assert chosen_metrics(["readability", "R-1"]) == ("R-1", "PNR", "NR", "PR", "Fog", "AWL")
    assert set(chosen_metrics(["informativeness"])) == set(METRICS) - set(chosen_metrics(["readability"]))
    with pytest.raises(InputError, match="no metric called R-9: choose from informativeness"):
        chosen_metrics(["R-1", "R-9"])
