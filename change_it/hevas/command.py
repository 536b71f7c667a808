"""`change-it hevas`: reads, measures, tests, prints a table or JSON, writes the files."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table

from change_it.errors import InputError
from change_it.hevas.analysis import OVERALL, analyse
from change_it.hevas.baselines import BASELINES, baseline
from change_it.hevas.documents import Documents, System, read_documents, read_systems
from change_it.hevas.evaluation import Evaluation, check_input, chosen_metrics, evaluate
from change_it.hevas.families import Progress
from change_it.hevas.files import as_dict, check_writable, write_files
from change_it.hevas.options import HevasOptions
from change_it.hevas.page import figure
from change_it.hevas.readability import LOWER_IS_BETTER

_WIDTH = 120


def run(options: HevasOptions) -> None:
    """Measure the systems of the files and the baselines.

    Args:
        options: see `HevasOptions`.

    Raises:
        InputError: documents, systems or options at fault.
    """
    metrics = chosen_metrics(options.metrics)
    if options.resamples < 1:
        raise InputError(f"--resamples {options.resamples} is too few: give at least 1, better 1000")
    if options.out:
        check_writable(options.out)
    documents = read_documents(options.documents, columns=options.columns)
    check_input(documents, metrics, options)
    systems = read_systems(options.system, documents, taken=BASELINES)
    with progress_bar(shown=not options.json) as progress:
        systems += _baselines(options, documents, progress)
        evaluation = evaluate(documents, systems, metrics=metrics, options=options, progress=progress)
        progress("statistics", 0, 1)
        analysis = analyse(evaluation, resamples=options.resamples, seed=options.seed)
        if options.out:
            progress("report", 0, 1)
            write_files(options.out, documents, systems, evaluation, analysis, drawings=options.charts)
    if options.json:
        json.dump(as_dict(evaluation, analysis), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
        print()
        return
    print_table(evaluation, Console(width=None if sys.stdout.isatty() else _WIDTH))
    if options.out:
        print(f"wrote {options.out / 'report.html'}, summary.csv, summary.json, items/ and charts/")


def print_table(evaluation: Evaluation, console: Console) -> None:
    """Print the means of the systems, the best first, what to know of them, then the signature.

    Args:
        evaluation: the values.
        console: where to print; one row a metric, one column a system.
    """
    table = Table(
        title=f"HEvAS on {len(evaluation.ids)} documents: means, best average first; * best of a metric",
        title_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("metric", no_wrap=True)
    for system in evaluation.ranking:
        table.add_column(system, justify="right", overflow="fold", min_width=6)
    means, ranks, overall = evaluation.means, evaluation.ranks, evaluation.overall
    if overall:
        table.add_row(OVERALL, *(figure(overall[system]) for system in evaluation.ranking), style="bold")
        table.add_section()
    for metric in evaluation.metrics:
        cells = [
            figure(means[system][metric]) + ("*" if ranks[system].get(metric) == 1 else " ")
            for system in evaluation.ranking
        ]
        table.add_row(metric + (" ↓" if metric in LOWER_IS_BETTER else ""), *cells)
    console.print(table)
    for line in remarks(evaluation):
        console.print(line, soft_wrap=True, markup=False, highlight=False)
    console.print(evaluation.signature, soft_wrap=True, markup=False, highlight=False)


def remarks(evaluation: Evaluation) -> list[str]:
    """What a reader of the table must know of single systems.

    Args:
        evaluation: the values.

    Returns:
        One line for each system with empty headlines.
    """
    return [
        f"{system}: {count} of {len(evaluation.ids)} headlines are empty; they have 0 in every metric and count as the worst"
        for system, count in evaluation.empty_headlines.items()
        if count
    ]


def _baselines(options: HevasOptions, documents: Documents, progress: Progress) -> list[System]:
    """The baselines that were asked for, each once."""
    names = list(dict.fromkeys(options.baselines))
    systems = []
    for done, name in enumerate(names):
        progress(f"baseline {name}", done, len(names))
        headlines = baseline(
            name,
            documents.texts,
            n_words=options.n_words,
            seed=options.seed,
            language=options.stop_words or options.language,
        )
        systems.append(System(name, tuple(headlines)))
    return systems


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Progress]:
    """A bar on standard error that shows one piece of work after the other.

    Args:
        shown: False for none; there is none either where standard error is no terminal.

    Yields:
        What `evaluate` calls as the work goes on.
    """
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True, disable=not (shown and console.is_terminal)) as bar:
        task = bar.add_task("reading", total=None)

        def progress(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield progress
