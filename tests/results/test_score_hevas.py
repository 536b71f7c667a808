"""`change-it score --hevas`: the same headlines measured by HEvAS, and how far it agrees with the judges."""

import json
import re

import numpy as np
import pytest
import scoring_fakes
from csv_files import read_csv
from scipy import stats
from scoring_fakes import FakeJudges, toy_test_set, write_stand_ins, write_toy_corpus

from change_it.cli import main
from change_it.hevas.metric_options import MetricOptions
from change_it.hevas.metrics import METRICS
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.results import hevas_scores as hevas
from change_it.results import report_files as files
from change_it.results.charts import hevas_drawings
from change_it.results.report_files import write_report
from change_it.scoring.scores import score
from change_it.scoring.systems import ScoredSystem, built_in_systems

WHAT = "il ponte sulla statale|la riforma fiscale|il treno dei pendolari|la scuola del quartiere|il mercato coperto|la biblioteca di Bari"
EVENTS = tuple(f"{verb} {what}" for what in WHAT.split("|") for verb in ("Riapre", "Chiude", "Divide"))
PAIR = slice(0, 2)  # of the items, those of which the toy system has no headline


@pytest.fixture(autouse=True)
def charts(monkeypatch, without_charts):
    """Names of HEvAS's charts that are drawn: none, unless a test asks for one."""
    chosen = []
    monkeypatch.setattr(
        files,
        "hevas_drawings",
        lambda evaluation, analysis, _: hevas_drawings(evaluation, analysis, chosen),
    )
    return chosen


@pytest.fixture(scope="module")
def test_set():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring_fakes, "EVENTS", EVENTS)
        return toy_test_set()


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.setattr(scoring_fakes, "EVENTS", EVENTS)
    return write_toy_corpus(tmp_path / "corpus")


@pytest.fixture(scope="module")
def measured(test_set):
    own = [f"<b>{item.source.split()[0]}</b> & il resto" for item in test_set.items]
    own[PAIR] = ["", ""]
    systems = [*built_in_systems(test_set), ScoredSystem("own", tuple(own))]
    scores = score(test_set, FakeJudges(), systems, resamples=5, progress=False)
    options = MetricOptions()
    documents = hevas.check(test_set, options)
    return scores, hevas.measure(documents, systems, scores, options=options, resamples=5)


def test_correlations_are_those_of_the_headlines_themselves(measured):
    scores, found = measured
    kept = ["copy", "lead", "random-target", "own"]
    names = found.judges.metrics
    assert names == (*hevas.JUDGE_COLUMNS, *hevas.OVERLAPS, *METRICS)
    assert found.judges.n == found.judges_within.n == len(scores.items["own"]) * len(kept) - 2
    for judge, column in (("P(AH)", "p_ah"), ("P(target)", "p_target")):
        for metric in ("R-1", "LSA-S", "Fog"):
            at = found.evaluation.metrics.index(metric)
            one = [scores.items[system][column].to_numpy() for system in kept]
            other = [found.evaluation.values[system][:, at].round(12) for system in kept]
            for side in (one, other):
                side[-1] = side[-1][PAIR.stop :]  # of the system own, those that it has written
            i, j = names.index(judge), names.index(metric)
            both = [np.concatenate(side) for side in (one, other)]
            assert found.judges.pearson[i][j] == pytest.approx(stats.pearsonr(*both).statistic, abs=1e-9)
            assert found.judges.spearman[i][j] == pytest.approx(stats.spearmanr(*both).statistic, abs=1e-9)
            apart = [
                np.concatenate([values - values.mean() for values in side]).round(12) for side in (one, other)
            ]
            within = found.judges_within
            assert within.pearson[i][j] == pytest.approx(stats.pearsonr(*apart).statistic, abs=1e-9)
            assert within.spearman[i][j] == pytest.approx(stats.spearmanr(*apart).statistic, abs=1e-9)


def test_bleu_and_rouge_of_items_are_those_of_the_table(measured):
    scores, found = measured
    columns = hevas.judge_columns(scores, found.evaluation)
    position = [name for name in scores.systems if name != "gold"].index("copy")
    copy = columns["ROUGE-L"][:, position].data
    assert copy == pytest.approx(scores.items["copy"]["rougeL"].to_numpy())
    assert columns["ROUGE-L source"][:, position].data == pytest.approx(np.ones(len(copy)))
    assert columns["BLEU"].mask.sum() == 2
    own = [name for name in scores.systems if name != "gold"].index("own")
    assert columns["BLEU"].mask[PAIR, own].all()
    assert columns["BLEU source"][:, position].min() > 0.99


def test_the_page_and_the_files(tmp_path, measured, charts):
    out = tmp_path / "report"
    charts.append("scatter")
    scores, found = measured
    write_report(out, scores, None, {}, found)
    assert {path.name for path in (out / "hevas").iterdir()} == {
        "charts",
        "items",
        "report.html",
        "summary.csv",
        "summary.json",
    }
    assert [path.name for path in (out / "hevas" / "charts").iterdir()] == ["scatter.png"]
    rows = read_csv(out / "hevas" / "items" / "own.csv")
    assert [row["id"] for row in rows] == scores.items["own"]["id"].to_list()
    assert all(float(row[metric]) == 0 for row in rows[PAIR] for metric in METRICS)
    record = json.loads((out / "scores.json").read_text(encoding="utf-8"))["hevas"]
    assert record["means"]["gold"]["R-1"] == 1
    assert record["signature"] == found.analysis.signature
    assert record["correlations"]["left_out"] == ["gold"]
    assert record["correlations"]["all"]["pearson"] == [list(row) for row in found.judges.pearson]
    assert set(record["correlations"]["within_systems"]) == {"metrics", "n", "pearson", "spearman"}

    text = (out / "report.html").read_text(encoding="utf-8")
    section = text[text.index('<section id="hevas">') : text.index('<section id="tests">')]
    means, agreement, square = re.findall(r"<table>(.*?)</table>", section, re.DOTALL)
    assert re.findall(r'<th scope="row">([^<]*)', agreement) == [
        name + (" ↓" if name in LOWER_IS_BETTER else "") for name in (*hevas.OVERLAPS, *METRICS)
    ]
    assert agreement.count("<td") == 2 * len(hevas.JUDGE_COLUMNS) * (len(hevas.OVERLAPS) + len(METRICS))
    assert "rgb(0 114 178 /" in agreement
    assert "rgb(213 94 0 /" in agreement
    assert '<span class="small">2 empty</span>' in means
    assert square.count("<tr>") == 1 + len(hevas.JUDGE_COLUMNS) + len(hevas.OVERLAPS) + len(METRICS)
    assert "|resamples:5|seed:" in found.analysis.signature
    assert found.analysis.signature in text
    page = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!#)', page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


@pytest.fixture
def judges(monkeypatch):
    """Judges that no training made; counts how often they were loaded."""
    predict = pytest.importorskip("change_it.scoring.judges")
    loaded = []

    def load(*args, **kwargs):
        loaded.append(args)
        return FakeJudges()

    monkeypatch.setattr(predict.Judges, "from_pretrained", load)
    return loaded


def run(*arguments):
    return main(["score", *map(str, arguments)])


@pytest.mark.usefixtures("judges")
def test_the_command_writes_and_prints_both(tmp_path, corpus, capsys):
    out = tmp_path / "out"
    folder = write_stand_ins(tmp_path / "judges")
    given = ("--corpus", corpus, "--judges", folder, "--hevas", "--resamples", 5)
    assert run(*given, "--out", out) == 0
    printed = capsys.readouterr().out
    assert "compliancy|judges:" in printed
    assert "hevas|lang:it|" in printed
    assert "items/, charts/ and hevas/" in printed
    assert (out / "hevas" / "report.html").is_file()
    assert run(*given, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["hevas"] == json.loads((out / "scores.json").read_text(encoding="utf-8"))["hevas"]
