"""`change-it score`: reads, scores, prints a table or JSON, writes the report."""

import json
import sys

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from change_it.hevas import command as hevas_command
from change_it.hevas.files import check_writable
from change_it.hevas.options import MetricOptions
from change_it.hevas.page import figure
from change_it.report import hevas
from change_it.report.context import corpus_info, judges_info
from change_it.report.html import as_dict, write_report
from change_it.scoring.item import read_test_set
from change_it.scoring.options import ScoreOptions
from change_it.scoring.predictions import read_systems
from change_it.scoring.score import AVERAGE, MEASURES, Scores, score
from change_it.scoring.systems import built_in_systems


def run(options: ScoreOptions) -> None:
    """Score the built-in systems and those of the prediction files.

    Args:
        options: see `ScoreOptions`.

    Raises:
        InputError: a corpus, judges or predictions at fault.
    """
    test = read_test_set(options.corpus)
    systems = [*built_in_systems(test, seed=options.seed), *read_systems(options.predictions, test)]
    metrics = MetricOptions(language=options.language, seed=options.seed)
    documents = hevas.check(test, metrics) if options.hevas else None
    if options.out and options.hevas:
        check_writable(options.out / "hevas")

    from change_it.judges.judge import Judges, local_folder  # loads torch: after the cheap checks

    folder = local_folder(options.judges, command="change-it train judge")
    scores = score(
        test,
        Judges.from_pretrained(folder, device=options.device),
        systems,
        reversal=options.reversal,
        allow_same_judges=options.allow_same_judges,
        resamples=options.resamples,
        seed=options.seed,
        batch_size=options.batch_size,
        progress=not options.json,
    )
    measured = None
    if documents:
        with hevas_command.progress_bar(shown=not options.json) as progress:
            measured = hevas.measure(
                documents, systems, scores, options=metrics, resamples=options.resamples, progress=progress
            )
    if options.out:
        write_report(options.out, scores, corpus_info(options.corpus), judges_info(folder), measured)
    if options.json:
        json.dump(as_dict(scores, measured), sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        console = Console(width=None if sys.stdout.isatty() else 120)
        print_table(scores, console)
        if measured:
            hevas_command.print_table(measured.evaluation, console)
        if options.out:
            folders = "items/, charts/ and hevas/" if measured else "items/ and charts/"
            print(f"wrote {options.out / 'report.html'}, systems.csv, scores.json, {folders}")


def print_table(scores: Scores, console: Console) -> None:
    """Print the table of systems, what to know of them, then the signature.

    Args:
        scores: the table.
        console: where to print.
    """
    table = Table(
        title=f"Compliancy on {scores.row(scores.systems[0]).n} headlines, average and by direction",
        title_justify="left",
        box=SIMPLE_HEAD,
        padding=0,
    )
    table.add_column("system", overflow="fold", min_width=13)
    for measure in MEASURES:
        table.add_column(
            measure.replace("_", "\n").replace("compliancy", "compli-\nancy"), justify="right", no_wrap=True
        )
        if measure == "compliancy":
            table.add_column("95%\ninterval", no_wrap=True)
    for system in scores.systems:
        for row in sorted(
            (row for row in scores.rows if row.system == system), key=lambda row: row.direction != AVERAGE
        ):
            low, high = row.intervals["compliancy"]
            cells = [figure(row.values[measure]) for measure in MEASURES]
            average = row.direction == AVERAGE
            table.add_row(
                system if average else f"  {row.direction}",
                cells[0],
                f"{figure(low)}-{figure(high)}",
                *cells[1:],
                style="bold" if average else "",
            )
        table.add_section()
    console.print(table)
    for line in remarks(scores):
        console.print(line, soft_wrap=True, markup=False, highlight=False)
    console.print(scores.signature, soft_wrap=True, markup=False, highlight=False)


def remarks(scores: Scores) -> list[str]:
    """What a reader of the table must know of single systems.

    Args:
        scores: the table.

    Returns:
        One line for each system with missing headlines and one for each that was reranked.
    """
    lines = []
    for system in scores.systems:
        row = scores.row(system)
        if row.errors:
            lines.append(
                f"{system}: {row.errors} of {row.n} items have no headline and count as not compliant"
            )
        if system in scores.rerankers:
            by = scores.rerankers[system].short
            same = "; not independent of the judges that score" if system in scores.same_judges else ""
            lines.append(f"{system}: headlines chosen by the judges {by}{same}")
    return lines
