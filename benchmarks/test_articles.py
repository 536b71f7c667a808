r"""Compare intervals of baselines on the test pairs and on all test articles.

It prints JSON for `tables.py --keep test_articles`.

    LABELS="Politico:politico,Washington Times:wt"
    change-it corpus build allsides.parquet --columns label=outlet --labels "$LABELS" \
        --other-outlets --language en --out runs/pw/corpus
    change-it train judge --task all --fold both --corpus runs/pw/corpus --out runs/pw/judges
    change-it score --corpus runs/pw/corpus --judges runs/pw/judges --out runs/pw/report
    python benchmarks/test_articles.py runs/pw/report/scores.json --name "Politico, W. Times"

Only a system without predictions can be scored on both without training one: `lead` and `clause`. The
articles without a partner are another population, so a mean may differ, and only the widths compare.
"""

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import tyro

from change_it.stats import AVERAGE

SYSTEMS = ("lead", "clause")
MEASURES = ("compliancy", "acceptability")


def main(scores: Annotated[Path, tyro.conf.Positional], name: str) -> dict[str, Any]:
    """Return the interval of each baseline and measure on the pairs and on all test articles."""
    record = json.loads(scores.read_text(encoding="utf-8"))
    rows: dict[str, Any] = {}
    for system in SYSTEMS:
        on_pairs = record["systems"][system][AVERAGE]
        on_all = record["all_articles"]["systems"][system][AVERAGE]
        for measure in MEASURES:
            pairs, everything = (_interval(values, measure) for values in (on_pairs, on_all))
            rows[f"{name}: {measure} of `{system}`"] = {
                "test pairs": [on_pairs["n"], *pairs],
                "all test articles": [on_all["n"], *everything],
                "times narrower": round((pairs[2] - pairs[1]) / (everything[2] - everything[1]), 1),
            }
    return {"test_articles": rows}


def _interval(values: dict[str, Any], measure: str) -> list[float]:
    """Return a mean with the ends of its interval."""
    return [round(value, 4) for value in (values[measure], *values["intervals"][measure])]


if __name__ == "__main__":
    with redirect_stdout(sys.stderr):
        result = tyro.cli(main, description=__doc__)
    print(json.dumps(result, indent=1))
