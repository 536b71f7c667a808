"""The record of a report is read as it was written, and one of another version is refused in one sentence."""

import json

import pytest
from malformed import edit
from report_records import a_report
from scoring_fakes import SCALE, FakeJudges, scored, toy_test_set

from change_it.audit.record import Summary
from change_it.audit.verdict import KindShare, MeasureVerdict
from change_it.errors import InputError
from change_it.files.records import from_json, to_json
from change_it.judges.reliability import Verdict
from change_it.report.record import SCORES, ReportRecord, read_report_record, write_report_record
from change_it.report.report_files import report_record, write_report
from change_it.scoring.accepted import Accepted
from change_it.scoring.choosing import floor
from change_it.scoring.record import CurvePoint

LEAD = KindShare(0.6, 0.4, 0.8, 84, 42)
AUDIT = Summary(
    (Verdict("hh", "care", "", {"refuses wrong stories": (0.9, 0.8, 1.0)}),),
    {"style": MeasureVerdict("not known", "not known whether", {"lead": LEAD}, (), 160)},
)
#: The keys of `scores.json` in their order.
KEYS = (
    *("verdicts", "judges", "corpus", "outlets", "signature", "systems", "rerankers", "style"),
    *("style_fault", "floor", "accepted", "p_values", "meaning", "grey", "all_articles", "made", "files"),
)
OF_A_ROW = ("chosen", "candidates", "n", "events", "runs", "references", "errors", "intervals", "signature")


@pytest.fixture(scope="module")
def scores():
    test = toy_test_set()
    chosen = floor(test, FakeJudges(fold="0", fluency=True, hashes="efgh"))
    found = scored(test, FakeJudges(fold="1", fluency=True, scale=SCALE), chosen)
    return found.with_accepted({"gold": Accepted(9, 0.5, (0.3, 0.7), 0.4, (0.2, 0.6), 0.1)}, "1234567")


def test_a_report_is_read_as_it_was_written(scores, tmp_path, undrawn):
    write_report(tmp_path / "report", scores, {}, AUDIT, made={"date": "today"}, all_articles=scores)
    content = json.loads((tmp_path / "report" / SCORES).read_text(encoding="utf-8"))
    assert tuple(content) == KEYS
    assert tuple(content["systems"]["gold"]["average"])[-len(OF_A_ROW) :] == OF_A_ROW
    assert content["systems"]["gold"]["average"]["compliancy"] == scores.row("gold").values["compliancy"]
    read = read_report_record(tmp_path / "report")
    assert read.made == {"date": "today"}
    assert read.scores.systems["gold"]["average"].intervals == scores.row("gold").intervals
    assert read.scores.rerankers == scores.rerankers
    assert read.scores.accepted == scores.accepted
    assert read.all_articles == read.scores == scores.record
    assert read.verdicts == AUDIT.verdicts
    assert read.judges == AUDIT.judges


def test_what_is_not_known_is_no_key(scores):
    assert {"made", "all_articles"} & to_json(report_record(scores, AUDIT)).keys() == set()


def test_a_point_of_the_curve_has_each_interval_behind_its_measure():
    point = CurvePoint(
        candidates=2, values={"compliancy": 0.5, "style": 0.1}, intervals={"style": (0.0, 0.2)}
    )
    written = to_json(point)
    assert list(written.items()) == [
        ("candidates", 2),
        ("compliancy", 0.5),
        ("style", 0.1),
        ("style_interval", [0.0, 0.2]),
    ]
    assert from_json(CurvePoint, written) == point


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda record: record.pop("meaning"), "it lacks meaning"),
        (lambda record: record.pop("systems"), "it lacks systems"),
        (lambda record: record.update(outlets=["rep"]), "outlets has 1 values in the place of 2"),
        (
            lambda record: record.update(systems={"mine": {"average": {}}}),
            "it lacks systems.mine.average.chosen",
        ),
        (lambda record: record.update(floor=[{"compliancy": 0.5}]), "it lacks floor.candidates"),
        (
            lambda record: record.update(verdicts={"style": {"verdict": "fine"}}),
            "verdicts.style.verdict is 'fine'",
        ),
    ],
)
def test_a_record_of_another_version_gets_one_sentence(tmp_path, change, says):
    write_report_record(tmp_path, a_report(("rep", "gio"), {}))
    edit(tmp_path / SCORES, change)
    mend = "score the systems again with change-it score"
    expected = rf"{SCORES} is not as this version writes it \({says}\): {mend}"
    with pytest.raises(InputError, match=expected):
        read_report_record(tmp_path)


def test_a_folder_without_a_report_has_no_record(tmp_path):
    assert read_report_record(tmp_path) is None
    assert from_json(ReportRecord, to_json(a_report(("rep", "gio"), {}))).scores.systems == {}
