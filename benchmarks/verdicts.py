r"""Print what each measure is worth on a corpus, by the rule of `change_it/audit/verdict.py`.

It prints JSON for `tables.py --keep verdicts` and `--keep verdict_shares`.

    change-it audit --corpus runs/cnnfox/1/corpus --judges runs/cnnfox/1/judges-1 --items 4000 --seed 1 \
        --out runs/cnnfox/1/audit
    python benchmarks/verdicts.py runs/cnnfox/*/audit/audit.json --name "CNN, Fox"
    python benchmarks/verdicts.py runs/sides/1/audit-minilm/audit.json --name "left, right" --kind MiniLM

The corpora and the judges are those of `benchmarks/aspects.py`, an audit for each seed. A seed changes which
pairs are the test set, what the judges learn from, and what the audit draws. The rule was committed before
any corpus was measured with it.
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from change_it.audit.perturbations import BASELINES, PERTURBATIONS
from change_it.audit.record import Summary, read_audit
from change_it.audit.verdict import MEASURES, KindShare, Measure, MeasureVerdict, Outcome
from change_it.render.tables import two_decimals

#: Measures whose shares are printed, in this order.
ACCEPTING: tuple[Measure, ...] = ("compliancy", "acceptability")
#: Kinds whose shares are printed.
SHOWN = ("shuffled", "article's key words", "lead", "clause")
#: What is made of a kind, the worst first.
SHOWN_OUTCOMES: tuple[Outcome, ...] = ("misses", "sees", "stops", "not known")
#: Names of the kinds whose content is wrong.
WRONG_CONTENT = {
    kind.name
    for kind in (*BASELINES, *(row.kind for row in PERTURBATIONS.values()))
    if "wrong content" in kind.groups
}


def main(
    audits: Annotated[tuple[Path, ...], tyro.conf.Positional], name: str, kind: str = "linear"
) -> dict[str, Any]:
    """Return the verdicts on each measure over the seeds.

    With them stands what some kinds of headlines keep of compliancy and acceptability.
    """
    seeds = [_summary(path) for path in audits]
    row = f"{name}; {kind}"
    cells = {"test pairs": _span([seed.pairs for seed in seeds])}
    cells |= {measure: _verdicts([seed.verdicts[measure] for seed in seeds]) for measure in MEASURES}
    shares = {f"{row}; {measure}": _shares(seeds, measure) for measure in ACCEPTING}
    return {"verdicts": {row: cells}, "verdict_shares": shares}


def _summary(file: Path) -> Summary:
    """Return what an audit's JSON says in short."""
    audit = read_audit(file.parent)
    if audit is None:
        raise SystemExit(f"{file} is not there: write it with change-it audit --out")
    return audit.summary


def _verdicts(seeds: Sequence[MeasureVerdict]) -> str:
    """Return how often each verdict was given, and what the measure makes of wrong content."""
    counts = Counter(_named(verdict) for verdict in seeds)
    given = ", ".join(f"{verdict} {count}" for verdict, count in counts.most_common())
    text = f"{given} of {len(seeds)} seeds"
    if len(counts) == 1:
        text = f"{next(iter(counts))}, {len(seeds)} of {len(seeds)} seeds"
    if len(seeds) == 1:
        text = f"{next(iter(counts))}, one seed"
    tried = [[share for kind, share in seed.kinds.items() if kind in WRONG_CONTENT] for seed in seeds]
    if not any(tried) or "n/a" in text:
        return text
    by_outcome = []
    for outcome in SHOWN_OUTCOMES:
        found = [sum(share.outcome == outcome for share in shares) for shares in tried]
        if any(found):
            by_outcome.append(f"{outcome} {_span(found)}")
    kinds = _span([len(shares) for shares in tried])
    return f"{text}; of {kinds} kinds of wrong content {', '.join(by_outcome)}"


def _named(verdict: MeasureVerdict) -> str:
    """Return the verdict, or that the measure is n/a."""
    return f"{verdict.verdict} (n/a)" if "n/a" in verdict.sentence else verdict.verdict


def _span(counts: Sequence[int]) -> str:
    """Return the least and the largest count, or the only one."""
    low, high = min(counts), max(counts)
    return f"{low}" if low == high else f"{low}–{high}"


def _shares(seeds: Sequence[Summary], measure: Measure) -> dict[str, str]:
    """Return what each kind of headline keeps of a measure.

    It is the mean share, the outermost ends of the seeds' intervals, and the outcomes.
    """
    cells = {}
    for name in SHOWN:
        kinds = [kind for seed in seeds for kind in seed.kinds if kind.name == name]
        shares = [kind.shares[measure] for kind in kinds]
        if shares:
            cells[kinds[0].words] = f"{_kept(shares)} {_outcomes(shares)}"
    return cells


def _kept(shares: Sequence[KindShare]) -> str:
    """Return `.97 (.95–.99)`."""
    means = [share.share for share in shares if share.share is not None]
    lows = [share.low for share in shares if share.low is not None]
    highs = [share.high for share in shares if share.high is not None]
    if not means:
        return "n/a"
    ends = f" ({two_decimals(min(lows))}–{two_decimals(max(highs))})" if lows and highs else ""
    return two_decimals(float(np.mean(means))) + ends


def _outcomes(shares: Sequence[KindShare]) -> str:
    """Return `misses`, or `misses 2, not known 1` where the seeds disagree."""
    counts = Counter(share.outcome for share in shares)
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{outcome} {count}" for outcome, count in counts.most_common())


if __name__ == "__main__":
    with redirect_stdout(sys.stderr):
        result = tyro.cli(main, description=__doc__)
    print(json.dumps(result, indent=1, ensure_ascii=False))
