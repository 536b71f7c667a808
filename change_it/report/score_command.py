"""`change-it score`: reads, scores, prints a table or JSON, writes the report."""

import json
import sys

from rich.console import Console
from rich.table import Table

from change_it.report.context import corpus_info, judges_info
from change_it.report.html import write_report
from change_it.scoring.items import read_test_set
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

    from change_it.judges.predict import Judges  # loads torch: after the cheap checks

    scores = score(
        test,
        Judges.from_pretrained(options.judges, device=options.device),
        systems,
        reversal=options.reversal,
        resamples=options.resamples,
        seed=options.seed,
        batch_size=options.batch_size,
        progress=not options.json,
    )
    if options.out:
        write_report(options.out, scores, corpus_info(options.corpus), judges_info(options.judges))
    if options.json:
        json.dump(scores.as_dict(), sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        print_table(scores, Console())
        if options.out:
            print(f"wrote {options.out / 'report.html'}, systems.csv, items/ and charts/")


def print_table(scores: Scores, console: Console) -> None:
    """Print the table of systems, then the signature.

    Args:
        scores: the table.
        console: where to print.
    """
    table = Table(title=f"Compliancy on {scores.row(scores.systems[0]).n} headlines", title_justify="left")
    table.add_column("system", no_wrap=True)
    table.add_column("direction", no_wrap=True)
    for measure in MEASURES:
        table.add_column(measure.replace("_", "\n"), justify="right", no_wrap=True)
        if measure == "compliancy":
            table.add_column("95% interval", no_wrap=True)
    for row in scores.rows:
        average = row.direction == AVERAGE
        low, high = row.intervals["compliancy"]
        cells = [f"{row.values[measure]:.3f}" for measure in MEASURES]
        table.add_row(
            row.system,
            row.direction,
            cells[0],
            f"{low:.3f}-{high:.3f}",
            *cells[1:],
            style="bold" if average else "",
            end_section=average,
        )
    console.print(table)
    console.print(scores.signature, soft_wrap=True, markup=False, highlight=False)
