"""Measure headlines with HEvAS, print a table or JSON, and write the files: `change-it hevas`."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import arg

from change_it.cli.common import check_counts, print_json
from change_it.errors import InputError
from change_it.files.atomic import check_writable
from change_it.files.predictions import named_files
from change_it.files.texts import join_truncated
from change_it.hevas.analysis import analyse
from change_it.hevas.baseline_systems import BASELINES, Baseline, baseline
from change_it.hevas.documents import Documents, read_documents, read_systems
from change_it.hevas.evaluation import chosen_metrics, evaluate
from change_it.hevas.measuring import MetricOptions
from change_it.hevas.metrics import METRICS, families
from change_it.render.tables import console, print_table
from change_it.text.stopwords import LISTED, guess_language

#: Name of the system that keeps the original headline.
COPY = "copy"
#: The help of --metrics.
_METRICS = f"{' '.join(METRICS)}, or {', '.join(families())}. When not given, all."


@dataclass(kw_only=True)
class HevasOptions(MetricOptions):
    """Measure headlines with HEvAS: informativeness and readability, without judges.

    Documents are CSV, TSV, JSON lines or parquet with article, headline (or headlines, headline1, headline2,
    … for several references) and perhaps id. Or they are the paired test articles of a corpus folder: their
    references are the other newspaper's headlines.

    Examples:
        change-it hevas --documents runs/quickstart/corpus
            --predictions rewrite=runs/quickstart/predictions/rewrite.csv --out runs/mine/hevas
        change-it hevas --documents articles.csv --predictions mine=mine.txt --baselines first random
            --out runs/hevas
        change-it hevas --documents runs/mine/corpus --predictions sum=sum.csv s2s=s2s.csv
            --baselines copy first --out runs/mine/hevas
        change-it hevas --documents news.jsonl --predictions mine=mine.txt --language en
            --metrics R-1 R-SU LSA-C JS-S Fog
    """

    documents: str
    """File of documents with their reference headlines, or a corpus folder."""
    language: str = ""
    """Language of documents and headlines: it or en; others, such as de, with --stop-words and without PNR,
    NR and PR. When not given, that of the corpus or of the articles.
    """
    predictions: tuple[str, ...] = ()
    """Systems as NAME=FILE: text with one headline a line, in the documents' order, or CSV with id and
    headline, as change-it transfer writes it.
    """
    baselines: tuple[Literal["copy", Baseline], ...] = ()
    """Systems that need no file: those of HEvAS, and copy, the original headline of a corpus."""
    metrics: Annotated[tuple[str, ...], arg(help=_METRICS)] = ()
    charts: tuple[Literal["bar", "interval", "box", "scatter"], ...] = ("interval", "box", "scatter")
    """Charts: bar (without intervals of the means), interval (with them), box, and scatter of every two
    metrics.
    """
    distinct: bool = False
    """Leave metrics that tell no two of the systems apart (≈) out of average and ranks."""
    shared_items: bool = False
    """Measure all systems on the documents that every file of --predictions has. Without this option files
    with fewer are refused.
    """
    columns: str = ""
    """Columns of --documents by our names: article=body,headline=title. There may be several of headline."""
    n_words: int = 9
    """Words in a baseline's headline, at most."""
    resamples: int = 1000
    """Bootstrap resamples of the intervals."""
    out: Path | None = None
    """Folder for report.html, summary.csv, summary.json, items/SYSTEM.csv and charts/. Nothing is written
    when not given.
    """
    json: bool = False
    """Print JSON instead of a table."""


def run(options: HevasOptions) -> None:
    """Measure the systems of the files and the baselines, print the table, and write the files."""
    named = named_files(options.predictions, option="--predictions", example="mine=mine.txt")
    check_counts(resamples=options.resamples)
    if options.out:
        inputs = [options.documents, options.vectors, *(file for _, file in named)]
        check_writable(options.out, inputs=inputs, record="summary.json")

    from change_it.corpus.folder import read_language, read_report
    from change_it.corpus.splits import events_of

    metrics = chosen_metrics(options.metrics)
    documents = read_documents(options.documents, columns=options.columns)
    language = options.language or read_language(options.documents) or guess_language(documents.texts)
    usual_stop_words = language if language in LISTED else "none"
    options = replace(options, language=language, stop_words=options.stop_words or usual_stop_words)
    left_out: list[str] = []
    if not options.metrics:
        metrics, left_out = _measurable(metrics, language, needs_vectors=bool(options.vectors))
    documents, systems = read_systems(
        options.predictions, documents, taken=[COPY, *BASELINES], shared_items=options.shared_items
    )
    if documents.events is None:
        events = events_of(documents.texts, [""] * len(documents)).tolist()
        documents = replace(documents, events=tuple(events))
    for name in dict.fromkeys(options.baselines):
        systems[name] = _baseline_headlines(name, documents, options)

    from change_it.report.hevas_report import (  # loads matplotlib and polars
        hevas_record,
        hevas_remarks,
        means_table,
        write_hevas,
    )

    evaluation = evaluate(
        documents,
        systems,
        metrics=metrics,
        options=options,
        distinct=options.distinct,
        progress=not options.json,
    )
    analysis = analyse(evaluation, resamples=options.resamples, seed=options.seed)
    if options.json:
        print_json(hevas_record(evaluation, analysis), allow_nan=False)
    else:  # the work is not lost where the files cannot be written
        table = means_table(evaluation)
        notes = [*documents.remarks, *hevas_remarks(evaluation), *table.notes, evaluation.signature]
        if analysis.outcome:
            notes.append(analysis.outcome)
        notes += left_out
        title = f"HEvAS on {len(evaluation.ids)} documents: means, best average first; * best of a metric"
        print_table(replace(table, title=title, notes=notes), console())
    if options.out:
        corpus = read_report(options.documents) if documents.originals else None
        newspapers = (corpus.outlets.a, corpus.outlets.b) if corpus else ()
        write_hevas(
            options.out, documents, systems, evaluation, analysis, options.charts, newspapers=newspapers
        )
    if options.json:
        for note in left_out:
            print(note, file=sys.stderr)
        return
    if options.out:
        print(f"wrote {options.out / 'report.html'}, summary.csv, summary.json, items/ and charts/")
    print("Next: change-it score says whether the headlines keep the story; HEvAS does not.")


def _baseline_headlines(
    name: Literal["copy", Baseline], documents: Documents, options: HevasOptions
) -> list[str]:
    """Return the headlines of a system that needs no file, one for each document.

    Raises:
        InputError: the originals are to be copied, and the documents have none.
    """
    if name != COPY:
        return baseline(
            name,
            documents.texts,
            n_words=options.n_words,
            seed=options.seed,
            language=options.stop_words,
        )
    if not documents.originals:
        raise InputError("--baselines copy requires a corpus folder, with original headlines")
    return list(documents.originals)


def _measurable(
    metrics: Sequence[str], language: str, *, needs_vectors: bool
) -> tuple[tuple[str, ...], list[str]]:
    """Return the metrics that can be measured here, and sentences that say which were left out and why.

    With `needs_vectors` the metrics of word vectors stay, and fail where gensim is missing.
    """
    unknown = [name for name in metrics if not METRICS[name].languages(language)]
    without_gensim: list[str] = []
    if not needs_vectors and find_spec("gensim") is None:
        without_gensim = [name for name in metrics if METRICS[name].needs_vectors]
    notes = []
    if unknown:
        notes.append(f"left out: {join_truncated(unknown)}, for which the language {language} is not known")
    if without_gensim:
        notes.append(f"left out: {join_truncated(without_gensim)}, which need gensim: pip install '.[hevas]'")
    measured = tuple(name for name in metrics if name not in {*unknown, *without_gensim})
    return measured, notes
