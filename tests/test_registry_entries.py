"""What is added as one entry is everywhere: nothing else is edited."""

import json
import re

import numpy as np
import polars as pl
import pytest
from csv_files import read_csv, write_csv
from scoring_fakes import judges_that_know, load_fakes, write_stand_ins
from tiny_generators import options, transferred

from change_it.audit.perturbations import PERTURBATIONS, Perturbation
from change_it.cli import main
from change_it.cli import train as train_commands
from change_it.cli.transfer import TransferOptions
from change_it.corpus.folder import read_table
from change_it.corpus.reading.issues import CHECKS, OutletCheck, from_few, tells_outlets
from change_it.corpus.reading.sample import sample_articles
from change_it.corpus.test_set import read_test_set
from change_it.generators.data import load_recipe
from change_it.generators.recipes import RECIPES, Recipe
from change_it.generators.transfer import HeadlineTransfer
from change_it.hevas.metrics import METRICS, Metric
from change_it.report import hevas_report
from change_it.scoring.aspects import ASPECTS, Aspect
from change_it.scoring.panel import Judges

#: Events of the documents, each in a headline of its own.
EVENTS = ("governo", "squadra", "pane", "neve", "treno", "scuola")


def type_token_ratio(headlines):
    return np.array([len({*words}) / max(1, len(words)) for words in headlines.words])


@pytest.fixture
def ratio(monkeypatch):
    """Register the type-token ratio for the time of a test, averaged or not."""

    def register(*, averaged):
        metric = Metric(
            name="TTR",
            family="readability",
            range=(0, 1),
            better="more",
            averaged=averaged,
            explanation="Share of different words among a headline's words",
            compute=type_token_ratio,
            languages=lambda language: language == "it",
        )
        monkeypatch.setitem(METRICS, "TTR", metric)

    return register


@pytest.fixture
def measured(tmp_path, monkeypatch, capsys):
    """Return a function that measures two systems with `change-it hevas` and reads what came of it.

    No chart is drawn but those that are asked for.
    """
    texts = [
        f"A Roma il {one} cambia tutto, tutto. La gente protesta per il {one}. Poi si vota." for one in EVENTS
    ]
    rows = [
        [str(at), f"Il {one} cambia", text] for at, (one, text) in enumerate(zip(EVENTS, texts, strict=True))
    ]
    news = write_csv(tmp_path / "news.csv", rows, ["id", "headline", "article"])
    mine = tmp_path / "mine.txt"
    mine.write_text("".join(f"{one} {one} cambia\n" for one in EVENTS), encoding="utf-8")
    panels = []
    draw = hevas_report.bar_chart
    monkeypatch.setattr(
        hevas_report, "bar_chart", lambda comparisons: panels.append([*comparisons]) or draw(comparisons)
    )

    def measure(*metrics, language="it", charts=()):
        out = tmp_path / "out"
        options = [
            "--predictions",
            f"mine={mine}",
            "--baselines",
            "first",
            "--resamples",
            "20",
            "--topics",
            "2",
        ]
        chosen = ["--metrics", *metrics] if metrics else []
        folder = ["--charts", *charts, "--language", language, "--out", str(out)]
        assert main(["hevas", "--documents", str(news), *options, *chosen, *folder]) == 0
        return {
            "printed": " ".join(capsys.readouterr().out.split()),
            "panels": panels,
            "page": (out / "report.html").read_text(encoding="utf-8"),
            "table": pl.read_csv(out / "summary.csv"),
            "items": pl.read_csv(out / "items/mine.csv"),
            "record": json.loads((out / "summary.json").read_text(encoding="utf-8")),
        }

    return measure


def signature_of(result):
    [signature] = result["table"]["signature"].unique()
    return signature


def test_a_metric_is_an_entry(measured, ratio):
    """In table, page, charts, items and signature; the averages and ranks of the others stay."""
    before = measured()
    ratio(averaged=False)
    after = measured(charts=["interval"])
    for columns in (before["table"].columns, before["items"].columns):
        assert "TTR" not in columns
    assert after["items"]["TTR"].to_list() == pytest.approx([2 / 3] * len(EVENTS))
    assert "TTR" in after["printed"]
    [panels] = after["panels"]
    assert "TTR" in panels
    assert "TTR" in after["record"]["comparisons"]
    explained = "<dt>TTR</dt><dd>Share of different words among a headline&#39;s words; ours: shown"
    assert explained in after["page"]
    assert after["table"].drop("TTR", "signature").equals(before["table"].drop("signature"))
    assert signature_of(after) == signature_of(before).replace("|metrics:all|", "|metrics:all+TTR|")


def test_an_entry_decides_whether_a_metric_is_averaged(measured, ratio):
    ratio(averaged=True)
    result = measured("TTR", "AWL")
    table = {row["system"]: row for row in result["table"].to_dicts()}
    assert {system: row["TTR rank"] for system, row in table.items()} == {"mine": 2, "first": 1}
    assert "ours: shown" not in result["page"]
    ratio(averaged=False)
    assert "TTR rank" not in measured("TTR", "AWL")["table"].columns


def test_an_entry_says_for_which_languages_it_is(measured, ratio):
    ratio(averaged=False)
    printed = measured(language="de")["printed"]
    left_out = re.search("left out: (.*), for which the language de is not known", printed)
    assert left_out[1].split(", ") == ["PNR", "NR", "PR", "TTR"]


def own_headlines(request):
    articles = read_table(request.corpus, "articles", "train")
    return articles.select("id", source="headline", target="headline")


@pytest.fixture
def echo(monkeypatch):
    """Register a recipe that learns to repeat the headlines of both outlets."""
    recipe = Recipe(
        name="echo",
        learns="headlines to themselves",
        reads="headline",
        writes_for="both",
        architecture="pn",
        examples=own_headlines,
    )
    monkeypatch.setitem(RECIPES, "echo", recipe)


def test_a_recipe_is_an_entry(corpus, tmp_path, echo):
    """It is trained with its own examples and network, transfers, and is named in its card."""
    out = tmp_path / "echo"
    sizes = {"cells": 16, "vocabulary": 300, "source_tokens": 24, "max_steps": 4, "eval_steps": 2}
    train_commands.generator(options(corpus, out, None, recipe="echo", to=None, **sizes))
    metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
    assert (metrics["card"]["recipe"], metrics["card"]["architecture"]) == ("echo", "pn")
    data = load_recipe(corpus, "echo", None, seed=1)
    learnt = {*data.train.iter_rows(), *data.validation.iter_rows()}
    headlines = read_table(corpus, "articles", "train")["headline"]
    assert learnt == {(headline, headline) for headline in headlines}

    transfer = HeadlineTransfer.from_pretrained(out, recipe="echo", device="cpu")
    assert (transfer.recipe, transfer.reads, transfer.targets) == ("echo", "headline", ("colle", "faro"))
    headlines = read_table(corpus, "articles", "test")["headline"][:2].to_list()
    assert len(transfer(headlines)) == 2  # without `to`: it writes for both alike
    chosen = TransferOptions(
        generator=str(out), recipe="echo", corpus=corpus, items=2, out=tmp_path / "echo.csv", device="cpu"
    )
    assert len(transferred(chosen)) == 2

    card = (out / "README.md").read_text(encoding="utf-8")
    assert "# echo: headlines" in card
    assert "| recipe | echo |" in card
    says = "**For** writing a headline of no newspaper in particular from a headline of the other newspaper"
    assert says in card


EXCLAIMED = "headlines end with an exclamation mark"


@pytest.fixture
def exclaimed(monkeypatch):
    """Register a check of headlines that exclaim."""
    check = OutletCheck(
        name=EXCLAIMED,
        bound=from_few,
        advice="take the marks off",
        tells_outlets=True,
        find=lambda side: [a.headline for a in side.articles if a.headline.endswith("?!")],
    )
    monkeypatch.setitem(CHECKS, EXCLAIMED, check)


@pytest.mark.parametrize(("every", "is_reported"), [(10, True), (30, False)])
def test_a_check_of_a_corpus_is_an_entry(every, is_reported, tmp_path, exclaimed, undrawn, capsys):
    """What it finds is printed, kept in alignment.json and said in the card, from its bound on."""
    articles = sample_articles(240, seed=3)
    exclaiming = [article.id for article in articles if article.label == "faro"][::every]
    header = ["id", "label", "date", "headline", "article"]
    rows = [
        [a.id, a.label, str(a.date), f"{a.headline}?!" if a.id in exclaiming else a.headline, a.article]
        for a in articles
    ]
    news = write_csv(tmp_path / "news.csv", rows, header)
    assert main(["corpus", "build", str(news), "--out", str(tmp_path / "corpus")]) == 0
    report = json.loads((tmp_path / "corpus/alignment.json").read_text(encoding="utf-8"))
    found = [(issue["outlet"], issue["name"], issue["count"], issue["advice"]) for issue in report["looks"]]
    found = [issue for issue in found if issue[1] == EXCLAIMED]
    assert found == [("faro", EXCLAIMED, len(exclaiming), "take the marks off")] * is_reported
    printed = " ".join(capsys.readouterr().out.split())
    card = (tmp_path / "corpus/README.md").read_text(encoding="utf-8")
    assert (EXCLAIMED in printed) == (EXCLAIMED in card) == is_reported
    assert tells_outlets(EXCLAIMED)


COMMA = "a comma behind"


@pytest.fixture
def audited(corpus, tmp_path, monkeypatch, undrawn, capsys):
    """Return a function that registers commas of a group as the only perturbation, audits and scores.

    The judges know both newspapers' headlines, by HH refuse all that is neither newspaper's own, and do not
    see commas.
    """
    test = read_test_set(corpus)
    judges = judges_that_know(test)
    own = {item.reference for item in test.items}
    judges.hh.rule = lambda source, headline: 0.9 if headline.rstrip(",") in own else 0.1
    monkeypatch.setattr(Judges, "from_pretrained", lambda *_, **__: judges)
    monkeypatch.setenv("COLUMNS", "200")
    write_stand_ins(tmp_path / "judges", test.outlets)
    for name in [*PERTURBATIONS]:
        monkeypatch.delitem(PERTURBATIONS, name)

    def run(group):
        if group:
            entry = Perturbation(
                name=COMMA,
                groups=(group,),
                words="headlines with a comma behind",
                plural=True,
                description="The other newspaper's headline with a comma behind it.",
                spoils="gold",
                make=lambda item, random, corpus: f"{item.reference},",
            )
            monkeypatch.setitem(PERTURBATIONS, COMMA, entry)
        given = ["--judges", str(tmp_path / "judges"), "--corpus", corpus]
        assert main(["audit", *given]) == 0
        printed = capsys.readouterr().out
        report = ["--resamples", "5", "--out", str(tmp_path / "report")]
        assert main(["score", *given, *report]) == 0
        return {
            "record": json.loads((tmp_path / "audit/audit.json").read_text(encoding="utf-8")),
            "printed": printed,
            "audit": (tmp_path / "audit/audit.html").read_text(encoding="utf-8"),
            "report": (tmp_path / "report/report.html").read_text(encoding="utf-8"),
            "scores": json.loads((tmp_path / "report/scores.json").read_text(encoding="utf-8")),
        }

    return run


KEEPS = "headlines with a comma behind keep 1.00 of gold"
MISSES = "misses 1 of {} kinds of {}, e.g. headlines with a comma behind (keeps 1.00)"


@pytest.mark.parametrize(
    ("group", "measure", "verdict", "says"),
    [
        (None, "compliancy", "ranks", "can rank systems here"),
        (
            "no sentence",
            "compliancy",
            "ranks sentences",
            f"can rank only systems that write sentences: {KEEPS}",
        ),
        ("not written for this", "compliancy", "cannot rank", f"cannot rank systems here: {KEEPS}"),
        (
            "wrong content",
            "compliancy",
            "ranks",
            f"can rank systems here; {MISSES.format(1, 'wrong content')}",
        ),
        ("unchanged style", "style", None, MISSES.format(2, "unchanged style")),
    ],
)
def test_a_perturbation_is_an_entry(audited, group, measure, verdict, says):
    """In audit.json, terminal, page, and the report's picture; its group decides what verdicts make of it."""
    found = audited(group)
    of_measure = found["record"]["verdicts"][measure]
    assert of_measure == found["scores"]["verdicts"][measure]
    assert of_measure["sentence"].endswith(says)
    assert verdict in (None, of_measure["verdict"])
    kinds = {kind["name"]: kind for kind in found["record"]["kinds"]}
    assert (COMMA in kinds) == (COMMA in found["printed"]) == bool(group)
    for page in (found["audit"], found["report"]):
        assert ('id="kind-a-comma-behind"' in page) == bool(group)
        assert ("The other newspaper&#39;s headline with a comma behind it." in page) == bool(group)
    if group:
        assert (kinds[COMMA]["groups"], kinds[COMMA]["n"]) == ([group], kinds["copy"]["n"])
        assert "misses (1.00)" in found["printed"]
        assert of_measure["kinds"][COMMA]["outcome"] == "misses"
        assert kinds[COMMA]["examples"][0]["headline"] == kinds[COMMA]["examples"][0]["true"] + ","


def shortness(judged):
    """Two less the length of the new headline in that of the original."""
    lengths = [(len(item.prediction), len(item.source)) for item in judged.items]
    return np.array([np.clip(2 - new / old, -1, 2) for new, old in lengths])


def asks(judged):
    return np.array([item.prediction.endswith("?") for item in judged.items])


@pytest.fixture
def aspects(monkeypatch):
    """Register an aspect that is a figure, by which systems are compared, and one that is a verdict."""
    short = Aspect(
        name="short",
        range=(-1, 2),
        explanation="Two less the length in that of the original, not asked of {compliancy}.",
        compute=shortness,
        compared=True,
    )
    question = Aspect(
        name="question",
        better="less",
        explanation="Share of headlines that ask.",
        compute=asks,
        is_verdict=True,
        reason=lambda item: "it ends so",
    )
    for aspect in (short, question):
        monkeypatch.setitem(ASPECTS, aspect.name, aspect)


@pytest.fixture
def score_with(toy_corpus, toy_test, tmp_path, monkeypatch, undrawn, capsys):
    """Return a function that scores a system which asks every second time, and returns what was printed."""
    write_stand_ins(tmp_path / "judges")
    load_fakes(monkeypatch, fluency=True)
    monkeypatch.setenv("COLUMNS", "200")
    texts = [f"{item.reference}{'?' * (n % 2)}" for n, item in enumerate(toy_test.items)]
    rows = [[item.id, text] for item, text in zip(toy_test.items, texts, strict=True)]
    rows[0][1] = ""
    mine = write_csv(
        tmp_path / "mine.csv",
        [[*row, "" if row[1] else "failed"] for row in rows],
        ["id", "headline", "error"],
    )
    other = write_csv(
        tmp_path / "other.csv",
        rows[1:] and [[item.id, item.source] for item in toy_test.items],
        ["id", "headline"],
    )

    def run(*more):
        given = ["--corpus", str(toy_corpus), "--judges", str(tmp_path / "judges"), "--resamples", "5"]
        assert main(["score", *given, "--predictions", f"mine={mine}", f"other={other}", *more]) == 0
        return capsys.readouterr().out

    return run


def test_an_aspect_is_an_entry(aspects, score_with, toy_test, tmp_path):
    """In scores.json, systems.csv, items, the terminal's tables, report and tables for papers."""
    printed = score_with("--out", str(tmp_path / "report"))
    table = printed[printed.index("Results:") :]
    heads = next(line for line in table.splitlines() if "edited" in line).split()
    assert heads[:7] == ["system", "compliancy", "style", "acceptability", "edited", "short", "question"]
    assert "other − mine" in printed
    assert "by compliancy, style, acceptability and short: these judges have no audit." in " ".join(
        printed.split()
    )
    record = json.loads((tmp_path / "report/scores.json").read_text(encoding="utf-8"))
    mine = record["systems"]["mine"]["average"]
    lengths = [(len(item.reference) + n % 2, len(item.source)) for n, item in enumerate(toy_test.items)]
    figures = [max(-1, min(2, 2 - new / old)) for new, old in lengths]
    assert mine["short"] == pytest.approx(
        np.mean([-1, *figures[1:]])
    )  # a missing headline has the worst value
    assert mine["question"] == pytest.approx(5 / 8)
    assert 0 <= mine["intervals"]["question"][0] <= 5 / 8 <= mine["intervals"]["question"][1]
    assert record["grey"]["mine"]["short"] == "not known: the audit says nothing of it"
    assert set(record["p_values"]) == {"compliancy", "style", "acceptability", "short"}
    [row] = [
        row
        for row in read_csv(tmp_path / "report/systems.csv")
        if (row["system"], row["direction"]) == ("mine", "average")
    ]
    assert float(row["short"]) == mine["short"]
    assert float(row["question_high"]) == mine["intervals"]["question"][1]
    items = read_csv(tmp_path / "report/items/mine.csv")
    assert [item["question"] for item in items[:3]] == ["true", "true", "false"]
    assert "question: it ends so" in items[1]["refused_by"]
    page = (tmp_path / "report/report.html").read_text(encoding="utf-8")
    explained = "Two less the length in that of the original, not asked of HH, AH and main."
    assert f'<div popover id="about-short">{explained}</div>' in page
    assert f"<dt>short</dt><dd>{explained}</dd>" in page
    for name in ("short", "question"):
        assert re.search(rf'<th scope="col"[^>]*><button [^>]*popovertarget="about-{name}"', page)
    assert "<details><summary>short</summary>" in page


@pytest.mark.parametrize("form", ["latex", "markdown", "csv", "json"])
def test_tables_for_papers_have_an_aspect(aspects, score_with, form):
    printed = score_with("--format", form)
    assert "short" in printed
    assert "question" in printed
