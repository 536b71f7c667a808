"""Audit judges: what they let through of wrong headlines, what main listens to, and what readers say.

The headlines are wrong on purpose, see `change_it.audit.perturbations`.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.audit.perturbations import BASELINES, FLOOR_KIND, PERTURBATIONS, Resources, perturb
from change_it.audit.record import MOST_CUE_HEADLINES, Audit, Example, GoldMeans, TriedKind
from change_it.audit.verdict import MEASURES, Kind, KindShare, Measure, MeasureVerdict, verdict_of
from change_it.corpus.folder import read_language, read_report, read_table
from change_it.corpus.test_set import CLAUSE, GOLD, Item, TestSet, read_test_set
from change_it.errors import InputError
from change_it.files.records import to_json
from change_it.files.texts import join_truncated
from change_it.judges.record import JudgeMetrics
from change_it.judges.reliability import hashes, rate_judges
from change_it.readers.labels import ReaderLabels, agreement
from change_it.scoring.aspects import compliancy_measures
from change_it.scoring.baselines import built_in_systems
from change_it.scoring.choosing import floor
from change_it.scoring.signature import Reranker
from change_it.stats import AVERAGE, EventIds, Floats, Score, Statistics, log_odds, measure
from change_it.text.corruptions import Lexicon
from change_it.text.stopwords import guess_language
from change_it.version import __version__

if TYPE_CHECKING:
    from change_it.judges.judge import Judge
    from change_it.scoring.panel import Judges

#: Number of examples of each kind.
EXAMPLES_PER_KIND = 3
#: Number of training articles that corruptions take words from, at most.
LEXICON_ARTICLES = 4000
#: Characters at the beginning of each of these articles, at most.
OPENING_CHARACTERS = 1200
#: Characters at the beginning of a headline in which cues are sought, at most.
CUE_CHARACTERS = 1000
#: Number of cues of each outlet, at most.
CUES_PER_OUTLET = 12
#: Times that a word must occur in the headlines to be a cue.
MIN_OCCURRENCES = 4
#: A word with its apostrophes, or a mark.
_TOKEN = re.compile(r"\w+(?:['’]\w+)*['’]?|[^\w\s]")


def read_corpus(corpus: str, *, seed: int = 1) -> Resources:
    """Read what an audit needs of a corpus.

    Args:
        corpus: a folder or an id of the Hub. Its language is guessed where it does not say.
        seed: seed of the choice of articles.
    """
    test = read_test_set(corpus)
    headlines: list[str] = []
    outlets: list[str] = []
    for outlet, texts in test.training_headlines.items():
        headlines += texts
        outlets += [outlet] * len(texts)
    articles = read_table(corpus, "articles", "train", ["article"])["article"]
    drawn = articles.sample(min(LEXICON_ARTICLES, len(articles)), seed=seed, shuffle=True)
    openings = drawn.str.slice(0, OPENING_CHARACTERS).to_list()
    language = read_language(corpus) or guess_language(headlines)
    report = read_report(corpus)
    count = report.articles_of_both if report else None
    return Resources(test, Lexicon(headlines, outlets, openings), language, count)


@dataclass(frozen=True)
class Headlines:
    """The headlines of a kind.

    Attributes:
        kind: the kind.
        description: one sentence that says how they are made.
        texts: the place of each item that has one, and its headline.
        true: the place of each item to the headline that was changed; empty where none was.
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
        at_most: the most headlines that a kind has.
        resamples: the number of bootstrap resamples of an interval.
        seed: the seed of everything that is drawn.
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
        metrics: what training measured of the judges, of `reliability.read_metrics`.
        choosers: judges of the other fold, which choose `floor`; without them that kind is not tried.
        at_most: the most headlines that a kind has.
        resamples: the number of bootstrap resamples of an interval.
        seed: the seed of everything that is drawn.
        progress: whether bars are shown.
        labels: readers' labels, with which the judges are compared.

    Returns:
        The audit, and the labels beside what the judges say; None without labels.
    """
    test = corpus.test
    trained = judges.check_corpus(test)
    settings = AuditSettings(at_most=at_most, resamples=resamples, seed=seed)
    gold, kinds = measure_kinds(judges, corpus, settings, choosers=choosers, progress=progress)
    aligned = sum(bool(item.reference) for item in test.items)
    # a pair has an item in each direction
    test_pairs = math.ceil(aligned / 2)
    pairs = min(math.ceil(at_most / 2), test_pairs)
    of_evidence = (gold.values["evidence"], gold.events)
    ratings = rate_judges(judges.by_task, metrics, of_evidence, has_capitals=corpus.has_capitals)
    main = metrics.get("main")
    style: dict[str, Any] = {}
    if main and main.within_event:
        style = {"within_event": to_json(main.within_event)}
    agreed = None
    beside = None
    if labels:
        agreed, beside = agreement(labels, test, judges, resamples=resamples, progress=progress)
    made = Audit(
        corpus=test.name,
        outlets=test.outlets,
        language=corpus.language,
        articles=corpus.count,
        items=len(test.items),
        events=_count_events(test.items),
        pairs=pairs,
        test_pairs=test_pairs,
        at_most=at_most,
        seed=seed,
        trained=trained,
        hashes=hashes(judges.by_task),
        verdicts=verdicts_of(kinds, pairs),
        judges=tuple(ratings),
        gold=gold,
        kinds=tuple(kinds),
        cues=main_cues(judges.main, test.items, seed=seed),
        style=style,
        agreement=agreed,
        signature=_signature(judges, test.items, settings, trained, choosers, labels),
    )
    return made, beside


def _count_events(items: Sequence[Item]) -> int:
    """Return the number of events of the items."""
    return len({item.event for item in items})


def _signature(
    judges: "Judges",
    items: Sequence[Item],
    settings: AuditSettings,
    trained: str,
    choosers: "Judges | None",
    labels: ReaderLabels | None,
) -> str:
    """Return everything that the figures of an audit depend on, in one line.

    Args:
        judges: the judges that are audited.
        items: the test items that may be tried.
        settings: how many of them, resamples and seed.
        trained: digest of the corpus that the judges learnt from, empty where it is the audited one.
        choosers: judges of the other fold, which choose the clauses of the baseline `floor`.
        labels: what readers said of headlines.
    """
    parts = [f"audit|judges:{judges.signature}"]
    if trained:
        parts.append(f"trained:{trained}")
    if choosers:
        parts.append(f"choosers:{choosers.signature}")
    tried = min(settings.at_most, len(items))
    parts += [f"items:{tried} of {len(items)}", f"events:{_count_events(items)}"]
    if labels:
        parts.append(f"labels:{labels.hash[:6]}")
    parts += [f"resamples:{settings.resamples}", f"seed:{settings.seed}", f"v:{__version__}"]
    return "|".join(parts)


def verdicts_of(kinds: Sequence[TriedKind], pairs: int) -> dict[Measure, MeasureVerdict]:
    """Return each measure to its verdict, whether it can rank systems.

    Args:
        kinds: the kinds of wrong headlines that were tried.
        pairs: the number of test pairs that they were tried on.
    """
    registered = {kind.name: kind for kind in BASELINES}
    for perturbation in PERTURBATIONS.values():
        registered[perturbation.name] = perturbation.kind
    tried = [registered[kind.name] for kind in kinds if kind.name in registered]
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

    All kinds go through the items in one random order, both directions of an event together. A kind has
    headlines of the first `at_most` items that it applies to. In each measure it keeps a share of gold: its
    mean over gold's mean on the same items.

    Returns:
        The means of gold on all items that were tried, and the kinds: perturbations, then baselines.
    """
    ordered = _in_random_order(resources.test.items, settings.seed)
    tried = _perturbed(ordered, resources, settings)
    tried += _baselines(ordered[: settings.at_most], judges, resources, choosers, settings.seed)
    table = _judge_all(judges, ordered, tried, settings.at_most, progress=progress)
    gold = table.filter(system=GOLD)
    means = GoldMeans(gold.height, gold["event"].n_unique(), _means(gold))
    of_gold = gold.select("place", *MEASURES)
    kinds = []
    for headlines in tried:
        rows = table.filter(system=headlines.kind.name)
        rows = rows.join(of_gold, on="place", suffix="_gold", maintain_order="left")
        examples = _examples(rows, headlines, ordered, has_acceptability=judges.has_acceptability)
        kinds.append(_measure_kind(headlines, rows, examples, settings))
    return means, kinds


def _judge_all(
    judges: "Judges",
    items: Sequence[Item],
    tried: Sequence[Headlines],
    at_most: int,
    *,
    progress: bool,
) -> pl.DataFrame:
    """Judge gold and the headlines of all kinds at once, so that a text which recurs is read once.

    Gold is judged on the first `at_most` items and on those for which a kind has a headline.

    Returns:
        A row for each headline: the columns of `Judges.judge`, and `system` (gold, or the name of the kind),
        `place` (of the item), `event` and `headline`.
    """
    places = set(range(min(at_most, len(items))))
    for headlines in tried:
        places.update(place for place, _ in headlines.texts)
    rows = [(GOLD, place, items[place].reference) for place in sorted(places)]
    for headlines in tried:
        for place, text in headlines.texts:
            rows.append((headlines.kind.name, place, text))
    asked = pl.DataFrame(rows, ["system", "place", "headline"], orient="row")
    predicted = [replace(items[place], prediction=text) for _, place, text in rows]
    events = pl.Series("event", [item.event for item in predicted])
    table = judges.judge(predicted, progress=progress)
    table = table.with_columns(pl.col(compliancy_measures()).cast(pl.Float64))
    return table.with_columns(*asked.get_columns(), events)


def _measure_kind(
    headlines: Headlines, rows: pl.DataFrame, examples: tuple[Example, ...], settings: AuditSettings
) -> TriedKind:
    """Return what the judges make of a kind.

    Args:
        headlines: the headlines of the kind.
        rows: a row for each of them, with the columns of `_judge_all`, and each measure of gold on the same
            item as `<measure>_gold`.
        examples: some of the headlines.
        settings: how intervals are drawn.
    """
    kind = headlines.kind
    return TriedKind(
        name=kind.name,
        words=kind.words,
        groups=kind.groups,
        description=headlines.description,
        seen=headlines.seen,
        n=rows.height,
        events=rows["event"].n_unique(),
        shares={name: share_kept(rows, name, settings) for name in MEASURES},
        values=_means(rows),
        examples=examples,
    )


def _in_random_order(items: Sequence[Item], seed: int) -> list[Item]:
    """Return the items that have a reference, in a random order of events.

    The items of an event follow each other.
    """
    names, numbers = np.unique([item.event for item in items], return_inverse=True)
    rank = np.random.default_rng(seed).permutation(len(names))[numbers]
    ordered = [items[place] for place in np.argsort(rank, kind="stable").tolist()]
    return [item for item in ordered if item.reference]


def _perturbed(items: Sequence[Item], resources: Resources, settings: AuditSettings) -> list[Headlines]:
    """Return the headlines of each perturbation that applies to an item."""
    made = []
    for perturbation in PERTURBATIONS.values():
        if perturbation.needs_names and not resources.has_names:
            continue
        texts = perturb(items, perturbation, resources, seed=settings.seed, at_most=settings.at_most)
        true = {place: perturbation.true_headline(items[place]) for place, _ in texts}
        if texts:
            is_seen = bool(perturbation.seen)
            headlines = Headlines(
                kind=perturbation.kind,
                description=perturbation.description,
                texts=texts,
                true=true,
                seen=is_seen,
            )
            made.append(headlines)
    return made


def _baselines(
    items: Sequence[Item], judges: "Judges", resources: Resources, choosers: "Judges | None", seed: int
) -> list[Headlines]:
    """Return the baselines as scoring makes them, and `floor` where there are judges that choose it.

    As `clause` an item has a random one of the clauses of its article.
    """
    test = replace(resources.test, items=tuple(items))
    systems = {system.name: system for system in built_in_systems(test, seed=seed)}
    made = []
    for kind in BASELINES:
        system = systems[kind.name]
        headlines: Sequence[str | None] = system.headlines
        if kind.name == CLAUSE:
            random = np.random.default_rng(seed)
            headlines = [cuts[int(random.integers(len(cuts)))] for cuts in system.cuts]
        made.append(_all_of(kind, headlines))
    if choosers:
        made.append(_floor(test, judges, choosers))
    return made


def _floor(test: TestSet, judges: "Judges", choosers: "Judges") -> Headlines:
    """Return for each item the clause of its article that the choosers like best.

    Raises:
        InputError: the choosers are not independent of the judges that are audited.
    """
    chosen = floor(test, choosers)
    if chosen.reranker:
        shared = chosen.reranker.shared_with(Reranker.from_judges(judges))
        if shared:
            fault = f"the judges that choose floor are not independent of these ({join_truncated(shared)})"
            raise InputError(f"{fault}: give judges of the other --fold")
    return _all_of(FLOOR_KIND, chosen.headlines, f" of {chosen.candidates or 0:.2g} on average")


def _all_of(kind: Kind, headlines: Sequence[str | None], more: str = "") -> Headlines:
    """Return the headlines of a baseline; `more` ends the sentence that describes them."""
    texts = [(place, text) for place, text in enumerate(headlines) if text]
    description = f"{kind.words[:1].upper()}{kind.words[1:]}{more}."
    return Headlines(kind=kind, description=description, texts=texts, true={})


def _means(rows: pl.DataFrame) -> dict[str, float | None]:
    """Return each of `compliancy_measures` to its mean; None where it is n/a."""
    return rows.select(pl.col(compliancy_measures()).mean()).row(0, named=True)


def _examples(
    rows: pl.DataFrame, headlines: Headlines, items: Sequence[Item], *, has_acceptability: bool
) -> tuple[Example, ...]:
    """Return the worst misses of a kind of wrong headlines.

    They score highest in the measure that should notice them.

    Args:
        rows: the judged headlines of the kind.
        headlines: the same headlines before they were judged.
        items: the items, to which `place` refers.
        has_acceptability: whether acceptability can be measured; compliancy stands in for it.
    """
    order = "acceptability" if has_acceptability else "compliancy"
    # the kind floor is in no group, so no measure should notice it: it is ordered by acceptability
    if headlines.kind.groups and not headlines.kind.is_business_of("acceptability"):
        order = "style"
    falling = rows.sort(order, descending=True, nulls_last=True, maintain_order=True)
    best = falling.head(EXAMPLES_PER_KIND)
    examples = []
    for row in best.iter_rows(named=True):
        item = items[row["place"]]
        verdicts = {name: row[name] for name in compliancy_measures()}
        true = headlines.true.get(row["place"], "")
        example = Example(
            id=item.id,
            direction=item.direction,
            source=item.source,
            true=true,
            headline=row["headline"],
            verdicts=verdicts,
        )
        examples.append(example)
    return tuple(examples)


def share_kept(rows: pl.DataFrame, name: Measure, settings: AuditSettings) -> KindShare:
    """Return the share of gold's mean of a measure that a kind keeps.

    Args:
        rows: the kind's headlines, with `event`, the measure, and gold's measure on the same items as
            `<measure>_gold`.
        name: the measure. An item is left out where the measure is null for the headline or for gold.
        settings: how intervals are drawn.

    Returns:
        The share. It has no value where gold's mean is not positive, and no interval where there are too few
        events for one. Its counts are those of the items that are not left out, or of all where none is left.
    """
    known = rows.drop_nulls([name, f"{name}_gold"])
    if known.is_empty():
        return KindShare(share=None, low=None, high=None, n=rows.height, events=rows["event"].n_unique())
    # Style can be below 0, so it is no share. The others are shares of what gold has, the column `below`.
    shares = None if name == "style" else {"ratio": "below"}
    value, low, high = _ratio(
        known[name].to_numpy(),
        known[f"{name}_gold"].to_numpy(),
        known["event"].to_numpy(),
        settings,
        shares,
    )
    n = known.height
    events = known["event"].n_unique()
    if np.isnan(value):
        return KindShare(share=None, low=None, high=None, n=n, events=events)
    if np.isnan(low) or np.isnan(high):
        return KindShare(share=value, low=None, high=None, n=n, events=events)
    return KindShare(share=value, low=low, high=high, n=n, events=events)


def _ratio(
    above: Floats,
    below: Floats,
    events: EventIds,
    settings: AuditSettings,
    shares: Mapping[str, str] | None,
) -> Score:
    """Return the ratio of two sums with its interval; NaN where the second is not positive.

    Args:
        above: (n,) values whose sum is divided.
        below: (n,) values whose sum it is divided by.
        events: (n,) event of each item.
        settings: how intervals are drawn.
        shares: as in `stats.measure`; `{"ratio": "below"}` where the ratio is a share, else None.
    """

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        positive = np.where(sums["below"] > 0, sums["below"], np.nan)
        return {"ratio": sums["above"] / positive}

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
    """Return the words and marks that make main think of each outlet, the strongest first.

    Each word is taken out of the headlines, one occurrence at a time. Of more than `MOST_CUE_HEADLINES` items
    so many are drawn.

    Args:
        main: the judge.
        items: the test items, whose originals are read.
        seed: the seed of the draw.

    Returns:
        A record for each cue: the `outlet` that it speaks for, its `text`, `weight`, the size of the mean
        change of main's log odds, and `n`, the number of occurrences.
    """
    headlines = [item.source[:CUE_CHARACTERS] for item in _drawn(items, seed)]
    changes = _changes_without_words(main, headlines)
    sums = {word: sum(values) for word, values in changes.items() if len(values) >= MIN_OCCURRENCES}
    rising = sorted(sums, key=lambda word: (sums[word], word))
    falling = rising[::-1]
    first, second = main.outlets
    cues = []
    # a word that lowers the log odds of the second outlet speaks for the first
    for word in rising[:CUES_PER_OUTLET]:
        if sums[word] < 0:
            cues.append(_cue(first, word, changes[word]))
    for word in falling[:CUES_PER_OUTLET]:
        if sums[word] > 0:
            cues.append(_cue(second, word, changes[word]))
    return cues


def _drawn(items: Sequence[Item], seed: int) -> list[Item]:
    """Return all items, or of more than `MOST_CUE_HEADLINES` so many at random, in their order."""
    if len(items) <= MOST_CUE_HEADLINES:
        return list(items)
    drawn = np.random.default_rng(seed).permutation(len(items))[:MOST_CUE_HEADLINES]
    return [items[place] for place in np.sort(drawn).tolist()]


def _changes_without_words(main: "Judge", headlines: Sequence[str]) -> dict[str, list[float]]:
    """Return each word to a list with a figure for each of its occurrences.

    The figure says how much higher main's log odds of the second outlet are with the word than without it. A
    headline that would be empty without a word is passed over.
    """
    places: list[int] = []
    removed: list[str] = []
    shortened: list[str] = []
    for place, text in enumerate(headlines):
        for match in _TOKEN.finditer(text):
            without = " ".join(f"{text[: match.start()]} {text[match.end() :]}".split())
            if without:
                places.append(place)
                removed.append(match[0])
                shortened.append(without)
    answers = main.probabilities([*headlines, *shortened], progress=False)
    odds = log_odds(answers[:, 1])
    changes: dict[str, list[float]] = defaultdict(list)
    for place, word, after in zip(places, removed, odds[len(headlines) :], strict=True):
        changes[word].append(float(odds[place] - after))
    return changes


def _cue(outlet: str, word: str, changes: Sequence[float]) -> dict[str, Any]:
    """Return the record of a cue."""
    return {"outlet": outlet, "text": word, "weight": abs(float(np.mean(changes))), "n": len(changes)}
