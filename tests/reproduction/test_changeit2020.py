"""CHANGE-IT: the format of submissions, and ranks with ties."""

import csv

import polars as pl
import pytest
from csv_files import write_csv

from change_it.errors import InputError
from change_it.io import Record
from change_it.reproduction import changeit2020
from change_it.reproduction.changeit2020 import Submission, convert, ranking, ranks
from change_it.scoring.item import Item, TestSet
from change_it.scoring.scores import _p_values


def write(file, rows, header=("id", "headline", "article", "label")):
    return write_csv(file, rows, header)


def rows_of(count=4):
    rows = [[f"a{n}", f"nuovo {n}", "testo", "R"] for n in range(count)]
    return rows + [[f"b{n}", f"altro {n}", "testo", "gio"] for n in range(count)]


def test_a_submission_becomes_a_prediction_file(toy_corpus, tmp_path):
    file = write(tmp_path / "team.csv", rows_of())
    convert(Submission(file, str(toy_corpus), tmp_path / "out.csv"))
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as out:
        found = list(csv.DictReader(out))
    assert found[0] == {"id": "a0", "headline": "nuovo 0", "target": "gio"}
    assert found[-1] == {"id": "b3", "headline": "altro 3", "target": "rep"}


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda rows: rows[1:], "1 id missing: a0"),
        (lambda rows: [*rows, ["z", "x", "", ""]], "1 id not in the test set: z"),
        (lambda rows: [*rows, rows[0]], "1 id duplicate: a0"),
        (lambda rows: [["a0", "", "", "R"], *rows[1:]], "1 id without a headline: a0"),
        (lambda rows: [["a0", "x", "", "G"], *rows[1:]], "with the label of another outlet: a0"),
    ],
)
def test_a_submission_with_a_fault_is_refused(toy_corpus, tmp_path, spoil, words):
    file = write(tmp_path / "team.csv", spoil(rows_of()))
    with pytest.raises(InputError, match=words):
        convert(Submission(file, str(toy_corpus), tmp_path / "out.csv"), check=True)
    assert not (tmp_path / "out.csv").exists()


class CountedId(str):
    """An id that counts how often it is looked up."""

    lookups = 0

    def __hash__(self):
        CountedId.lookups += 1
        return super().__hash__()


def test_each_id_is_looked_up_a_few_times_however_many_there_are(tmp_path, monkeypatch):
    count = 500
    items = tuple(Item(f"a{n}", "rep", "gio", "prima", "testo") for n in range(count))
    test_set = TestSet(items, ("rep", "gio"), {}, "corpus")
    records = [Record(n, {"id": CountedId(f"a{n}"), "headline": "dopo"}, {}) for n in range(count)]
    monkeypatch.setattr("change_it.scoring.item.read_test_set", lambda _: test_set)
    monkeypatch.setattr(changeit2020, "read_records", lambda *_, **__: records)
    convert(Submission(tmp_path / "team.csv", "corpus", tmp_path / "out.csv"), check=True)
    assert CountedId.lookups < 20 * count


def test_systems_that_do_not_differ_share_a_rank():
    p = {
        ("a", "b"): 0.2,
        ("a", "c"): 0.04,
        ("b", "c"): 0.9,
        ("c", "d"): 0.06,
        ("b", "d"): 0.01,
        ("a", "d"): 0.001,
    }
    assert ranks({"d": 0.1, "c": 0.2, "b": 0.3, "a": 0.4}, p) == {"a": 1, "b": 1, "c": 3, "d": 3}
    assert ranks({"a": 0.4}, {}) == {"a": 1}


def test_the_ranking_leaves_out_what_needs_no_model():
    def rows(compliancy):
        measures = dict.fromkeys(("hh", "ah", "main"), 0.5) | {"compliancy": compliancy}
        return {"average": {**measures, "intervals": {key: [0.1, 0.9] for key in measures}}}

    scores = {
        "systems": {
            "gold": rows(0.9),
            "one": rows(0.6),
            "copy": rows(0.5),
            "baseline": rows(0.4),
            "two": rows(0.3),
        },
        "p_values": {
            "one": {"baseline": 0.02, "two": 0.01},
            "baseline": {"one": 0.02, "two": 0.03},
            "two": {"one": 0.01, "baseline": 0.03},
        },
    }
    found = {row.values["system"]: row.values["rank"] for row in ranking(scores).rows}
    # Holm: .01 * 3, .02 * 2, .03
    assert found == {"one": 1, "baseline": 2, "two": 3, "gold": None, "copy": None}


def test_twelve_systems_that_clearly_differ_have_twelve_ranks():
    """Each passes with fifty headlines more than the next; a p of 1/1001 would be .066 after Holm's correction."""
    names = [f"team{number}" for number in range(12)]
    items = [
        pl.DataFrame(
            {
                "id": [str(item) for item in range(600)],
                "direction": ["rep2gio", "gio2rep"] * 300,
                "event": [str(item) for item in range(600)],
                "compliant": [item < 50 * (12 - number) for item in range(600)],
            }
        )
        for number in range(12)
    ]
    table = _p_values(items, "compliant", resamples=200, seed=1)
    measures = dict.fromkeys(("hh", "ah", "main"), 0.5)
    averages = {
        name: measures
        | {
            "compliancy": rows["compliant"].mean(),
            "intervals": dict.fromkeys((*measures, "compliancy"), (0, 1)),
        }
        for name, rows in zip(names, items, strict=True)
    }
    scores = {
        "systems": {name: {"average": average} for name, average in averages.items()},
        "p_values": {
            name: dict(zip(names, row, strict=True)) for name, row in zip(names, table, strict=True)
        },
    }
    ranked = ranking(scores).rows
    assert [row.values["rank"] for row in ranked] == [*range(1, 13)]
