"""Label files, and judges beside them: figures by hand, halves of events, the page and the judge of support."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from csv_files import read_csv, write_csv
from scoring_fakes import FakeSupport, load_fakes, toy_test_set, write_toy_corpus
from sklearn.metrics import roc_auc_score

from change_it.audit import verdicts
from change_it.audit.agreement import acceptance, agreement, reader_labels
from change_it.cli import main
from change_it.corpus.folder import read_table
from change_it.errors import InputError
from change_it.judges import support_training
from change_it.judges.metrics import ReaderLabels, reader_agreement
from change_it.judges.support_training import best_threshold
from change_it.scoring.columns import read_label_files
from change_it.scoring.item import Item

HEADER = ["id", "headline", "supported", "printable", "system", "base"]
#: A dozen probabilities with ties, and whether readers say yes.
P = np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2, 0.2, 0.1])
RIGHT = np.array([1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0], dtype=bool)
EVENTS = np.array([f"e{n}" for n in range(12)])


def labels_of(right, events):
    """Labels of headlines h0, h1, …; each its own article."""
    about = ("rep", "gio", "Titolo", "Articolo", "Altro", "Altro articolo")
    items = [Item(f"i{n}", *about, f"h{n}", event=str(event)) for n, event in enumerate(events)]
    right = np.array(right, bool)
    systems, written = [""] * len(items), np.ones(len(items), bool)
    about = ("it", ("rep", "gio"), "5ha")
    bases = ["none"] * len(items)
    return ReaderLabels(items, right, right.astype(float), systems, bases, written, *about)


def test_a_model_is_not_shown_what_its_family_wrote():
    labels = labels_of([1, 0, 1, 0, 1, 0], range(6))
    bases = ["Qwen2.5-Coder-0.5B-Instruct", "qwen/qwen3-8b-q4.gguf", "gemma-3-270m", "none", "", ""]
    labels = replace(labels, bases=bases, systems=["", "", "", "rewrite", "QWEN, tuned", "mine"])
    shown = labels.without_family("Qwen2.5-1.5B-Instruct")
    assert [item.prediction for item in shown.items] == ["h2", "h3", "h5"]
    assert (shown.left_out, shown.supported.tolist()) == (3, [True, False, False])
    assert shown.are_known.tolist() == [True, True, False]
    assert (shown.reports == labels.reports[[2, 3, 5]]).all()
    assert labels.without_family("gpt2").left_out == 0
    assert labels.without_family("123").left_out == 0  # a name of no family, as systems without one have


def test_figures_by_hand():
    found = reader_agreement(RIGHT, P >= 0.6, EVENTS, P)
    # Of 5 x 7 pairs .9 beats 7 wrong ones, .8 6 and ties 1, .7 6, .6 5 and ties 1, .4 4.
    assert found["auc"] == pytest.approx((7 + 6.5 + 6 + 5.5 + 4) / 35)
    assert found["auc"] == pytest.approx(roc_auc_score(RIGHT, P))
    assert (found["precision"], found["recall"]) == pytest.approx((4 / 6, 4 / 5))
    assert (found["n"], found["events"]) == (12, 12)
    assert (found["right"], found["accepted"], found["both"]) == (5, 6, 4)
    for name in ("auc", "precision", "recall"):
        low, high = found[f"{name}_interval"]
        assert 0 <= low < found[name] < high <= 1


def test_the_threshold_has_the_best_balanced_accuracy():
    # .4: 5 of 5 and 4 of 7; .7: 3 of 5 and 6 of 7; .6: 4 of 5 and 5 of 7
    threshold, accuracy = best_threshold(P, RIGHT)
    assert threshold == pytest.approx(0.35)
    assert accuracy == pytest.approx((1 + 4 / 7) / 2)


def test_halves_are_of_events_and_stay():
    events = [f"e{n // 2}" for n in range(400)]
    labels = labels_of([True] * 400, events)
    chosen, reports = (set(labels.events[half]) for half in (~labels.reports, labels.reports))
    assert not chosen & reports
    assert 70 < len(reports) < 130
    order = np.random.default_rng(1).permutation(400)
    again = labels_of([True] * 400, [events[n] for n in order])
    assert (again.reports == labels.reports[order]).all()
    assert labels_of([True] * 4, ["e0", "e1", "e2", "e3"]).reports.tolist() == [False, True, False, False]


def read(tmp_path, *files, header=HEADER):
    paths = [write_csv(tmp_path / f"{n}.csv", rows, header) for n, rows in enumerate(files)]
    return reader_labels(read_label_files(paths), toy_test_set(), "it")


def test_gold_and_copies_are_filled_from_the_corpus(tmp_path):
    items = {item.id: item for item in toy_test_set().items}
    rows = ["a0,,yes,yes,gold,", "a1,,Yes,,copy,", "a2,Nuovo,partly,no,mine,t5", "a3,Altro,,no,mine,t5"]
    labels = read(tmp_path, [row.split(",") for row in rows])
    given = [items["a0"].reference, items["a1"].source, "Nuovo"]
    assert [item.prediction for item in labels.items] == given
    assert [item.article for item in labels.items] == [items[name].article for name in ("a0", "a1", "a2")]
    assert labels.supported.tolist() == [True, True, False]
    assert labels.systems == ["gold", "copy", "mine"]
    assert labels.bases == ["", "", "t5"]
    assert labels.written.tolist() == [False, False, True]


def test_what_they_accept_is_asked_or_follows_from_the_rest(tmp_path):
    rows = [["a0", "Nuovo", "yes", "no", "mine", "", "yes"], ["a1", "Nuovo", "yes", "yes", "mine", "", "no"]]
    rows += [["a2", "Nuovo", "yes", "yes", "mine", "", ""], ["a3", "Nuovo", "yes", "", "mine", "", ""]]
    np.testing.assert_array_equal(read(tmp_path, rows, header=[*HEADER, "accept"]).accept, [1, 0, 1, np.nan])
    np.testing.assert_array_equal(read(tmp_path, [row[:6] for row in rows]).accept, [0, 1, 1, np.nan])
    asked_of_support = read(tmp_path, [row[:3] for row in rows], header=HEADER[:3])
    np.testing.assert_array_equal(asked_of_support.accept, [1, 1, 1, 1])


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
    for row, supported, fluency in zip(sheet, answers, "451345", strict=True):
        row |= {"supported": supported, "fluency": fluency}
    sheet[0]["headline"] = "'+1"  # as sheets write +1
    write_csv(tmp_path / "anna.csv", [row.values() for row in sheet], list(sheet[0]))
    labels = reader_labels(read_label_files([tmp_path / "anna.csv"]), toy_test_set(), "it")
    assert [item.id for item in labels.items] == [row["id"] for row in sheet]
    assert labels.items[0].prediction == "+1"
    assert labels.items[1].prediction == sheet[1]["headline"]
    assert labels.supported.tolist() == [True, False, False, True, True, False]
    assert labels.accept.tolist() == [1, 0, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (["x9", "Nuovo", "yes", "", "", ""], "1 id not in A2"),
        (
            ["a0", "Nuovo", "perhaps", "", "", ""],
            "line 3: supported is 'perhaps'; write yes, partly, no, contr",
        ),
        (["a0", "Nuovo", "yes", "4", "", ""], "line 3: printable is '4'; write yes, no"),
        (["a0", "", "yes", "", "mine", ""], "line 3: there is no headline"),
    ],
    ids=["id", "answer", "printable", "headline"],
)
def test_what_is_no_label_is_one_sentence(tmp_path, row, words):
    with pytest.raises(InputError, match=words):
        read(tmp_path, [["a1", "Nuovo", "yes", "yes", "", ""], row])


@pytest.fixture
def judged():
    """Labels of the toy corpus and what judges say of them: gold is right, a copy with a strange name is not."""
    test = toy_test_set()
    wrong = [replace(item, prediction=f"{item.source} a Zurigo") for item in test.items]
    items = [*(replace(item, prediction=item.reference) for item in test.items), *wrong]
    right = np.arange(16) < 8
    about = (["gold"] * 8 + ["zurich"] * 8, ["none"] * 16, ~right, "it", test.outlets, "5ha")
    labels = ReaderLabels(items, right, right.astype(float), *about)
    return labels, pl.DataFrame({"joint": np.linspace(0.95, 0.2, 16) * right})


def test_a_threshold_is_not_reported_on_the_half_that_chose_it(judged):
    labels, table = judged
    support = FakeSupport()
    support.settings = replace(support.settings, validated={"labels": "5ha"})
    found = agreement(labels, SimpleNamespace(support=support), table)
    assert found.is_half
    assert found.n == found.measures[0]["n"] == labels.reports.sum() < 16
    assert found.events == len(set(labels.events[labels.reports]))
    support.settings = replace(support.settings, validated={"labels": "others"})
    every = agreement(labels, SimpleNamespace(support=support), table)
    assert (every.is_half, every.n) == (False, 16)
    # a part of them, or in other lines
    support.settings = replace(support.settings, outlets=labels.outlets[::-1])
    assert agreement(labels, SimpleNamespace(support=support), table).is_half


def test_headlines_that_are_left_out_are_counted(judged):
    labels, table = judged
    labels = replace(labels, bases=["none"] * 14 + ["toy-1b"] * 2)
    found = agreement(labels.without_family("Toy-7B"), SimpleNamespace(support=None), table[:14])
    assert (found.n, found.left_out) == (14, 2)
    assert "2 headlines by a model of the family of the judge of support are left out" in found.table.notes


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
    support = FakeSupport(base="toy-7b")
    load_fakes(monkeypatch, ("colle", "faro"), digits="abcd", support=support)
    monkeypatch.setenv("COLUMNS", "300")  # no word is broken
    ids = read_table(corpus, "pairs", "test")["a_id"].unique(maintain_order=True)[:6]
    rows = [[id_, "", "yes", "", "gold", ""] for id_ in ids]
    rows += [[id_, "Zurigo, 17 morti", "no", "", "x", "none"] for id_ in ids]
    rows += [[ids[0], "Zurigo, 18 morti", "no", "", "x", "Toy-270m"]]
    file = write_csv(tmp_path / "labels.csv", rows, HEADER)
    (tmp_path / "judges").mkdir()
    folders = f"--judges {tmp_path / 'judges'} --corpus {corpus}"
    arguments = f"audit {folders} --items 6 --labels {file}".split()
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "What readers accept" in printed
    assert "1 headlines by a model of the family" in printed
    assert not any("18 morti" in headline for headline, _ in support.asked)
    found = json.loads((tmp_path / "audit" / "audit.json").read_text())
    measures = {row["measure"]: row for row in found["agreement"]["measures"]}
    assert measures["words"]["n"] == 12
    assert measures["compliancy"]["pairs"] == 1
    assert f"|labels:{found['agreement']['labels'][:6]}|" in found["signature"]
    page = (tmp_path / "audit" / "audit.html").read_text()
    assert page.count('href="#agreement"') == page.count('<section id="agreement">') == 1
    main([*arguments[:-2]])
    assert 'id="agreement"' not in (tmp_path / "audit" / "audit.html").read_text()


#: Of each article of the toy corpus gold, two headlines of a model and one of the judge's own family.
IDS = [f"{side}{n}" for side in "ab" for n in range(4)]
ROWS = [
    [id_, text, says, "", system, base]
    for id_ in IDS
    for text, says, system, base in (
        ("", "yes", "gold", ""),
        ("Ponte giù", "yes", "x", "t5-small"),
        ("Zurigo", "no", "x", "t5-small"),
        ("Zurigo, ponte giù", "yes", "y", "toy-270m"),
    )
]


@pytest.fixture
def asked(monkeypatch):
    """A model that believes whoever does not speak of Zurigo."""
    model = FakeSupport(lambda text, _: 0.2 + len(text) / 1000 if "Zurigo" in text else 0.6, base="Toy-7B")
    monkeypatch.setattr(support_training.SupportModel, "from_pretrained", lambda *_, **__: model)
    return model


def train(folder, *labels):
    files = ["--labels", *map(str, labels)] if labels else []
    corpus, out = str(folder / "corpus"), str(folder / "judges" / "support")
    options = ["--task", "support", "--encoder", "owner/toy"]
    return main(["train", "judge", *options, "--corpus", corpus, "--out", out, *files])


def test_one_half_chooses_the_threshold_and_written_headlines_of_the_other_validate(asked, tmp_path, capsys):
    write_toy_corpus(tmp_path / "corpus")
    file = write_csv(tmp_path / "labels.csv", ROWS, HEADER)
    assert train(tmp_path, file) == 0
    printed = " ".join(capsys.readouterr().out.split())
    out = tmp_path / "judges" / "support"
    about = json.loads((out / "config.json").read_text())["change_it"]
    metrics = json.loads((out / "metrics.json").read_text())
    labels = reader_labels(read_label_files([file]), toy_test_set(), "it").without_family("toy")
    found, chosen = metrics["results"], metrics["chosen"]
    assert about["threshold"] == metrics["threshold"] == pytest.approx((0.206 + 0.6) / 2)
    assert (found["labels"]["n"], chosen["n"]) == (labels.reports.sum(), (~labels.reports).sum())
    assert found["labels"]["n"] + chosen["n"] == 24  # without the eight of its own family
    assert not any("Zurigo, ponte" in headline for headline, _ in asked.asked)
    of = found["written by others"]
    assert (of["n"], of["right"]) == (labels.reports.sum() * 2 // 3, labels.reports.sum() // 3)
    assert about["validated"]["auc"] == [of["auc"], *(of["auc_interval"] or ())]
    assert (about["validated"]["own"], about["validated"]["unknown"]) == (8, 0)
    assert about["validated"]["labels"] == labels.hash
    assert about["language"]
    assert "supported from P .403" in printed
    assert f"{chosen['n']} headlines of {chosen['events']} events" in printed
    assert "(8 of these were left out of all)" in printed
    assert "supported from P .403" in (out / "README.md").read_text()
    item = labels.items[0]
    assert asked.asked[0][1] == (item.source, item.article, item.reference_article)


@pytest.mark.parametrize(
    ("validated", "says"),
    [
        ({}, False),
        ({"n": 0, "auc": [None]}, False),
        ({"n": 99, "auc": [0.8, 0.69, 0.9]}, False),
        ({"n": 99, "auc": [0.8, 0.7, 0.9]}, True),
    ],
    ids=["no labels", "unknown writers", "low", "validated"],
)
def test_labels_of_others_validate_from_a_lower_end_of_70_on(validated, says):
    model = FakeSupport(validated="it")
    model.settings = replace(model.settings, validated=validated)
    assert model.is_validated("it") is says
    assert not model.is_validated("en")


def test_labels_of_unknown_writers_choose_a_threshold_and_validate_nothing(asked, tmp_path, capsys):
    write_toy_corpus(tmp_path / "corpus")
    rows = [[*row[:5], ""] for row in ROWS if row[4] != "y"]
    assert train(tmp_path, write_csv(tmp_path / "labels.csv", rows, HEADER)) == 0
    assert "not validated, so joint leaves it out" in " ".join(capsys.readouterr().out.split())
    about = json.loads((tmp_path / "judges/support/config.json").read_text())["change_it"]
    assert about["threshold"] == pytest.approx((0.206 + 0.6) / 2)
    assert (about["validated"]["n"], about["validated"]["auc"]) == (0, [None])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (ROWS[::4], "label more headlines"),
        (ROWS, "toy does not tell the headlines that readers call supported"),
    ],
    ids=["labels of one kind", "a model that tells nothing"],
)
def test_what_chooses_no_threshold_is_one_sentence(asked, tmp_path, capsys, rows, says):
    write_toy_corpus(tmp_path / "corpus")
    asked.rule = lambda *_: 0.5
    assert train(tmp_path, write_csv(tmp_path / "labels.csv", rows, HEADER)) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "judges").exists()
