"""A signature changes whenever a figure can: for each option of each command and module that prints one it is
decided, and tried.
"""

import dataclasses
import inspect
import json
import runpy
from pathlib import Path

import pytest
from csv_files import read_csv, write_csv, write_rows
from scoring_fakes import FakeJudges, toy_test_set, write_stand_ins

from change_it.audit import measure
from change_it.cli import main
from change_it.cli.annotate import AnnotateScoreOptions
from change_it.cli.audit import AuditOptions
from change_it.cli.hevas import HevasOptions
from change_it.cli.score import ScoreOptions
from change_it.readers.questions import HEADINGS
from change_it.scoring.api import compute_compliancy
from change_it.scoring.panel import Judges

#: What an option is: it stands in the signature; it names or reads the texts that are measured, so that `n`,
#: `items` or a digest says what it comes to; it says where judges run; or it decides what is shown.
SIGNED, TEXTS, PLACE, SHOWN = "signed", "texts", "place", "shown"
#: A new option is decided here, and what is signed is tried below.
DECIDED = {
    "score": {
        **dict.fromkeys(("judges", "labels", "reversal", "resamples", "seed", "precision"), SIGNED),
        **dict.fromkeys(("corpus", "predictions", "columns", "shared_items"), TEXTS),
        "floor": SIGNED,
        "device": PLACE,
        **dict.fromkeys(("out", "by_direction", "json", "against", "format"), SHOWN),
    },
    "audit": {
        **dict.fromkeys(("judges", "floor", "items", "labels", "resamples", "seed"), SIGNED),
        "precision": SIGNED,
        "corpus": TEXTS,
        "device": PLACE,
        **dict.fromkeys(("out", "json"), SHOWN),
    },
    "hevas": {
        **dict.fromkeys(
            ("documents", "columns", "language", "stop_words", "predictions", "baselines"), SIGNED
        ),
        **dict.fromkeys(("metrics", "distinct", "n_words", "resamples", "seed"), SIGNED),
        **dict.fromkeys(("weights", "lsi", "topics", "vectors"), SIGNED),
        "shared_items": TEXTS,
        **dict.fromkeys(("out", "charts", "json"), SHOWN),
    },
    "annotate score": {
        **dict.fromkeys(("judges", "seed", "precision"), SIGNED),
        **dict.fromkeys(("sheets", "key"), TEXTS),
        "device": PLACE,
        "json": SHOWN,
    },
    "compliancy": {
        **dict.fromkeys(("judges", "reference_articles", "events", "reversal"), SIGNED),
        **dict.fromkeys(("resamples", "seed", "precision"), SIGNED),
        **dict.fromkeys(("predictions", "sources", "articles", "labels"), TEXTS),
        "device": PLACE,
        "progress": SHOWN,
    },
    "metrics/hevas": {
        **dict.fromkeys(("metrics", "language", "stop_words", "weights", "lsi", "topics"), SIGNED),
        **dict.fromkeys(("vectors", "seed"), SIGNED),
        "use_aggregator": SHOWN,
    },
    "metrics/headline_rouge": {"counts": SIGNED, **dict.fromkeys(("rouge_types", "use_aggregator"), SHOWN)},
    "metrics/compliancy": {
        **dict.fromkeys(("judges", "reversal", "resamples", "seed", "precision"), SIGNED),
        "device": PLACE,
        "progress": SHOWN,
        "per_item": SHOWN,
    },
}
COMMANDS = {
    "score": ScoreOptions,
    "audit": AuditOptions,
    "hevas": HevasOptions,
    "annotate score": AnnotateScoreOptions,
}
MODULES = {"hevas": "Hevas", "headline_rouge": "HeadlineRouge", "compliancy": "Compliancy"}


def module_class(name):
    file = Path(__file__).parents[1] / "metrics" / name / f"{name}.py"
    return runpy.run_path(str(file))[MODULES[name]]


def test_every_option_is_decided():
    options = {name: {field.name for field in dataclasses.fields(kind)} for name, kind in COMMANDS.items()}
    options["compliancy"] = set(inspect.signature(compute_compliancy).parameters)
    options |= {f"metrics/{name}": set(module_class(name).options) for name in MODULES}
    assert options == {name: set(decided) for name, decided in DECIDED.items()}


def tried(command):
    """The options of a command that are tried one by one."""
    return [name for name, kind in DECIDED[command].items() if kind == SIGNED]


@pytest.fixture
def judges(tmp_path, monkeypatch):
    """Two folders of judges, of which fakes with other weights and another fold are loaded, in the arithmetic
    that is asked for.
    """

    def load(folder, *, precision="float32", **_):
        fold, hashes = {"judges": ("1", "abcd"), "others": ("0", "efgh")}[Path(folder).name]
        fakes = FakeJudges(fluency=True, fold=fold, hashes=hashes)
        for judge in fakes.by_task.values():
            judge.precision = precision
        return fakes

    monkeypatch.setattr(Judges, "from_pretrained", load)
    return {name: str(write_stand_ins(tmp_path / name)) for name in ("judges", "others")}


def test_that_of_score(tmp_path, toy_corpus, judges, capsys):
    labels = [[item.id, item.reference, "yes"] for item in toy_test_set().items]
    file = write_csv(tmp_path / "labels.csv", labels, ["id", "headline", "accept"])
    changes = {
        "judges": judges["others"],
        "floor": judges["others"],
        "labels": str(file),
        "reversal": "target",
        "resamples": "6",
        "seed": "2",
        "precision": "bf16",
    }
    assert set(changes) == set(tried("score"))

    def signatures(**changed):
        given = {"corpus": str(toy_corpus), "judges": judges["judges"], "resamples": "5"} | changed
        options = [part for name, value in given.items() for part in (f"--{name}", value)]
        assert main(["score", *options, "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        assert record["signature"] in str(record["systems"])
        return {name: rows["average"]["signature"] for name, rows in record["systems"].items()}

    usual = signatures()
    for name, value in changes.items():
        found = signatures(**{name: value})
        if name == "floor":
            assert "|reranker:eeeeee+ffffff+gggggg+hhhhhh,fold:0|" in found.pop("floor")
            assert found == usual  # the others are what they were
        else:
            assert all(found[system] != usual[system] for system in usual), name


def test_that_of_audit(tmp_path, toy_corpus, judges, capsys, monkeypatch):
    monkeypatch.setattr(measure, "PERTURBATIONS", {})
    labels = [[item.id, item.reference, "yes"] for item in toy_test_set().items]
    file = write_csv(tmp_path / "labels.csv", labels, ["id", "headline", "accept"])
    changes = {
        "judges": judges["others"],
        "floor": judges["others"],
        "items": "3",
        "labels": str(file),
        "seed": "2",
        "precision": "bf16",
    }
    assert set(changes) == set(tried("audit")) - {"resamples"}  # which cannot be given

    def signature(**changed):
        given = {"corpus": str(toy_corpus), "judges": judges["judges"], "items": "2"} | changed
        options = [part for name, value in given.items() for part in (f"--{name}", value)]
        assert main(["audit", *options, "--out", str(tmp_path / "audit"), "--json"]) == 0
        return json.loads(capsys.readouterr().out)["signature"]

    usual = signature()
    assert "|resamples:1000|seed:1|v:" in usual
    assert [name for name, value in changes.items() if signature(**{name: value}) == usual] == []


def write_vectors(file, third):
    lines = ["3 2", "roma 0.1 0.2", "governo 0.3 0.4", f"cambia 0.5 {third}"]
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(file)


def test_that_of_hevas(tmp_path, capsys):
    words = ("governo", "squadra", "pane", "neve", "treno", "scuola")
    text = "A Roma il {0} cambia tutto. La gente protesta per il {0} numero {1}. Poi si vota."
    rows = [
        [f"Il {one} cambia, Roma protesta", f"Roma, {one}", text.format(one, at)]
        for at, one in enumerate(words)
    ]
    news = write_csv(tmp_path / "news.csv", rows, ["headline", "title", "article"])
    other = write_csv(
        tmp_path / "other.csv",
        [[*row[:2], f"{row[2]} Fine."] for row in rows],
        ["headline", "title", "article"],
    )
    mine, yours = tmp_path / "mine.txt", tmp_path / "yours.txt"
    mine.write_text("\n".join(f"Protesta per il {one}" for one in words), encoding="utf-8")
    yours.write_text("\n".join(f"Il {one}, protesta" for one in words), encoding="utf-8")
    stop_words = tmp_path / "stop.txt"
    stop_words.write_text("roma il la", encoding="utf-8")
    usual = {
        "documents": [str(news)],
        "predictions": [f"mine={mine}"],
        "metrics": ["LSA-C", "TM-C", "WE-C", "KL-C", "AWL", "Fog"],
        "baselines": ["first"],
        "topics": ["2"],
        "lsi": ["3"],
        "vectors": [write_vectors(tmp_path / "vectors.txt", 0.6)],
        "resamples": ["5"],
    }
    changes = {
        "documents": [str(other)],
        "columns": ["headline=title"],
        "language": ["en"],
        "stop_words": [str(stop_words)],
        "predictions": [f"mine={yours}"],
        "baselines": ["first", "random"],
        "metrics": ["LSA-C", "TM-C", "WE-C", "KL-C", "AWL"],
        "distinct": [],
        "n_words": ["5"],
        "resamples": ["6"],
        "seed": ["2"],
        "weights": ["tf-idf"],
        "lsi": ["2"],
        "topics": ["3"],
        "vectors": [write_vectors(tmp_path / "more" / "vectors.txt", 0.7)],
    }
    assert set(changes) == set(tried("hevas"))

    def signature(**changed):
        given = usual | changed
        options = [
            part for name, values in given.items() for part in (f"--{name.replace('_', '-')}", *values)
        ]
        assert main(["hevas", *options, "--json"]) == 0
        return json.loads(capsys.readouterr().out)["signature"]

    unchanged = signature()
    found = {name: signature(**{name: values}) for name, values in changes.items()}
    assert [name for name, text in found.items() if text == unchanged] == []
    others = tmp_path / "more" / "stop.txt"
    others.write_text("roma il", encoding="utf-8")
    assert signature(stop_words=[str(others)]) != found["stop_words"]


def test_what_a_scale_stretches_over_is_signed(tmp_path, capsys):
    """Averages of Fog and AWL depend on the other systems and metrics: mine is first, or last, by the same
    headlines.
    """
    rows = [["Il governo cade a Roma", "Il governo cade a Roma. Poi si vota."]]
    news = write_csv(tmp_path / "news.csv", rows, ["headline", "article"])
    mine = tmp_path / "mine.txt"
    mine.write_text("Governo, crisi di maggioranza straordinariamente complicata\n", encoding="utf-8")
    found = {}
    for metrics in (["Fog"], ["AWL"], ["Fog", "AWL"]):
        for baselines in (["first"], ["first", "tfidf"]):
            options = ["--predictions", f"mine={mine}", "--baselines", *baselines, "--metrics", *metrics]
            assert main(["hevas", "--documents", str(news), *options, "--resamples", "5", "--json"]) == 0
            record = json.loads(capsys.readouterr().out)
            found.setdefault(record["signature"], set()).add(record["systems"]["mine"]["average"])
    assert len(found) == 6
    assert all(len(averages) == 1 for averages in found.values())


def test_that_of_annotate_score(tmp_path, toy_corpus, judges, capsys):
    out = tmp_path / "sheet.csv"
    assert main(["annotate", "sheets", "--corpus", str(toy_corpus), "--items", "4", "--out", str(out)]) == 0
    rows = [row | {HEADINGS["supported"]: "yes"} for row in read_csv(tmp_path / "sheet-sources.csv")]
    filled = write_rows(tmp_path / "anna.csv", rows)
    capsys.readouterr()

    def signature(**changed):
        given = {"key": str(tmp_path / "sheet-key.csv"), "judges": judges["judges"]} | changed
        options = [part for name, value in given.items() for part in (f"--{name}", value)]
        assert main(["annotate", "score", str(filled), *options, "--json"]) == 0
        return json.loads(capsys.readouterr().out)["signatures"]

    changes = {"judges": judges["others"], "seed": "2", "precision": "bf16"}
    assert set(changes) == set(tried("annotate score"))
    usual = signature()
    assert [name for name, value in changes.items() if signature(**{name: value}) == usual] == []


def test_that_of_compliancy(judges):
    test = toy_test_set()
    given = {
        "predictions": [item.reference for item in test.items],
        "sources": [item.source for item in test.items],
        "articles": [item.article for item in test.items],
        "labels": [item.label for item in test.items],
        "judges": judges["judges"],
        "resamples": 5,
    }
    changes = {
        "judges": judges["others"],
        "reference_articles": [item.reference_article for item in test.items],
        "events": [item.event for item in test.items],
        "reversal": "target",
        "resamples": 6,
        "seed": 2,
        "precision": "bf16",
    }
    assert set(changes) == set(tried("compliancy"))
    usual = compute_compliancy(**given)["signature"]
    same = [
        name for name in changes if compute_compliancy(**given | {name: changes[name]})["signature"] == usual
    ]
    assert same == []


def test_that_of_rouge():
    rouge = module_class("headline_rouge")()
    signatures = set()
    for counts in ("set", "clipped"):
        rouge.compute(predictions=["a b a"], references=["a b a"], counts=counts)
        signatures.add(rouge.signature)
    assert tried("metrics/headline_rouge") == ["counts"]
    assert len(signatures) == 2
