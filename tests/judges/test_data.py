"""What the judges learn from: classes, folds, validation, and nothing of A2."""

import shutil
from functools import cache, partial

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from judge_data import load

from change_it.corpus.folder import read_all_outlets, read_table
from change_it.errors import InputError
from change_it.judges.judge_options import JudgeOptions
from change_it.judges.train import train_judge


@pytest.fixture(scope="module")
def loaded(corpus):
    """Task to its data, read once."""
    return cache(partial(load, corpus=corpus))


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


@pytest.mark.parametrize("task", ["hh", "ah"])
def test_a_judge_learns_the_configs_that_the_corpus_shows(corpus, task, loaded):
    for config, data in ((task, loaded(task)), (f"{task}_random", load(task, corpus, as_published=True))):
        for part, side in ((data.train, "train"), (data.validation, "validation")):
            rows = read_table(corpus, config, side)
            first, second = rows.columns[:2]
            assert (part.texts, part.pairs) == (rows[first].to_list(), rows[second].to_list())
            assert part.labels.tolist() == rows["label"].to_list()
            assert rows.height


@pytest.mark.parametrize("task", ["hh", "ah"])
def test_each_kind_of_wrong_partners_is_a_test_with_the_matching_rows(corpus, task, loaded):
    rows = read_table(corpus, task, "test")
    near = ["near"] if task == "hh" else []
    assert list(loaded(task).tests) == ["random", "hard", *near, "facts"]
    for kind, test in loaded(task).tests.items():
        wrong = rows.filter(kind=kind)
        assert (test.labels == 0).sum() == wrong.height
        same = test.texts if task == "hh" else test.pairs
        right = [text for text, label in zip(same, test.labels, strict=True) if label]
        if kind == "facts":  # those that could be changed
            assert sorted(right) == sorted(wrong["headline1" if task == "hh" else "article"])
        else:
            assert len(right) == rows.filter(kind="match").height


def test_partners_are_on_one_side_of_the_validation(corpus, loaded):
    held, known = (set(part.pairs) for part in (loaded("ah").validation, loaded("ah").train))
    both = [{a, b} for a, b in read_all_outlets(corpus, "pairs", ["a_article", "b_article"]).iter_rows()]
    assert any(pair <= held for pair in both)
    assert not any(pair & held and pair & known for pair in both)


def test_a_corpus_of_an_earlier_version_is_refused_with_what_mends_it(corpus, tmp_path):
    older = shutil.copytree(corpus, tmp_path / "corpus")
    shutil.rmtree(older / "hh_random")
    with pytest.raises(InputError, match="build it with `change-it corpus build`"):
        load("hh", str(older), as_published=True)
    rows = pq.read_table(older / "hh/train.parquet").drop_columns(["kind", "event"])
    pq.write_table(rows, older / "hh/train.parquet")
    with pytest.raises(InputError, match="build it with `change-it corpus build`"):
        load("hh", str(older))


def test_a_fold_trains_on_its_own_articles_and_tests_on_all(corpus, loaded):
    whole, folds = loaded("main"), [load("main", corpus, fold=fold) for fold in ("0", "1")]
    seen = [set(data.train.texts) | set(data.validation.texts) for data in folds]
    sizes = [len(data.train) + len(data.validation) for data in (*folds, whole)]
    assert sizes[0] + sizes[1] == sizes[2]
    assert len(seen[0] & seen[1]) < 0.02 * len(seen[0])
    assert all(data.tests["gold"].texts == whole.tests["gold"].texts for data in folds)
    assert set(folds[0].headlines) <= set(read_table(corpus, "articles", "train").filter(fold=0)["headline"])


def test_a_linear_judge_needs_no_class_in_its_validation_part(corpus, tmp_path):
    small = shutil.copytree(corpus, tmp_path / "corpus")
    file = small / "main/validation.parquet"
    rows = pq.read_table(file)
    pq.write_table(rows.filter(pc.equal(rows["label"], 0)), file)
    given = {"out": tmp_path / "main", "corpus": str(small), "task": "main"}
    assert train_judge(JudgeOptions(**given))["results"]["gold"]["macro_f1"] > 0.55
    with pytest.raises(InputError, match="the validation part of main lacks a class"):
        train_judge(JudgeOptions(**given, encoder="bilstm"))
