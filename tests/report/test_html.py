import base64
import gzip
import json
import re
from dataclasses import replace
from functools import cache
from hashlib import sha256
from html import unescape

import numpy as np
import pytest
from csv_files import read_csv
from pages import beyond, expected, watched
from saved_judges import WITHIN_EVENT, a_judges_metrics
from scoring_fakes import SCALE, FakeJudges, toy_test_set

from change_it.audit.record import NO_AUDIT, Example, Summary, TriedKind
from change_it.audit.verdict import KindShare, MeasureVerdict
from change_it.judges.reliability import Verdict
from change_it.report.pages import ACCEPTABILITY, COMPLIANCY, STYLE, name_reasons
from change_it.report.ranking import Ranking
from change_it.report.record import read_report_record
from change_it.report.report_files import provenance, write_report
from change_it.report.score_tables import (
    examples_table,
    significance,
    systems_table,
    terminal_table,
)
from change_it.scoring.aspects import NO_CHECK, compliancy_measures, judge_headings
from change_it.scoring.baselines import built_in_systems
from change_it.scoring.scores import score
from change_it.scoring.settings import ScoreSettings
from change_it.scoring.systems import ScoredSystem

EVIL = "<b onclick=window.ran=1>evil"


def scripts_of(text):
    """Data and program of the table of items."""
    return re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)


@cache
def hostile_scores():
    """Score a system whose headlines are programs."""
    test = toy_test_set()
    hostile = tuple(f"<script>alert('{item.id}')</script> & {item.source}" for item in test.items)
    systems = [*built_in_systems(test), ScoredSystem("hostile", hostile)]
    return score(test, FakeJudges(fluency=True), systems, ScoreSettings(resamples=20))


@pytest.fixture
def scores():
    found = hostile_scores()
    return replace(found, items=dict(found.items))


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The folder of a report."""
    out = tmp_path_factory.mktemp("written") / "report"
    write_report(out, hostile_scores(), {"main": a_judges_metrics(within_event=WITHIN_EVENT)})
    return out


def test_the_page_escapes_and_stands_alone(report, scores):
    text = (report / "report.html").read_text(encoding="utf-8")
    data, script = scripts_of(text)
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", data)
    checksum = base64.b64encode(sha256(script.encode()).digest()).decode()
    own = f"script-src 'sha256-{checksum}'"
    assert f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; {own}" in text
    assert "The MIT License" in script
    assert "sourceMappingURL" not in text
    assert "&lt;script&gt;alert" in text
    page = text.replace(script, "")
    sections = ["systems", "written", "items", "judges", "measured", "tests", "signature"]
    assert re.findall(r'<section id="(\w+)"', page) == sections
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert all(address.startswith(("#", "data:image/svg+xml;base64,")) for address in addresses)
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len({*ids})
    assert {address[1:] for address in addresses if address.startswith("#")} <= {*ids}
    assert not re.search(r"url\((?!#)", page)
    assert "4 pairs of 3 events" in text
    assert ".123–.987" in text
    assert scores.signature in text
    shown = unescape(text)
    few = "These are few, 8 headlines of 4 events"
    assert shown.count(few) == 2  # in the first sentence and at the table
    assert all(
        words in shown for words in (COMPLIANCY, STYLE, ACCEPTABILITY, NO_CHECK, *judge_headings().values())
    )
    drawn = base64.b64decode(re.search(r"svg\+xml;base64,([^\"]+)", text)[1])
    assert drawn == (report / "charts" / "plane.svg").read_bytes()
    assert few in read_report_record(report).meaning
    assert "headline by headline over hostile" in shown
    assert re.search(r"BLEU: Newspaper \(main\) (n/a|-?[.\d]+ \()", shown)


@pytest.mark.parametrize(
    "outlets", [("sole24ore", "rep"), ("rai2", "tg2"), ("france24", "tv2"), ("la7", "rai2"), ("2", "a2b")]
)
def test_the_outlet_aimed_at_is_named_whatever_it_is_called(outlets):
    test = toy_test_set()
    names = dict(zip(test.outlets, outlets, strict=True))
    items = [replace(item, label=names[item.label], target=names[item.target]) for item in test.items]
    training = {names[outlet]: texts for outlet, texts in test.training_headlines.items()}
    test = replace(test, items=tuple(items), outlets=outlets, training_headlines=training)
    mine = ScoredSystem("mine", tuple(item.reference for item in items))
    systems = [*built_in_systems(test), mine]
    scores = score(test, FakeJudges(outlets), systems, ScoreSettings(resamples=5))
    targets = {item.source: item.target for item in items}
    shown = {row.values["source"]: row.values["to"] for row in examples_table(scores).rows}
    assert shown == {source: targets[source] for source in shown}
    assert set(shown.values()) == set(outlets)


def test_one_direction_is_named(tmp_path, undrawn):
    test = toy_test_set()
    one = replace(test, items=tuple(item for item in test.items if item.target == "gio"))
    mine = ScoredSystem("mine", tuple(item.source for item in one.items))
    scores = score(one, FakeJudges(scale=SCALE._replace(pairs=19)), [*built_in_systems(one), mine])
    ranking = Ranking.from_scores(scores, NO_AUDIT)
    assert terminal_table(scores, ranking).title == "Results: 4 headlines of 4 events, rep2gio, 95% intervals"
    write_report(tmp_path / "report", scores, {})
    text = unescape((tmp_path / "report" / "report.html").read_text())
    assert "Lines are 95% intervals" in text
    assert "4 headlines of 4 events, rep2gio (" in text
    assert "Report: 1 system and 5 baselines, rep and gio" in text
    assert "average of the directions" not in text


def test_the_page_has_all_items_of_all_systems(report, scores):
    data, _ = scripts_of((report / "report.html").read_text(encoding="utf-8"))
    record = json.loads(gzip.decompress(base64.b64decode(data)))
    assert (record["systems"], record["first"]) == (scores.systems, "hostile")
    sources = {item["id"]: item["source"] for item in record["items"]}
    for system, table in scores.items.items():
        shown = [row for row in record["rows"] if row["system"] == system]
        scored = table.to_dicts()
        for row, item in zip(sorted(shown, key=id_of), sorted(scored, key=id_of), strict=True):
            assert sources[row["id"]] == item["source"]
            expected = {name: item[name] for name in row if name != "system"}
            for name, value in expected.items():
                if isinstance(value, float):
                    expected[name] = round(value, 3)
            assert row == {"system": system} | expected


def id_of(row):
    return row["id"]


def test_tables_for_people_have_gold_before_the_baselines(scores):
    ranking = Ranking.from_scores(scores, NO_AUDIT)
    for table in (terminal_table(scores, ranking), systems_table(scores, ["average"])):
        assert [row.values["system"] for row in table.rows][:3] == ["hostile", "gold", "clause"]


def test_judges_have_one_name_in_reasons():
    shown = "Story (HH); Evidence: no hh; edited: 2 of 9 words new"
    reasons = [("hh", ""), ("evidence", "no hh"), ("edited", "2 of 9 words new")]
    assert name_reasons([{"name": name, "detail": detail} for name, detail in reasons]) == shown


def test_an_audit_is_linked_from_the_folder_of_the_report(tmp_path, scores, undrawn):
    verdict = Verdict("hh", "care", "no better than tf-idf")
    audit = Summary((verdict,), page=tmp_path / "audit" / "audit.html")
    write_report(tmp_path / "report", scores, {}, audit)
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert page.count('href="../audit/audit.html"') == 1


def test_the_page_says_above_its_tables_that_a_judge_learnt_from_few(tmp_path, scores, undrawn):
    few = Verdict("hh", "care", matches=2)
    says = "<strong>HH learnt from 2 matches, fewer than 200: scores are less sure than their intervals say."
    pages = []
    for verdict in (few, replace(few, matches=None)):
        write_report(tmp_path / "report", scores, {}, Summary((verdict,)))
        pages.append((tmp_path / "report" / "report.html").read_text(encoding="utf-8"))
    assert pages[0].index(says) < pages[0].index("<figure") < pages[0].index('id="systems"')
    assert says not in pages[1]


def test_the_page_greys_what_cannot_rank_and_shows_the_matrix(tmp_path, scores, undrawn):
    share = KindShare(0.98, 0.92, 1.04, 84, 80)
    cannot = "cannot rank systems here: the article's first words keep .98 of gold"
    verdicts = {
        "style": MeasureVerdict("ranks", "can rank systems here", {}, ()),
        "acceptability": MeasureVerdict("cannot rank", cannot, {"lead": share}, ()),
        "compliancy": MeasureVerdict("cannot rank", cannot, {"lead": share}, ()),
    }
    example = Example(
        "1", "rep2gio", "<i>Cade</i>", "", "Il ponte", {"hh": 1.0, "style": 0.2, "acceptability": 0.9}
    )
    lead = TriedKind(
        name="lead",
        words="the article's first words",
        groups=("not written for this",),
        description="The article's first words.",
        seen=False,
        n=84,
        events=80,
        shares=dict.fromkeys(("style", "acceptability", "compliancy"), share),
        values={},
        examples=(replace(example, verdicts=dict.fromkeys(compliancy_measures(), 0.5)),),
    )
    write_report(tmp_path / "report", scores, {}, Summary((), verdicts, (lead,), 40, 40))
    page = unescape((tmp_path / "report" / "report.html").read_text(encoding="utf-8"))
    assert page.index("Can these measures rank systems here?") < page.index("<figure")
    assert f'<td data-head="compliancy" class="grey" title="{cannot}">' in page
    assert 'title="compliancy misses: keeps .98 (.92–1.04) of gold, 84 headlines of 80 events"' in page
    assert "&lt;i&gt;Cade" in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert page.count("Il ponte</strong>") == 1


@pytest.mark.slow
@pytest.mark.parametrize("width", [1400, 1280, 390])
def test_the_table_of_items_in_a_browser(tmp_path, browser, toy_test, fake_judges, width):
    hostile = "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'> <b>statale</b>"
    mine = [f"Titolo {number}: 100 {item.reference}" for number, item in enumerate(toy_test.items)]
    evil = ScoredSystem(EVIL, (hostile,) * len(mine))
    systems = [evil, ScoredSystem("mine", tuple(mine))]
    scores = score(toy_test, fake_judges, systems, ScoreSettings(resamples=2))
    write_report(tmp_path, scores, {}, articles={item.id: item.article for item in toy_test.items})
    screen = {"viewport": {"width": width, "height": 900}}
    with watched(browser, (tmp_path / "report.html").as_uri(), **screen) as page:
        use(page, scores, toy_test, hostile)


def use(page, scores, toy_test, hostile):
    lines = page.locator(".tabulator-row")
    total = 2 * len(toy_test.items)
    expected(lines).to_have_count(total // 2)  # of the best system
    controls = page.locator("#items-controls")
    controls.get_by_role("button", name="Reset").click()
    expected(lines).to_have_count(total)
    expected(page.locator("#items-count")).to_have_text(f"{total} of {total} lines")
    page.locator('.tabulator-col[tabulator-field="hh"] .tabulator-col-title').click()
    expected(page.locator("#items-about")).to_contain_text("Reads the original and the new headline")
    cell = lines.first.locator('[tabulator-field="headline"] .item-headline')
    page.locator('.tabulator-col[tabulator-field="headline"] .tabulator-col-title').click()
    expected(cell).to_have_text(hostile)
    page.locator('.tabulator-col[tabulator-field="headline"] input').press_sequentially("Titolo 3")
    expected(lines).to_have_count(1)
    expected(cell.locator("u")).to_have_text(["3", "100"])
    lines.first.locator(".item-link").click()
    dialog = page.locator("#items-dialog")
    expected(dialog.locator(".side h4")).to_have_text(scores.systems)
    expected(dialog.locator("h3")).to_have_text(toy_test.items[3].source)
    page.keyboard.press("ArrowRight")  # there is no next one
    expected(dialog.locator("h3")).to_have_text(toy_test.items[3].source)
    expected(dialog.locator("details")).to_contain_text(toy_test.items[3].article)
    assert f"item={toy_test.items[3].id}" in page.url
    dialog.get_by_role("button", name="Close").click()
    page.wait_for_function("!location.href.includes('item=')")  # it is told a moment later
    # What is chosen stands in the address, which brings it back.
    address = page.url
    controls.get_by_role("button", name="Reset").click()
    expected(lines).to_have_count(total)
    page.goto(address)
    expected(lines).to_have_count(1)
    # Two systems beside each other.
    page.evaluate("location.hash = 'system=mine&against=%3Cb+onclick%3Dwindow.ran%3D1%3Eevil'")
    expected(lines).to_have_count(total // 2)
    if page.viewport_size["width"] >= 1400:  # all columns have room, and the other headline says its reasons
        holder = page.locator(".tabulator-tableholder")
        assert holder.evaluate("one => one.scrollWidth <= one.clientWidth")
        reasons = [refused for refused in scores.items[EVIL]["refused_by"] if len(refused)]
        assert lines.locator('[tabulator-field="gold"] small').count() >= len(reasons) > 0
    refusals = {tuple(reason["name"] for reason in reasons) for reasons in scores.items["mine"]["refused_by"]}
    assert len(refusals) == controls.get_by_label("refused by").locator("option").count() - 1
    sides = [[not len(refused) for refused in scores.items[name]["refused_by"]] for name in ("mine", EVIL)]
    outcomes = {"both": (True, True), "one": (True, False), "other": (False, True), "neither": (False, False)}
    for name, wanted in outcomes.items():
        controls.get_by_label("outcome").select_option(name)
        expected(lines).to_have_count(list(zip(*sides, strict=True)).count(wanted))
    controls.get_by_role("button", name="Reset").click()
    lines.first.locator(".item-link").click()
    first = dialog.locator("h3").text_content()
    page.keyboard.press("j")
    expected(dialog.locator("h3")).not_to_have_text(first)
    page.keyboard.press("k")
    expected(dialog.locator("h3")).to_have_text(first)
    dialog.get_by_role("button", name="Close").click()
    page.locator('.tabulator-col[tabulator-field="source"] input').press_sequentially("no such headline")
    expected(page.locator(".tabulator-placeholder")).to_have_text("No headline matches the filters.")
    assert beyond(page, but=".tabulator-header *") == []  # it follows the rows, which scroll
    page.locator("#systems .about").first.click()
    expected(page.locator("[popover]:popover-open")).to_be_visible()
    assert beyond(page, but=".tabulator-header *") == []


def test_files_beside_the_page(report, scores):
    out = report
    assert {path.stem for path in (out / "items").iterdir()} == set(scores.systems)
    assert read_report_record(out).scores == scores.record
    rows = read_csv(out / "systems.csv")
    assert len(rows) == len(scores.systems) * 3
    [gold] = [row for row in rows if (row["system"], row["direction"]) == ("gold", "average")]
    assert float(gold["compliancy"]) == 1
    assert gold["signature"] == scores.signature


def test_marks_say_which_systems_differ_from_the_best_of_ours(scores):
    at = {system: number for number, system in enumerate(scores.systems)}
    p_values = np.ones((len(at), len(at)))
    for system, p in {"gold": 0.001, "copy": 0.012, "lead": 0.03}.items():
        p_values[at["hostile"], at[system]] = p
    changed = replace(scores, p_values={"style": p_values})
    marks = {"gold": {"style": "**"}, "copy": {"style": "*"}}
    assert significance(changed) == marks  # after Holm lead has more than .05
    table = systems_table(changed, ["average"])
    assert {row.values["system"]: row.marks for row in table.rows}["gold"] == marks["gold"]
    assert "against hostile" in table.notes[0]


def test_a_report_names_the_commits_of_judges_from_the_hub():
    first, second = "a" * 40, "b" * 40
    assert provenance([second, first, second, ""])["judges"] == f"of the Hub, commit {first}, {second}"
    assert "judges" not in provenance(["", ""])
