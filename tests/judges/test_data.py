"""What the judges learn from: classes, folds, validation, and nothing of A2."""

from difflib import SequenceMatcher
from functools import cache, partial

import pytest
from judge_data import load

from change_it.corpus.folder import read_table
from change_it.judges import data as judges_data


def mixed(corpus, task, **changes):
    return load(task, corpus, **{"negatives": "mixed"} | changes)


@pytest.fixture(scope="module")
def loaded(corpus):
    """Task to its data, read once."""
    return cache(partial(mixed, corpus))


@pytest.mark.parametrize("task", ["main", "hh", "ah"])
def test_parts_are_apart(corpus, task, loaded):
    data = loaded(task)
    test = read_table(corpus, "articles", "test")
    parts = [data.train, data.validation, *data.tests.values()]
    assert all({0, 1} == set(part.labels.tolist()) for part in parts)
    assert all((part.pairs is None) == (task == "main") for part in parts)
    for part in (data.train, data.validation):
        assert not {*part.texts, *(part.pairs or [])} & {*test["headline"], *test["article"]}
    both = (data.train, data.validation)
    trained, held = (set(zip(part.texts, part.pairs or part.texts, strict=True)) for part in both)
    assert not trained & held
    assert 0.03 < len(data.validation) / len(data.train) < 0.25


def test_partners_are_on_one_side_of_the_validation(corpus):
    data = mixed(corpus, "ah", validation_share=0.3)
    pairs = read_table(corpus, "pairs", "train")
    held = set(data.validation.pairs)
    known = held | set(data.train.pairs)  # the larger outlet's articles are not all drawn
    assert held
    for a, b in pairs.select("a_article", "b_article").iter_rows():
        assert (a in held) == (b in held) or not {a, b} <= known


def test_negatives_of_the_test_are_of_every_kind_whatever_the_training(corpus):
    data, other = mixed(corpus, "ah", negatives="random"), mixed(corpus, "ah", negatives="hard", seed=7)
    assert list(data.tests) == ["random", "hard", "facts"]
    assert all(data.tests[kind].texts == other.tests[kind].texts for kind in data.tests)
    assert data.tests["hard"].texts != data.tests["random"].texts


@pytest.mark.parametrize("task", ["hh", "ah"])
def test_mixed_negatives_are_wrong_partners_and_some_changed_facts(corpus, task, monkeypatch):
    monkeypatch.setitem(judges_data.FACTS, "mixed", 0.4)
    data = mixed(corpus, task)
    headlines, others = data.train.texts, data.train.pairs
    if task == "hh":
        headlines, others = others, headlines
    rows = list(zip(headlines, others, data.train.labels, strict=True))
    own = {}
    for headline, other, label in rows:
        if label:
            own.setdefault(other, set()).add(headline)
    wrong = [(headline, own.get(other, ())) for headline, other, label in rows if not label]

    def is_changed(headline, right):
        alike = (SequenceMatcher(None, headline, one).ratio() > 0.7 for one in right)
        return headline not in right and any(alike)

    changed = [headline for headline, right in wrong if is_changed(headline, right)]
    assert 0.25 * len(wrong) < len(changed) < 0.5 * len(wrong)


def test_a_fold_trains_on_its_own_articles_and_tests_on_all(corpus, loaded):
    whole, folds = loaded("main"), [mixed(corpus, "main", fold=fold) for fold in ("0", "1")]
    seen = [set(data.train.texts) | set(data.validation.texts) for data in folds]
    sizes = [len(data.train) + len(data.validation) for data in (*folds, whole)]
    assert sizes[0] + sizes[1] == sizes[2]
    assert len(seen[0] & seen[1]) < 0.02 * len(seen[0])
    assert all(data.tests["gold"].texts == whole.tests["gold"].texts for data in folds)
    assert set(folds[0].headlines) <= set(read_table(corpus, "articles", "train").filter(fold=0)["headline"])
