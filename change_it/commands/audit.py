"""`change-it audit`: reads, asks the judges, prints tables or JSON, writes the page."""

import json
import sys
from pathlib import Path

from change_it.audit.options import AuditOptions
from change_it.errors import InputError
from change_it.results.report_folder import AUDIT_FILES, check_out
from change_it.tables import console, print_table
from change_it.translation import page_language


def run(options: AuditOptions) -> None:
    """Audit the judges.

    Args:
        options: see `AuditOptions`.

    Raises:
        InputError: a corpus or judges at fault, or `--out` cannot be written.
    """
    out = options.out or _beside(options.judges)
    check_out(out, AUDIT_FILES, inputs=[options.corpus, options.judges])

    from change_it.audit.measure import (
        audit,  # these load torch, polars and matplotlib
        read_corpus,
    )
    from change_it.audit.verdicts import read_metrics
    from change_it.judges.judge import Judges, local_folder
    from change_it.results.audit_tables import (
        calibration_table,
        degenerate_table,
        probes_table,
        verdicts_table,
        write_audit,
    )

    folder = local_folder(options.judges, command="change-it train judge")
    judges = Judges.from_pretrained(folder, precision=options.precision, device=options.device)
    found = audit(
        read_corpus(options.corpus, options.language, casing=judges.casing, seed=options.seed),
        judges,
        read_metrics(folder),
        at_most=options.items,
        temperature=options.temperature,
        resamples=options.resamples,
        seed=options.seed,
        batch_size=options.batch_size,
        progress=not options.json,
    )
    write_audit(out, found, language=page_language(options.report_language, found.language))
    if options.json:
        json.dump(found.as_dict(), sys.stdout, indent=2, ensure_ascii=False)
        print()
        return
    terminal = console()
    print_table(degenerate_table(found.systems), terminal)
    print_table(probes_table(found.probes), terminal)
    print_table(calibration_table(found.calibration), terminal)
    print_table(verdicts_table(found.verdicts), terminal)
    print(f"wrote {out / 'audit.html'} and audit.json")


def _beside(judges: str) -> Path:
    """The folder `audit` beside a folder of judges."""
    if not Path(judges).is_dir():
        raise InputError(f"{judges} is no folder, so the audit has no place beside it: give --out")
    return Path(judges).resolve().parent / "audit"
