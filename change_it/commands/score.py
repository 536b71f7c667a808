"""`change-it score`: reads, scores, prints a table or JSON, writes the report."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from change_it.commands.common import check_counts, print_json, print_lines
from change_it.corpus.folder import check_corpus, read_warnings
from change_it.engines import EngineOptions, use_engine
from change_it.errors import InputError
from change_it.io import check_writable, listed
from change_it.judges.judge_options import check_judges
from change_it.scoring.compliancy import NO_CHECK
from change_it.scoring.systems import PredictionFile, read_prediction_files
from change_it.tables import console, print_table
from change_it.training.training_options import InferenceOptions

if TYPE_CHECKING:  # loads torch, polars and matplotlib
    from change_it.audit.verdicts import Summary
    from change_it.scoring.item import ScoredSystem, TestSet
    from change_it.scoring.scores import Scores


@dataclass(kw_only=True)
class ScoreOptions(EngineOptions, InferenceOptions):
    """Score systems' headlines for compliancy, style and acceptability, beside the other newspaper's own (gold) and baselines: clause, lead, copy, random-target and, with judges that choose, floor.

    All rows of a table are scored on the same headlines: those with an aligned one.

    Examples:
        change-it score --corpus runs/quickstart/corpus --judges runs/quickstart/judges --out runs/mine/report
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges --predictions sum=sum.csv s2s=s2s.csv
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges --predictions prompted=prompted.csv --shared-items
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges-1 --floor runs/mine/judges-0
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its test articles are scored."""
    judges: str
    """Folder or Hub id that holds the judges main, hh and ah, and fluency for acceptability."""
    predictions: tuple[str, ...] = ()
    """Systems to score as NAME=FILE; a file is CSV with id and headline (from transfer also target, error, reranker, generator). Files of one name are runs with other seeds: their mean is shown, with intervals over runs and events."""
    columns: str = ""
    """Column map of the prediction files, ours=theirs: id=key,headline=output."""
    shared_items: bool = False
    """Score all systems on the headlines that every file of --predictions has (`transfer --items`)."""
    all_items: bool = False
    """Score also headlines that the other outlet has none for; the table has no gold."""
    floor: str | None = None
    """Folder or Hub id of judges of the other fold, fluency among them: for each headline they choose a sentence or clause of the article's beginning."""
    labels: tuple[Path, ...] = ()
    """Readers' labels of some headlines, for the share that they would accept: sheets with sources of `change-it annotate` that people or a model filled in, or files with id, headline and accept, or supported and printable (yes, no)."""
    out: Path | None = None
    """Folder for report.html, systems.csv, scores.json and items/; nothing is written when not given."""
    by_direction: bool = False
    """Show each direction below the average."""
    json: bool = False
    """Print JSON instead of a table."""
    resamples: int = 1000
    """Bootstrap resamples, and the minimum of permutations of the paired tests, which have 100 for each pair of systems."""
    seed: int = 1
    """Seed of intervals, paired tests and the baseline random-target."""


def run(options: ScoreOptions) -> None:
    """Score the built-in systems and those of the prediction files."""
    check_corpus(options.corpus)
    folders = list(filter(None, (options.judges, options.floor)))
    for name in folders:
        check_judges(name)
    options.check_engine()
    check_counts(resamples=options.resamples)
    files = read_prediction_files(options.predictions, options.columns)
    if options.out:
        read = [*(str(file.file) for file in files), *map(str, options.labels)]
        check_writable(options.out, inputs=[options.corpus, *folders, *read], record="scores.json")
    if options.shared_items and not files:
        raise InputError("--shared-items requires --predictions")

    from change_it.audit.agreement import reader_labels, shares_accepted
    from change_it.audit.verdicts import read_metrics, read_summary
    from change_it.results.report_files import made, write_report  # these load polars and matplotlib
    from change_it.scoring.item import read_test_set
    from change_it.scoring.scores import score

    test = read_test_set(options.corpus)
    labels = reader_labels(options.labels, test) if options.labels else None
    test, systems = _systems(options, test, files)

    from change_it.networks.pretrained import local_folder  # these load torch
    from change_it.scoring.judges import Judges

    folder = local_folder(options.judges, command="change-it train judge")
    qualities = read_metrics(folder)  # refused before anything is scored
    with use_engine(options, models=True):
        judges = Judges.from_pretrained(folder, **options.judging)
        if options.floor:
            from change_it.generators.rerank import floor

            choosers = Judges.from_pretrained(options.floor, **options.judging)
            systems.append(floor(test, choosers))
        how = {name: getattr(options, name) for name in ("resamples", "seed")}
        scores = score(test, judges, systems, **how, progress=not options.json)
    if labels:
        shares = {name: shares_accepted(labels, items) for name, items in scores.items.items()}
        scores = scores.with_accepted({name: share for name, share in shares.items() if share})
        headlines = set(chain(*(items.select("id", "headline").rows() for items in scores.items.values())))
        labelled = labels.table.select("id", "headline").rows()
        if lost := [headline for headline in labelled if headline not in headlines]:
            count, (id_, text) = f"{len(lost):,} of {len(labelled):,} labelled headlines", lost[0]
            print(
                f"Warning: {count} are of no system that is scored, such as {text!r} ({id_}).",
                file=sys.stderr,
            )
    summary = read_summary(judges, folder)
    _show(options, scores, summary)  # the work is not lost where the report cannot be written
    if options.out:
        articles = {item.id: item.article for item in test.items}
        write_report(options.out, scores, qualities, summary, made=made(), articles=articles)
    if not options.json:
        print_lines(_next(options, summary), console())


def _systems(
    options: ScoreOptions, test: "TestSet", files: Sequence[PredictionFile]
) -> "tuple[TestSet, list[ScoredSystem]]":
    """The items, and the built-in systems and those of the prediction files on them."""
    from change_it.scoring import systems as of_files
    from change_it.text.cleaning import alike, remark

    directions = of_files.shared_directions(files, test)
    every = {
        item.id
        for item in test.items
        if (item.reference or options.all_items) and (item.direction in directions or not directions)
    }
    if others := sorted({item.direction for item in test.items} - directions):
        print(f"Not scored: {listed(others)}, of which some file has no headline.", file=sys.stderr)
    systems = of_files.systems_of(files, test, needed=() if options.shared_items else every)
    for system in systems:
        pairs = [
            (text, item.source)
            for text, item in zip(system.headlines, test.items, strict=True)
            if text is not None
        ]
        seen = remark(system.name, filter(None, system.headlines), "are scored as they are")
        for sentence in [*seen, *alike(system.name, pairs)]:
            print(f"Warning: {sentence}.", file=sys.stderr)
    scored, systems = of_files.on_same_items(test, systems, all_items=options.all_items)
    if len(scored.items) < len(every):
        count = f"{len(scored.items):,} of {len(every):,}"
        print(f"All systems are scored on {count} headlines.", file=sys.stderr)
    return scored, [*of_files.built_in_systems(scored, seed=options.seed), *systems]


def _show(options: ScoreOptions, scores: "Scores", summary: "Summary") -> None:
    """Print JSON or tables."""
    from change_it.results.report_files import report_record
    from change_it.results.score_tables import examples_table, meaning, terminal_table

    if options.json:
        print_json(report_record(scores, summary))
        return
    terminal = console()
    if written := examples_table(scores):
        print_table(written, terminal)
    print_table(terminal_table(scores, by_direction=options.by_direction), terminal)
    warnings = [f"Warning: {warning}." for warning in read_warnings(options.corpus)]
    print_lines(
        filter(None, [summary.text, summary.together, *warnings, NO_CHECK, meaning(scores)]), terminal
    )


def _next(options: ScoreOptions, summary: "Summary") -> list[str]:
    """What was written, and what comes next by what is lacking."""
    lines = (
        [f"wrote {options.out / 'report.html'}, systems.csv, scores.json and items/"] if options.out else []
    )
    if not summary.together:
        command = f"change-it audit --judges {options.judges} --corpus {options.corpus}"
        lines.append(f"Next: these judges have no audit: {command}, then this command again.")
    elif not options.predictions:
        command = f"change-it corpus items --corpus {options.corpus} --out todo.csv"
        lines.append(
            f"Next: {command} lists what to rewrite; then this command with --predictions mine=mine.csv."
        )
    elif not options.out:
        lines.append("Next: --out FOLDER writes a report with all headlines.")
    else:
        lines.append(f"Next: open {options.out / 'report.html'} and read the headlines that nothing refuses.")
    return lines
