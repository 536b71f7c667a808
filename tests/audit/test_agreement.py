"""Label files, and judges beside them: figures by hand and the page."""

import json

import numpy as np
import polars as pl
import pytest
from csv_files import read_csv, write_csv
from scoring_fakes import load_fakes, toy_test_set, write_toy_corpus
from sklearn.metrics import roc_auc_score

from change_it.audit import verdicts
from change_it.audit.agreement import acceptance, auc, reader_labels
from change_it.cli import main
from change_it.corpus.folder import read_table
from change_it.errors import InputError
from change_it.questions import HEADINGS
from change_it.scoring.columns import read_label_files

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
    return reader_labels(read_label_files(paths), toy_test_set())


def test_gold_and_copies_are_filled_from_the_corpus(tmp_path):
    items = {item.id: item for item in toy_test_set().items}
    rows = ["a0,,yes,yes,gold", "a1,,Yes,,copy", "a2,Nuovo,partly,no,mine", "a3,Altro,,no,mine"]
    labels = read(tmp_path, [row.split(",") for row in rows])
    given = [items["a0"].reference, items["a1"].source, "Nuovo"]
    assert [item.prediction for item in labels.items] == given
    assert [item.article for item in labels.items] == [items[name].article for name in ("a0", "a1", "a2")]
    assert labels.supported.tolist() == [True, True, False]
    assert labels.systems == ["gold", "copy", "mine"]
    assert labels.written.tolist() == [False, False, True]


def test_what_they_accept_is_asked_or_follows_from_the_rest(tmp_path):
    rows = [["a0", "Nuovo", "yes", "no", "mine", "yes"], ["a1", "Nuovo", "yes", "yes", "mine", "no"]]
    rows += [["a2", "Nuovo", "yes", "yes", "mine", ""], ["a3", "Nuovo", "yes", "", "mine", ""]]
    np.testing.assert_array_equal(read(tmp_path, rows, header=[*HEADER, "accept"]).accept, [1, 0, 1, np.nan])
    np.testing.assert_array_equal(read(tmp_path, [row[:5] for row in rows]).accept, [0, 1, 1, np.nan])
    supported_alone = read(tmp_path, [row[:3] for row in rows], header=HEADER[:3])
    np.testing.assert_array_equal(supported_alone.accept, [1, 1, 1, 1])


def test_of_several_readers_the_majority_counts_and_a_tie_is_no_yes(tmp_path):
    readers = (("yes", "yes", "yes"), ("yes", "no", "contradicted"), ("no", "partly", ""))
    files = [[[f"a{n}", "Nuovo", answer] for n, answer in enumerate(said)] for said in readers]
    labels = read(tmp_path, *files, header=HEADER[:3])
    assert labels.supported.tolist() == [True, False, False]
    assert labels.hash == read(tmp_path, *files[::-1], header=HEADER[:3]).hash
    assert labels.hash != read(tmp_path, files[0], header=HEADER[:3]).hash


def test_filled_sheets_are_labels(tmp_path):
    write_toy_corpus(tmp_path / "corpus")
    out = tmp_path / "sheet.csv"
    given = ["--corpus", str(tmp_path / "corpus"), "--items", "6", "--out", str(out)]
    assert main(["annotate", "sheets", *given]) == 0
    sheet = read_csv(tmp_path / "sheet-sources.csv")
    answers = ("yes", "no", "partly", "yes", "yes", "no")
    printable = ("yes", "yes", "no", "no", "yes", "yes")
    for row, *said in zip(sheet, answers, printable, strict=True):
        row |= {HEADINGS["supported"]: said[0], HEADINGS["printable"]: said[1]}
    sheet[0]["headline"] = "'+1"  # as sheets write +1
    write_csv(tmp_path / "anna.csv", [row.values() for row in sheet], list(sheet[0]))
    labels = reader_labels(read_label_files([tmp_path / "anna.csv"]), toy_test_set())
    assert [item.id for item in labels.items] == [row["id"] for row in sheet]
    assert labels.items[0].prediction == "+1"
    assert labels.items[1].prediction == sheet[1]["headline"]
    assert labels.supported.tolist() == [True, False, False, True, True, False]
    assert labels.accept.tolist() == [1, 0, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (["x9", "Nuovo", "yes", "", ""], "1 id not in A2"),
        (
            ["a0", "Nuovo", "perhaps", "", ""],
            "line 3: supported is 'perhaps'; write yes, partly, no, contr",
        ),
        (["a0", "Nuovo", "yes", "4", ""], "line 3: printable is '4'; write yes, no"),
        (["a0", "", "yes", "", "mine"], "line 3: there is no headline"),
    ],
    ids=["id", "answer", "printable", "headline"],
)
def test_what_is_no_label_is_one_sentence(tmp_path, row, words):
    with pytest.raises(InputError, match=words):
        read(tmp_path, [["a1", "Nuovo", "yes", "yes", ""], row])


#: Who wrote each of twelve headlines.
WRITERS = ["gold"] * 3 + ["copy"] * 2 + ["small"] * 5 + ["large"] * 2


def test_measures_by_hand():
    """What readers accept, beside a score and a verdict with its probability."""
    columns = {"accept": RIGHT, "event": EVENTS, "system": WRITERS, "written": np.arange(12) >= 5}
    columns |= {"joint": P * (P >= 0.3), "hh": P >= 0.6, "p_hh": P, "length": 12 - np.arange(12)}
    joint, hh, length = acceptance(pl.DataFrame(columns), resamples=100)
    assert [row["measure"] for row in (joint, hh, length)] == ["joint", "HH", "words"]
    assert hh["auc"] == pytest.approx(roc_auc_score(RIGHT, P))
    assert hh["auc without gold"] == pytest.approx(roc_auc_score(RIGHT[3:], P[3:]))
    assert hh["auc of written"] == pytest.approx(4 / 6)  # .4 against .6 .5 .3 .2 .2 .1
    assert hh["auc_interval"]
    assert hh["auc of written_interval"] is None  # seven events are too few
    assert (hh["accepted"], hh["refused"]) == pytest.approx((4 / 6, 1 / 6))
    assert (joint["accepted"], joint["refused"]) == pytest.approx((5 / 9, 0))
    assert "accepted" not in length
    # readers: copy 1, gold 2/3, small .2, large 0; the mean P of gold is above that of copy
    assert (hh["in order"], hh["pairs"]) == (5, 6)


def test_the_audit_shows_the_agreement(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(verdicts, "PERTURBATIONS", {})
    monkeypatch.setattr("change_it.commands.audit.check_judges", lambda *_: None)
    load_fakes(monkeypatch, ("colle", "faro"), digits="abcd")
    monkeypatch.setenv("COLUMNS", "300")  # no word is broken
    ids = read_table(corpus, "pairs", "test")["a_id"].unique(maintain_order=True)[:6]
    rows = [[id_, "", "yes", "", "gold"] for id_ in ids]
    rows += [[id_, "Zurigo, 17 morti", "no", "", "x"] for id_ in ids]
    file = write_csv(tmp_path / "labels.csv", rows, HEADER)
    (tmp_path / "judges").mkdir()
    folders = f"--judges {tmp_path / 'judges'} --corpus {corpus}"
    arguments = f"audit {folders} --items 6 --labels {file}".split()
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "What readers accept" in printed
    found = json.loads((tmp_path / "audit" / "audit.json").read_text())
    measures = {row["measure"]: row for row in found["agreement"]["measures"]}
    assert measures["words"]["n"] == 12
    assert measures["compliancy"]["pairs"] == 1
    assert f"|labels:{found['agreement']['labels'][:6]}|" in found["signature"]
    page = (tmp_path / "audit" / "audit.html").read_text()
    assert page.count('href="#agreement"') == page.count('<section id="agreement">') == 1
    main([*arguments[:-2]])
    assert 'id="agreement"' not in (tmp_path / "audit" / "audit.html").read_text()
