"""Ask the judges about wrong headlines, print tables or JSON, and write the page: `change-it audit`."""

from dataclasses import dataclass
from pathlib import Path

from tyro.conf import Fixed

from change_it.cli.common import check_counts, print_json
from change_it.corpus.folder import check_corpus
from change_it.errors import InputError
from change_it.files.atomic import check_writable
from change_it.files.records import to_json
from change_it.render.tables import console, print_lines, print_table, print_wrapped
from change_it.training.training_options import Device, Precision


@dataclass(kw_only=True)
class AuditOptions:
    """Test the judges with headlines that nobody should write.

    This shows whether style, acceptability and compliancy can rank systems on a corpus, and what they miss.

    Examples:
        change-it audit --judges runs/quickstart/judges --corpus runs/quickstart/corpus
        change-it audit --judges runs/mine/judges --corpus runs/mine/corpus --items 1000
            --out runs/mine/audit
        change-it audit --judges runs/mine/judges --corpus runs/mine/corpus
            --labels study/rated/anna.csv study/rated/ben.csv
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its test pairs are read."""
    judges: str
    """Folder or Hub id of the judges main, hh and ah, and perhaps of fluency."""
    out: Path | None = None
    """Folder for audit.html and audit.json. When not given, the folder audit next to the judges."""
    floor: str | None = None
    """Folder or Hub id of judges of the other fold, which choose a clause of each article. It gets a line
    that decides nothing.
    """
    items: int = 400
    """Headlines of each kind, at most."""
    labels: tuple[Path, ...] = ()
    """Readers' labels: filled sheets with sources of change-it annotate, or files with id, headline, and
    supported (yes, partly, no, contradicted) or accept (yes, no), perhaps printable (yes, no), system and
    reader. Files of several names are of several readers."""
    json: bool = False
    """Print JSON instead of tables."""
    resamples: Fixed[int] = 1000
    """Bootstrap resamples of the intervals."""
    seed: int = 1
    """Seed of everything that is drawn."""
    precision: Precision = "float32"
    device: Device = "auto"


def run(options: AuditOptions) -> None:
    """Audit the judges, print the tables or JSON, and write the page."""
    check_counts(items=options.items, resamples=options.resamples)
    check_corpus(options.corpus)
    if not options.out and not Path(options.judges).is_dir():
        raise InputError(f"{options.judges} is no folder, so --out is required")
    out = options.out or Path(options.judges).resolve().parent / "audit"
    inputs: list[str | Path | None] = [options.corpus, options.judges, *options.labels, options.floor]
    check_writable(out, inputs=inputs, record="audit.json")

    from change_it.audit.measure import audit, read_corpus
    from change_it.judges.reliability import read_metrics, verdicts_table
    from change_it.models.saved import local_folder
    from change_it.readers.labels import agreement_table, reader_labels  # these load polars
    from change_it.report.audit_tables import kinds_tables, write_audit
    from change_it.report.ranking import what_helps
    from change_it.report.score_tables import remarks_on_corpus
    from change_it.report.terminal import print_verdicts
    from change_it.scoring.panel import Judges

    corpus = read_corpus(options.corpus, seed=options.seed)
    labels = reader_labels(options.labels, corpus.test) if options.labels else None
    folder = local_folder(options.judges, command="change-it train judge")
    judges = Judges.from_pretrained(folder, precision=options.precision, device=options.device)
    choosers = None
    if options.floor:
        choosers = Judges.from_pretrained(options.floor, precision=options.precision, device=options.device)
    audited, labels_beside = audit(
        corpus,
        judges,
        read_metrics(folder),
        choosers=choosers,
        at_most=options.items,
        resamples=options.resamples,
        seed=options.seed,
        progress=not options.json,
        labels=labels,
    )
    write_audit(out, audited, labels_beside)
    if options.json:
        print_json(to_json(audited))
        return
    terminal = console()
    print_verdicts(audited.summary, terminal)
    print_lines([*remarks_on_corpus(audited.trained), ""], terminal)
    for table in kinds_tables(audited):
        print_table(table, terminal)
    if audited.agreement:
        print_table(agreement_table(audited.agreement), terminal)
    print_table(verdicts_table(audited.judges), terminal)
    if any(not verdict.can_rank for verdict in audited.verdicts.values()):
        print_wrapped(f"What would help: {what_helps(audited.summary)}.", terminal, after="  ")
    report = f"--judges {options.judges} --out {out.with_name('report')}"
    lines = [
        f"Audit   {out / 'audit.html'} (beside it audit.json)",
        f"Next    change-it score --corpus {options.corpus} {report}",
    ]
    print_lines(lines, terminal)
