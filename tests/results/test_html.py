import base64
import gzip
import html
import json
import re
from dataclasses import replace
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pytest
from csv_files import read_csv, write_csv
from pages import expected
from scoring_fakes import FakeJudges, toy_test_set

from change_it import InputError
from change_it.audit.verdicts import read_metrics
from change_it.commands import score as score_command
from change_it.commands.score import ScoreOptions
from change_it.io import read_json
from change_it.results.charts import outcomes
from change_it.results.report_files import write_report
from change_it.results.score_tables import (
    meaning,
    paper_table,
    remarks,
    significance,
    systems_table,
    terminal_table,
)
from change_it.scoring.scores import score
from change_it.scoring.signature import Reranker
from change_it.scoring.systems import ScoredSystem, built_in_systems
from change_it.tables import figure


class Page(HTMLParser):
    """Ids of sections, texts of scripts, and every address that a page names."""

    def __init__(self):
        super().__init__()
        self.sections, self.scripts, self.addresses, self.ids = [], [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "script":
            self.scripts.append("")
        if tag == "section":
            self.sections.append(attributes.get("id"))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        self.addresses += [
            value for name, value in attributes.items() if name in ("src", "href", "xlink:href") and value
        ]

    def handle_data(self, data):
        if self.cdata_elem == "script":
            self.scripts[-1] += data


def parse(text):
    page = Page()
    page.feed(text)
    return page


@cache
def hostile_scores():
    test = toy_test_set()
    hostile = tuple(f"<script>alert('{item.id}')</script> & {item.source}" for item in test.items)
    systems = [*built_in_systems(test), ScoredSystem("hostile", hostile)]
    return score(test, FakeJudges(), systems, resamples=20)


@pytest.fixture
def scores():
    found = hostile_scores()
    return replace(found, items=dict(found.items))


@pytest.fixture(scope="module")
def contexts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contexts")
    corpus, judges = folder / "corpus", folder / "judges"
    corpus.mkdir()
    record = {
        "rows": 20,
        "kept": 18,
        "rejected": {"empty headline": 2},
        "pairs": {"above_strict": 4, "above_loose": 5},
        "splits": {name: {"rep": 2, "gio": 2} for name in ("A1", "A2", "A3", "R")},
        "leak_check": {"found": {"article": 0, "partner": 0}},
        "thresholds": {"strict": 0.5, "loose": 0.185},
        "histogram": {"edges": [0.05, 0.3, 0.6, 1.0], "compared": [90, 7, 4], "pairs": [0, 5, 4]},
    }
    (corpus / "alignment.json").write_text(json.dumps(record))
    cell = {"precision": 0.9, "recall": 0.8, "f1": 0.85}
    for task in ("main", "hh", "ah"):
        (judges / task).mkdir(parents=True)
        quality = {"hard": {"rep": cell, "gio": cell, "macro_f1": 0.85}}
        lead = (
            {"value": 0.0, "low": -0.1, "high": 0.1}
            if task == "hh"
            else {"value": 0.2, "low": 0.1, "high": 0.3}
        )
        beside = {"hard": quality["hard"] | {"lead": lead}}
        metrics = {"classes": ["rep", "gio"], "results": quality, "baselines": {"tf-idf cosine": beside}}
        (judges / task / "metrics.json").write_text(json.dumps(metrics))
    return read_json(corpus / "alignment.json"), read_metrics(judges)


@pytest.fixture(scope="module")
def report(contexts, tmp_path_factory):
    """The folder of a report in English with all charts."""
    out = tmp_path_factory.mktemp("written") / "report"
    write_report(out, hostile_scores(), *contexts)
    return out


def test_the_page_escapes_and_stands_alone(report, scores):
    text = (report / "report.html").read_text(encoding="utf-8")
    page = parse(text)
    data, script = page.scripts
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", data)
    checksum = base64.b64encode(sha256(script.encode()).digest()).decode()
    assert (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{checksum}'"
        in text
    )
    assert "The MIT License" in script
    assert "sourceMappingURL" not in text
    assert "&lt;script&gt;alert" in text
    first = ["written", "systems", "items", "measured", "charts", "judges"]
    assert page.sections == [*first, "corpus", "tests", "signature"]
    assert all(address.startswith(("#", "data:image/svg+xml;base64,")) for address in page.addresses)
    assert len(page.ids) == len(set(page.ids))
    assert all(address[1:] in page.ids for address in page.addresses if address.startswith("#"))
    assert not re.search(r"url\((?!#)", text.replace(script, ""))
    assert text.count("no better than tf-idf cosine") == 1
    for part in (".743", ".781", "Published figures", scores.signature, "empty headline", "tf-idf cosine"):
        assert part in text


@pytest.mark.usefixtures("without_charts")
def test_the_page_has_all_items_of_all_systems(tmp_path, scores):
    write_report(tmp_path, scores, None, [])
    data, _ = parse((tmp_path / "report.html").read_text(encoding="utf-8")).scripts
    found = json.loads(gzip.decompress(base64.b64decode(data)))
    assert found["systems"] == scores.systems
    rows = {(found["items"][row[0]][0], found["systems"][row[1]]): row[2:] for row in found["rows"]}
    assert len(rows) == sum(table.height for table in scores.items.values())
    for system, table in scores.items.items():
        for item in table.to_dicts():
            headline, verdicts, places, probabilities = rows[item["id"], system]
            assert headline == item["headline"]
            signs = {"1": True, "0": False, "-": None}
            assert [signs[sign] for sign in verdicts] == [item[name] for name in found["measures"]]
            assert [headline[start:end] for start, end, _ in places] == [
                one["text"] for one in json.loads(item["unsupported"])
            ]
            assert probabilities["hh"] == figure(item["p_hh"])


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_the_table_of_items_in_a_browser(tmp_path, browser, toy_test, fake_judges, width):
    hostile = (
        "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'> &amp; <b>statale</b>"
    )
    systems = [
        ScoredSystem("<b onclick=window.ran=1>evil", (hostile,) * len(toy_test.items)),
        ScoredSystem(
            "mine",
            tuple(f"Titolo {number}: 100 {item.reference}" for number, item in enumerate(toy_test.items)),
        ),
    ]
    scores = score(toy_test, fake_judges, systems, resamples=2)
    write_report(tmp_path, scores, None, [])
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    wrong = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: request.url.startswith("file:") or wrong.append(request.url))
    page.goto((tmp_path / "report.html").as_uri())
    lines = page.locator(".tabulator-row")
    total = 2 * len(toy_test.items)
    expected(lines).to_have_count(total)
    expected(page.locator("#items-count")).to_have_text(f"{total} of {total} lines")
    page.locator('.tabulator-col[tabulator-field="hh"] .tabulator-col-title').click()
    expected(page.locator("#items-about")).to_have_text("hh: the same story as the original")
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
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Systems side by side").click()
    expected(lines).to_have_count(len(toy_test.items))
    page.locator('.tabulator-col[tabulator-field="original"] input').press_sequentially("no such headline")
    expected(page.locator(".tabulator-placeholder")).to_have_text("No headline is like that.")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("window.ran") is None
    assert wrong == []
    context.close()


def test_files_beside_the_page(report, scores):
    out = report
    assert sorted(path.name for path in (out / "charts").iterdir()) == [
        "alignment.png",
        "compliancy.png",
        "funnel.png",
        "judges.png",
    ]
    assert {path.stem for path in (out / "items").iterdir()} == set(scores.systems)
    assert json.loads((out / "scores.json").read_text(encoding="utf-8"))["systems"].keys() == set(
        scores.systems
    )
    rows = read_csv(out / "systems.csv")
    assert len(rows) == len(scores.systems) * 3
    assert rows[2]["direction"] == "average"
    assert float(rows[2]["compliancy"]) == 1
    assert rows[2]["signature"] == scores.signature


def test_the_same_scores_give_the_same_page(tmp_path, scores, contexts, report):
    write_report(tmp_path, scores, *contexts)
    assert (tmp_path / "report.html").read_bytes() == (report / "report.html").read_bytes()


def cells(text, region):
    """Rows of a table as lists of cells, spaces and tags removed."""
    table = re.search(rf'aria-label="{region}">(.*?)</table>', text, re.DOTALL)[1]
    return [
        [
            " ".join(re.sub("<[^>]+>", " ", cell.replace("<wbr>", "")).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.DOTALL)
    ]


def page_of(path, scores):
    write_report(path, scores, None, [])
    return (path / "report.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("without_charts")
def test_published_figures_have_folded_tables_of_their_own(tmp_path, scores):
    text = page_of(tmp_path, scores)
    found = [row[0].split()[0] for row in cells(text, "Systems, average of the directions")[1:]]
    assert found == scores.systems
    folded = text[text.index("<details><summary>Published figures") :]
    systems = cells(folded, "Published systems")
    assert systems[0] == ["system", "compliancy", "hh", "ah", "main", "BLEU", "ROUGE"]
    assert [row[0] for row in systems if len(row) == 1] == ["average", "rep2gio", "gio2rep"]
    assert ["gold", ".762", *["–"] * 5] in systems
    assert ["S2S2", ".496", ".736", ".846", ".849", ".017", ".155"] in systems
    assert ["S2S2", ".549", ".860", ".845", ".845", ".018", ".159"] in systems
    assert ["rep", ".770", ".830", ".800"] in cells(folded, "Published judges")


@pytest.mark.usefixtures("without_charts")
def test_other_outlets_have_no_published_figures(tmp_path, toy_test):
    names = {"rep": "left", "gio": "right"}
    test = replace(
        toy_test,
        outlets=("left", "right"),
        items=tuple(
            replace(item, label=names[item.label], target=names[item.target]) for item in toy_test.items
        ),
        training_headlines={names[key]: texts for key, texts in toy_test.training_headlines.items()},
    )
    text = page_of(tmp_path, score(test, FakeJudges(("left", "right")), built_in_systems(test), resamples=2))
    assert "ublished" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def test_marks_say_which_systems_differ_from_the_best_of_ours(scores):
    at = {system: number for number, system in enumerate(scores.systems)}
    p_values = np.ones((len(at), len(at)))
    for system, p in {"gold": 0.001, "copy": 0.012, "lead": 0.03, "random-target": 0.9}.items():
        p_values[at["hostile"], at[system]] = p
    found = significance(replace(scores, p_values=p_values))
    assert found == ("hostile", {"gold": "**", "copy": "*"})  # after Holm lead has .06
    table = systems_table(replace(scores, p_values=p_values), ["average"])
    assert {row.values["system"]: row.marks for row in table.rows}["gold"] == {"compliancy": "**"}
    assert table.notes[0].startswith(
        "* p < .05, ** p < .01: the compliancy figure differs from that of hostile"
    )


def test_the_table_for_a_paper_has_what_is_known_strict_first_and_no_overlap_of_gold_with_itself(toy_test):
    systems = built_in_systems(toy_test)
    table = paper_table(score(toy_test, FakeJudges(digits="abcd"), systems, resamples=2))
    assert table.header[:3] == ["system", "strict", "compliancy"]
    assert "n" not in table.header
    gold = dict(zip(table.header, table.texts[0], strict=True))
    assert (gold["system"], gold["strict"], gold["BLEU"], gold["ROUGE-L"]) == ("gold", "≤ 1.000", "–", "–")
    assert "(rep and gio, n = 8)" in table.title
    assert "strict: main without the typography, fluency and facts accept" in table.title
    without = paper_table(score(toy_test, FakeJudges(), systems, resamples=2))
    assert without.header[:3] == ["system", "compliancy", "hh"]
    assert "strict" not in without.title


def test_a_funnel_counts_each_headline_at_the_first_judge_that_refuses_it(toy_test):
    systems = built_in_systems(toy_test)
    found = score(toy_test, FakeJudges(digits="abcd"), systems, resamples=2)
    for system in found.systems:
        shares = outcomes(found, system)
        assert sum(shares.values()) == pytest.approx(1)
        assert shares["accepted by all"] == pytest.approx(found.row(system).values["strict_compliancy"])
    assert list(shares)[1:] == ["facts", "fluency", "main normalised", "main", "ah", "hh"]
    assert outcomes(found, "copy")["main"] == 1
    without = outcomes(score(toy_test, FakeJudges(), systems, resamples=2), "gold")
    assert list(without) == ["accepted by all", "main", "ah", "hh"]


@pytest.mark.usefixtures("without_charts")
def test_a_reranked_system_shows_who_chose(tmp_path, toy_test):
    gold = tuple(item.reference for item in toy_test.items)
    other = Reranker.of(FakeJudges(fold="0", digits="def"))
    systems = [
        *built_in_systems(toy_test),
        ScoredSystem("sum+rerank", gold, other),
        ScoredSystem("cut", ("", *gold[1:])),
    ]
    scores = score(toy_test, FakeJudges(fold="1"), systems, resamples=2)
    text = page_of(tmp_path, scores)
    firsts = [row[0] for row in cells(text, "Systems, average of the directions")]
    assert {"sum+rerank reranked", "cut 1 without a headline"} <= set(firsts)
    assert "<code>dddddd+eeeeee+ffffff,fold:0</code>: weights of" in text
    assert "|reranker:dddddd+eeeeee+ffffff,fold:0|" in scores.row("sum+rerank").signature
    assert remarks(scores) == [
        "sum+rerank: headlines, or those that it learnt from, chosen by the judges dddddd+eeeeee+ffffff,fold:0",
        "cut: 1 of 8 items have no headline and count as not compliant",
        "strict compliancy and fluency are n/a: these judges have no fluency judge, train one with change-it train judge --task fluency",
    ]


@pytest.fixture
def with_fake_judges(monkeypatch, fake_judges):
    """Judges that no training made."""
    predict = pytest.importorskip("change_it.judges.judge")
    monkeypatch.setattr(predict.Judges, "from_pretrained", lambda *args, **kwargs: fake_judges)
    monkeypatch.setattr(score_command, "check_judges", lambda *_: None)


@pytest.mark.usefixtures("with_fake_judges")
def test_the_command_refuses_the_judges_that_chose(tmp_path, toy_corpus, toy_test):
    reranker = Reranker.of(FakeJudges(fold="0")).signature
    rows = [[item.id, item.reference, item.target, "", reranker] for item in toy_test.items]
    file = write_csv(tmp_path / "mine.csv", rows, ["id", "headline", "target", "error", "reranker"])
    options = ScoreOptions(
        corpus=str(toy_corpus), judges=str(tmp_path), predictions=(f"mine={file}",), resamples=2
    )
    with pytest.raises(InputError, match="mine: fold 0 overlaps fold all, the weights of main and hh and ah"):
        score_command.run(options)


def test_the_terminal_shows_strict_compliancy_and_its_interval(toy_test):
    systems = built_in_systems(toy_test)
    table = terminal_table(score(toy_test, FakeJudges(digits="abcd"), systems, resamples=2))
    assert table.header[:5] == ["system", "strict", "95% interval", "compliancy", "95% interval"]
    assert table.header[5:11] == ["hh", "ah", "main", "main normalised", "fluency", "facts"]
    assert table.texts[0][:5] == ["gold", "≤ 1.000", ".398–1.000", "1.000", ".398–1.000"]
    table = terminal_table(score(toy_test, FakeJudges(), systems, resamples=2))
    assert table.texts[0][3:5] == ["n/a", "–"]
    assert any("train judge --task fluency" in note for note in table.notes)


@pytest.mark.usefixtures("without_charts")
def test_one_line_says_what_the_first_figure_means(tmp_path, toy_test, scores):
    new = [item.reference for item in toy_test.items]
    new[0] = toy_test.items[0].source  # fails at main
    mine = ScoredSystem("mine", tuple(new))
    systems = [*built_in_systems(toy_test), mine]
    found = score(toy_test, FakeJudges(digits="abcd"), systems, resamples=2)
    strict = {
        name: round(100 * found.row(name).values["strict_compliancy"]) for name in ("mine", "gold", "lead")
    }
    line = meaning(found)
    assert line == (
        f"Of 100 headlines that mine wrote, {strict['mine']} pass six automatic checks; of the other newspaper's own "
        f"{strict['gold']}, of the article's first words {strict['lead']}. It is not the share of good headlines."
    )
    assert "pass three automatic checks;" in meaning(scores)
    assert meaning(score(toy_test, FakeJudges(), built_in_systems(toy_test), resamples=2)) is None
    text = page_of(tmp_path, found)
    assert text.index(html.escape(line).replace("&#x27;", "&#39;")) < text.index("<table>")
    invented = replace(found, outlets=("colle", "faro"))
    assert "six automatic checks on two invented newspapers;" in meaning(invented)
