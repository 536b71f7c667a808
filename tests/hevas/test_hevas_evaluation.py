import numpy as np
import pytest

from change_it import InputError
from change_it.hevas.documents import Documents
from change_it.hevas.evaluation import Evaluation, evaluate
from change_it.hevas.metrics import METRICS, MetricOptions, chosen_metrics
from change_it.hevas.readability import average_word_length, fog, tag_ratios
from change_it.hevas.spaces import LatentSemantic, TopicModel, divergences, inverse_frequencies
from change_it.text.rouge import headline_rouge
from change_it.text.tagging import load_tagger
from change_it.text.tokens import words

ARTICLES = (
    "Il governo cade a Roma dopo il voto. Il presidente scioglie le camere e si vota a maggio.",
    "La squadra vince la coppa dopo i rigori. Festa in piazza fino a notte, il presidente ringrazia.",
    "Sale il prezzo del pane nelle città italiane. I panettieri accusano il grano, il governo tace.",
    "Neve sulle Alpi e treni fermi. La città di Torino chiude le scuole per due giorni.",
)
REFERENCES = (
    ("Cade il governo, si vota a maggio",),
    ("La coppa alla squadra", "Vince la squadra, festa in piazza"),
    ("Pane più caro nelle città",),
    ("Neve, Torino chiude le scuole",),
)
DOCUMENTS = Documents(("a", "b", "c", "d"), ARTICLES, REFERENCES, "four")
GOOD = ["Si vota a maggio", "Festa in piazza", "Il prezzo del pane sale", "Torino sotto la neve"]
POOR = ["Lui", "Chi vince?", "Indiscutibilmente", "…"]
OPTIONS = MetricOptions(topics=2, lsi="3")


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(DOCUMENTS, {"poor": POOR, "good": GOOD}, options=OPTIONS)


def test_every_metric_is_the_one_of_its_module(evaluation):
    assert evaluation.metrics == tuple(METRICS)
    split = [words(text) for text in ARTICLES]
    lsi = LatentSemantic(split, keep=("number", 3), language="it")
    lda = TopicModel(split, topics=2, language="it")
    rouge = headline_rouge(GOOD, REFERENCES)
    expected = {
        **{f"R-{name.removeprefix('rouge')}": values for name, values in rouge.items()},
        "LSA-C": lsi.coverage(GOOD),
        "LSA-S": lsi.to_references(GOOD, REFERENCES),
        "TM-C": lda.coverage(GOOD),
        "TM-S": lda.to_references(GOOD, REFERENCES),
        "KL-C": divergences(GOOD, [[text] for text in ARTICLES])[0],
        "KL-S": divergences(GOOD, REFERENCES)[0],
        "JS-C": divergences(GOOD, [[text] for text in ARTICLES])[1],
        "JS-S": divergences(GOOD, REFERENCES)[1],
        **dict(zip(("PNR", "NR", "PR"), tag_ratios(GOOD, load_tagger("it"), "it"), strict=True)),
        "Fog": fog(GOOD, "it"),
        "AWL": average_word_length(GOOD),
    }
    for name, values in expected.items():
        found = evaluation.scores(name)[:, 1]
        assert found == pytest.approx(values, abs=1e-12), name
        assert evaluation.means["good"][name] == pytest.approx(values.mean())
    assert set(METRICS) - set(expected) == {"WE-C", "WE-S"}
    assert {(each.dtype, each.shape) for each in evaluation.values.values()} == {(np.dtype(float), (4, 19))}


def test_options_reach_the_metrics():
    repeated = ["il il il", "la la", "più più", "neve neve"]
    idf = inverse_frequencies([words(text) for text in ARTICLES])
    weighed = evaluate(DOCUMENTS, {"good": GOOD}, metrics=["JS-C"], options=MetricOptions(weights="tf-idf"))
    articles = [[text] for text in ARTICLES]
    wanted = divergences(GOOD, articles, idf=idf)[1]
    assert weighed.values["good"][:, 0] == pytest.approx(wanted)
    assert not np.allclose(wanted, divergences(GOOD, articles)[1])
    kept = evaluate(DOCUMENTS, {"r": repeated}, metrics=["LSA-C"], options=MetricOptions(lsi="2"))
    all_words = MetricOptions(lsi="2", stop_words="none")
    assert kept.values["r"][0, 0] == 0  # "il" is a stop word
    assert evaluate(DOCUMENTS, {"r": repeated}, metrics=["LSA-C"], options=all_words).values["r"][0, 0] > 0


def example(**columns):
    """Systems x and y measured by columns of (values of x, values of y)."""
    values = {
        system: np.column_stack([np.array(pair[at], np.float64) for pair in columns.values()])
        for at, system in enumerate("xy")
    }
    rows = len(values["x"])
    empty = {system: np.zeros(rows, bool) for system in "xy"}
    names = tuple(name.replace("_", "-") for name in columns)
    return Evaluation(names, values, empty, tuple(map(str, range(rows))), "")


def test_normalisation_and_ranks_by_hand():
    found = example(
        R_WSU=([0.2, 0.4], [0.6, 1.2]),
        WE_C=([-0.5, 0.4], [0.4, -0.5]),
        KL_C=([0.1, 0.3], [0, 0]),
        JS_C=([0.9, 0.9], [0, 0]),
        NR=([0.25, 0], [0.5, 0.5]),
        Fog=([4, 8], [6, 6]),
        AWL=([5, 5], [5, 5]),
    )
    assert [*found.normalised] == ["R-WSU", "WE-C", "KL-C", "NR", "Fog", "AWL"]
    x = [[0.2, 0, 0.9, 0.75, 1, 0.5], [0.4, 0.4, 0.7, 1, 0, 0.5]]
    y = [[0.6, 0.4, 1, 0.5, 0.5, 0.5], [1, 0, 1, 0.5, 0.5, 0.5]]
    np.testing.assert_allclose(np.stack([*found.normalised.values()]).T, [x, y])
    assert found.overall == pytest.approx({"x": 6.35 / 12, "y": 7 / 12})
    shared = {"WE-C": 1, "Fog": 1, "AWL": 1}
    assert found.ranks["x"] == {"R-WSU": 2, "KL-C": 2, "NR": 1, **shared}
    assert found.ranks["y"] == {"R-WSU": 1, "KL-C": 1, "NR": 2, **shared}
    assert [*found.overall] == ["y", "x"]


def test_metrics_that_do_not_tell_systems_apart_are_known():
    found = example(
        WE_C=([0.9, 0, 0.9], [0.91, 0.91, 0.91]),
        R_2=([0.01, 0, 0.01], [0.02, 0.02, 0.02]),
        JS_C=([0, 0, 0], [0, 0, 0]),
        AWL=([4, 0, 5], [5, 5, 5]),
    )
    found.empty["x"][1] = True
    assert found.indistinct == ["WE-C", "JS-C"]


def test_metrics_are_chosen_by_name_and_category():
    assert chosen_metrics(["readability", "R-1"]) == ("R-1", "PNR", "NR", "PR", "Fog", "AWL")
    assert set(chosen_metrics(["informativeness"])) == set(METRICS) - set(chosen_metrics(["readability"]))
    with pytest.raises(
        InputError, match="no metric called R-9: choose from informativeness, readability, R-1"
    ):
        chosen_metrics(["R-1", "R-9"])
