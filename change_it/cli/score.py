"""Score systems, print a table or JSON, and write the report: `change-it score`."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from change_it.cli.common import check_counts, exclude, print_json, require
from change_it.corpus.folder import check_corpus, read_warnings
from change_it.corpus.test_set import BUILT_IN, FLOOR
from change_it.files.atomic import check_writable
from change_it.files.records import to_json
from change_it.files.texts import join_truncated
from change_it.render.tables import TableForm, console, print_lines, print_table, print_wrapped, to_text
from change_it.scoring.prediction_files import PredictionFile, names_of_runs, read_prediction_files
from change_it.scoring.systems import check_against
from change_it.training.training_options import Device, Precision

if TYPE_CHECKING:  # loads polars, scipy and matplotlib
    from change_it.audit.record import Summary
    from change_it.corpus.test_set import TestSet
    from change_it.readers.labels import ReaderLabels
    from change_it.scoring.scores import Scores
    from change_it.scoring.systems import ScoredSystem


@dataclass(kw_only=True)
class ScoreOptions:
    """Score headlines and write a report.

    Each system has compliancy, style and acceptability. Beside it stand the other newspaper's own headlines
    (gold) and baselines: clause, lead, copy, random-target and, with --floor, floor. All rows of a table are
    scored on the same headlines: those with an aligned one. A second table, without gold, has all test
    articles, where the files have headlines of those without a partner, too: it tells systems apart with
    narrower intervals.

    Examples:
        change-it score --corpus runs/quickstart/corpus --judges runs/quickstart/judges
            --out runs/mine/report
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges
            --predictions sum=sum.csv s2s=s2s.csv
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges
            --predictions prompted=prompted.csv --shared-items
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges-1
            --floor runs/mine/judges-0
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its test articles are scored."""
    judges: str
    """Folder or Hub id of the judges main, hh and ah, and of fluency for acceptability."""
    predictions: tuple[str, ...] = ()
    """Systems to score as NAME=FILE, CSV with id and headline. A row without a headline says why in a column
    error, in any words, and counts against the system. Files of one name are runs with other seeds: their
    mean is shown, with intervals over runs and events."""
    columns: str = ""
    """Columns of the files of --predictions by our names: id=key,headline=output."""
    shared_items: bool = False
    """Score all systems on the headlines that every file of --predictions has, as after transfer --items."""
    floor: str | None = None
    """Folder or Hub id of judges of the other fold, fluency among them. They make the baseline floor: for
    each headline they choose a sentence or clause of the article's beginning.
    """
    labels: tuple[Path, ...] = ()
    """Readers' labels of some headlines, for the share that they would accept: filled sheets with sources of
    change-it annotate, or files with id, headline and accept, or supported and printable (yes, no)."""
    reversal: Literal["relative", "target"] = "relative"
    """What compliancy asks of main: another outlet than for the original (relative, as in the paper), or the
    target (target)."""
    out: Path | None = None
    """Folder for report.html, systems.csv, scores.json and items/. Nothing is written when not given."""
    by_direction: bool = False
    """Show each direction below the average."""
    json: bool = False
    """Print JSON instead of a table."""
    against: str | None = None
    """Print differences from this system, with intervals and p: a NAME, gold, floor or another baseline. When
    not given, the first of several files."""
    format: TableForm | None = None
    """Print one table alone, for a paper or a program: the systems, or with --against the differences. LaTeX
    needs the packages booktabs and xcolor."""
    resamples: int = 1000
    """Bootstrap resamples of the intervals. Paired tests have as many permutations, at least 100 for each
    pair of systems.
    """
    seed: int = 1
    """Seed of intervals, paired tests and the baseline random-target."""
    precision: Precision = "float32"
    device: Device = "auto"


def run(options: ScoreOptions) -> None:
    """Score the built-in systems and those of the prediction files, and print and write the results."""
    files = _check(options)

    from change_it.audit.record import read_summary
    from change_it.corpus.test_set import read_test_set
    from change_it.judges.reliability import read_metrics
    from change_it.readers.labels import reader_labels
    from change_it.report.report_files import provenance, report_record, write_report  # matplotlib
    from change_it.scoring.scores import score_tables
    from change_it.scoring.settings import ScoreSettings

    test = read_test_set(options.corpus)
    labels = reader_labels(options.labels, test) if options.labels else None
    tables = _systems(options, test, files)

    from change_it.models.saved import local_folder
    from change_it.scoring.panel import Judges

    folder = local_folder(options.judges, command="change-it train judge")
    qualities = read_metrics(folder)  # refused before anything is scored
    judges = Judges.from_pretrained(folder, precision=options.precision, device=options.device)
    summary = read_summary(judges.by_task, folder)  # refused before anything is scored, too
    if options.floor:
        _add_floor(options.floor, options, tables)
    is_plain = options.json or bool(options.format)
    settings = ScoreSettings(reversal=options.reversal, resamples=options.resamples, seed=options.seed)
    scored = score_tables(tables, judges, settings, progress=not is_plain)
    scores = scored[0]
    all_articles = scored[1] if len(scored) > 1 else None
    if labels:
        scores = _with_labels(scores, labels)
    if options.json:
        print_json(to_json(report_record(scores, summary, all_articles)))
    elif options.format:
        print(_paper(options, options.format, scores, summary, all_articles))
    else:  # the work is not lost where the report cannot be written
        _show(options, scores, summary, all_articles)
    if options.out:
        write_report(
            options.out,
            scores,
            qualities,
            summary,
            made=provenance(judge.commit for judge in judges.by_task.values()),
            articles={item.id: item.article for item in test.items},
            all_articles=all_articles,
        )
    if not is_plain:
        print_lines(_next(options, summary), console())


def _check(options: ScoreOptions) -> list[PredictionFile]:
    """Return the prediction files; refuse options and files that cannot be used."""
    for name in ("columns", "shared_items"):
        require(options, name, "predictions")
    exclude(options, "json", "format")
    check_corpus(options.corpus)
    check_counts(resamples=options.resamples)
    files = read_prediction_files(options.predictions, options.columns)
    if options.against:
        baselines = [name for name in BUILT_IN if options.floor or name != FLOOR]
        check_against(options.against, [*names_of_runs(files), *baselines])
    if options.out:
        folders = [options.corpus, options.judges, options.floor]
        inputs = [*folders, *(file.file for file in files), *options.labels]
        check_writable(options.out, inputs=inputs, record="scores.json")
    return files


def _add_floor(
    folder: str, options: ScoreOptions, tables: "list[tuple[TestSet, list[ScoredSystem]]]"
) -> None:
    """Add the baseline `floor` to the systems of each table, chosen by other judges than those that score."""
    from change_it.scoring.choosing import floor
    from change_it.scoring.panel import Judges
    from change_it.scoring.systems import select_items

    choosers = Judges.from_pretrained(folder, precision=options.precision, device=options.device)
    widest, _ = tables[-1]
    chosen = floor(widest, choosers)
    for table, systems in tables:
        ids = {item.id for item in table.items}
        systems.append(select_items(chosen, [item.id in ids for item in widest.items]))


def _with_labels(scores: "Scores", labels: "ReaderLabels") -> "Scores":
    """Return the scores with the shares that readers accept; warn of labels that belong to no system."""
    from change_it.readers.labels import shares_accepted

    shares = {}
    scored: set[tuple[str, str]] = set()
    for name, items in scores.items.items():
        scored.update(items.select("id", "headline").rows())
        share = shares_accepted(labels, items)
        if share:
            shares[name] = share
    labelled = labels.table.select("id", "headline").rows()
    lost = [headline for headline in labelled if headline not in scored]
    if lost:
        count = f"{len(lost):,} of {len(labelled):,} labelled headlines"
        id_, text = lost[0]
        example = f"such as {text!r} ({id_})"
        print(f"Warning: {count} are of no system that is scored, {example}.", file=sys.stderr)
    return scores.with_accepted(shares, labels.hash)


def _systems(
    options: ScoreOptions, test: "TestSet", files: Sequence[PredictionFile]
) -> "list[tuple[TestSet, list[ScoredSystem]]]":
    """Return the items of each table, with the built-in systems and those of the prediction files on them.

    The first table has the items with a partner, an article of the other newspaper about the same event. A
    second one, of all items, follows only where every system also has headlines of items without a partner.
    """
    from change_it.scoring.baselines import built_in_systems
    from change_it.scoring.prediction_files import shared_directions, systems_of
    from change_it.scoring.systems import on_same_items

    directions = shared_directions(files, test)
    lacking = sorted({item.direction for item in test.items} - directions)
    if lacking:
        print(f"Not scored: {join_truncated(lacking)}, of which some file has no headline.", file=sys.stderr)
    # files that share no direction keep all items here, and are refused below
    in_directions = [item for item in test.items if item.direction in directions or not directions]
    paired = {item.id for item in in_directions if item.reference}
    every_system = systems_of(files, test, needed=() if options.shared_items else paired)
    for system in every_system:
        for sentence in _remarks_on(system, test):
            print(f"Warning: {sentence}.", file=sys.stderr)
    with_partner, systems = on_same_items(test, every_system)
    if len(with_partner.items) < len(paired):
        count = f"{len(with_partner.items):,} of {len(paired):,}"
        print(f"All systems are scored on {count} headlines.", file=sys.stderr)
    everything, everywhere = on_same_items(test, every_system, with_partner=False)
    tables = [(with_partner, [*built_in_systems(with_partner, seed=options.seed), *systems])]
    if len(everything.items) > len(with_partner.items):
        tables.append((everything, [*built_in_systems(everything, seed=options.seed), *everywhere]))
        return tables
    without_partner = sum(not item.reference and item.direction in directions for item in test.items)
    if without_partner:
        unwritten = f"{without_partner:,} test articles without a partner are not scored"
        print(f"{unwritten}: change-it corpus items lists them, and every file needs them.", file=sys.stderr)
    return tables


def _remarks_on(system: "ScoredSystem", test: "TestSet") -> list[str]:
    """Return sentences about what is odd in a system's headlines: damaged texts, or headlines all alike."""
    from change_it.text.cleaning import alike, remark

    written = []
    for item, text in zip(test.items, system.headlines, strict=True):
        if text is not None:
            written.append((text, item.source))
    damaged = remark(system.name, [text for text, _ in written if text], "are scored as they are")
    return [*damaged, *alike(system.name, written)]


def _show(options: ScoreOptions, scores: "Scores", summary: "Summary", all_articles: "Scores | None") -> None:
    """Print whether the measures can rank, the results, differences, examples and limits."""
    from change_it.report.ranking import Ranking
    from change_it.report.score_tables import cautions, differences_lines, terminal_table
    from change_it.report.terminal import print_limits, print_scores, print_signatures

    terminal = console()
    by_direction = options.by_direction
    ranking = Ranking.from_scores(scores, summary)
    print_scores(scores, ranking, terminal, by_direction=by_direction)
    if all_articles:
        ranking_of_all = Ranking.from_pairs(all_articles, scores, summary)
        of_all = terminal_table(all_articles, ranking_of_all, by_direction=by_direction)
        title = of_all.title.removeprefix("Results: ")
        notes = [*of_all.notes, *cautions(ranking_of_all, all_articles.p_values, all_articles.names)]
        of_all = replace(of_all, title=f"All test articles, without gold: {title}", notes=notes)
        print_table(of_all, terminal)
    own = [name for name in scores.systems if name not in BUILT_IN]
    if options.against or len(own) > 1:
        against = options.against or own[0]
        compared = _compared(against, scores, all_articles)
        print_table(differences_lines(compared, against, ranking), terminal)
    print_lines([""], terminal)
    print_limits(scores, terminal)
    for warning in read_warnings(options.corpus):
        print_wrapped(f"Warning: {warning}.", terminal, first="  ", after="    ")
    print_signatures([scores, all_articles] if all_articles else [scores], terminal)


def _compared(against: str, scores: "Scores", all_articles: "Scores | None") -> "Scores":
    """Return the table with most items that has the system."""
    if all_articles and against in all_articles.systems:
        return all_articles
    return scores


def _paper(
    options: ScoreOptions,
    form: TableForm,
    scores: "Scores",
    summary: "Summary",
    all_articles: "Scores | None",
) -> str:
    """Return one table alone: the differences with --against, else the systems.

    The best system is bold, where a measure can rank systems. What says nothing is grey, or has the verdict
    on its measure beside it.
    """
    from change_it.report.ranking import Ranking
    from change_it.report.score_tables import differences_alone, for_programs, paper_table

    ranking = Ranking.from_scores(scores, summary)
    if options.against:
        compared = _compared(options.against, scores, all_articles)
        table = differences_alone(compared, options.against, ranking)
    else:
        scores_by_group = {"with a partner": scores}
        if all_articles:
            scores_by_group = {"all articles": all_articles, **scores_by_group}
        table = paper_table(scores_by_group, ranking)
    if form in ("csv", "json"):
        table = for_programs(table)
    return to_text(table, form)


def _next(options: ScoreOptions, summary: "Summary") -> list[str]:
    """Return the last lines: what was written, and the next step, which depends on what is lacking."""
    page = options.out / "report.html" if options.out else None
    if not summary.verdicts:
        command = f"change-it audit --judges {options.judges} --corpus {options.corpus}"
        step = f"{command} (these judges have no audit), then this command again"
    elif not options.predictions:
        command = f"change-it corpus items --corpus {options.corpus} --out todo.csv"
        step = f"{command} lists what to rewrite; then this command with --predictions mine=mine.csv"
    elif page:
        step = "open the report and read the headlines that nothing refuses"
    else:
        step = "--out FOLDER writes a report with all headlines"
    lines = [f"Next    {step}"]
    if page:
        lines.insert(0, f"Report  {page} (beside it systems.csv, scores.json, items/)")
    return lines
