"""Build a corpus folder of the articles of two outlets: aligned pairs, splits and training sets."""

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import DatasetCardData
from jinja2 import FileSystemLoader

from change_it.corpus.folder import (
    CARD,
    CONFIGS,
    PICTURE,
    REJECTED,
    REPORT,
    TEST_ARTICLES,
    arrow_schema,
    features_of_card,
)
from change_it.corpus.leak_check import count_close_test_articles, find_neighbours, leak_check
from change_it.corpus.pairing.groups import components
from change_it.corpus.pairing.matching import (
    EDGES,
    Candidates,
    Lag,
    Pairs,
    find_pairs,
    histogram,
    lowest_strict,
    outlet_numbers,
    share_of_one_event,
)
from change_it.corpus.pairing.vectors import near_duplicates, tfidf
from change_it.corpus.reading.article import OTHER, Article, Outlets
from change_it.corpus.reading.issues import find_issues, refuse_apart, same_headlines
from change_it.corpus.reading.licence import licence_of_texts
from change_it.corpus.reading.options import LEAST_PAIRS, BuildOptions, parse_sizes
from change_it.corpus.reading.reading import Reading, Rejection, write_rejected
from change_it.corpus.reading.sample import is_sample
from change_it.corpus.record import (
    BuiltWith,
    CorpusReport,
    DaysApart,
    EventCounts,
    Histogram,
    LeakCheck,
    OtherOutlets,
    PairCounts,
    ReportedIssue,
    ThresholdName,
    Thresholds,
)
from change_it.corpus.report import MORE_ARTICLES, READ_PAIRS_A_DAY_APART, summary
from change_it.corpus.splits import REMOVED, Splits, split
from change_it.corpus.tasks.judges import Tables, training_sets
from change_it.errors import InputError
from change_it.files.atomic import replace_folder, write_json, write_text
from change_it.files.records import to_json
from change_it.files.shipped import dataset_script_path
from change_it.files.texts import pluralise
from change_it.render.tables import card_markdown
from change_it.render.templates import template_environment, without_markup
from change_it.stats import Ints
from change_it.text.stopwords import function_word_shares, function_words, guess_language
from change_it.version import __version__

#: Rows of a group of parquet, few enough to stream.
ROWS_A_GROUP = 5_000
#: Articles of an outlet that its language is guessed from, at most.
ARTICLES_FOR_LANGUAGE = 200
#: Test pairs below which a corpus warns.
ENOUGH_TEST_PAIRS = 100
#: Share of the strict pairs that report one event below which a corpus warns.
ENOUGH_OF_ONE_EVENT = 0.8
#: Articles of an event above which a corpus warns.
LARGEST_EVENT = 20
#: Days of an event above which a corpus warns.
LONGEST_EVENT_DAYS = 14
#: Pairs of an event from which a corpus warns, if they are a tenth of all.
MANY_PAIRS = 5
#: The parts of a corpus.
SPLIT_NAMES = ("A1", "A2", "A3", "R")

#: Called with the name of each step of a build when it begins.
Stage = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything that a corpus folder holds.

    Attributes:
        outlets: A and B.
        tables: config to split to rows, with the columns of `folder.CONFIGS` in that order.
        rejected: rows that are in no table, those of the reading first.
        report: the content of `alignment.json`.
    """

    outlets: Outlets
    tables: Tables
    rejected: list[Rejection]
    report: CorpusReport


def build_corpus(reading: Reading, options: BuildOptions, *, stage: Stage = lambda text: None) -> Corpus:
    """Align, split and make all training sets (LREC 2020 §4.1, EvalNLGEval 2020 §3).

    The same input gives the same rows.
    """
    order = _order_of(reading.articles)
    articles = [reading.articles[row] for row in order]
    places = [reading.places[row] for row in order]
    outlets = reading.outlets
    alignments = [article.alignment for article in articles]
    is_split_by_input = any(alignments)
    options, notes = _completed(options, articles, outlets, is_split=is_split_by_input)
    if options.window is not None and not is_split_by_input:
        refuse_apart(articles, outlets.names, options.window)
    stage("near-duplicates")
    texts = [article.article for article in articles]
    vectors = tfidf(texts, stop_words=function_words(options.language or "none"))
    clusters = _with_equal_texts(near_duplicates(vectors), articles)
    stage("alignment")
    sizes = parse_sizes(options.sizes)
    wanted = sum(sizes.values()) if sizes else 0
    candidates = find_pairs(articles, vectors, outlets, options, wanted=wanted)
    stage("splits")
    labels = outlet_numbers(articles, outlets)
    given_alignments = alignments if is_split_by_input else None
    splits = split(
        clusters,
        (*candidates.pairs.positions, candidates.pairs.similarity),
        labels,
        strict=options.strict,
        loose=options.loose,
        seed=options.seed,
        sizes=sizes,
        alignments=given_alignments,
        close=candidates.close.positions,
        others=candidates.others.positions,
        test_articles=_number_of_test_articles(options, is_split=is_split_by_input),
    )
    stage("nearest wrong articles")
    ids = pl.Series("id", [article.id for article in articles])
    paired = _positions_in_pairs(candidates, splits)
    neighbours = find_neighbours(articles, vectors, labels, splits, paired, options).with_columns(ids)
    stage("training sets")
    base = _base_tables(articles, labels, candidates, splits)
    nearest = pl.DataFrame([ids, pl.Series("nearest", candidates.nearest)])
    learnt = training_sets(base, neighbours, outlets, nearest, options)
    tables = _with_columns_of_configs({**base, **learnt})
    stage("leak check")
    near = count_close_test_articles(tables, ids.to_list(), vectors, options)
    leaks = leak_check(tables, pl.DataFrame([ids, pl.Series("cluster", clusters)]), near)
    if near.articles and not is_split_by_input:
        raise RuntimeError(f"the leak check found test articles close to training ones: {near}")
    test_headlines = tables["pairs"]["test"].select("a_headline", "b_headline").rows()
    tables = _without_empty(tables)
    advice = "it is left after --mend" if reading.mended else "--mend takes it off"
    links = candidates.pairs if is_split_by_input else candidates.close
    issues = list(reading.issues)
    issues += find_issues(articles, outlets.names, links.positions, advice)
    issues += same_headlines(test_headlines)
    report = _report(reading, options, candidates, splits, tables, leaks)
    report = dataclasses.replace(
        report,
        notes=notes,
        loose_one_event=one_event(report, "loose"),
        warnings=warnings_of(report),
        looks=[ReportedIssue.from_issue(issue) for issue in issues],
        mended=[ReportedIssue.from_issue(issue) for issue in reading.mended],
    )
    rejected = list(reading.rejected)
    for row, reason in sorted(splits.removed.items()):
        file, line = places[row]
        rejected.append(Rejection(file, line, articles[row].id, reason))
    return Corpus(outlets, tables, rejected, report)


def _positions_in_pairs(candidates: Candidates, splits: Splits) -> Ints:
    """Return the positions of the articles in kept strict pairs, also in pairs with a further outlet."""
    strict = splits.pairs[splits.pair_alignment != "A3"]
    own_a, own_b = candidates.pairs.select(strict).positions
    other_a, other_b = candidates.others.select(splits.others).positions
    return np.concatenate([own_a, own_b, other_a, other_b])


def _base_tables(articles: list[Article], labels: Ints, candidates: Candidates, splits: Splits) -> Tables:
    """Return the configs `articles`, `pairs` and `test_articles`, from which all others are made."""
    article_table = _article_table(articles, splits).with_columns(
        other=pl.Series(labels > 1),
        alone=pl.Series(splits.alone),
    )
    pair_table = _pair_table(article_table, candidates, splits)
    article_table = article_table.filter(pl.col("alignment") != REMOVED)
    alone = article_table.filter("alone").select(*CONFIGS[TEST_ARTICLES])
    article_table = article_table.filter(~pl.col("alone"))
    return {
        "articles": _sides(article_table, "articles"),
        "pairs": _sides(pair_table, "pairs"),
        TEST_ARTICLES: {"test": alone},
    }


def _with_columns_of_configs(all_tables: Tables) -> Tables:
    """Return the tables with the columns of `CONFIGS`, in its order."""
    tables: Tables = {}
    for config, columns in CONFIGS.items():
        tables[config] = {side: rows.select(*columns) for side, rows in all_tables[config].items()}
    return tables


def _order_of(articles: Sequence[Article]) -> list[int]:
    """Return the positions of articles in an order that the order of the input's rows does not change."""
    keys = [(a.label, str(a.date or ""), a.headline, a.article, a.id) for a in articles]
    return sorted(range(len(keys)), key=lambda row: keys[row])


def _completed(
    options: BuildOptions, articles: Sequence[Article], outlets: Outlets, *, is_split: bool
) -> tuple[BuildOptions, list[str]]:
    """Return the options with a language, without a window where no article has a date, and notes on that."""
    notes: list[str] = []
    if options.language is None:
        language, note = _guessed(articles, outlets)
        options = dataclasses.replace(options, language=language)
        notes.append(note)
    if not any(article.date for article in articles):
        if options.window is not None and not is_split:
            compared = "every article of one outlet is compared with every article of the other"
            notes.append(f"No row has a date, so {compared}")
        options = dataclasses.replace(options, window_days="none")
    return options, notes


def _without_empty(tables: Tables) -> Tables:
    """Return the splits that have rows, and the configs that have such splits."""
    filled: Tables = {}
    for config, by_side in tables.items():
        with_rows = {side: rows for side, rows in by_side.items() if rows.height}
        if with_rows:
            filled[config] = with_rows
    return filled


def _number_of_test_articles(options: BuildOptions, *, is_split: bool) -> int | None:
    """Return how many articles of each outlet without a partner are tested.

    None leaves it to `splits.wanted_alone`.
    """
    number = options.test_articles
    if number and is_split:
        fault = (
            "--test-articles needs pairs that are found, and the input's alignment column gives the splits"
        )
        raise InputError(f"{fault}: leave one of them out")
    if number is None and (is_split or options.sizes):
        return 0
    return number


def _guessed(articles: Sequence[Article], outlets: Outlets) -> tuple[str, str]:
    """Guess the language of both outlets' articles by their function words; return it and a note on it."""
    texts = []
    for name in outlets.names:
        own = [article.article for article in articles if article.label == name]
        step = max(1, len(own) // ARTICLES_FOR_LANGUAGE)
        texts += own[::step][:ARTICLES_FOR_LANGUAGE]
    language = guess_language(texts)
    shares_by_list = function_word_shares(texts)
    shares = " and ".join(f"{share:.0%} of {name}" for name, share in shares_by_list.items())
    ignored = ", so no stop words are ignored" if language == "none" else ""
    note = f"Language: {language}, guessed (of the words, {shares} are function words){ignored}"
    return language, f"{note}; --language says another"


def _report(
    reading: Reading,
    options: BuildOptions,
    candidates: Candidates,
    splits: Splits,
    tables: Tables,
    leaks: LeakCheck,
) -> CorpusReport:
    """Return the content of `alignment.json`, but for notes, warnings and issues."""
    similarity = candidates.pairs.similarity
    articles = pl.concat(tables["articles"].values())
    names = reading.outlets.names
    test_articles = dict.fromkeys(names, 0)
    if TEST_ARTICLES in tables:
        alone = tables[TEST_ARTICLES]["test"]
        test_articles = {name: alone.filter(label=name).height for name in names}
    articles_of_splits = {}
    for split_name in SPLIT_NAMES:
        of_split = articles.filter(alignment=split_name)
        articles_of_splits[split_name] = {name: of_split.filter(label=name).height for name in names}
    rows_by_config = {}
    for config, by_side in tables.items():
        rows_by_config[config] = {side: rows.height for side, rows in by_side.items()}
    kept_pairs = {}
    for split_name in ("A1", "A2", "A3"):
        kept_pairs[split_name] = int((splits.pair_alignment == split_name).sum())
    return CorpusReport(
        version=__version__,
        outlets=reading.outlets,
        sample=is_sample(reading.articles),
        options=BuiltWith.from_options(options),
        day_first=reading.day_first,
        rows=reading.rows,
        kept=articles.height + sum(test_articles.values()),
        rejected=dict(reading.reasons + Counter(splits.removed.values())),
        thresholds=Thresholds(strict=options.strict, loose=options.loose),
        pairs=PairCounts(
            above_strict=int((similarity > options.strict).sum()),
            above_loose=int((similarity > options.loose).sum()),
            kept=kept_pairs,
            dropped=splits.dropped,
        ),
        days_apart=[_days_apart(candidates.lags, lag, options) for lag in candidates.lags],
        lowest_strict=lowest_strict(candidates.lags, options.window, options.loose),
        events=_events(tables),
        other_outlets=_other_outlets(tables),
        histogram=Histogram(
            edges=EDGES.tolist(),
            compared=candidates.pairs.counts.tolist(),
            pairs=histogram(similarity).tolist(),
        ),
        splits=articles_of_splits,
        test_articles=test_articles,
        rows_by_config=rows_by_config,
        leak_check=leaks,
        notes=[],
        loose_one_event=None,
        warnings=[],
        looks=[],
        mended=[],
    )


def _days_apart(lags: Sequence[Lag], lag: Lag, options: BuildOptions) -> DaysApart:
    """Count the strict and loose one-to-one pairs of a lag, and estimate their shares of one event."""
    return DaysApart(
        days=lag.days,
        compared=lag.compared,
        strict=lag.matched_between(options.strict),
        strict_one_event=_rounded(share_of_one_event(lags, lag.days, options.strict)),
        loose=lag.matched_between(options.loose, options.strict),
        loose_one_event=_rounded(share_of_one_event(lags, lag.days, options.loose, options.strict)),
    )


def _rounded(share: float) -> float | None:
    """Return a share with three decimals; None where it is not known."""
    if np.isnan(share):
        return None
    return round(share, 3)


def one_event(report: CorpusReport, name: ThresholdName) -> float | None:
    """Estimate the share of the strict or loose pairs inside the window that report one event.

    None where pairs are too few.
    """
    window = report.options.window_days
    pairs_by_share: list[tuple[int, float]] = []
    for row in report.days_apart:
        share = row.one_event(name)
        if window != "none" and row.days <= window and share is not None:
            pairs_by_share.append((row.pairs(name), share))
    total = sum(pairs for pairs, _ in pairs_by_share)
    if total < LEAST_PAIRS:
        return None
    of_one_event = sum(pairs * share for pairs, share in pairs_by_share)
    return of_one_event / total


def _events(tables: Tables) -> EventCounts:
    """Count articles and days of the largest event, and test pairs, their events and their effective number.

    So many pairs, each of an event of its own, would tell as much as the test pairs.
    """
    articles = pl.concat(tables["articles"].values())
    span = pl.col("date").max() - pl.col("date").min()
    events = articles.group_by("event").agg(pl.len(), days=span.dt.total_days() + 1)
    _, largest, days = events.sort("len", "event").row(-1)
    pairs_of_test_event = tables["pairs"]["test"]["event"].value_counts()["count"]
    sizes = pairs_of_test_event.to_numpy().astype(np.float64)
    effective = 0.0
    if len(sizes):
        effective = round(float(sizes.sum() ** 2 / (sizes**2).sum()), 1)
    own_pairs = pl.concat(rows for side, rows in tables["pairs"].items() if side != OTHER)
    strict_pairs = own_pairs.filter(pl.col("alignment") != "A3")
    most = strict_pairs["event"].value_counts()["count"].max()
    return EventCounts(
        largest_pairs=most if isinstance(most, int) else 0,
        largest=largest,
        largest_days=days,
        test_pairs=int(sizes.sum()),
        test_events=len(sizes),
        effective=effective,
    )


def _other_outlets(tables: Tables) -> OtherOutlets:
    """Count articles and pairs of further outlets."""
    if OTHER not in tables["articles"]:
        return OtherOutlets()
    counts = tables["articles"][OTHER]["label"].value_counts()
    counts = counts.sort("count", "label", descending=[True, False])
    pairs = 0
    if OTHER in tables["pairs"]:
        pairs = tables["pairs"][OTHER].height
    return OtherOutlets(articles=dict(counts.iter_rows()), pairs=pairs)


@dataclass(frozen=True)
class ConfigFiles:
    """What the card says of the files of a config.

    Attributes:
        digest: digest of their bytes, in the order of the splits' names.
        size: number of the bytes of all of them.
        table_sizes: split to the bytes of its table in memory.
    """

    digest: str
    size: int
    table_sizes: Mapping[str, int]


def write_corpus(corpus: Corpus, out: Path) -> None:
    """Write a corpus folder: all of it, or nothing; files in it that are not of a corpus stay."""
    files = {}
    with replace_folder(out, REPORT, later=[PICTURE]) as folder:
        for config, by_side in corpus.tables.items():
            (folder / config).mkdir()
            schema = arrow_schema(config, corpus.outlets)
            digest = hashlib.sha256()
            size = 0
            table_sizes = {}
            for side in sorted(by_side):
                file = folder / config / f"{side}.parquet"
                table_sizes[side] = _write_table(by_side[side], schema, file)
                digest.update(file.read_bytes())
                size += file.stat().st_size
            files[config] = ConfigFiles(digest=digest.hexdigest()[:16], size=size, table_sizes=table_sizes)
        write_rejected(folder / REJECTED, corpus.rejected)
        write_json(folder / REPORT, to_json(corpus.report))
        write_text(folder / CARD, card(corpus, files))


def _write_table(rows: pl.DataFrame, schema: pa.Schema, file: Path) -> int:
    """Write rows as parquet, and return their bytes in memory."""
    size = 0
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for part in rows.iter_slices(ROWS_A_GROUP):
            arrow = part.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(schema)
            writer.write_table(arrow)
            size += arrow.nbytes
    return size


def card(corpus: Corpus, files: Mapping[str, ConfigFiles]) -> str:
    """Return the data set card, whose YAML makes `load_dataset(folder, config)` work.

    `datasets` caches a folder under its last name and this YAML alone: the digests tell two folders of one
    name apart.
    """
    environment = template_environment(FileSystemLoader(dataset_script_path()), autoescape=False)
    environment.filters |= {"plain": without_markup, "table": card_markdown}
    values = {
        "tables": corpus.tables,
        "outlets": corpus.outlets,
        "report": corpus.report,
        "files": files,
        "dataset_info": _dataset_info(corpus, files),
        "license": licence_of_texts(corpus.outlets.names),
        "columns": CONFIGS,
        "summary": summary(corpus.report),
    }
    return environment.get_template("README.md.jinja").render(values) + "\n"


def _dataset_info(corpus: Corpus, files: Mapping[str, ConfigFiles]) -> str:
    """Return the YAML of `dataset_info`, as `push_to_hub` of `datasets` writes it.

    It has the columns with their types, the rows and the bytes of each config. `datasets` itself is not asked
    for it: loading it takes as long as reading twelve thousand articles.
    """
    infos = []
    for config, by_side in sorted(corpus.tables.items()):
        sizes = files[config].table_sizes
        splits = []
        for side, table in by_side.items():
            splits.append({"name": side, "num_bytes": sizes[side], "num_examples": table.height})
        infos.append(
            {
                "config_name": config,
                "features": features_of_card(config, corpus.outlets),
                "splits": splits,
                "download_size": files[config].size,
                "dataset_size": sum(sizes.values()),
            }
        )
    return DatasetCardData(dataset_info=infos).to_yaml()


def _with_equal_texts(clusters: Ints, articles: list[Article]) -> Ints:
    """Join the clusters of articles that have the same text, or of which one has the other's as headline.

    So none of them brings a test text to training. Return the number of each article's cluster, (articles,).
    """
    row_of_text = {article.article: row for row, article in enumerate(articles)}
    rows = []
    equal_rows = []
    for row, article in enumerate(articles):
        for text in (article.headline, article.article):
            if text in row_of_text:
                rows.append(row)
                equal_rows.append(row_of_text[text])
    return components(clusters, np.array(rows, dtype=np.int64), np.array(equal_rows, dtype=np.int64))


def _article_table(articles: list[Article], splits: Splits) -> pl.DataFrame:
    """Make the config `articles` of all articles in order; an event has the id of its first article."""
    columns: dict[str, list[Any]] = {
        "id": [article.id for article in articles],
        "label": [article.label for article in articles],
        "date": [article.date for article in articles],
        "headline": [article.headline for article in articles],
        "article": [article.article for article in articles],
    }
    first_of_event = np.unique(splits.event, return_index=True)[1]
    event_ids = [articles[row].id for row in first_of_event[splits.event]]
    return pl.DataFrame(columns, schema_overrides={"date": pl.Date}).with_columns(
        alignment=pl.Series(splits.alignment.tolist(), dtype=pl.String),
        fold=splits.fold,
        event=pl.Series(event_ids, dtype=pl.String),
    )


def _pair_table(articles: pl.DataFrame, candidates: Candidates, splits: Splits) -> pl.DataFrame:
    """Make the config `pairs`, best first, those of further outlets last, with the column `other`."""
    own = candidates.pairs.select(splits.pairs)
    others = candidates.others.select(splits.others)
    own_rows = _pair_rows(articles, own, splits.pair_alignment.tolist(), letter="p")
    # pairs with a further outlet only train
    other_rows = _pair_rows(articles, others, ["A1"] * len(others), letter="o")
    return pl.concat(
        [own_rows.with_columns(other=pl.lit(False)), other_rows.with_columns(other=pl.lit(True))]
    )


def _pair_rows(articles: pl.DataFrame, pairs: Pairs, alignment: list[str], *, letter: str) -> pl.DataFrame:
    """Return pairs with the columns of the config `pairs`; ids are a letter and the rank."""
    digits = len(str(len(pairs)))
    ranks = range(1, len(pairs) + 1)
    ids = [f"{letter}{rank:0{digits}d}" for rank in ranks]
    table = pl.DataFrame(
        {
            "pair_id": ids,
            "similarity": pairs.similarity,
            "alignment": alignment,
            "fold": articles["fold"].gather(pairs.a_index),
            "event": articles["event"].gather(pairs.a_index),
        },
        schema_overrides={"pair_id": pl.String, "alignment": pl.String},
    )
    sides = [_with_prefix(articles[pairs.a_index], "a"), _with_prefix(articles[pairs.b_index], "b")]
    return pl.concat([table, *sides], how="horizontal").select(*CONFIGS["pairs"])


def _with_prefix(articles: pl.DataFrame, side: str) -> pl.DataFrame:
    """Return the columns that a pair has of its articles; their names begin with the side, as `a_id` does."""
    columns = ("id", "headline", "article", "date")
    return articles.select(pl.col(name).alias(f"{side}_{name}") for name in columns)


def warnings_of(report: CorpusReport) -> list[str]:
    """Warn of a small test set, of pairs that are not of one event, and of an event that is too large."""
    events = report.events
    test_pairs = report.pairs.kept["A2"]
    strict_pairs = report.pairs.kept["A1"] + test_pairs
    has_large_event = events.largest_pairs >= max(MANY_PAIRS, strict_pairs / 10)
    warnings = []
    mend = "raise --strict"
    if report.options.window_days not in (0, "none"):
        mend = f"narrow --window-days or {mend}"
    mend_of_share = mend
    if report.lowest_strict:
        mend_of_share += f" to {report.lowest_strict:g}"
    if test_pairs < ENOUGH_TEST_PAIRS:
        mend = "more articles allow a higher --strict"
        if strict_pairs < LEAST_PAIRS:
            mend = "read its articles"
        mend_of_share = mend
        verb = "is" if test_pairs == 1 else "are"
        few = f"{pluralise(test_pairs, 'test pair')} {verb} few, so figures will be uncertain"
        ways = _ways_to_more_pairs(report, has_large_event=has_large_event)
        helps = ", ".join(ways[:-1])
        helps = f"{helps} or {ways[-1]}" if helps else ways[-1]
        warnings.append(f"{few}: what helps is {helps} (see the table of pairs by days apart)")
    share = one_event(report, "strict")
    if share is not None and share < ENOUGH_OF_ONE_EVENT:
        few = f"only {share:.0%} of the strict pairs report one event, by the estimate"
        warnings.append(f"{few}: {mend_of_share}")
    if has_large_event:
        fault = f"an event has {events.largest_pairs} of the {strict_pairs:,} strict pairs"
        warnings.append(f"{fault}: {mend}")
    elif events.largest > LARGEST_EVENT:
        length = f" in {events.largest_days} days" if events.largest_days else ""
        fault = f"an event has {events.largest} articles{length}, more than one event has"
        warnings.append(f"{fault}: {mend}")
    elif (events.largest_days or 0) > LONGEST_EVENT_DAYS:
        fault = f"the {events.largest} articles of the largest event span {events.largest_days} days"
        warnings.append(f"{fault}, longer than an event lasts: {_advice_on_long_event(report)}")
    return warnings


def _advice_on_long_event(report: CorpusReport) -> str:
    """Say why articles of many days are one event, and that they should be read.

    Pairs join at most the days of the window, one after the other. Longer events are of near-duplicates.
    """
    window = report.options.window_days
    events = report.events
    days_by_pairs = 1 + (events.largest - 1) * window if window != "none" else None
    if days_by_pairs is not None and (events.largest_days or 0) > days_by_pairs:
        return "their texts are nearly the same, so check that they are articles and no notices"
    return "near-duplicates or one pair after the other join them, so read them"


def _ways_to_more_pairs(report: CorpusReport, *, has_large_event: bool) -> list[str]:
    """Return what gives more test pairs, the best first, and options only where their pairs are of one event.

    Pairs a day apart are offered only where the estimate is of pairs enough: of a handful it is chance.
    """
    if report.sample:
        return ["more articles of the sample"]
    helps = [*MORE_ARTICLES]
    if report.options.window_days == 0:
        for row in report.days_apart:
            is_of_one_event = (row.strict_one_event or 0) >= ENOUGH_OF_ONE_EVENT
            if row.days == 1 and row.strict >= LEAST_PAIRS and is_of_one_event:
                helps.append(f"--window-days 1 ({READ_PAIRS_A_DAY_APART})")
    lowest = report.lowest_strict
    if lowest and lowest < report.thresholds.strict and not has_large_event:
        helps.append(f"--strict {lowest:g}")
    return helps


def _sides(rows: pl.DataFrame, config: str) -> dict[str, pl.DataFrame]:
    """Return the splits of a config: train (A1, A3, R), test (A2), and `OTHER` for further outlets."""
    is_test = pl.col("alignment") == "A2"
    is_other = pl.col("other")
    rules = {"train": ~is_test & ~is_other, "test": is_test, OTHER: is_other}
    columns = CONFIGS[config]
    return {side: rows.filter(rule).select(*columns) for side, rule in rules.items()}
