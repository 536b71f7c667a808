"""`change-it corpus build`: cheap checks first, then the work, then what is printed."""

from typing import Any

from rich.console import Console
from rich.table import Table

from change_it.corpus.folder import check_target
from change_it.corpus.options import BuildOptions, parse_sizes
from change_it.corpus.reading import read_articles


def run_build(options: BuildOptions) -> None:
    """`change-it corpus build`.

    Args:
        options: what to read, how to build, where to write.

    Raises:
        InputError: bad input; nothing is written.
    """
    console = Console()
    check_target(options.out)
    parse_sizes(options.sizes)
    with console.status("reading") as status:
        reading = read_articles(
            options.files,
            columns=options.columns,
            labels=options.labels,
            encoding=options.encoding,
            strict=options.strict_input,
            normalise_typography=options.normalise_typography,
        )
        from change_it.corpus.build import build_corpus, write_corpus  # loads polars: after the cheap checks

        corpus = build_corpus(reading, options, stage=status.update)
        status.update("writing")
        write_corpus(corpus, options.out)
    print_summary(corpus.report, console)
    console.print(f"Corpus: {options.out}", soft_wrap=True)


def print_summary(report: dict[str, Any], console: Console) -> None:
    """Print the tables of a finished corpus.

    Args:
        report: the content of `alignment.json`.
        console: where to.
    """
    rows = Table(title="Rows in = kept + rejected", title_justify="left")
    rows.add_column("")
    rows.add_column("rows", justify="right")
    rows.add_row("in", f"{report['rows']:,}")
    rows.add_row("kept", f"{report['kept']:,}")
    for reason, count in sorted(report["rejected"].items(), key=lambda item: (-item[1], item[0])):
        rows.add_row(f"rejected: {reason}", f"{count:,}")
    console.print(rows)

    pairs, thresholds = report["pairs"], report["thresholds"]
    console.print(
        f"Pairs above {thresholds['strict']}: {pairs['above_strict']:,} · above {thresholds['loose']}: "
        f"{pairs['above_loose']:,} · not kept, because they touch the test set or cross folds: {pairs['dropped']:,}"
    )
    for group, how in report["partners"].items():
        console.print(
            f"Partners in {group}: {how['pairs']:,} pairs by {how['by']}; {how['alone']:,} articles without one"
        )

    outlets = (report["outlets"]["a"], report["outlets"]["b"])
    splits = Table(title="Splits", title_justify="left")
    for name in ("", "pairs", *outlets):
        splits.add_column(name, justify="right" if name else "left")
    for name, counts in report["splits"].items():
        pair_count = pairs["kept"].get(name)
        splits.add_row(
            f"{name} (test)" if name == "A2" else name,
            "" if pair_count is None else f"{pair_count:,}",
            *(f"{counts[outlet]:,}" for outlet in outlets),
        )
    console.print(splits)

    leaks = report["leak_check"]
    found = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in leaks["found"].items())
    console.print(
        f"Leak check: {leaks['test_articles']:,} test articles against {sum(leaks['rows'].values()):,} training rows "
        f"of {len(leaks['rows'])} sets: {found}"
    )
