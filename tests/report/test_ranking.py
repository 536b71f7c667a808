"""Whether measures can rank systems here, and what a table then comes to."""

import io
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from scoring_fakes import FakeJudges, scored, toy_test_set

from change_it.audit.record import NO_AUDIT, Summary
from change_it.audit.verdict import KindShare, MeasureVerdict
from change_it.files.records import to_json
from change_it.judges.reliability import Verdict
from change_it.report.ranking import Ranking, outcome, still_needed, what_helps
from change_it.report.report_files import report_record
from change_it.report.score_tables import ranked_table, systems_table, terminal_table
from change_it.report.terminal import print_scores, print_verdicts
from change_it.scoring.systems import ScoredSystem

RANKS = MeasureVerdict("ranks", "can rank systems here", {}, ())
SENTENCES = MeasureVerdict(
    "ranks sentences",
    "can rank only systems that write sentences: gold's words in random order keep .97 of gold",
    {},
    (),
)
CANNOT = MeasureVerdict(
    "cannot rank", "cannot rank systems here: the article's first words keep .98 of gold", {}, ()
)
UNKNOWN = MeasureVerdict(
    "not known",
    "not known whether it can rank systems here: 42 test pairs are too few, about 160 would do",
    {"lead": KindShare(0.6, 0.4, 0.8, 84, 42)},
    (),
    160,
)


def summary(style=RANKS, acceptability=RANKS, compliancy=SENTENCES, **more):
    verdicts = {"style": style, "acceptability": acceptability, "compliancy": compliancy}
    return Summary((), verdicts, **more)


@pytest.fixture(scope="module")
def scores():
    """Score eight headlines of four events: `mine` writes gold, `salad` one word four times.

    The fluency judge refuses a headline of one word.
    """
    test = toy_test_set()
    mine = ScoredSystem("mine", tuple(item.reference for item in test.items))
    salad = ScoredSystem("salad", tuple(" ".join([item.source.split()[0]] * 4) for item in test.items))
    judges = FakeJudges(fluency=True)
    judges.fluency.rule = lambda text, _: 0.9 if len({*text.split()}) > 1 else 0.1
    return scored(test, judges, mine, salad, resamples=50)


def with_p(scores, p):
    """The scores, with this p of all comparisons."""
    table = np.full((len(scores.systems),) * 2, p)
    return replace(scores, p_values=dict.fromkeys(scores.p_values, table))


def test_what_cannot_rank_is_grey_and_has_no_mark(scores):
    ranking = Ranking.from_scores(scores, summary(acceptability=CANNOT))
    rows = {
        row.values["system"]: row
        for row in systems_table(with_p(scores, 0.0), ["average"], ranking=ranking).rows
    }
    assert rows["gold"].grey == {"acceptability": CANNOT.sentence}
    assert "acceptability" not in rows["gold"].marks
    assert "style" in rows["gold"].marks
    assert rows["gold"].values["acceptability"] > 0  # the figure is still there
    assert not any(column.bold for column in systems_table(scores, ["average"]).columns)
    assert [column.name for column in ranked_table(scores, ranking).columns] == [
        "system",
        "compliancy",
        "style",
    ]


def test_a_system_that_writes_no_sentences_is_greyed_where_only_these_are_ranked(scores):
    ranking = Ranking.from_scores(scores, summary())
    assert ranking.grey("mine") == {}
    assert set(ranking.grey("salad")) == {"compliancy"}
    assert ranking.reason("compliancy", "salad") == (
        "the judge fluency refuses 1.00 more of its headlines than of gold's, and fluency can be wrong"
    )
    all_rank = Ranking.from_scores(scores, summary(compliancy=RANKS))
    assert all_rank.grey("salad") == {}


@pytest.mark.parametrize("name", ["copy", "random-target"])
def test_of_printed_headlines_it_is_not_said_that_they_are_no_sentences(scores, name):
    """The figures stay grey, and the sentence says that fluency refuses what it should not."""
    refused = scores.items[name].with_columns(fluency=pl.lit(False))
    changed = replace(scores, items={**scores.items, name: refused})
    ranking = Ranking.from_scores(changed, summary())
    assert ranking.unwritten[name] == (
        "the judge fluency refuses 1.00 more of its headlines than of gold's, "
        "wrongly: a newspaper printed them"
    )
    assert set(ranking.grey(name)) == {"compliancy"}


def test_of_few_events_only_a_sure_difference_counts(scores):
    """Gold is fluent; one headline of `almost` and half of `mixed` are not.

    Of four events one headline is not surely more than a tenth.
    """
    mixed = scores.items["mine"].with_columns(fluency=scores.items["mine"]["direction"] == "rep2gio")
    one = scores.items["mine"]["id"] != scores.items["mine"]["id"][0]
    almost = scores.items["mine"].with_columns(fluency=one)
    changed = replace(scores, items={**scores.items, "mine": almost})
    assert "mine" not in Ranking.from_scores(changed, summary()).unwritten
    changed = replace(scores, items={**scores.items, "mine": mixed})
    assert "mine" in Ranking.from_scores(changed, summary()).unwritten


def test_above_gold_is_not_better(scores):
    ranking = Ranking.from_scores(scores, summary())
    higher = scores.row("gold").values | dict.fromkeys(("style", "acceptability", "compliancy"), 0.1)
    rows = [replace(row, values=higher) if row.system == "gold" else row for row in scores.rows]
    above = replace(scores, rows=rows)
    found = outcome(with_p(above, 0.001), ranking)
    assert found.startswith("mine is above gold in compliancy, style and acceptability. ")
    assert found.endswith(" That does not make it better: read the headlines.")
    assert "That does not make it better" not in outcome(with_p(above, 1.0), ranking)
    level = outcome(with_p(above, 1.0), ranking)
    assert level.startswith("mine is not surely different from gold in compliancy")
    assert level.endswith(" Not different is not as good: read the headlines.")


def test_all_articles_know_from_the_pairs_who_writes_no_sentences(scores):
    without_gold = {name: items for name, items in scores.items.items() if name != "gold"}
    of_all = replace(scores, items=without_gold)
    assert not Ranking.from_scores(of_all, summary()).unwritten
    found = Ranking.from_pairs(of_all, scores, summary())
    assert found.unwritten["salad"].startswith("the judge fluency refuses 1.00 more of its headlines")
    assert set(found.grey("salad")) == {"compliancy"}


def test_where_nothing_can_rank_nothing_is_reported(scores):
    nothing = summary(CANNOT, UNKNOWN, CANNOT, pairs=42, test_pairs=42, articles=5379)
    ranking = Ranking.from_scores(scores, nothing)
    assert ranked_table(scores, ranking) is None
    assert outcome(scores, ranking) == (
        "Report nothing from this table. What would help: about 160 test pairs in the place of 42, "
        "which is some 20,500 articles at this corpus's rate "
        "(far fewer of a denser archive of the same days), "
        "or people who read the headlines (change-it annotate sheets)."
    )
    assert still_needed(ranking) == ""
    one_ranks = summary(RANKS, UNKNOWN, CANNOT, pairs=42, test_pairs=42, articles=5379)
    assert still_needed(Ranking.from_scores(scores, one_ranks)) == (
        "What would help to know of acceptability: about 160 test pairs in the place of 42, which is some "
        "20,500 articles at this corpus's rate (far fewer of a denser archive of the same days), "
        "or people who read the headlines (change-it annotate sheets)."
    )
    fewer = replace(nothing, test_pairs=504)
    assert "an audit of more headlines (change-it audit --items 320)" in what_helps(fewer)
    assert "change-it audit" in what_helps(NO_AUDIT)


def test_without_an_audit_nothing_is_ranked(scores):
    ranking = Ranking.from_scores(scores, NO_AUDIT)
    assert set(ranking.grey("gold")) == {"compliancy", "style", "acceptability"}
    assert outcome(scores, ranking).startswith("Report nothing from this table.")


def test_the_record_has_the_verdicts_of_the_audit(scores):
    record = report_record(scores, summary(acceptability=UNKNOWN))
    found = record.verdicts["acceptability"]
    assert found == UNKNOWN
    assert to_json(found)["kinds"]["lead"] == {
        "share": 0.6,
        "low": 0.4,
        "high": 0.8,
        "n": 84,
        "events": 42,
        "outcome": "not known",
    }


def test_a_terminal_shows_verdicts_first_in_80_columns(scores):
    text = io.StringIO()
    to = Console(file=text, width=100)
    print_scores(scores, Ranking.from_scores(scores, summary(style=CANNOT)), to)
    lines = text.getvalue().splitlines()
    assert lines[:2] == [
        "Can these measures rank systems here?",
        "  style          no: the article's first words keep .98 of gold",
    ]
    assert lines[2] == "  acceptability  yes"
    assert max(map(len, lines)) <= 80
    assert sum("was: " in line for line in lines) > 0
    columns = [
        column.name for column in terminal_table(scores, Ranking.from_scores(scores, summary())).columns
    ]
    assert columns == ["system", "compliancy", "style", "acceptability", "edited"]


def test_a_terminal_warns_above_the_table_of_judges_that_learnt_from_few(scores):
    text = io.StringIO()
    few = replace(summary(style=CANNOT), judges=(Verdict("hh", "care", matches=1),))
    print_scores(scores, Ranking.from_scores(scores, few), Console(file=text, width=100))
    lines = text.getvalue().splitlines()
    assert lines[5:7] == [
        "! HH learnt from 1 match, fewer than 200: scores are less sure than their",
        "  intervals say.",
    ]


def test_what_cannot_rank_is_dim_on_a_terminal():
    text = io.StringIO()
    print_verdicts(
        summary(style=CANNOT), Console(file=text, width=80, force_terminal=True, color_system="standard")
    )
    first, style, acceptability, *_ = text.getvalue().splitlines()
    assert "\x1b[2m" in style
    assert "\x1b[2m" not in first + acceptability


def test_a_caution_names_the_measures_that_rank_nothing(scores):
    def caution(*measures, **verdicts):
        return Ranking.from_scores(scores, summary(**verdicts)).caution(measures, scores.names)

    assert caution("style", "compliancy", style=RANKS, compliancy=RANKS) == ""
    assert caution("style", "acceptability", style=UNKNOWN, acceptability=UNKNOWN, compliancy=CANNOT) == (
        "Compare no systems by style and acceptability: they are not known to rank them here."
    )
    assert caution("compliancy", compliancy=CANNOT) == (
        "Compare no systems by compliancy: it cannot rank them here."
    )
    assert caution("compliancy", "edited") == (
        "Compare no compliancy of salad: the judge fluency refuses it more often than gold."
    )
    without_audit = Ranking.from_scores(scores, NO_AUDIT)
    assert without_audit.caution(["style", "compliancy"], scores.names) == (
        "Compare no systems by compliancy and style: these judges have no audit."
    )
    assert without_audit.caution(["edited"], scores.names) == ""


def test_what_says_nothing_is_not_the_best(scores):
    ranking = Ranking.from_scores(scores, summary())
    salad = replace(scores.row("salad"), values=scores.row("salad").values | {"compliancy": 2.0})
    rows = [salad if row.system == "salad" and row.direction == "average" else row for row in scores.rows]
    table = terminal_table(replace(scores, rows=rows), ranking)
    best = {row.values["system"]: set(row.best) for row in table.rows}
    assert "compliancy" not in best["salad"]
