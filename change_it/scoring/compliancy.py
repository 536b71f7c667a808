"""Compliancy (EvalNLGEval 2020, section 4): headlines in, the judges' probabilities and verdicts per item out.

A transferred headline is compliant when HH says that it matches the original headline, AH says that it
matches the article, and main's decision is reversed. It is strictly compliant (ours) when, besides, main decides for the
outlet aimed at, as printed and, otherwise than on the original, once both headlines are set alike (`main_normalised`: a
reversal towards the wrong outlet is none, and other marks and capitals or an edited original are no style), the fluency
judge takes it for a headline that a newspaper would print, and its facts are supported. The strict share is an upper
bound where facts are checked by rules alone, which refuse too little, or asked of a model whose threshold no labels have
set.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from change_it.errors import InputError
from change_it.progress import Progress
from change_it.scoring.facts import Facts, check_all_facts
from change_it.scoring.item import Item
from change_it.stats import Bools, Floats, Ints, Statistics
from change_it.text.stopwords import guess_language
from change_it.text.typography import is_set, normalise_pairs

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge_options import Task
    from change_it.scoring.judges import Judges
    from change_it.text.names import Casing

Reversal = Literal["relative", "target"]

#: What the papers measure: all three judges, and each of them.
PAPERS = ("compliancy", "hh", "ah", "main")
#: The verdicts: those, and what compliancy does not ask.
COMPLIANCY_MEASURES = (
    "compliancy",
    "strict_compliancy",
    "hh",
    "ah",
    "main",
    "main_normalised",
    "fluency",
    "facts",
)
#: Each of them is a share of the items, see `measure`.
SHARES = dict.fromkeys(COMPLIANCY_MEASURES, "n")
#: The verdicts of single judges in the order in which they are shown, and the columns of `judge_items` with their
#: probabilities; `source`: of the original headline.
VERDICT_NAMES = ("hh", "ah", "main", "main_normalised", "fluency", "facts")
PROBABILITIES = {
    "hh": "p_hh",
    "ah": "p_ah",
    "main": "p_target",
    "source": "p_target_source",
    "fluency": "p_fluency",
    "facts": "p_facts",
}
#: Verdicts that need a fluency judge, and why there are none.
OF_FLUENCY = ("strict_compliancy", "fluency")


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
    """The columns of `PAPERS`, (n,) each, from the judges' probabilities, (n, 2) each, and the outlets aimed at, 0 for A and 1 for B.

    With reversal `relative`, the paper's, main decides otherwise than on the original; with `target`, ours, for the outlet aimed at.
    """
    reversed_ = style_reversed(main, main_source, target, reversal)
    matches, fits = decide(hh) == 1, decide(ah) == 1
    return {"compliancy": matches & fits & reversed_, "hh": matches, "ah": fits, "main": reversed_}


def style_reversed(main: Floats, source: Floats, target: Sequence[int] | Ints, reversal: Reversal) -> Bools:
    """(n,) whether the style is reversed, from main's probabilities of the new and the original headlines."""
    if reversal not in get_args(Reversal):
        raise InputError(f"reversal {reversal!r} is unknown: choose relative or target")
    decision = decide(main)
    return decision != decide(source) if reversal == "relative" else decision == np.asarray(target)


def strictly_reversed(main: Floats, source: Floats, target: Sequence[int] | Ints) -> Bools:
    """(n,) whether main decides otherwise than on the original, and for the outlet aimed at, which a reversal alone is not."""
    relative = style_reversed(main, source, target, "relative")
    return relative & style_reversed(main, source, target, "target")


def well_set(
    headlines: Sequence[str], evidence: Sequence[Collection[str]], casing: "Casing | None", language: str
) -> Bools:
    """(n,) whether a newspaper could set and spell the headlines like this, as `is_set` and `Casing.spells` say."""
    return np.array(
        [
            is_set(headline, texts, language) and (not casing or casing.spells(headline, texts, language))
            for headline, texts in zip(headlines, evidence, strict=True)
        ],
        dtype=bool,
    )


def judge_items(
    judges: "Judges",
    items: Sequence[Item],
    *,
    reversal: Reversal = "relative",
    language: str | None = None,
    progress: Progress = True,
) -> pl.DataFrame:
    """Ask the judges about new headlines, and check their facts (see `facts`); what recurs among n items is read once.

    Evidence for facts are the original headline, its article and, of an item that has a reference, the reference's
    article: the event as both outlets tell it. The reference itself is none, or `gold` would be supported by definition.
    An empty new headline is not asked about: its probabilities are 0 and no verdict holds.

    n rows: the verdicts `COMPLIANCY_MEASURES`; `unsupported`, a JSON list of the numbers, names and quotations that no evidence
    has; and the columns of `PROBABILITIES`. What needs a fluency judge is null without one, `p_facts` where no model was asked:
    there is none, the rules refuse the headline, or a source begins with it; `p_fluency` is 0 where it is not `well_set`.
    """
    tasks = [*judges.by_task, *(["facts"] if judges.support else [])]

    def report(task: str, total: int, done: int) -> None:
        if callable(progress):
            progress(task, (tasks.index(task) + done / max(total, 1)) / len(tasks))

    def ask(task: "Task", texts: list[str], pairs: list[str] | None = None) -> Floats:
        return judges.by_task[task].probabilities(
            texts,
            pairs,
            progress=partial(report, task, len(texts)) if callable(progress) else progress,
        )

    is_written = np.array([bool(item.prediction.strip()) for item in items], dtype=bool)
    written = list(compress(items, is_written))
    new, sources = [item.prediction for item in written], [item.source for item in written]
    target = np.array([judges.outlets.index(item.target) for item in items], dtype=np.int64)
    sources_alike, new_alike = normalise_pairs(sources, new)
    main_source, main, main_source_alike, main_alike = np.split(
        ask("main", [item.source for item in items] + new + sources_alike + new_alike),
        np.cumsum([len(items), len(written), len(written)]),
    )
    hh = ask("hh", sources, new)
    ah = ask("ah", new, [item.article for item in written])
    language = language_of(items, language)
    facts = check_all_facts(
        new,
        sources=sources,
        articles=[item.article for item in written],
        reference_articles=[item.reference_article for item in written],
        language=language,
        casing=judges.casing,
        model=judges.support,
        progress=partial(report, "facts", len(written)) if callable(progress) else progress,
    )
    aims = target[is_written]
    columns: dict[str, Floats | Bools] = {
        **verdicts(hh, ah, main, main_source[is_written], aims, reversal=reversal),
        "main_normalised": strictly_reversed(main_alike, main_source_alike, aims) & (decide(main) == aims),
        "facts": np.array([checked.supported for checked in facts], dtype=bool),
        "p_hh": hh[:, 1],
        "p_ah": ah[:, 1],
        "p_target": main[np.arange(len(main)), aims],
    }
    if judges.fluency is not None:
        printed = ask("fluency", new)
        evidence = [(item.source, item.article, item.reference_article) for item in written]
        fine = well_set(new, evidence, judges.casing, language)
        columns |= {"fluency": (decide(printed) == 1) & fine, "p_fluency": printed[:, 1] * fine}
        strict = ("compliancy", "main_normalised", "fluency", "facts")
        columns["strict_compliancy"] = np.all([columns[name] for name in strict], axis=0)
    return _table(columns, facts, is_written, main_source[np.arange(len(items)), target])


def _table(
    columns: Mapping[str, Floats | Bools], facts: Sequence[Facts], is_written: Bools, p_target_source: Floats
) -> pl.DataFrame:
    """The table of `judge_items`, from columns and facts of the items that have a headline; the others fail every judge."""
    values: dict[str, Any] = {}
    for name, of_written in columns.items():
        values[name] = np.zeros(len(is_written), dtype=of_written.dtype)
        values[name][is_written] = of_written
    unknown = [None] * len(is_written)
    checked = iter(facts)
    found = [next(checked) if written else Facts(False) for written in is_written]
    lists = [[asdict(words) for words in each.unsupported] for each in found]
    return pl.DataFrame(
        {
            **{name: values.get(name, unknown) for name in COMPLIANCY_MEASURES},
            "unsupported": [json.dumps(words, ensure_ascii=False) for words in lists],
            **{name: values[name] for name in ("p_hh", "p_ah", "p_target")},
            "p_target_source": p_target_source,
            "p_fluency": values.get("p_fluency", unknown),
            "p_facts": [each.p for each in found],
        },
        schema_overrides={
            **dict.fromkeys(COMPLIANCY_MEASURES, pl.Boolean),
            **dict.fromkeys(("p_fluency", "p_facts"), pl.Float64),
        },
    )


def facts_are_validated(judges: "Judges", language: str) -> bool | None:
    """Whether labels of a language have set the threshold of the model that is asked about facts; None without a model."""
    return None if judges.support is None else judges.support.is_validated(language)


def strict_is_upper_bound(judges: "Judges", language: str) -> bool:
    """Whether a strict share is at most that: no model that labels have validated is asked about facts, and rules refuse too little."""
    return judges.fluency is not None and not facts_are_validated(judges, language)


def language_of(items: Sequence[Item], language: str | None = None) -> str:
    """The language that facts are checked in: the one given, or what the articles seem to be in."""
    return language or guess_language([item.article for item in items])


def statistics(verdicts: pl.DataFrame | Mapping[str, Bools]) -> dict[str, Floats]:
    """Per-item statistics, (n,) each, of the columns of `COMPLIANCY_MEASURES` that are not missing or null: `n`, ones, and zeros and ones (see `change_it.stats`)."""
    columns = {
        name: np.asarray(verdicts[name], np.float64) for name in COMPLIANCY_MEASURES if name in verdicts
    }
    complete = {name: values for name, values in columns.items() if not np.isnan(values).any()}
    return {"n": np.ones(len(columns["compliancy"])), **complete}


def aggregate(sums: Statistics) -> dict[str, Floats]:
    """Proportions, each in 0-1, from summed `statistics`: those of `COMPLIANCY_MEASURES` that they have."""
    return {name: sums[name] / np.maximum(sums["n"], 1) for name in COMPLIANCY_MEASURES if name in sums}
