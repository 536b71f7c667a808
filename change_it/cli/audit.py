"""`change-it audit`: reads, asks the judges, prints tables or JSON, writes the page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tyro.conf import Fixed

from change_it.cli.common import check_counts, print_json
from change_it.corpus.folder import check_corpus
from change_it.errors import InputError
from change_it.files.atomic import check_writable
from change_it.render.tables import console, print_lines, print_table
from change_it.training.training_options import Device, Precision


@dataclass(kw_only=True)
class AuditOptions:
    """Measure how reliable the judges of a corpus are: deliberately wrong headlines that they must reject, the words that main listens to.

    Examples:
        change-it audit --judges runs/quickstart/judges --corpus runs/quickstart/corpus
        change-it audit --judges runs/mine/judges --corpus runs/mine/corpus --items 1000 --out runs/mine/audit
        change-it audit --judges runs/mine/judges --corpus runs/mine/corpus --labels study/rated/anna.csv study/rated/ben.csv
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its test pairs are read."""
    judges: str
    """Folder or Hub id that holds the judges main, hh and ah, and perhaps fluency."""
    out: Path | None = None
    """Folder for audit.html and audit.json; the folder audit next to the judges when not given."""
    items: int = 400
    """Headlines of each perturbation, at most; articles take most of the time."""
    labels: tuple[Path, ...] = ()
    """Readers' labels: files with id, headline and supported (yes, partly, no, contradicted) or accept (yes, no), perhaps printable (yes, no), system and reader, or filled sheets with sources of `change-it annotate`. Files of several names are of several readers."""
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
    check_writable(out, inputs=[options.corpus, options.judges, *options.labels], record="audit.json")

    from change_it.audit.measure import audit, read_corpus
    from change_it.judges.reliability import read_metrics, read_verdicts, verdicts_table
    from change_it.models.pretrained import local_folder
    from change_it.readers.labels import agreement_table, reader_labels  # these load torch and polars
    from change_it.report.audit_tables import perturbations_table, write_audit
    from change_it.report.score_tables import other_corpus
    from change_it.scoring.panel import Judges

    corpus = read_corpus(options.corpus, seed=options.seed)
    labels = reader_labels(options.labels, corpus.test) if options.labels else None
    folder = local_folder(options.judges, command="change-it train judge")
    judges = Judges.from_pretrained(folder, precision=options.precision, device=options.device)
    how: dict[str, Any] = {"resamples": options.resamples, "seed": options.seed, "labels": labels}
    how |= {"at_most": options.items, "progress": not options.json}
    audited, labels_beside = audit(corpus, judges, read_metrics(folder), **how)
    write_audit(out, audited, labels_beside)
    if options.json:
        print_json(audited)
        return
    terminal = console()
    print_lines([*other_corpus(audited["trained"]), audited["together"]], terminal)
    print_table(perturbations_table(audited["systems"], audited["score"]), terminal)
    if labels:
        print_table(agreement_table(audited["agreement"]), terminal)
    print_table(verdicts_table(read_verdicts(audited).verdicts), terminal)
    lines = [f"wrote {out / 'audit.html'} and audit.json"]
    outcomes = {kind["outcome"] for kind in audited["systems"][1:]}  # gold is the first
    if "too few to tell" in outcomes:
        lines.append("Too few examples: what helps is more test pairs, by more articles.")
    elif "let through" in outcomes:
        lines.append(
            "Let through: what helps is a fluency judge with an --encoder, and reading fifty headlines."
        )
    report = f"--judges {options.judges} --out {out.with_name('report')}"
    print_lines([*lines, f"Next: change-it score --corpus {options.corpus} {report}"], terminal)
