"""`change-it score`: reads, scores, prints a table or JSON, writes the report."""

import json
import sys
from functools import partial

from change_it.corpus.folder import read_language, read_warnings
from change_it.engines import use_engine, workers
from change_it.results.report_folder import REPORT_FILES, check_out
from change_it.scoring.options import ScoreOptions, check_predictions
from change_it.tables import console, print_table
from change_it.translation import page_language


def run(options: ScoreOptions) -> None:
    """Score the built-in systems and those of the prediction files."""
    options.check_engine()
    if options.out:
        files = [spec.partition("=")[2] for spec in options.predictions]
        check_out(options.out, REPORT_FILES, inputs=[options.corpus, options.judges, *files])
    check_predictions(options.predictions)

    from change_it.audit.verdicts import read_metrics, read_summary
    from change_it.hevas.options import MetricOptions  # these load polars and matplotlib
    from change_it.progress import progress_bar
    from change_it.results import hevas_scores as hevas
    from change_it.results.context import corpus_info, judges_info, made
    from change_it.results.report_files import report_record, write_report
    from change_it.results.score_tables import examples_table, hevas_terminal_table, terminal_table
    from change_it.scoring.item import read_test_set
    from change_it.scoring.scores import score
    from change_it.scoring.systems import built_in_systems, read_systems

    test = read_test_set(options.corpus)
    systems = [*built_in_systems(test, seed=options.seed), *read_systems(options.predictions, test)]
    language = options.language or read_language(options.corpus)
    metrics = MetricOptions(language=language or "it", seed=options.seed)
    documents = hevas.check(test, metrics) if options.hevas else None

    from change_it.corpus.folder import read_casing
    from change_it.judges.judge import Judges, local_folder  # loads torch

    folder = local_folder(options.judges, command="change-it train judge")
    read_metrics(folder)  # refused before anything is scored
    load = partial(
        Judges.from_pretrained, folder.resolve(), precision=options.precision, device=options.device
    )
    with use_engine(options):
        judges = load()
        scores = score(
            test,
            (judges if judges.casing else judges.with_casing(read_casing(options.corpus))).on(workers(load)),
            systems,
            reversal=options.reversal,
            language=language,
            allow_same_judges=options.allow_same_judges,
            resamples=options.resamples,
            seed=options.seed,
            batch_size=options.batch_size,
            progress=not options.json,
        )
    measured = None
    if documents:
        with progress_bar(shown=not options.json) as progress:
            measured = hevas.measure(
                documents, systems, scores, options=metrics, resamples=options.resamples, progress=progress
            )
    summary = read_summary(judges, folder)
    if options.out:
        write_report(
            options.out,
            scores,
            corpus_info(options.corpus),
            judges_info(folder),
            measured,
            summary,
            language=page_language(options.report_language, language),
            made=made(),
        )
    if options.json:
        json.dump(report_record(scores, measured, summary), sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        terminal = console()
        if written := examples_table(scores):
            print_table(written, terminal)
        print_table(terminal_table(scores), terminal)
        for line in summary.lines:
            terminal.print(line, soft_wrap=True, markup=False, highlight=False)
        for warning in read_warnings(options.corpus):
            terminal.print(f"Warning: {warning}.", soft_wrap=True, markup=False)
        if measured:
            print_table(hevas_terminal_table(measured.evaluation), terminal)
        if options.out:
            folders = "items/, charts/ and hevas/" if measured else "items/ and charts/"
            print(f"wrote {options.out / 'report.html'}, systems.csv, scores.json, {folders}")
