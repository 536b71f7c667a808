"""Name the files and configs of a corpus folder, with columns and types, and read them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from change_it.corpus.reading.article import OTHER, Outlets
from change_it.corpus.record import CorpusReport, TrainedOn
from change_it.errors import InputError
from change_it.files.atomic import refuse_pointer
from change_it.files.model_folders import HubSource, commit_of, fetch, is_hub_id, suggest_folder
from change_it.files.records import read_record
from change_it.files.texts import pluralise

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

REPORT = "alignment.json"
CARD = "README.md"
REJECTED = "rejected.csv"
#: In the folder of a trained model: what its card says of the model's corpus, with the digest that tells this
#: corpus from another one.
MODEL_CORPUS = "corpus.json"

SPLITS = ("train", "validation", "test", OTHER)

#: Config of the test articles without a partner, which a corpus may lack.
TEST_ARTICLES = "test_articles"


def _types(columns: str) -> dict[str, str]:
    """Return the type of each column of a text like `id label:outlet`, where a string has no type."""
    types = {}
    for column in columns.split():
        name, _, kind = column.partition(":")
        types[name] = kind or "string"
    return types


_HEADLINES = "id headline label:outlet fold:int64"
_HEADLINE_PAIRS = "headline1 headline2 label:match fold:int64 event kind"
_HEADLINES_WITH_ARTICLES = "headline article label:match fold:int64 event kind"
_GENERATION = "id source target direction fold:int64"
_COLUMNS = {
    "articles": "id label date:date32 headline article alignment fold:int64 event",
    "pairs": "pair_id similarity:float64 alignment a_id a_headline a_article a_date:date32 "
    "b_id b_headline b_article b_date:date32 fold:int64 event",
    TEST_ARTICLES: "id label date:date32 headline article alignment fold:int64 event",
    "main": _HEADLINES,
    "hh": _HEADLINE_PAIRS,
    "hh_random": _HEADLINE_PAIRS,
    "ah": _HEADLINES_WITH_ARTICLES,
    "ah_random": _HEADLINES_WITH_ARTICLES,
    "sum": _GENERATION,
    "s2s1": _GENERATION,
    "s2s2": _GENERATION,
    "s2s3": _GENERATION,
    "train_d": _HEADLINES,
    "train_m": _HEADLINES,
    "agnostic": _GENERATION,
}
#: Config → column → type; `outlet` and `match` are class labels.
CONFIGS: dict[str, dict[str, str]] = {config: _types(columns) for config, columns in _COLUMNS.items()}
MATCH = ("no_match", "match")
#: Number of alignments against the threshold (LREC 2020, Figure 2); the numbers are in the report.
PICTURE = "curve.png"
#: Tables that a corpus folder may have.
FILES = tuple(f"{config}/{split}.parquet" for config, split in product(CONFIGS, SPLITS))


def features(config: str, outlets: Outlets) -> dict[str, dict[str, Any]]:
    """Return the features of a config in the form of `datasets.Features.from_dict`."""
    classes = {"outlet": list(outlets.names), "match": list(MATCH)}
    by_column: dict[str, dict[str, Any]] = {}
    for name, kind in CONFIGS[config].items():
        if kind in classes:
            by_column[name] = {"names": classes[kind], "_type": "ClassLabel"}
        else:
            by_column[name] = {"dtype": kind, "_type": "Value"}
    return by_column


def features_of_card(config: str, outlets: Outlets) -> list[dict[str, Any]]:
    """Return the features of a config in the form of the YAML of a card."""
    columns = []
    for name, feature in features(config, outlets).items():
        kind = feature.get("dtype")
        if kind is None:
            classes = {str(number): label for number, label in enumerate(feature["names"])}
            kind = {"class_label": {"names": classes}}
        columns.append({"name": name, "dtype": kind})
    return columns


def arrow_schema(config: str, outlets: Outlets) -> "pa.Schema":
    """Return the Arrow schema of a config; its metadata give `datasets` the features and class labels."""
    import pyarrow as pa

    types = {"string": pa.string(), "date32": pa.date32(), "float64": pa.float64()}
    fields = []
    for name, kind in CONFIGS[config].items():
        # a class label is the number of its class
        arrow_type = types.get(kind, pa.int64())
        fields.append(pa.field(name, arrow_type))
    info = json.dumps({"info": {"features": features(config, outlets)}})
    return pa.schema(fields, metadata={"huggingface": info})


def read_table(corpus: str, config: str, split: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
    """Read one config and split of a corpus (folder or Hub id).

    Class labels are numbers. A split that the corpus has no rows for is empty.
    """
    import polars as pl

    if columns is None:
        columns = list(CONFIGS.get(config, {}))
    wanted = list(columns)
    path = _table_path(corpus, config, split)
    has_config = path.parent.is_dir() or config == TEST_ARTICLES
    if has_config and split != "validation" and not path.is_file():
        return pl.DataFrame(schema=dict.fromkeys(wanted, pl.String))
    refuse_pointer(path)
    with _errors(corpus, f"{config}/{split}", pl.exceptions.PolarsError):
        return pl.read_parquet(path, columns=wanted)


def read_all_outlets(corpus: str, config: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
    """Read the training rows of `articles` or `pairs`, those of further outlets last."""
    import polars as pl

    training = read_table(corpus, config, "train", columns)
    others = read_table(corpus, config, OTHER, columns)
    parts = [part for part in (training, others) if part.height]
    return pl.concat(parts or [training])


def read_outlets(corpus: str) -> tuple[str, str]:
    """Read the short names of the outlets A and B of a corpus (folder or Hub id)."""
    from pyarrow.parquet import read_schema

    path = _table_path(corpus, "main", "test")
    refuse_pointer(path)
    with _errors(corpus, "main"):
        info = json.loads(read_schema(path).metadata[b"huggingface"])
        first, second = info["info"]["features"]["label"]["names"]
    return first, second


def read_report(corpus: str | Path) -> CorpusReport | None:
    """Read `alignment.json` of a corpus (folder or Hub id); None where there is none."""
    name = str(corpus)
    folder = _fetched(name) if is_hub_id(name) else Path(name)
    return read_record(folder / REPORT, CorpusReport, "build the corpus again with `change-it corpus build`")


def read_warnings(corpus: str) -> list[str]:
    """Return what the commands that use a corpus warn of.

    These are the warnings of `corpus build`, the share of loose pairs that is one event, and the issues.
    """
    report = read_report(corpus)
    if report is None:
        return []
    warnings = [*report.warnings]
    share = report.loose_one_event
    if share is not None and share < 0.8:
        loose = f"some {share:.0%} of the loose pairs (A3, which s2s1 and s2s2 learn) report one event"
        warnings.append(f"{loose}, by the estimate")
    if report.looks:
        things = pluralise(len(report.looks), "thing")
        warnings.append(f"corpus build noticed {things} in these articles: see {Path(corpus) / CARD}")
    return warnings


def read_language(corpus: str) -> str:
    """Return the language of a corpus; empty where it is unknown."""
    report = read_report(corpus)
    if report is None:
        return ""
    return report.options.language or ""


def describe_corpus(corpus: str, *, learnt: str | None = None) -> TrainedOn:
    """Describe a corpus (folder or Hub id) for a model trained on it.

    `learnt` are the hashes of the articles that a judge learnt from.
    """
    report = read_report(corpus)
    described = TrainedOn(
        dataset=None if Path(corpus).is_dir() else corpus,
        digest=digest_of(hashes_of_test_articles(corpus)),
        learnt=learnt,
    )
    if report is None:
        return described
    return replace(
        described,
        language=report.options.language,
        sample=report.sample,
        rows=report.rows,
        kept=report.kept,
        thresholds=report.thresholds,
        pairs=report.pairs,
        looks=report.looks,
    )


def read_trained_on(folder: Path) -> TrainedOn:
    """Read what a model says of its corpus in its folder; nothing is known where it says nothing."""
    record = read_record(folder / MODEL_CORPUS, TrainedOn, "train the model again with `change-it train`")
    return record or TrainedOn()


def training_article_hashes(corpus: str, fold: str) -> str:
    """Return the hashes of the training articles of A and B, of a fold or of `all`, in one text."""
    rows = read_table(corpus, "articles", "train", ["headline", "article", "fold"])
    if fold != "all":
        rows = rows.filter(fold=int(fold))
    hashes = map(hash_article, rows["headline"], rows["article"])
    return " ".join(sorted(hashes))


def hashes_of_test_articles(corpus: str) -> list[str]:
    """Return the hashes of the test articles, those without a partner last."""
    hashes: list[str] = []
    for config in ("articles", TEST_ARTICLES):
        rows = read_table(corpus, config, "test", ["headline", "article"])
        hashes += map(hash_article, rows["headline"], rows["article"])
    return hashes


def hash_article(headline: str, article: str) -> str:
    """Return 48 bits of the hash of an article with its headline, by which another corpus recognises it."""
    return hashlib.blake2b(f"{headline}\0{article}".encode(), digest_size=6).hexdigest()


def digest_of(hashes: Iterable[str]) -> str:
    """Return the digest of a corpus, from the hashes of its test articles."""
    return hashlib.sha256(" ".join(sorted(hashes)).encode()).hexdigest()[:16]


def digest_of_dataset(name: str) -> str:
    """Return the digest of a corpus on the Hub, of which the test articles alone are fetched."""
    import polars as pl

    configs = ("articles", TEST_ARTICLES)
    files = [f"{config}/test.parquet" for config in configs]
    folder = fetch(name, files, kind="dataset")
    hashes: list[str] = []
    with _errors(name, "articles/test", pl.exceptions.PolarsError):
        for file in files:
            if file == files[0] or (folder / file).is_file():
                rows = pl.read_parquet(folder / file, columns=["headline", "article"])
                hashes += map(hash_article, rows["headline"], rows["article"])
    return digest_of(hashes)


def _table_path(corpus: str, config: str, split: str) -> Path:
    """Return the path of a table, which a corpus may lack; of a corpus on the Hub this table is fetched.

    The test table of its config is fetched as well: where it exists, the corpus has the config.
    """
    check_corpus(corpus)
    table = f"{config}/{split}.parquet"
    if is_hub_id(corpus):
        return _fetched(corpus, (table, f"{config}/test.parquet")) / table
    return Path(corpus) / table


@cache
def _fetched(corpus: str, files: tuple[str, ...] = ()) -> Path:
    """Fetch some files of a corpus on the Hub, or its record and card, and return the folder they are in.

    All files of one process are of one commit, also where the data set is changed meanwhile.
    """
    if not files:
        return fetch(corpus, [REPORT, CARD], kind="dataset")
    commit = commit_of(_fetched(corpus))
    return fetch(corpus, files, kind="dataset", source=HubSource(revision=commit or None))


def check_corpus(corpus: str) -> None:
    """Refuse a path that is neither a folder with a card nor looks like a Hub id."""
    folder = Path(corpus)
    if not folder.is_dir() and not is_hub_id(corpus):
        mend = "give one written by `change-it corpus build`, or a Hub id"
        raise InputError(f"there is no corpus folder {corpus}: {mend}")
    if folder.is_dir() and not (folder / CARD).is_file():
        mend = suggest_folder(folder, "corpus") or "build one with `change-it corpus build`"
        raise InputError(f"{corpus} is not a change_it corpus (it has no {CARD}): {mend}")


def check_outlet(corpus: str, to: str) -> None:
    """Refuse an outlet that a corpus folder does not have.

    The outlets of a Hub id are known only when it is loaded.
    """
    if is_hub_id(corpus):
        return
    report = read_report(corpus)
    if report and to not in report.outlets.names:
        raise InputError(f"--to {to} is no outlet of {corpus}: give {' or '.join(report.outlets.names)}")


@contextmanager
def _errors(corpus: str, part: str, *kinds: type[Exception]) -> Iterator[None]:
    """Raise InputError with one sentence where a table is not as `corpus build` writes it."""
    faults: tuple[type[Exception], ...] = (ValueError, OSError, KeyError, TypeError, *kinds)
    try:
        yield
    except faults as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        fault = f"{corpus} is no change_it corpus of this version ({part}: {reason})"
        raise InputError(f"{fault}: build it with `change-it corpus build`") from error
