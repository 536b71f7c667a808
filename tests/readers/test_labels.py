"""Label files, and judges beside them: figures by hand and the page."""

import json

import numpy as np
import polars as pl
import pytest
from csv_files import read_csv, write_csv
from scoring_fakes import load_fakes, toy_test_set, write_toy_corpus
from sklearn.metrics import roc_auc_score

from change_it.audit import measure
from change_it.cli import main
from change_it.corpus.folder import read_table
from change_it.errors import InputError
from change_it.readers.labels import HEADLINE_GROUPS, auc, by_question, reader_labels, shares_accepted
from change_it.readers.questions import HEADINGS

HEADER = ["id", "headline", "supported", "printable", "system"]
#: A dozen probabilities with ties, and whether readers say yes.
P = np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2, 0.2, 0.1])
RIGHT = np.array([1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0], dtype=bool)
EVENTS = np.array([f"e{n}" for n in range(12)])


def test_figures_by_hand():
    value, (low, high) = auc(RIGHT, P, EVENTS)
    # Of 5 x 7 pairs .9 beats 7 wrong ones, .8 6 and ties 1, .7 6, .6 5 and ties 1, .4 4.
    assert value == pytest.approx((7 + 6.5 + 6 + 5.5 + 4) / 35)
    assert value == pytest.approx(roc_auc_score(RIGHT, P))
    assert 0 <= low < value < high <= 1
    assert auc(np.ones(12, dtype=bool), P, EVENTS) == (None, None)


def read(tmp_path, *files, header=HEADER):
    paths = [write_csv(tmp_path / f"{n}.csv", rows, header) for n, rows in enumerate(files)]
    return reader_labels(paths, toy_test_set())


def test_gold_and_copies_are_filled_from_the_corpus(tmp_path):
    items = {item.id: item for item in toy_test_set().items}
    rows = ["a0,,yes,yes,gold", "a1,,Yes,,copy", "a2,Nuovo,partly,no,mine", "a3,Altro,,no,mine"]
    labels = read(tmp_path, [row.split(",") for row in rows])
    assert labels.table["id"].to_list() == ["a0", "a1", "a2"]
    assert labels.table["headline"].to_list() == [items["a0"].reference, items["a1"].source, "Nuovo"]
    assert labels.table["supported"].to_list() == [1, 1, 0]
    assert labels.table["system"].to_list() == ["gold", "copy", "mine"]


def test_what_they_accept_is_asked_or_follows_from_the_rest(tmp_path):
    rows = [["a0", "Nuovo", "yes", "no", "mine", "yes"], ["a1", "Nuovo", "yes", "yes", "mine", "no"]]
    rows += [["a2", "Nuovo", "yes", "yes", "mine", ""], ["a3", "Nuovo", "yes", "", "mine", ""]]
    header = [*HEADER, "accept"]
    for columns, expected in ((6, [1, 0, np.nan, np.nan]), (5, [0, 1, 1, np.nan]), (3, [1, 1, 1, 1])):
        labels = read(tmp_path, [row[:columns] for row in rows], header=header[:columns])
        np.testing.assert_array_equal(labels.table["accept"], expected)


def test_of_several_readers_the_majority_counts_and_a_tie_is_no_yes(tmp_path):
    readers = (("yes", "yes", "yes"), ("yes", "no", "contradicted"), ("no", "partly", ""))
    files = [[[f"a{n}", "Nuovo", answer] for n, answer in enumerate(said)] for said in readers]
    labels = read(tmp_path, *files, header=HEADER[:3])
    assert labels.table["supported"].to_list() == [1, 0, 0]
    assert labels.hash == read(tmp_path, *files[::-1], header=HEADER[:3]).hash
    assert labels.hash != read(tmp_path, files[0], header=HEADER[:3]).hash


def test_a_reader_has_one_vote_on_a_headline(tmp_path):
    """Anna's row stands three times; two of three readers say no."""
    said = [("anna", "yes")] * 3 + [("ben", "no"), ("carla", "no")]
    rows = [["a0", "Nuovo", answer, answer, reader] for reader, answer in said]
    labels = read(tmp_path, rows, header=["id", "headline", "supported", "accept", "reader"])
    assert labels.table.select("supported", "accept", "people").row(0) == (0, 0, 0)
    rows = [["a0", "Nuovo", answer] for _, answer in said]
    twice = [tmp_path / folder / "anna.csv" for folder in ("first", "second")]
    for file in twice:
        file.parent.mkdir()
        write_csv(file, rows[:1], HEADER[:3])
    other = write_csv(tmp_path / "ben.csv", rows[-1:], HEADER[:3])
    labels = reader_labels([*twice, other], toy_test_set())
    assert labels.table["supported"].to_list() == [0]  # a tie


def test_a_reader_who_answers_in_two_ways_is_refused(tmp_path):
    rows = [["a0", "Nuovo", "yes", "x"], ["a0", "Nuovo", "no", "y"]]
    with pytest.raises(InputError, match=r"0\.csv, line 3: 0 answers supported of a0 in two ways"):
        read(tmp_path, rows, header=["id", "headline", "supported", "system"])
    rows = [["a0", "Nuovo", "yes", "anna"], ["a0", "Nuovo", "no", "ben"]]
    assert read(tmp_path, rows, header=["id", "headline", "supported", "reader"]).table.height == 1


def test_labels_may_be_of_accept_alone(tmp_path):
    rows = [
        ["a0", "Nuovo", "yes", ""],
        ["a1", "Nuovo", "no", ""],
        ["a2", "Nuovo", "", "yes"],
        ["a3", "Nuovo", "", ""],
    ]
    labels = read(tmp_path, [row[:3] for row in rows], header=["id", "headline", "accept"])
    assert labels.table["id"].to_list() == ["a0", "a1"]
    assert labels.table["accept"].to_list() == [1, 0]
    assert labels.table["supported"].is_nan().all()
    labels = read(tmp_path, rows, header=["id", "headline", "accept", "supported"])
    np.testing.assert_array_equal(labels.table["accept"], [1, 0, np.nan])
    np.testing.assert_array_equal(labels.table["supported"], [np.nan, np.nan, 1])
    with pytest.raises(InputError, match="has no column supported or accept"):
        read(tmp_path, [["a0", "Nuovo", "yes"]], header=["id", "headline", "printable"])
    with pytest.raises(InputError, match="has no labels: fill in the column accept"):
        read(tmp_path, [["a0", "Nuovo", ""]], header=["id", "headline", "accept"])


def test_an_item_with_many_clauses_weighs_as_much_as_one_with_one(tmp_path):
    """One clause of a0 is accepted, none of three of a1: of the items .5, of the clauses .25."""
    rows = [["a0", "uno", "yes"], ["a1", "uno", "no"], ["a1", "due", "no"], ["a1", "tre", "no"]]
    labels = read(tmp_path, rows, header=["id", "headline", "accept"])
    columns = {"id": [row[0] for row in rows], "headline": [row[1] for row in rows]}
    items = pl.DataFrame(columns | {"event": columns["id"], "acceptability": [0.9, 0.1, 0.2, 0.3]})
    found = shares_accepted(labels, items)
    assert (found.plain, found.share, found.labels) == (0.5, 0.5, 2)


def test_a_person_goes_before_a_model(tmp_path):
    rows = [
        ["a0", "Nuovo", "yes", "model x"],
        ["a0", "Nuovo", "no", "anna"],
        ["a1", "Nuovo", "yes", "model x"],
    ]
    labels = read(tmp_path, rows, header=[*HEADER[:3], "reader"])
    assert labels.table["supported"].to_list() == [0, 1]
    np.testing.assert_array_equal(labels.table["people"], [0, np.nan])
    assert labels.table["model"].to_list() == [1, 1]


def test_filled_sheets_are_labels(tmp_path):
    write_toy_corpus(tmp_path / "corpus")
    out = tmp_path / "sheet.csv"
    assert main(f"annotate sheets --corpus {tmp_path / 'corpus'} --items 6 --out {out}".split()) == 0
    sheet = read_csv(tmp_path / "sheet-sources.csv")
    supported = ("yes", "no", "partly", "yes")
    printable = ("yes", "yes", "no", "no")
    for number in range(4):
        sheet[number][HEADINGS["supported"]] = supported[number]
        sheet[number][HEADINGS["printable"]] = printable[number]
    sheet[0]["headline"] = "'+1"  # as sheets write +1
    write_csv(tmp_path / "anna.csv", [row.values() for row in sheet], list(sheet[0]))
    labels = reader_labels([tmp_path / "anna.csv"], toy_test_set())
    assert labels.table["id"].to_list() == [row["id"] for row in sheet[:4]]
    assert labels.table["headline"].to_list() == ["+1", *(row["headline"] for row in sheet[1:4])]
    assert labels.table["supported"].to_list() == [1, 0, 0, 1]
    assert labels.table["accept"].to_list() == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (["x9", "Nuovo", "yes", "", ""], "1 id not in A2"),
        (["a0", "Nuovo", "perhaps", "", ""], "line 3: supported is 'perhaps'; write yes, partly, no, contr"),
        (["a0", "", "yes", "", "mine"], "line 3: there is no headline"),
    ],
    ids=["id", "answer", "headline"],
)
def test_what_is_no_label_is_one_sentence(tmp_path, row, words):
    with pytest.raises(InputError, match=words):
        read(tmp_path, [["a1", "Nuovo", "yes", "yes", ""], row])


def test_auc_by_question_with_and_without_copies_by_hand():
    """Places 3 and 4 are copies; systems have written 5 to 11, and of 10 and 11 nobody said the story."""
    place = np.arange(12)
    is_copy = (place == 3) | (place == 4)
    columns = {
        "accept": RIGHT.astype(float),
        "story": np.where(place < 10, ~RIGHT, np.nan),
        "event": EVENTS,
        "system": ["gold"] * 3 + ["copy"] * 2 + ["small"] * 5 + ["large"] * 2,
        "written": place >= 5,
        "copy": is_copy,
        "p_hh": P,
        "evidence": P >= 0.3,
        "acceptability": [None] * 12,
        "length": 12 - place,
    }
    rows = pl.DataFrame(columns, schema_overrides={"acceptability": pl.Float64})

    figures = {(row["part"], row["measure"]): row for row in by_question(rows, resamples=100)}

    assert {measure for _, measure in figures} == {"p_hh", "evidence", "length"}  # acceptability says nothing
    without_copies, written, every = (figures[part, "p_hh"] for part in HEADLINE_GROUPS)
    assert [part["n"] for part in (without_copies, written, every)] == [10, 7, 12]
    assert every["accept"] == pytest.approx(roc_auc_score(RIGHT, P))
    assert without_copies["accept"] == pytest.approx(roc_auc_score(RIGHT[~is_copy], P[~is_copy]))
    assert written["accept"] == pytest.approx(4 / 6)  # .4 against .6 .5 .3 .2 .2 .1
    assert every["story"] == pytest.approx(roc_auc_score(~RIGHT[:10], P[:10]))
    assert without_copies["accept_interval"]
    assert written["accept_interval"] is None  # seven events are too few
    assert figures["all", "evidence"]["accept"] == pytest.approx(roc_auc_score(RIGHT, P >= 0.3))


def test_the_audit_shows_the_agreement(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(measure, "PERTURBATIONS", {})
    load_fakes(monkeypatch, ("colle", "faro"), fluency=True)
    monkeypatch.setenv("COLUMNS", "300")  # no word is broken
    ids = read_table(corpus, "pairs", "test")["a_id"].unique(maintain_order=True)[:6]
    rows = [[id_, "", "yes", "", "gold"] for id_ in ids]
    rows += [[id_, "Zurigo, 17 morti", "no", "", "x"] for id_ in ids]
    file = write_csv(tmp_path / "labels.csv", rows, HEADER)
    (tmp_path / "judges").mkdir()
    arguments = f"audit --judges {tmp_path / 'judges'} --corpus {corpus} --items 6 --labels {file}".split()
    assert main(arguments) == 0
    assert "What readers say" in capsys.readouterr().out
    audit = json.loads((tmp_path / "audit" / "audit.json").read_text())
    measures = {(row["part"], row["measure"]): row for row in audit["agreement"]["measures"]}
    assert measures["all", "length"]["n"] == 12
    assert measures["all", "evidence"]["supported"] > 0.9  # Zurich is in no source
    assert f"|labels:{audit['agreement']['labels'][:6]}|" in audit["signature"]
    written = pl.read_csv(tmp_path / "audit" / "labels.csv").filter(pl.col("written"))
    assert written["system"].unique().to_list() == ["x"]
    page = (tmp_path / "audit" / "audit.html").read_text()
    assert page.count('href="#agreement"') == page.count('<section id="agreement">') == 1
