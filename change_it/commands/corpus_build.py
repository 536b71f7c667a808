"""`change-it corpus build`: cheap checks first, then the work, then what is printed."""

from typing import Any

from change_it.corpus.corpus_options import BuildOptions, parse_sizes
from change_it.corpus.folder import PICTURE, REPORT
from change_it.engines import use_engine
from change_it.io import HUB, check_writable, listed, outlet_and_file, read_tables
from change_it.tables import Column, Row, Table, console, print_table


def check(options: BuildOptions) -> None:
    """Refuse, before anything large loads, missing files, invalid sizes, and an `--out` that cannot be written."""
    here = [file for file in options.files if not outlet_and_file(file)[1].startswith(HUB)]
    tables = read_tables(here) if here else []  # nothing is read yet
    check_writable(options.out, kind="folder", inputs=[table.name for table in tables], record=REPORT)
    parse_sizes(options.sizes)
    options.check_engine()


def run(options: BuildOptions) -> None:
    """Build a corpus and print what is in it."""
    check(options)

    from change_it.corpus.reading import read_articles

    terminal = console()
    with terminal.status("reading") as status, use_engine(options):
        reading = read_articles(options)
        from change_it.corpus.build import build_corpus, write_corpus  # polars: after what reading refuses

        corpus = build_corpus(reading, options, stage=status.update)
        status.update("writing")
        write_corpus(corpus, options.out)
        if any(corpus.report["histogram"]["pairs"]):
            from change_it.corpus.curve import draw_curve  # matplotlib

            draw_curve(corpus.report, options.out / PICTURE)
    print_summary(corpus.report)
    terminal.print(f"Corpus: {options.out}", soft_wrap=True)


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
    lines += [
        f"Pairs above {thresholds['strict']}: {pairs['above_strict']:,} · above {thresholds['loose']}: "
        f"{pairs['above_loose']:,} · not kept, because they touch the test set: {pairs['dropped']:,}"
    ]
    lines += [
        f"Partners in {group}: {found['pairs']:,} pairs; {found['alone']:,} articles without one"
        for group, found in report["partners"].items()
    ]
    if other := report["other_outlets"]:
        lines.append(
            f"Other outlets: {sum(other['articles'].values()):,} articles of {len(other['articles'])}, "
            f"{other['pairs']:,} strict pairs with one of them"
        )
    lines += [f"{note}." for note in report["notes"]]
    outlets = (report["outlets"]["a"], report["outlets"]["b"])
    names = {"A2": "A2 (test)"}
    splits = [
        Row(
            {"split": names.get(name, name), "pairs": pairs["kept"].get(name)}
            | dict(zip("ab", map(counts.get, outlets), strict=True))
        )
        for name, counts in report["splits"].items()
    ]
    columns = (
        Column("split", "text", title=" "),
        Column("pairs", "count"),
        *(Column(side, "count", title=name) for side, name in zip("ab", outlets, strict=True)),
    )
    leaks = report["leak_check"]
    counted = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in leaks["found"].items())
    check = (
        f"Leak check: {leaks['test_articles']:,} test articles against {sum(leaks['rows'].values()):,} training rows "
        f"of {len(leaks['rows'])} sets: {counted}"
    )
    near = leaks["neighbours"]
    events = (
        f"Test articles with a training article above {thresholds['strict']}: {near['articles']:,}, "
        f"{near['other_outlet']:,} of them with one of the other outlet"
    )
    warnings = [f"Warning: {warning}." for warning in report["warnings"]]
    for line in lines:
        terminal.print(line, soft_wrap=True, markup=False)
    print_table(Table(columns, tuple(splits), title="Splits", notes=(check, events, *warnings)), terminal)
