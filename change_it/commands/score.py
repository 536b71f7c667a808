"""`change-it score`: reads, scores, prints a table or JSON, writes the report."""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from change_it.commands.checks import check_predictions, check_systems
from change_it.commands.printing import print_json, print_lines, print_warnings
from change_it.corpus.folder import check_corpus, read_language
from change_it.engines import EngineOptions, use_engine, workers
from change_it.judges.arguments import check_judges
from change_it.results.report_folder import REPORT_FILES, check_out
from change_it.tables import console, print_table
from change_it.training.settings import InferenceOptions
from change_it.translation import page_language


@dataclass(kw_only=True)
class ScoreOptions(EngineOptions, InferenceOptions):
    """Score systems' headlines for compliancy, beside gold, copy, lead and random-target.

    Examples:
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges --out runs/mine/report
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges --predictions sum=sum.csv s2s=s2s.csv
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges --hevas --language en --out runs/mine/report
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its A2 articles are the test."""
    judges: str
    """Folder or Hub id that holds the judges main, hh and ah, and fluency for strict compliancy."""
    predictions: tuple[str, ...] = ()
    """Systems to score as NAME=FILE; a file is CSV with id, headline, target (from transfer also error, reranker and generator)."""
    reversal: Literal["relative", "target"] = "relative"
    """Style counts as reversed when main decides otherwise than on the original (the paper's), or for the target."""
    allow_same_judges: bool = False
    """Score also what judges of the same fold or weights have chosen; their own verdicts flatter it, and the signature says so."""
    hevas: bool = False
    """Measure the same headlines with HEvAS too, and how far its metrics, BLEU and ROUGE agree with the judges; needs ten items."""
    language: str | None = None
    """Of the headlines, for facts and HEvAS: it, en, or for facts alone any other; the corpus's when not given."""
    out: Path | None = None
    """Folder for report.html, systems.csv, scores.json, items/, charts/ and, with --hevas, hevas/; nothing is written when not given."""
    report_language: Literal["it", "en"] | None = None
    """Of report.html; that of the headlines when not given, English where they are in neither."""
    json: bool = False
    """Print JSON instead of a table."""
    resamples: int = 1000
    """Bootstrap resamples, and trials of the paired tests."""
    seed: int = 1
    """Seed of intervals, paired tests, the system random-target and HEvAS."""
    batch_size: int | None = None
    """Texts a judge reads at once; its own choice when not given."""


def check(options: ScoreOptions) -> None:
    """Refuse, before anything large loads, a corpus, judges or prediction files at fault, and `--out` where nothing can be written."""
    check_corpus(options.corpus)
    check_judges(options.judges)
    files = check_systems(options.predictions, option="--predictions", example="mine=mine.csv")
    options.check_engine()
    if options.out:
        check_out(options.out, REPORT_FILES, inputs=[options.corpus, options.judges, *files])
    check_predictions(options.predictions)


def run(options: ScoreOptions) -> None:
    """Score the built-in systems and those of the prediction files."""
    check(options)

    from change_it.audit.verdicts import read_metrics, read_summary
    from change_it.hevas.metric_options import MetricOptions  # these load polars and matplotlib
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
    for system, base in scores.same_base.items():
        warning = (
            f"the generator of {system} and the judge of facts both come from {base}, so facts may flatter it"
        )
        print(f"Warning: {warning}.", file=sys.stderr)
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
        print_json(report_record(scores, measured, summary))
        return
    terminal = console()
    print_lines([summary.together.text] if summary.together else [], terminal)
    if written := examples_table(scores):
        print_table(written, terminal)
    print_table(terminal_table(scores), terminal)
    print_lines(map(str, summary.verdicts), terminal)
    print_warnings(options.corpus, terminal)
    if measured:
        print_table(hevas_terminal_table(measured.evaluation), terminal)
    if options.out:
        folders = "items/, charts/ and hevas/" if measured else "items/ and charts/"
        print(f"wrote {options.out / 'report.html'}, systems.csv, scores.json, {folders}")
