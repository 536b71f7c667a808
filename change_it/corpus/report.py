"""Make the tables that `corpus build` prints and the data set card shows, of an `alignment.json`."""

from dataclasses import asdict

from change_it.corpus.reading.options import LEAST_PAIRS
from change_it.corpus.record import CorpusReport
from change_it.files.texts import join_truncated, pluralise
from change_it.render.tables import Column, Row, Table

#: Number of standard deviations on each side of a normal distribution's middle that hold 95% of it.
NORMAL_95 = 1.96
#: Events of which a share of .5 is known to ± .05.
ENOUGH_EVENTS = 385
#: Where the documentation says what to do about few pairs.
PAGE_ON_FEW_PAIRS = "docs/newspapers.md, Too few pairs"
#: What the estimate of pairs a day apart leaves open (docs/newspapers.md, Why the same date?).
READ_PAIRS_A_DAY_APART = "elsewhere LLM readers called half of such pairs one event"
#: What "known to about" is of.
SAMPLING_ALONE = "of sampling alone: what judges get wrong comes on top"
#: What a number of articles at a corpus's rate of pairs leaves out.
DENSER_NEEDS_FEWER = "far fewer of a denser archive of the same days"
#: What gives more pairs and leaves them of one event, the best first.
MORE_ARTICLES = ("archives that cover the same days more densely", "more months of articles")


def summary(report: CorpusReport) -> list[Table]:
    """Return the tables of rows, of pairs by days apart where there are dates, and of splits, with notes."""
    tables = [_rows(report)]
    if report.days_apart:
        tables.append(_days(report))
    tables.append(_splits(report))
    return tables


def ways_to_more_pairs(report: CorpusReport) -> list[str]:
    """Return what gives more pairs, the best first: articles, then options that let in more false pairs."""
    if report.sample:
        return ["more articles of the sample with --articles"]
    ways = [*MORE_ARTICLES]
    if report.options.window_days == 0:
        ways.append("--window-days 1")
    ways.append("a lower --strict")
    return ways


def _rows(report: CorpusReport) -> Table:
    """Show the rows that were read, kept and rejected, and the pairs that were found."""
    rejected = sorted(report.rejected.items(), key=lambda item: (-item[1], item[0]))
    counts = [("in", report.rows), ("kept", report.kept)]
    counts += [(f"rejected: {reason}", count) for reason, count in rejected]
    rows = [Row({"what": what, "rows": count}) for what, count in counts]
    pairs = report.pairs
    thresholds = report.thresholds
    notes = []
    day_first = [file for file, is_first in report.day_first.items() if is_first]
    month_first = [file for file, is_first in report.day_first.items() if not is_first]
    if day_first:
        notes.append(f"Dates of {join_truncated(day_first)}: the day comes first")
    if month_first:
        notes.append(f"Dates of {join_truncated(month_first)}: the month comes first")
    notes.append(
        f"Pairs above {thresholds.strict}: {pairs.above_strict:,} · above {thresholds.loose}: "
        f"{pairs.above_loose:,} · not kept, because they touch the test set: {pairs.dropped:,}"
    )
    other = report.other_outlets
    if other.articles:
        notes.append(
            f"Other outlets: {sum(other.articles.values()):,} articles of {len(other.articles)}, "
            f"{other.pairs:,} strict pairs with one of them"
        )
    notes += [f"{note}." for note in report.notes]
    columns = (Column("what", format="text", title=" "), Column("rows", format="count"))
    return Table(columns, rows, "Rows in = kept + rejected", notes)


def _days(report: CorpusReport) -> Table:
    """Show the pairs by days apart, with the estimated share of them that is one event."""
    columns = [Column("days", format="count", title="days apart")]
    for name, threshold in asdict(report.thresholds).items():
        columns.append(Column(name, format="count", title=f"{name} > {threshold:g}"))
        columns.append(Column(f"{name}_one_event", title="one event"))
    best = report.lowest_strict
    window = report.options.window_days
    apart = "of the same date"
    if isinstance(window, int) and window > 0:
        apart = f"at most {pluralise(window, 'day')} apart"
    note = f"Pairs are {apart} (--window-days)"
    if best:
        note += f"; the lowest --strict whose pairs are one event in nine of ten, by the estimate: {best:g}"
    how = "estimated from how many more pairs a comparison finds than three days apart"
    notes = (
        f"{note}.",
        f"One event: {how}; – of fewer than {LEAST_PAIRS} pairs.",
        "Of pairs of one date the estimate is on the safe side. Of pairs a day apart it may be too high: "
        "on four pairs of newspapers LLM readers called half of them one event.",
    )
    rows = []
    for row in report.days_apart:
        cells = asdict(row)
        for name in asdict(report.thresholds):
            if cells[name] < LEAST_PAIRS:
                cells[f"{name}_one_event"] = None
        rows.append(Row(cells))
    return Table(columns, rows, "Pairs by days apart", notes)


def _precision(report: CorpusReport) -> list[str]:
    """Say how sure a share is on the test pairs and on all test articles, and what would help."""
    events = report.events.effective
    alone = report.test_articles
    total = sum(alone.values())
    sentences = []
    if total:
        of_outlets = " and ".join(f"{count:,} of {name}" for name, count in alone.items())
        sentences.append(
            f"Test articles without a partner: {of_outlets}; they compare systems, but not with gold"
        )
        sure = f"± {_half_width(events + total):.2f}"
        sentences.append(f"On all test articles a share near .5 is known to about {sure}, {SAMPLING_ALONE}")
    if not events:
        return [f"{sentence}." for sentence in sentences]
    sure = f"± {_half_width(events):.2f}"
    sentences.append(f"On the test pairs a share near .5 is known to about {sure}, {SAMPLING_ALONE}")
    more = ENOUGH_EVENTS - events
    if more > 0:
        articles = report.articles_of_both * more / events
        # two significant digits
        rounded = int(float(f"{articles:.2g}"))
        wanted = f"For ± .05 it would need about {rounded:,} more articles at this corpus's rate of pairs"
        sentences.append(f"{wanted} ({DENSER_NEEDS_FEWER})")
    return [f"{sentence}." for sentence in sentences]


def _half_width(events: float) -> float:
    """Return half the width of the 95% interval of a share of .5 of so many events."""
    return float(NORMAL_95 * 0.5 / events**0.5)


def _splits(report: CorpusReport) -> Table:
    """Show pairs and articles by split, and in notes leak check, largest event, warnings and issues."""
    a, b = report.outlets.names
    rows = []
    for name, counts in report.splits.items():
        shown_name = "A2 (test)" if name == "A2" else name
        cells = {
            "split": shown_name,
            "pairs": report.pairs.kept.get(name),
            "a": counts.get(a),
            "b": counts.get(b),
        }
        rows.append(Row(cells))
    columns = [
        Column("split", format="text", title=" "),
        Column("pairs", format="count"),
        Column("a", format="count", title=a),
        Column("b", format="count", title=b),
    ]
    leaks = report.leak_check
    events = report.events
    found = []
    for name, count in leaks.found.items():
        found.append(f"{name.replace('_', ' ')} {count}")
    days = ""
    if events.largest_days:
        days = f" in {pluralise(events.largest_days, 'day')}"
    verb = "is" if events.test_pairs == 1 else "are"
    notes = [
        f"Leak check: {leaks.test_articles:,} test articles against "
        f"{sum(leaks.rows.values()):,} training rows of {len(leaks.rows)} sets: {', '.join(found)}",
        f"Test articles with a training article above {report.thresholds.strict} nearby in time: "
        f"{leaks.neighbours.articles:,}",
        f"Largest event: {pluralise(events.largest, 'article')}{days}. "
        f"The {pluralise(events.test_pairs, 'test pair')} "
        f"of {pluralise(events.test_events, 'event')} {verb} worth {events.effective:g}",
        *_precision(report),
        *(f"Warning: {warning}." for warning in report.warnings),
        *(f"Taken off: {each.text}." for each in report.mended),
        *(f"Look: {each.text}." for each in report.looks),
    ]
    return Table(columns, rows, "Splits", notes)
