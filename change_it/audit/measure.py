"""The audit of a set of judges: what they let through of headlines that are wrong on purpose, what main listens to, what readers say."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from change_it.audit.perturbations import PERTURBATIONS, Perturbation, Resources, perturbed
from change_it.corpus.folder import read_language, read_table
from change_it.corpus.test_set import GOLD, Item, read_test_set
from change_it.files.records import to_json
from change_it.judges.record import JudgeMetrics
from change_it.judges.reliability import Summary, hashes, rate_judges
from change_it.readers.labels import ReaderLabels, agreement
from change_it.render.tables import figure
from change_it.scoring.aspects import COMPLIANCY_MEASURES
from change_it.stats import AVERAGE, LEAST_EVENTS, EventIds, Floats, Score, Statistics, log_odds, measure
from change_it.text.corruptions import Lexicon
from change_it.text.stopwords import guess_language
from change_it.version import __version__

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge import Judge
    from change_it.scoring.panel import Judges

#: What judges make of a perturbation.
Outcome = Literal["let through", "stopped", "too few to tell"]
#: A perturbation is stopped where it keeps at most this share of gold's acceptability, or has at most this style: half the way.
STOPPED, HALFWAY = 0.10, 0.5
#: The least number of events of which a perturbation has an outcome: of 12 that pass by degrees a 95% interval holds the truth in .76 to .92
#: of cases, from 36 on in .87 to .98.
TELLING = 20
#: Examples of each perturbation that are shown, and perturbations that the one sentence names.
EXAMPLES, NAMED = 3, 3
_GOLD_IS = "The other newspaper's own headline, of all items that a perturbation has."
_GOLD = Perturbation(GOLD, _GOLD_IS, "gold", "acceptability", "", lambda item, *_: item.reference)
#: Training articles that corruptions take words from, at most, and the characters of one.
READ, OPENING = 4000, 1200
#: Headlines that words are taken out of for cues, at most, and their characters.
OCCLUDED, LONGEST = 400, 1000
#: Cues of each outlet, and times that a word must appear in the headlines to be one.
CUES, OFTEN = 12, 4
_TOKEN = re.compile(r"\w+(?:['’]\w+)*['’]?|[^\w\s]")


def read_corpus(corpus: str, *, seed: int = 1) -> Resources:
    """Read a corpus (folder or Hub id); its language is guessed where it does not say."""
    test = read_test_set(corpus)
    articles = read_table(corpus, "articles", "train", ["article"])["article"]
    openings = articles.sample(min(READ, len(articles)), seed=seed, shuffle=True).str.slice(0, OPENING)
    headlines = [text for texts in test.training_headlines.values() for text in texts]
    outlets = [outlet for outlet, texts in test.training_headlines.items() for _ in texts]
    language = read_language(corpus) or guess_language(headlines)
    return Resources(test, Lexicon(headlines, outlets, openings.to_list()), language)


def audit(
    corpus: Resources,
    judges: "Judges",
    metrics: Mapping[str, JudgeMetrics],
    *,
    at_most: int = 400,
    resamples: int = 1000,
    seed: int = 1,
    progress: bool = False,
    labels: ReaderLabels | None = None,
) -> tuple[dict[str, Any], pl.DataFrame | None]:
    """Audit judges on a corpus; `metrics` are those of `verdicts.read_metrics`, `at_most` the headlines of each perturbation.

    Returns:
        The audit as a JSON object: `verdicts` on each judge and `together`, a sentence, see `Summary`; what was audited and how;
        `systems`, see `measure_systems`; `cues`, see `main_cues`; `style`, main within an event; with labels `agreement`; `signature`.
        And the labels beside what the judges say, None without labels.
    """
    test = corpus.test
    trained = judges.check_corpus(test)
    systems = measure_systems(
        judges, corpus, at_most=at_most, seed=seed, resamples=resamples, progress=progress
    )
    gold, main = (systems[0]["values"]["evidence"], systems[0]["events"]), metrics.get("main")
    found = rate_judges(judges.by_task, metrics, gold, has_capitals=corpus.has_capitals)
    items, events = len(test.items), len({item.event for item in test.items})
    record: dict[str, Any] = Summary(tuple(found), summary_sentence(systems)).as_dict() | {
        "corpus": test.name,
        "outlets": test.outlets,
        "language": corpus.language,
        "judges": judges.signature,
        "hashes": hashes(judges.by_task),
        "score": score_of(judges),
        "items": items,
        "events": events,
        "at_most": at_most,
        "seed": seed,
        "trained": trained,
        "systems": systems,
        "cues": main_cues(judges.main, test.items, seed=seed),
        "style": {"within_event": to_json(main.within_event)} if main and main.within_event else {},
    }
    parts, beside = [f"audit|judges:{judges.signature}"], None
    parts += [f"trained:{trained}"] if trained else []
    parts += [f"score:{score_of(judges)}", f"items:{at_most} of {items}", f"events:{events}"]
    if labels:
        how: dict[str, Any] = {"resamples": resamples, "progress": progress}
        record["agreement"], beside = agreement(labels, test, judges, **how)
        parts.append(f"labels:{labels.hash[:6]}")
    parts += [f"resamples:{resamples}", f"seed:{seed}", f"v:{__version__}"]
    return record | {"signature": "|".join(parts)}, beside


def outcome_of(system: Mapping[str, Any]) -> Outcome:
    """Stopped or let through where the interval of the aspect that should notice is on one side of `STOPPED` or `HALFWAY`; of few events it says nothing."""
    of_style = system["aspect"] == "style"
    most, interval = (HALFWAY, system["style_interval"]) if of_style else (STOPPED, system["interval"])
    if system["events"] < TELLING or interval is None:
        return "too few to tell"
    low, high = interval
    return "stopped" if high <= most else "let through" if low > most else "too few to tell"


def score_of(judges: "Judges") -> str:
    """What a perturbation keeps: acceptability, or compliancy where that is n/a."""
    return "compliancy" if judges.fluency is None else "acceptability"


def measure_systems(
    judges: "Judges",
    resources: Resources,
    *,
    at_most: int,
    resamples: int,
    seed: int,
    progress: bool = False,
) -> list[dict[str, Any]]:
    """Judge gold and every perturbation that applies to an item.

    A perturbation has at most `at_most` headlines, of the first items that it applies to, in one random order of events for
    all, both directions of an event together. It keeps the ratio of its mean score (see `score_of`) to gold's on the same items.

    Returns:
        A JSON object of gold, and of each perturbation, what keeps most first: `system`, its name; `seen`, whether a judge is trained on
        headlines that are made in the same way; `description`; `aspect` that should notice it; `n` headlines of so many `events`; what is
        `kept`, None where gold has no score, and its 95% `interval`; `style_interval`, of the mean style; `values`, the mean of each of
        `COMPLIANCY_MEASURES`; `examples`, the highest headlines; and of perturbations the `outcome`.
    """
    items = resources.test.items
    names, numbers = np.unique([item.event for item in items], return_inverse=True)
    rank = np.random.default_rng(seed).permutation(len(names))[numbers]
    in_order = (items[index] for index in np.argsort(rank, kind="stable").tolist())
    ordered = [item for item in in_order if item.reference]
    made = {
        kind: perturbed(ordered, kind, resources, seed=seed, at_most=at_most)
        for name, kind in PERTURBATIONS.items()
        if resources.has_names or "name" not in name
    }
    golds = {place for headlines in made.values() for place, _ in headlines}
    golds |= {*range(min(at_most, len(ordered)))}
    asked = [(GOLD, place, ordered[place].reference) for place in sorted(golds)]
    asked += [(kind.name, *headline) for kind, headlines in made.items() for headline in headlines]
    predicted = [replace(ordered[place], prediction=text) for _, place, text in asked]
    table = judges.judge(predicted, progress=progress).with_columns(
        pl.Series("system", [name for name, _, _ in asked]),
        pl.Series("place", [place for _, place, _ in asked]),
        pl.Series("event", [item.event for item in predicted]),
        pl.Series("headline", [item.prediction for item in predicted]),
        score=pl.col(score_of(judges)).cast(pl.Float64),
    )
    how: dict[str, Any] = {"resamples": resamples, "seed": seed}
    scores_of_gold = table.filter(system=GOLD).select("place", gold="score")
    results = []
    for kind in (_GOLD, *(kind for kind, headlines in made.items() if headlines)):
        rows = table.filter(system=kind.name).join(scores_of_gold, on="place", maintain_order="left")
        events = rows["event"].to_numpy()
        kept = _ratio(rows["score"].to_numpy(), rows["gold"].to_numpy(), events, {"ratio": "below"}, **how)
        is_kept = kind is not _GOLD and not np.isnan(kept.value)
        styled, styles = rows.drop_nulls("style"), None
        if styled["event"].n_unique() >= LEAST_EVENTS:
            ones = np.ones(styled.height)
            styles = _ratio(styled["style"].to_numpy(), ones, styled["event"].to_numpy(), **how).interval
        order, examples = "style" if kind.aspect == "style" else "score", []
        best = rows.sort(order, descending=True, maintain_order=True).head(EXAMPLES * (kind is not _GOLD))
        for row in best.iter_rows(named=True):
            item = ordered[row["place"]]
            example = {"id": item.id, "direction": item.direction, "source": item.source}
            example |= {"true": kind.true_headline(item), "headline": row["headline"]}
            examples.append(example | {"verdicts": {name: row[name] for name in COMPLIANCY_MEASURES}})
        result: dict[str, Any] = {
            "system": kind.name,
            "seen": bool(kind.seen),
            "description": kind.description,
            "aspect": kind.aspect,
            "n": rows.height,
            "events": rows["event"].n_unique(),
            "kept": kept.value if is_kept else None,
            "interval": kept.interval if is_kept and not np.isnan(sum(kept)) else None,
            "style_interval": styles,
            "values": rows.select(pl.col(COMPLIANCY_MEASURES).cast(pl.Float64).mean()).row(0, named=True),
            "examples": examples,
        }
        results.append(result | ({"outcome": outcome_of(result)} if kind is not _GOLD else {}))
    gold, *kinds = results
    return [gold, *sorted(kinds, key=lambda kind: -1.0 if kind["kept"] is None else -kind["kept"])]


def _ratio(
    above: Floats, below: Floats, events: EventIds, shares: Mapping[str, str] | None = None, **how: Any
) -> Score:
    """The ratio of both sums with its interval; NaN where there is nothing below."""

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {"ratio": sums["above"] / np.where(sums["below"] > 0, sums["below"], np.nan)}

    columns = {"above": above, "below": below}
    return measure(columns, aggregate, events=events, shares=shares, **how)[AVERAGE]["ratio"]


def summary_sentence(systems: Sequence[Mapping[str, Any]]) -> str:
    """What each aspect notices of the perturbations in a sentence or two, and the worst that acceptability does not."""
    kinds, said = systems[1:], []
    wrong, same = "headlines that are wrong on purpose", "headlines that keep the original's style"
    for aspect, what in (("acceptability", wrong), ("style", same)):
        counts = Counter(kind["outcome"] for kind in kinds if kind["aspect"] == aspect)
        through, stopped, few = (counts[outcome] for outcome in get_args(Outcome))
        if aspect == "style" and counts and not any(kind["style_interval"] for kind in kinds):
            said.append(f"style, which should notice {counts.total()} more, is n/a")
        elif total := counts.total():
            rest = f", {few} had too few examples" if few else ""
            said.append(
                f"{aspect} stops {stopped} of {total} kinds of {what} and lets {through} through{rest}"
            )
    if not said:
        return ""
    text = f"{'; '.join(said).capitalize()}."
    if (absent := len(PERTURBATIONS) - len(kinds)) > 0:
        text += f" {absent} kinds more need names that capitals show, numbers, or Italian or English."
    through_it = [
        kind for kind in kinds if (kind["aspect"], kind["outcome"]) == ("acceptability", "let through")
    ]
    if not through_it:
        return text
    first, *others = sorted(through_it, key=lambda kind: -(kind["kept"] or 0.0))[:NAMED]
    shares = "".join(f", {kind['system']} ({figure(kind['kept'])})" for kind in others)
    return f"{text} Worst: {first['system']} (keeps {figure(first['kept'])} of gold's acceptability){shares}."


def main_cues(main: "Judge", items: Sequence[Item], *, seed: int = 1) -> list[dict[str, Any]]:
    """For each outlet the words and marks that speak for it to main, the strongest first: each is taken out of each of `n` test headlines that have it.

    `weight` is the mean change of main's log-odds.
    """
    order = np.arange(len(items))
    if len(items) > OCCLUDED:
        order = np.sort(np.random.default_rng(seed).permutation(len(items))[:OCCLUDED])
    headlines = [items[index].source[:LONGEST] for index in order.tolist()]
    occluded = [
        (row, token[0], without)
        for row, text in enumerate(headlines)
        for token in _TOKEN.finditer(text)
        if (without := " ".join(f"{text[: token.start()]} {text[token.end() :]}".split()))
    ]
    answers = main.probabilities([*headlines, *(without for _, _, without in occluded)], progress=False)
    odds = log_odds(answers[:, 1])
    changes: dict[str, list[float]] = defaultdict(list)
    for (row, token, _), after in zip(occluded, odds[len(headlines) :], strict=True):
        changes[token].append(float(odds[row] - after))
    sums = {word: sum(values) for word, values in changes.items() if len(values) >= OFTEN}
    rising = sorted(sums, key=lambda word: (sums[word], word))
    return [
        {
            "outlet": outlet,
            "text": word,
            "weight": abs(float(np.mean(changes[word]))),
            "n": len(changes[word]),
        }
        for outlet, sign, words in zip(main.outlets, (-1, 1), (rising, rising[::-1]), strict=True)
        for word in words[:CUES]
        if sign * sums[word] > 0
    ]
