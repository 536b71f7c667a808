r"""What each measure is worth on a corpus, by the rule of `change_it/audit/verdict.py`: JSON for `tables.py --keep verdicts`.

    python benchmarks/verdicts.py --name sample --run runs/quickstart
    python benchmarks/verdicts.py --name "CNN, Fox" --run runs/cnnfox/1 --judges judges-1

The corpus and the judges of `--run` are those of `benchmarks/aspects.py`. Every test headline is tried. The rule was
committed before any corpus was measured with it.
"""

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import tyro

from change_it.audit.measure import audit, read_corpus
from change_it.audit.verdict import MEASURES, KindShare, Measure
from change_it.judges.reliability import read_metrics
from change_it.render.tables import two_decimals
from change_it.scoring.panel import Judges

#: Measures whose shares are printed, in this order.
ACCEPTING: tuple[Measure, ...] = ("compliancy", "acceptability")
#: Kinds whose shares are printed.
SHOWN = ("shuffled", "article's key words", "looped", "lead", "clause", "copy")


def main(
    name: str, run: Path, judges: str = "judges", kind: str = "linear", seed: int = 1, items: int = 4000
) -> dict[str, Any]:
    """Return the verdicts of a corpus as sentences, and what some kinds keep of compliancy and acceptability."""
    folder = run / judges
    data = read_corpus(str(run / "corpus"), seed=seed)
    made, _ = audit(
        data, Judges.from_pretrained(folder), read_metrics(folder), at_most=items, seed=seed, progress=False
    )
    row = f"{name}; {kind}; seed {seed}"
    cells: dict[str, Any] = {"test pairs": made.pairs}
    cells |= {measure: made.verdicts[measure].sentence for measure in MEASURES}
    shares: dict[str, str] = {}
    for tried in made.kinds:
        if tried.name in SHOWN:
            shares[tried.words] = "; ".join(_kept(tried.shares[measure]) for measure in ACCEPTING)
    return {"verdicts": {row: cells}, "verdict_shares": {row: shares}}


def _kept(share: KindShare) -> str:
    """Return `.97 (.95–.99) misses`."""
    if share.share is None:
        return "n/a"
    ends = ""
    if share.low is not None and share.high is not None:
        ends = f" ({two_decimals(share.low)}–{two_decimals(share.high)})"
    return f"{two_decimals(share.share)}{ends} {share.outcome}"


if __name__ == "__main__":
    with redirect_stdout(sys.stderr):
        result = tyro.cli(main, description=__doc__)
    print(json.dumps(result, indent=1, ensure_ascii=False))
