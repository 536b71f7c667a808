"""What the judges learn from: classes, folds, validation, nothing of A2, and broken headlines for fluency."""

import json
import shutil
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from change_it.corpus.folder import read_all_outlets, read_table
from change_it.errors import InputError
from change_it.judges import data as judge_data
from change_it.judges.data import HELD_OUT, PARTS, SEEN, UNSEEN, check_enough_pairs, load_fluency, load_task


@pytest.fixture(scope="module")
def loaded(corpus):
    """Task to its data, read once."""
    return cache(partial(load_task, corpus=corpus))


@pytest.mark.parametrize("task", ["main", "hh", "ah"])
def test_parts_are_apart(corpus, task, loaded):
    """No text of a test article is learnt or validated on, and no validation example is learnt."""
    data = loaded(task)
    test = read_table(corpus, "articles", "test")
    test_texts = {*test["headline"], *test["article"]}
    for part in (data.train, data.validation):
        assert test_texts.isdisjoint(part.texts)
        assert test_texts.isdisjoint(part.pairs or [])
    assert examples_of(data.train).isdisjoint(examples_of(data.validation))
    assert 0.03 < len(data.validation) / len(data.train) < 0.25


@pytest.mark.parametrize("task", ["main", "hh", "ah"])
def test_each_part_has_both_classes_and_pairs_but_for_main(task, loaded):
    data = loaded(task)
    for part in (data.train, data.validation, *data.tests.values()):
        assert set(part.labels.tolist()) == {0, 1}
        assert (part.pairs is None) == (task == "main")


def examples_of(part):
    """Return the texts of each example: one of main, two of HH and AH."""
    return set(zip(part.texts, part.pairs or part.texts, strict=True))


#: Rows of the training part by kind. Half of the wrong partners are hard ones where there is a near article;
#: a tenth of as many as match has a changed fact.
KINDS = {
    "hh": {"match": 22, "hard": 10, "random": 10, "facts": 2},
    "ah": {"match": 462, "hard": 197, "random": 219, "facts": 46},
}


@pytest.mark.parametrize("task", KINDS)
def test_the_shares_of_hard_random_and_changed_partners(corpus, task):
    assert dict(read_table(corpus, task, "train")["kind"].value_counts().iter_rows()) == KINDS[task]
    published = read_table(corpus, f"{task}_random", "train")
    assert set(published["kind"]) == {"match", "random"}


@pytest.mark.parametrize("task", ["hh", "ah"])
def test_a_judge_learns_the_configs_that_the_corpus_shows(corpus, task, loaded):
    for config, data in (
        (task, loaded(task)),
        (f"{task}_random", load_task(task, corpus, as_published=True)),
    ):
        for part, side in ((data.train, "train"), (data.validation, "validation")):
            rows = read_table(corpus, config, side)
            first, second = (rows[name].to_list() for name in rows.columns[:2])
            assert rows.height
            assert (part.texts, part.pairs, part.labels.tolist()) == (first, second, rows["label"].to_list())


@pytest.mark.parametrize("task", ["hh", "ah"])
def test_each_kind_of_wrong_partners_is_a_test_with_the_matching_rows(corpus, task, loaded):
    rows = read_table(corpus, task, "test")
    tests = loaded(task).tests
    assert list(tests) == ["random", "hard", *(["near"] if task == "hh" else []), "facts"]
    for kind, test in tests.items():
        wrong = rows.filter(kind=kind)
        same = test.texts if task == "hh" else test.pairs
        right = [text for text, label in zip(same, test.labels, strict=True) if label]
        assert len(test) - len(right) == wrong.height
        if kind == "facts":  # those that could be changed
            assert sorted(right) == sorted(wrong["headline1" if task == "hh" else "article"])
        else:
            assert len(right) == rows.filter(kind="match").height


def test_partners_are_on_one_side_of_the_validation(corpus, loaded):
    held, known = (set(part.pairs) for part in (loaded("ah").validation, loaded("ah").train))
    both = [{a, b} for a, b in read_all_outlets(corpus, "pairs", ["a_article", "b_article"]).iter_rows()]
    assert any(pair <= held for pair in both)
    assert not any(pair & held and pair & known for pair in both)


def test_a_fold_trains_on_its_own_articles_and_tests_on_all(corpus, loaded):
    whole = loaded("main")
    folds = [load_task("main", corpus, fold=fold) for fold in ("0", "1")]
    seen = [{*data.train_and_validation.texts} for data in folds]
    assert sum(len(data.train_and_validation) for data in folds) == len(whole.train_and_validation)
    assert len(seen[0] & seen[1]) < 0.02 * len(seen[0])
    assert all(data.tests["gold"].texts == whole.tests["gold"].texts for data in folds)
    assert set(folds[0].headlines) <= set(read_table(corpus, "articles", "train").filter(fold=0)["headline"])


def test_a_corpus_of_an_earlier_version_and_a_missing_class_are_refused(corpus, tmp_path):
    older = shutil.copytree(corpus, tmp_path / "corpus")
    shutil.rmtree(older / "hh_random")
    with pytest.raises(InputError, match="build it with `change-it corpus build`"):
        load_task("hh", str(older), as_published=True)
    for file in (older / "main/train.parquet", older / "main/validation.parquet"):
        rows = pq.read_table(file)
        pq.write_table(rows.filter(pc.equal(rows["label"], 0)), file)
    with pytest.raises(InputError, match="main has training examples of one class alone"):
        load_task("main", str(older))
    shutil.copy(Path(corpus) / "main/train.parquet", older / "main")
    pq.write_table(rows.slice(0, 0), older / "main/validation.parquet")
    with pytest.raises(InputError, match=r"too few to train judges \(main has no validation example\)"):
        load_task("main", str(older))


def test_judges_are_refused_where_a_fold_lacks_a_class_or_a_test(corpus, tmp_path):
    check_enough_pairs(corpus, ("0", "1", "all"))
    fewer = shutil.copytree(corpus, tmp_path / "corpus")
    file = fewer / "hh/train.parquet"
    rows = pq.read_table(file)
    is_of_0 = pc.equal(rows["fold"], 0)
    pq.write_table(rows.filter(pc.or_(pc.invert(is_of_0), pc.equal(rows["label"], 1))), file)
    validation = pq.read_table(fewer / "hh/validation.parquet")
    right = pc.or_(pc.equal(validation["fold"], 1), pc.equal(validation["label"], 1))
    pq.write_table(validation.filter(right), fewer / "hh/validation.parquet")
    check_enough_pairs(str(fewer), ("1", "all"))
    with pytest.raises(InputError, match="HH has training examples of one class alone in fold 0"):
        check_enough_pairs(str(fewer), ("1", "0"))
    pq.write_table(rows, file)
    report = json.loads((fewer / "alignment.json").read_text())
    del report["rows_by_config"]["hh"]["test"]
    (fewer / "alignment.json").write_text(json.dumps(report))
    with pytest.raises(InputError, match=r"\(HH has no test example\): give more articles of the sample"):
        check_enough_pairs(str(fewer), ("1",))


def test_printed_and_broken_headlines_and_where_they_come_from(corpus, monkeypatch):
    used = []
    corrupt = judge_data.corrupt
    monkeypatch.setattr(judge_data, "corrupt", lambda *given: used.append(given[1]) or corrupt(*given))
    monkeypatch.setattr(judge_data, "MAX_BROKEN_HEADLINES", 200)
    data = load_fluency(corpus, fold="all", seed=1)
    printed = data.train.labels == 1
    assert (printed.sum(), (~printed).sum()) == (200, 2 * 200)
    assert {*data.parts} == {*range(1, PARTS + 1)}
    test = read_table(corpus, "articles", "test", ["headline", "event"])
    known = data.train_and_validation
    learnt = {known.texts[row] for row in np.flatnonzero(known.labels)}
    assert not (learnt | {*data.headlines}) & {*test["headline"]}
    assert {*data.tests} == {SEEN, UNSEEN}
    for name, examples in data.tests.items():
        assert len(examples) == len(data.events[name])
        assert {*data.events[name]} <= {*test["event"]}
    first = min(used.index(name) for name in HELD_OUT)
    assert first > 2 * 200  # what is learnt from is broken before, by other corruptions
    assert set(used[first:]) <= {*HELD_OUT}
    of = dict(zip(data.headlines, data.counted_parts, strict=True))
    for at in np.flatnonzero(printed)[:50]:  # a headline and what is made of it share a part
        assert data.parts[at] == data.parts[at + 1] == of[data.train.texts[at]]


@pytest.mark.parametrize(
    "weights", [[1.0], [2.0, 1.0], [2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]]
)
def test_corruptions_are_drawn_as_numpy_draws_without_replacement(weights):
    ours, numpys = (np.random.default_rng(3) for _ in range(2))
    shares = np.array(weights) / sum(weights)
    for _ in range(200):
        expected = numpys.choice(len(weights), len(weights), replace=False, p=shares).tolist()
        assert judge_data._weighted_order(weights, ours) == expected
    assert ours.random() == numpys.random()  # as many draws
