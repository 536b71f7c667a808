"""The papers' figures, from `published_figures.toml`, shown next to measured ones."""

import tomllib
from importlib.resources import files
from itertools import zip_longest
from typing import Any, NamedTuple

_PRINTED: dict[str, Any] = tomllib.loads(
    files("change_it").joinpath("published_figures.toml").read_text("utf-8")
)
#: How to cite the numbers, by paper.
CITATIONS: dict[str, str] = _PRINTED["citations"]
#: LREC 2020, Table 4 by condition: accuracy of the three annotators, and alpha; headlines of each condition.
ANNOTATORS: dict[str, dict[str, Any]] = _PRINTED["annotators"]
ANNOTATED = 200
#: Metrics of HEvAS's Table 1 (informativeness) and Table 2 (readability), in their order.
INFORMATIVENESS: tuple[str, ...] = tuple(_PRINTED["hevas"]["informativeness"])
PUBLISHED_READABILITY: tuple[str, ...] = tuple(_PRINTED["hevas"]["readability"])
#: Their means by baseline, and Table 3 above the diagonal.
HEVAS_MEANS: dict[str, dict[str, float]] = {
    system: dict(zip((*INFORMATIVENESS, *PUBLISHED_READABILITY), values, strict=True))
    for system, values in _PRINTED["hevas"]["means"].items()
}
HEVAS_CORRELATIONS: list[list[float]] = _PRINTED["hevas"]["correlations"]
#: Measures of Table 2 of EvalNLGEval 2020.
_MEASURES = ("compliancy", "hh", "ah", "main", "bleu", "rougeL")


class PublishedClass(NamedTuple):
    """One class of one judge on the gold test set."""

    judge: str
    name: str
    precision: float
    recall: float
    f1: float


#: Table 1 of EvalNLGEval 2020 in the order of the classes of our judges.
PUBLISHED_JUDGES = [
    PublishedClass(judge, name, *values)
    for judge, classes in _PRINTED["judges"].items()
    for name, values in classes.items()
]
#: What stands in a row of figures by the row's name: LREC's F1, systems with their direction, HEvAS's baselines.
PUBLISHED: dict[str, dict[str, Any]] = {
    **{name: dict(zip(("first", "second", "mean"), f1, strict=True)) for name, f1 in _PRINTED["f1"].items()},
    "agnostic": _PRINTED["agnostic"],
    **{
        f"{system} {direction}": dict(zip_longest(_MEASURES, values))
        for system, directions in _PRINTED["systems"].items()
        for direction, values in directions.items()
    },
    **{system: {**means} for system, means in HEVAS_MEANS.items()},
}
