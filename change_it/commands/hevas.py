"""`change-it hevas`: reads, measures, tests, prints a table or JSON, writes the files."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from change_it.commands.checks import check_counts
from change_it.commands.printing import print_json
from change_it.errors import InputError
from change_it.hevas.metric_options import COPY, Baseline, MetricOptions
from change_it.io import check_file, check_writable, named_files
from change_it.tables import console, print_table

if TYPE_CHECKING:
    from change_it.hevas.documents import Documents


@dataclass(kw_only=True)
class HevasOptions(MetricOptions):
    """Measure headlines with HEvAS: informativeness and readability, with statistics and charts; no judges.

    Documents are CSV, TSV, JSON lines or parquet with article, headline (or headlines, headline1, headline2, … for several
    references) and perhaps id, or the paired test articles of a corpus folder; their references are the other newspaper's headlines.

    Examples:
        change-it hevas --documents runs/quickstart/corpus --system rewrite=runs/quickstart/predictions/rewrite.csv --out runs/mine/hevas
        change-it hevas --documents articles.csv --system mine=mine.txt --baselines first random --out runs/hevas
        change-it hevas --documents runs/mine/corpus --system sum=sum.csv s2s=s2s.csv --baselines copy first --out runs/mine/hevas
        change-it hevas --documents news.jsonl --system mine=mine.txt --language en --metrics R-1 R-SU LSA-C JS-S Fog
    """

    documents: str
    """File of documents with their reference headlines, or a corpus folder."""
    system: tuple[str, ...] = ()
    """Systems as NAME=FILE: text with one headline a line, in the documents' order, or CSV with id, headline, as transfer writes it."""
    baselines: tuple[Literal["copy", Baseline], ...] = ()
    """Systems that need no file: first, random, tfidf, wtextrank, stextrank of HEvAS, and of a corpus copy, the original headline."""
    metrics: tuple[str, ...] = ()
    """R-1 R-2 R-SU R-WSU LSA-C LSA-S TM-C TM-S WE-C WE-S KL-C KL-S JS-C JS-S PNR NR PR Fog AWL; all when not given."""
    columns: str = ""
    """Column map of --documents, ours=theirs: article=body,headline=title; headline may be given several times."""
    n_words: int = 9
    """Words in a baseline's headline, at most."""
    resamples: int = 1000
    """Bootstrap resamples of the intervals."""
    out: Path | None = None
    """Folder for report.html, summary.csv, summary.json, items/<system>.csv and charts/; nothing is written when not given."""
    json: bool = False
    """Print JSON instead of a table."""


def check(options: HevasOptions) -> None:
    """Refuse, before anything large loads, missing systems and an `--out` that cannot be written."""
    files = [file for _, file in named_files(options.system, option="--system", example="mine=mine.txt")]
    for file in files:
        check_file(file)
    check_counts(resamples=options.resamples)
    if options.out:
        check_writable(
            options.out, inputs=[options.documents, options.vectors, *files], record="summary.json"
        )


def run(options: HevasOptions) -> None:
    """Measure the systems of the files and the baselines."""
    check(options)

    from change_it.hevas.analysis import analyse
    from change_it.hevas.baseline_systems import BASELINES, baseline
    from change_it.hevas.documents import System, read_systems
    from change_it.hevas.evaluation import check_input, chosen_metrics, evaluate

    metrics = chosen_metrics(options.metrics)
    documents = read_with_events(options.documents, options.columns)
    check_input(documents, metrics, options)
    systems = read_systems(options.system, documents, taken=[COPY, *BASELINES])
    if COPY in options.baselines and not documents.originals:
        raise InputError("--baselines copy requires a corpus folder, whose articles have original headlines")

    from change_it.results.report_files import write_hevas  # loads matplotlib and polars
    from change_it.results.score_tables import hevas_record, hevas_remarks, means_table

    language = options.stop_words or options.language
    for name in dict.fromkeys(options.baselines):
        headlines = documents.originals
        if name != COPY:
            given = {"n_words": options.n_words, "seed": options.seed}
            headlines = tuple(baseline(name, documents.texts, language=language, **given))
        systems.append(System(name, headlines))
    evaluation = evaluate(documents, systems, metrics=metrics, options=options, progress=not options.json)
    analysis = analyse(evaluation, resamples=options.resamples, seed=options.seed)
    if options.out:
        write_hevas(options.out, documents, systems, evaluation, analysis)
    if options.json:
        print_json(hevas_record(evaluation, analysis), allow_nan=False)
        return
    title = f"HEvAS on {len(evaluation.ids)} documents: means, best average first; * best of a metric"
    strange = [*documents.remarks, *(remark for system in systems for remark in system.remarks)]
    table = means_table(evaluation)
    notes = [*strange, *hevas_remarks(evaluation), *table.notes, evaluation.signature]
    print_table(replace(table, title=title, notes=notes), console())
    if options.out:
        print(f"wrote {options.out / 'report.html'}, summary.csv, summary.json, items/ and charts/")


def read_with_events(source: str, columns: str = "") -> "Documents":
    """The documents of a file with near-duplicates as events, or of a corpus folder with its events."""
    from change_it.corpus.folder import CARD, read_table
    from change_it.corpus.splits import events_of
    from change_it.hevas.documents import read_documents

    documents = read_documents(source, columns=columns)
    if (Path(source) / CARD).is_file():
        event = dict(read_table(source, "articles", "test", ["id", "event"]).iter_rows())
        return replace(documents, events=tuple(event[id_] for id_ in documents.ids))
    return replace(documents, events=tuple(events_of(documents.texts, [""] * len(documents.texts)).tolist()))
