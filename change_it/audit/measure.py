"""The audit of a set of judges: what they let through of headlines that are wrong on purpose, what main listens to, what readers say."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.audit.perturbations import BASELINES, FLOOR_KIND, PERTURBATIONS, Resources, perturbed
from change_it.audit.record import MOST_CUE_HEADLINES, Audit, Example, GoldMeans, TriedKind
from change_it.audit.verdict import MEASURES, Kind, KindShare, Measure, MeasureVerdict, verdict_of
from change_it.corpus.folder import read_language, read_report, read_table
from change_it.corpus.test_set import CLAUSE, GOLD, Item, read_test_set
from change_it.errors import InputError
from change_it.files.records import to_json
from change_it.files.texts import listed
from change_it.judges.record import JudgeMetrics
from change_it.judges.reliability import hashes, rate_judges
from change_it.readers.labels import ReaderLabels, agreement
from change_it.scoring.aspects import compliancy_measures
from change_it.scoring.choosing import floor
from change_it.scoring.signature import Reranker
from change_it.scoring.systems import built_in_systems
from change_it.stats import AVERAGE, EventIds, Floats, Score, Statistics, log_odds, measure
from change_it.text.corruptions import Lexicon
from change_it.text.stopwords import guess_language
from change_it.version import __version__

if TYPE_CHECKING:  # loads polars and scipy
    from change_it.judges.judge import Judge
    from change_it.scoring.panel import Judges

#: Examples of each kind that are shown.
EXAMPLES = 3
#: Training articles that corruptions take words from, at most, and the characters of one.
READ, OPENING = 4000, 1200
#: Characters of a headline that words are taken out of for cues, at most.
LONGEST = 1000
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
    report = read_report(corpus)
    count = report.articles_of_both if report else None
    return Resources(test, Lexicon(headlines, outlets, openings.to_list()), language, count)


@dataclass(frozen=True)
class Headlines:
    """The headlines of a kind.

    Attributes:
        kind: the kind.
        description: one sentence.
        texts: place of an item and its headline.
        true: place of an item to the headline that was changed; empty where none was.
        seen: whether a judge is trained on headlines that are made in the same way.
    """

    kind: Kind
    description: str
    texts: Sequence[tuple[int, str]]
    true: Mapping[int, str]
    seen: bool = False


@dataclass(frozen=True, kw_only=True)
class AuditSettings:
    """How judges are audited.

    Attributes:
        at_most: headlines of each kind, at most.
        resamples: bootstrap resamples of an interval.
        seed: seed of all that is drawn.
    """

    at_most: int = 400
    resamples: int = 1000
    seed: int = 1


def audit(
    corpus: Resources,
    judges: "Judges",
    metrics: Mapping[str, JudgeMetrics],
    *,
    choosers: "Judges | None" = None,
    at_most: int = 400,
    resamples: int = 1000,
    seed: int = 1,
    progress: bool = False,
    labels: ReaderLabels | None = None,
) -> tuple[Audit, pl.DataFrame | None]:
    """Audit judges on a corpus.

    Args:
        corpus: the corpus, of `read_corpus`.
        judges: the judges.
        metrics: what their training measured, of `reliability.read_metrics`.
        choosers: judges of the other fold, which choose `floor`; without them there is no such line.
        at_most: headlines of each kind.
        resamples: of the intervals.
        seed: of all that is drawn.
        progress: whether bars are shown.
        labels: readers' labels, for `agreement`.

    Returns:
        The audit, and the labels beside what the judges say; None without labels.
    """
    test = corpus.test
    trained = judges.check_corpus(test)
    gold, kinds = measure_kinds(
        judges,
        corpus,
        AuditSettings(at_most=at_most, resamples=resamples, seed=seed),
        choosers=choosers,
        progress=progress,
    )
    main = metrics.get("main")
    of_evidence = gold.values["evidence"], gold.events
    items, events = len(test.items), len({item.event for item in test.items})
    aligned = sum(bool(item.reference) for item in test.items)
    test_pairs = math.ceil(aligned / 2)
    pairs = min(math.ceil(at_most / 2), test_pairs)
    agreed, beside = None, None
    if labels:
        agreed, beside = agreement(labels, test, judges, resamples=resamples, progress=progress)
    parts = [f"audit|judges:{judges.signature}"]
    parts += [f"trained:{trained}"] if trained else []
    parts += [f"choosers:{choosers.signature}"] if choosers else []
    parts += [f"items:{at_most} of {items}", f"events:{events}"]
    parts += [f"labels:{labels.hash[:6]}"] if labels else []
    parts += [f"resamples:{resamples}", f"seed:{seed}", f"v:{__version__}"]
    made = Audit(
        corpus=test.name,
        outlets=test.outlets,
        language=corpus.language,
        articles=corpus.count,
        items=items,
        events=events,
        pairs=pairs,
        test_pairs=test_pairs,
        at_most=at_most,
        seed=seed,
        trained=trained,
        hashes=hashes(judges.by_task),
        verdicts=verdicts_of(kinds, pairs),
        judges=tuple(rate_judges(judges.by_task, metrics, of_evidence, has_capitals=corpus.has_capitals)),
        gold=gold,
        kinds=tuple(kinds),
        cues=main_cues(judges.main, test.items, seed=seed),
        style={"within_event": to_json(main.within_event)} if main and main.within_event else {},
        agreement=agreed,
        signature="|".join(parts),
    )
    return made, beside


def verdicts_of(kinds: Sequence[TriedKind], pairs: int) -> dict[Measure, MeasureVerdict]:
    """Return measure to what it is worth, by what it makes of the kinds that so many test pairs have."""
    named = {kind.name: kind for kind in (*BASELINES, *(row.kind for row in PERTURBATIONS.values()))}
    tried = [named[kind.name] for kind in kinds if kind.name in named]
    verdicts = {}
    for name in MEASURES:
        shares = {kind.name: kind.shares[name] for kind in kinds}
        verdicts[name] = verdict_of(name, tried, shares, pairs=pairs)
    return verdicts


def measure_kinds(
    judges: "Judges",
    resources: Resources,
    settings: AuditSettings,
    *,
    choosers: "Judges | None" = None,
    progress: bool = False,
) -> tuple[GoldMeans, list[TriedKind]]:
    """Judge gold and every kind of wrong headlines that applies to an item.

    A kind has at most `at_most` headlines, of the first items that it applies to, in one random order of events for
    all, both directions of an event together. It keeps the ratio of its mean to gold's on the same items.

    Returns:
        Means of gold, of all items that a kind has, and the kinds in the order of their groups.
    """
    at_most, seed = settings.at_most, settings.seed
    ordered = _in_random_order(resources.test.items, seed)
    tried = [*_perturbed(ordered, resources, at_most, seed)]
    tried += _baselines(ordered[:at_most], judges, resources, choosers, seed)
    golds = {place for kind in tried for place, _ in kind.texts}
    golds |= {*range(min(at_most, len(ordered)))}
    asked = [(GOLD, place, ordered[place].reference) for place in sorted(golds)]
    asked += [(kind.kind.name, *headline) for kind in tried for headline in kind.texts]
    predicted = [replace(ordered[place], prediction=text) for _, place, text in asked]
    table = judges.judge(predicted, progress=progress).with_columns(
        pl.Series("system", [name for name, _, _ in asked]),
        pl.Series("place", [place for _, place, _ in asked]),
        pl.Series("event", [item.event for item in predicted]),
        pl.Series("headline", [item.prediction for item in predicted]),
        pl.col(compliancy_measures()).cast(pl.Float64),
    )
    gold = table.filter(system=GOLD)
    means = GoldMeans(gold.height, gold["event"].n_unique(), _means(gold))
    results = []
    for headlines in tried:
        kind = headlines.kind
        rows = table.filter(system=kind.name).join(
            gold.select("place", *MEASURES), on="place", suffix="_gold", maintain_order="left"
        )
        shares = {name: share_kept(rows, name, settings) for name in MEASURES}
        results.append(
            TriedKind(
                name=kind.name,
                words=kind.words,
                groups=kind.groups,
                description=headlines.description,
                seen=headlines.seen,
                n=rows.height,
                events=rows["event"].n_unique(),
                shares=shares,
                values=_means(rows),
                examples=_examples(rows, headlines, ordered, has_acceptability=judges.has_acceptability),
            )
        )
    return means, results


def _in_random_order(items: Sequence[Item], seed: int) -> list[Item]:
    """Return the items that have a reference, in a random order of events."""
    names, numbers = np.unique([item.event for item in items], return_inverse=True)
    rank = np.random.default_rng(seed).permutation(len(names))[numbers]
    in_order = (items[index] for index in np.argsort(rank, kind="stable").tolist())
    return [item for item in in_order if item.reference]


def _perturbed(items: Sequence[Item], resources: Resources, at_most: int, seed: int) -> list[Headlines]:
    """Return the perturbations that an item has."""
    made = []
    for kind in PERTURBATIONS.values():
        if kind.needs_names and not resources.has_names:
            continue
        texts = perturbed(items, kind, resources, seed=seed, at_most=at_most)
        true = {place: kind.true_headline(items[place]) for place, _ in texts}
        if texts:
            made.append(Headlines(kind.kind, kind.description, texts, true, bool(kind.seen)))
    return made


def _baselines(
    items: Sequence[Item], judges: "Judges", resources: Resources, choosers: "Judges | None", seed: int
) -> list[Headlines]:
    """Return the baselines as scoring makes them, a random clause in the place of all, and `floor` where judges choose it."""
    test = replace(resources.test, items=tuple(items))
    systems = {system.name: system for system in built_in_systems(test, seed=seed)}
    made = []
    for kind in BASELINES:
        headlines = systems[kind.name].headlines
        if kind.name == CLAUSE:
            draw = np.random.default_rng(seed)
            cuts = systems[CLAUSE].cuts
            headlines = tuple(texts[int(draw.integers(len(texts)))] for texts in cuts)
        made.append(_all_of(kind, headlines))
    if choosers:
        chosen = floor(test, choosers)
        shared = chosen.reranker.shared_with(Reranker.from_judges(judges)) if chosen.reranker else ()
        if shared:
            fault = f"the judges that choose floor are not independent of these ({listed(shared)})"
            raise InputError(f"{fault}: give judges of the other --fold")
        made.append(_all_of(FLOOR_KIND, chosen.headlines, f" of {chosen.candidates or 0:.2g} on average"))
    return made


def _all_of(kind: Kind, headlines: Sequence[str | None], more: str = "") -> Headlines:
    """Return the headlines of a baseline, which has one for every item."""
    texts = [(place, text) for place, text in enumerate(headlines) if text]
    description = f"{kind.words[:1].upper()}{kind.words[1:]}{more}."
    return Headlines(kind, description, texts, {})


def _means(rows: pl.DataFrame) -> dict[str, float | None]:
    """Return the mean of each of `compliancy_measures`; None where it is n/a."""
    return rows.select(pl.col(compliancy_measures()).mean()).row(0, named=True)


def _examples(
    rows: pl.DataFrame, headlines: Headlines, items: Sequence[Item], *, has_acceptability: bool
) -> tuple[Example, ...]:
    """Return the highest headlines of a kind by the measure that should notice it."""
    order = "acceptability" if has_acceptability else "compliancy"
    if headlines.kind.groups and not headlines.kind.is_business_of("acceptability"):
        order = "style"
    best = rows.sort(order, descending=True, nulls_last=True, maintain_order=True).head(EXAMPLES)
    examples = []
    for row in best.iter_rows(named=True):
        item = items[row["place"]]
        verdicts = {name: row[name] for name in compliancy_measures()}
        true = headlines.true.get(row["place"], "")
        examples.append(Example(item.id, item.direction, item.source, true, row["headline"], verdicts))
    return tuple(examples)


def share_kept(rows: pl.DataFrame, name: Measure, settings: AuditSettings) -> KindShare:
    """Return the share of gold's mean of a measure that a kind keeps.

    Args:
        rows: the kind's headlines, with `event`, the measure, and gold's on the same items as `<measure>_gold`.
        name: the measure; where one of both is null an item is left out.
        settings: resamples and seed of the interval.
    """
    known = rows.drop_nulls([name, f"{name}_gold"])
    n, events = rows.height, rows["event"].n_unique()
    if known.is_empty():
        return KindShare(None, None, None, n, events)
    values, gold = known[name].to_numpy(), known[f"{name}_gold"].to_numpy()
    is_signed = name == "style"
    shares = None if is_signed else {"ratio": "below"}
    kept = _ratio(values, gold, known["event"].to_numpy(), settings, shares)
    n, events = known.height, known["event"].n_unique()
    if np.isnan(kept.value):
        return KindShare(None, None, None, n, events)
    if np.isnan(kept.interval).any():
        return KindShare(kept.value, None, None, n, events)
    return KindShare(*kept, n, events)


def _ratio(
    above: Floats,
    below: Floats,
    events: EventIds,
    settings: AuditSettings,
    shares: Mapping[str, str] | None,
) -> Score:
    """Return the ratio of both sums with its interval; NaN where there is nothing below."""

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {"ratio": sums["above"] / np.where(sums["below"] > 0, sums["below"], np.nan)}

    columns = {"above": above, "below": below}
    measured = measure(
        columns,
        aggregate,
        events=events,
        shares=shares,
        resamples=settings.resamples,
        seed=settings.seed,
    )
    return measured[AVERAGE]["ratio"]


def main_cues(main: "Judge", items: Sequence[Item], *, seed: int = 1) -> list[dict[str, Any]]:
    """For each outlet the words and marks that speak for it to main, the strongest first: each is taken out of each of `n` test headlines that have it.

    `weight` is the mean change of main's log-odds.
    """
    order = np.arange(len(items))
    if len(items) > MOST_CUE_HEADLINES:
        order = np.sort(np.random.default_rng(seed).permutation(len(items))[:MOST_CUE_HEADLINES])
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
