"""`change-it hevas`: reads, measures, tests, prints a table or JSON, writes the files."""

import json
import sys
from typing import get_args

from change_it.errors import InputError
from change_it.hevas.analysis import analyse
from change_it.hevas.documents import Documents, System, read_documents, read_systems
from change_it.hevas.evaluation import check_input, chosen_metrics, evaluate
from change_it.hevas.metrics import Progress
from change_it.hevas.arguments import Baseline, HevasOptions
from change_it.progress import progress_bar
from change_it.results.report_folder import HEVAS_FILES, check_out
from change_it.tables import console, print_table
from change_it.translation import page_language


def run(options: HevasOptions) -> None:
    """Measure the systems of the files and the baselines."""
    metrics = chosen_metrics(options.metrics)
    if options.resamples < 1:
        raise InputError(f"--resamples {options.resamples} is too few: give at least 1, better 1000")
    if options.out:
        files = [spec.partition("=")[2] for spec in options.system]
        check_out(options.out, HEVAS_FILES, inputs=[options.documents, options.vectors, *files])
    documents = read_documents(options.documents, columns=options.columns)
    check_input(documents, metrics, options)
    systems = read_systems(options.system, documents, taken=get_args(Baseline))
    names = [system.name for system in systems] + list(options.baselines)
    if options.correlations_of not in ("", *names):
        raise InputError(
            f"--correlations-of {options.correlations_of} is no system here: choose {' or '.join(names)}"
        )

    from change_it.results.report_files import (
        write_hevas,  # loads matplotlib and polars: after the cheap checks
    )
    from change_it.results.score_tables import hevas_record, hevas_terminal_table

    with progress_bar(shown=not options.json) as progress:
        systems += _baselines(options, documents, progress)
        evaluation = evaluate(documents, systems, metrics=metrics, options=options, progress=progress)
        progress("statistics", 0, 1)
        analysis = analyse(
            evaluation,
            resamples=options.resamples,
            seed=options.seed,
            correlated=options.correlations_of,
        )
        if options.out:
            progress("report", 0, 1)
            write_hevas(
                options.out,
                documents,
                systems,
                evaluation,
                analysis,
                charts=options.charts,
                language=page_language(options.report_language, options.language),
            )
    if options.json:
        json.dump(
            hevas_record(evaluation, analysis), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False
        )
        print()
        return
    print_table(hevas_terminal_table(evaluation), console())
    if options.out:
        print(f"wrote {options.out / 'report.html'}, summary.csv, summary.json, items/ and charts/")


def _baselines(options: HevasOptions, documents: Documents, progress: Progress) -> list[System]:
    """The baselines that were asked for, each once."""
    from change_it.hevas.baseline_systems import baseline  # loads scikit-learn

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
