"""Compliancy (EvalNLGEval 2020, section 4) and the measures beside it: headlines in, probabilities and verdicts per item out.

A transferred headline is compliant when HH says that it matches the original headline, AH says that it matches the
article, and main's decision is reversed. The aspects beside it (ours) are in `scoring.aspects`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from change_it.errors import InputError
from change_it.judges.spec import JUDGES, Task
from change_it.progress import Progress, ProgressOption
from change_it.scoring.aspects import acceptability, choosing, is_edited, new_words, style
from change_it.scoring.item import Item
from change_it.stats import Bools, Floats, Ints, Statistics
from change_it.text.evidence import Unsupported, unsupported

if TYPE_CHECKING:  # loads torch
    from change_it.scoring.judges import Judges

Reversal = Literal["relative", "target"]

#: What a headline gets, each a verdict, a probability or style: what the papers measure, all three judges and each of them, and ours.
COMPLIANCY_MEASURES = (
    "compliancy",
    "style",
    "acceptability",
    "edited",
    "hh",
    "ah",
    "main",
    "fluency",
    "evidence",
)
#: Those that readers of a table ask first, and that systems are compared by.
ASPECTS = ("compliancy", "style", "acceptability")
#: The means of all but style, which is signed, are shares of the items, see `measure`.
SHARES = dict.fromkeys((name for name in COMPLIANCY_MEASURES if name != "style"), "n")
#: The verdicts in the order in which they are shown, and what they are called on every screen.
VERDICT_NAMES = tuple(JUDGES)
JUDGE_NAMES = {name: spec.heading for name, spec in JUDGES.items()}
#: What no judge checks; it stands wherever their verdicts do.
NO_CHECK = "no judge reads who did what, or who said it: read the headline"
#: Columns of `judge_items` with probabilities; `source`: of the original headline.
PROBABILITIES = {
    "hh": "p_hh",
    "ah": "p_ah",
    "main": "p_target",
    "source": "p_target_source",
    "fluency": "p_fluency",
}
#: Types of the columns of `judge_items`.
_SCHEMA = {
    **dict.fromkeys(COMPLIANCY_MEASURES, pl.Boolean),
    **dict.fromkeys(("style", "acceptability", "choosing"), pl.Float64),
    "unsupported": pl.String,
    "refused_by": pl.String,
    **dict.fromkeys(PROBABILITIES.values(), pl.Float64),
}


def decide(probabilities: Floats) -> Ints:
    """(n,) zeros and ones: the class that a two-class judge decides for, from (n, 2) probabilities; a tie goes to class 0."""
    probabilities = np.asarray(probabilities, dtype=np.float64)
    return (probabilities[:, 1] > probabilities[:, 0]).astype(np.int64)


def verdicts(
    hh: Floats,
    ah: Floats,
    main: Floats,
    main_source: Floats,
    target: Sequence[int] | Ints,
    *,
    reversal: Reversal = "relative",
) -> dict[str, Bools]:
    """The columns compliancy, hh, ah and main, (n,) each, from the judges' probabilities, (n, 2) each, and the outlets aimed at, 0 for A and 1 for B.

    With reversal `relative`, the paper's, main decides for another outlet than on the original; with `target`, ours, for the outlet aimed at.
    """
    if reversal not in get_args(Reversal):
        raise InputError(f"reversal {reversal!r} is unknown: choose relative or target")
    decision = decide(main)
    reversed_ = decision != decide(main_source) if reversal == "relative" else decision == np.asarray(target)
    matches, fits = decide(hh) == 1, decide(ah) == 1
    return {"compliancy": matches & fits & reversed_, "hh": matches, "ah": fits, "main": reversed_}


def judge_items(
    judges: "Judges",
    items: Sequence[Item],
    *,
    reversal: Reversal = "relative",
    progress: Progress = True,
) -> pl.DataFrame:
    """Judge new headlines, and look their numbers, names and quotations up; what recurs among n items is read once.

    Evidence are the original headline, its article and, of an item that has a reference, the reference's article: the
    event as both outlets tell it. The reference itself is not evidence, or `gold` would be supported by definition. An empty new
    headline is not judged: its probabilities are 0 and no verdict holds.

    Args:
        judges: the judges.
        items: n items with predictions.
        reversal: when style counts as reversed, see `verdicts`.
        progress: True shows bars; a function gets the judge's name and the share that is done.

    Returns:
        n rows: `COMPLIANCY_MEASURES`; `unsupported`, a JSON list of the numbers, names and quotations that no source has;
        `refused_by`, the reasons against a headline, see `reasons`; `choosing`, see `aspects.choosing`; and the columns of
        `PROBABILITIES`. Null is what no judge can tell: fluency and acceptability without a fluency judge, style where main has
        no scale for it (`StyleScale.faults`), evidence where the corpus's articles are too short for it.
    """
    tasks = [*judges.by_task]

    def report(task: Task, total: int, done: int) -> None:
        if callable(progress):
            progress(task, (tasks.index(task) + done / max(total, 1)) / len(tasks))

    def ask(task: Task, texts: list[str], pairs: list[str] | None = None) -> Floats:
        shown: ProgressOption = partial(report, task, len(texts)) if callable(progress) else progress
        return judges.by_task[task].probabilities(texts, pairs, progress=shown)

    is_written = np.array([bool(item.prediction.strip()) for item in items], dtype=bool)
    written = list(compress(items, is_written))
    new, sources = [item.prediction for item in written], [item.source for item in written]
    texts = [(item.source, item.article, item.reference_article) for item in written]
    target = np.array([judges.outlets.index(item.target) for item in items], dtype=np.int64)
    aims = target[is_written]
    main_source, main = np.split(ask("main", [item.source for item in items] + new), [len(items)])
    hh = ask("hh", sources, new)
    ah = ask("ah", new, [item.article for item in written])
    p_source = main_source[np.arange(len(items)), target]
    p_new = main[np.arange(len(main)), aims]
    lacking = [unsupported(text, of) for text, of in zip(new, texts, strict=True)]
    edited = np.array(
        [is_edited(text, source) for text, source in zip(new, sources, strict=True)], dtype=bool
    )
    held = verdicts(hh, ah, main, main_source[is_written], aims, reversal=reversal) | {"edited": edited}
    p = {"hh": hh[:, 1], "ah": ah[:, 1], "target": p_new}
    evidence = graded = None
    if judges.has_evidence:
        held["evidence"] = evidence = np.array([not parts for parts in lacking], dtype=bool)
    if judges.fluency is not None:
        printed = ask("fluency", new)
        held["fluency"], p["fluency"] = decide(printed) == 1, printed[:, 1]
    measured = {f"p_{name}": of for name, of in p.items()}
    lacking_style = np.array([item.target in judges.style_faults for item in items], dtype=bool)
    lacks_style = lacking_style[is_written]
    if judges.main.style is not None and not lacking_style.all():
        graded = style(p_new, p_source[is_written], judges.main.style, aims == 0)
        measured["style"] = np.where(lacks_style, np.nan, graded)
        graded = np.where(lacks_style, 1.0, graded)
    if judges.fluency is not None:
        measured["acceptability"] = acceptability(p, evidence)
    measured["choosing"] = choosing(p, evidence, graded, edited)
    columns: dict[str, list[Any]] = {"p_target_source": p_source.tolist()}
    for name, of in {**held, **measured}.items():
        every = np.full(len(items), -2.0 if name == "choosing" else 0, of.dtype)
        every[is_written] = of
        columns[name] = every.tolist()
    found = iter(lacking)
    parts = [next(found) if written else () for written in is_written]
    columns["unsupported"] = [json.dumps([asdict(each) for each in of], ensure_ascii=False) for of in parts]
    judged = [name for name in (*VERDICT_NAMES, "edited") if name in held]
    columns["refused_by"] = [
        _refusals(item, {name: columns[name][at] for name in judged}, of)
        for at, (item, of) in enumerate(zip(items, parts, strict=True))
    ]
    table = pl.DataFrame({name: columns.get(name, [None] * len(items)) for name in _SCHEMA}, schema=_SCHEMA)
    return table.with_columns(pl.col("style").fill_nan(None))


def _refusals(item: Item, holds: Mapping[str, bool], unsupported: Sequence[Unsupported]) -> str:
    """The reasons against a headline: verdicts that do not hold, and that it is edited; see `reasons`."""
    if not item.prediction.strip():
        return "no headline"
    parts = ", ".join(part.text.replace(";", ",") for part in unsupported)
    said = {"evidence": f"evidence: {parts}"}
    found = [said.get(name, name) for name in VERDICT_NAMES if not holds.get(name, True)]
    if holds["edited"]:
        found.append("edited: {} of {} words new".format(*new_words(item.prediction, item.source)))
    return "; ".join(found)


def reasons(refused_by: str) -> tuple[str, ...]:
    """The names in a `refused_by`: of `VERDICT_NAMES`, `edited` or `no headline`, without what is said behind a colon."""
    return tuple(part.partition(":")[0] for part in refused_by.split("; ") if part)


def statistics(verdicts: pl.DataFrame | Mapping[str, Bools | Floats]) -> dict[str, Floats]:
    """Per-item statistics, (n,) each, of the columns of `COMPLIANCY_MEASURES` that are not missing or null: `n`, ones, and values in 0-1 (see `change_it.stats`)."""
    columns = {
        name: np.asarray(verdicts[name], np.float64) for name in COMPLIANCY_MEASURES if name in verdicts
    }
    complete = {name: values for name, values in columns.items() if not np.isnan(values).any()}
    return {"n": np.ones(len(columns["compliancy"])), **complete}


def aggregate(sums: Statistics) -> dict[str, Floats]:
    """Means, each in 0-1, from summed `statistics`: those of `COMPLIANCY_MEASURES` that they have."""
    return {name: sums[name] / np.maximum(sums["n"], 1) for name in COMPLIANCY_MEASURES if name in sums}
