"""`change-it corpus build`: cheap checks first, then the work, then what is printed."""

from collections.abc import Mapping
from typing import Any

from change_it.corpus.corpus_options import BuildOptions, check_language, parse_sizes
from change_it.corpus.folder import PICTURE, REJECTED, REPORT
from change_it.engines import use_engine
from change_it.errors import InputError
from change_it.io import HUB, check_writable, counted, listed, outlet_and_file, read_tables
from change_it.tables import Column, Row, Table, console, print_table


def check(options: BuildOptions) -> None:
    """Refuse, before anything large loads, missing files, invalid sizes, and an `--out` that cannot be written."""
    check_language(options.language)
    here = [file for file in options.files if not outlet_and_file(file)[1].startswith(HUB)]
    tables = read_tables(here) if here else []  # nothing is read yet
    check_writable(options.out, inputs=[table.name for table in tables], record=REPORT)
    parse_sizes(options.sizes)
    for name, value in (("strict", options.strict), ("loose", options.loose)):
        if not 0 <= value < 1:
            raise InputError(f"--{name} {value} is no cosine: give a number from 0 to less than 1")
    if options.loose > options.strict:
        raise InputError(f"--loose {options.loose} is above --strict {options.strict}: give a lower one")
    options.check_engine()


def run(options: BuildOptions) -> None:
    """Build a corpus and print what is in it."""
    check(options)

    from change_it.corpus.reading import RefusedError, read_articles, write_rejected

    terminal, reading = console(), None
    try:
        with terminal.status("reading") as status, use_engine(options):
            reading = read_articles(options)
            from change_it.corpus import build  # polars: after what reading refuses

            corpus = build.build_corpus(reading, options, stage=status.update)
            status.update("writing")
            build.write_corpus(corpus, options.out)
            if any(corpus.report["histogram"]["pairs"]):
                from change_it.corpus.curve import draw_curve  # matplotlib

                draw_curve(corpus.report, options.out / PICTURE)
    except InputError as error:
        if reading and reading.looks:  # many rows were rejected
            error = reading.refused(str(error))
        if not isinstance(error, RefusedError):
            raise
        beside = options.out.with_name(f"{options.out.name}.{REJECTED}")
        if beside.exists() and not beside.read_text("utf-8", "replace").startswith("file,line,id,reason"):
            raise InputError(str(error)) from error  # somebody else's file
        write_rejected(beside, error.rejected)
        raise InputError(f"{error}; {beside} lists them") from error
    print_summary(corpus.report)
    terminal.print(f"Corpus: {options.out}", soft_wrap=True)


def days_table(report: Mapping[str, Any]) -> Table:
    """Pairs by days apart, with the estimated share of them that is one event."""
    columns = [Column("days", "count", title="days apart")]
    for name, threshold in report["thresholds"].items():
        columns.append(Column(name, "count", title=f"{name} > {threshold:g}"))
        columns.append(Column(f"{name}_one_event", title="one event"))
    best, window = report["lowest_strict"], report["options"]["window_days"]
    apart = "of the same date" if window == 0 else f"at most {counted(window, 'day')} apart"
    note = f"Pairs are {apart} (--window-days)"
    note += (
        f"; the lowest --strict whose pairs are one event in nine of ten, by the estimate: {best:g}"
        if best
        else ""
    )
    how = "estimated, on the safe side, from how many more pairs a comparison finds than three days apart"
    notes = (f"{note}.", f"One event: {how}.")
    return Table(columns, [Row(dict(row)) for row in report["days_apart"]], "Pairs by days apart", notes)


def print_summary(report: dict[str, Any]) -> None:
    """Print the tables of a finished corpus from its `alignment.json`."""
    terminal = console()
    rejected = sorted(report["rejected"].items(), key=lambda item: (-item[1], item[0]))
    counts = [("in", report["rows"]), ("kept", report["kept"])]
    counts += [(f"rejected: {reason}", count) for reason, count in rejected]
    rows = [Row({"what": what, "rows": count}) for what, count in counts]
    what = (Column("what", "text", title=" "), Column("rows", "count"))
    print_table(Table(what, tuple(rows), title="Rows in = kept + rejected"), terminal)

    pairs, thresholds = report["pairs"], report["thresholds"]
    lines = [
        f"Dates of {listed(files)}: the {first} comes first"
        for first, is_day in (("day", True), ("month", False))
        if (files := [file for file, day_first in report["day_first"].items() if day_first is is_day])
    ]
    lines.append(
        f"Pairs above {thresholds['strict']}: {pairs['above_strict']:,} · above {thresholds['loose']}: "
        f"{pairs['above_loose']:,} · not kept, because they touch the test set: {pairs['dropped']:,}"
    )
    for group, found in report["partners"].items():
        lines.append(
            f"Partners in {group}: {found['pairs']:,} pairs; {found['alone']:,} articles without one"
        )
    if other := report["other_outlets"]:
        lines.append(
            f"Other outlets: {sum(other['articles'].values()):,} articles of {len(other['articles'])}, "
            f"{other['pairs']:,} strict pairs with one of them"
        )
    lines += [f"{note}." for note in report["notes"]]
    outlets = (report["outlets"]["a"], report["outlets"]["b"])
    splits = []
    for name, of_split in report["splits"].items():
        cells = {"split": "A2 (test)" if name == "A2" else name, "pairs": pairs["kept"].get(name)}
        splits.append(Row(cells | dict(zip("ab", map(of_split.get, outlets), strict=True))))
    columns = [Column("split", "text", title=" "), Column("pairs", "count")]
    columns += [Column(side, "count", title=name) for side, name in zip("ab", outlets, strict=True)]
    leaks = report["leak_check"]
    leaked = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in leaks["found"].items())
    check = (
        f"Leak check: {leaks['test_articles']:,} test articles against {sum(leaks['rows'].values()):,} training rows "
        f"of {len(leaks['rows'])} sets: {leaked}"
    )
    near, events = leaks["neighbours"], report["events"]
    close = f"Test articles with a training article above {thresholds['strict']} nearby in time: {near['articles']:,}"
    days = f" in {counted(events['largest_days'], 'day')}" if events["largest_days"] else ""
    size = (
        f"Largest event: {counted(events['largest'], 'article')}{days}. The {counted(events['test_pairs'], 'test pair')} "
        f"of {counted(events['test_events'], 'event')} are worth {events['effective']:g}"
    )
    warnings = [f"Warning: {warning}." for warning in report["warnings"]]
    looks = [f"Taken off: {each['text']}." for each in report["mended"]]
    looks += [f"Look: {each['text']}." for each in report["looks"]]
    for line in lines:
        terminal.print(line, soft_wrap=True, markup=False)
    if report["days_apart"]:
        print_table(days_table(report), terminal)
    table = Table(columns, splits, title="Splits", notes=(check, close, size, *warnings))
    print_table(table, terminal)
    for line in looks:
        terminal.print(line, soft_wrap=True, markup=False)
