"""Configs of a corpus folder: columns and types, as an Arrow schema that `datasets` reads features from (DESIGN.md)."""

import json
from typing import Any

import pyarrow as pa

from change_it.corpus.article import Outlets

_HEADLINES = {"id": "string", "headline": "string", "label": "outlet", "fold": "int64"}
_GENERATION = {"id": "string", "source": "string", "target": "string", "direction": "string", "fold": "int64"}
_SIDE = {"id": "string", "headline": "string", "article": "string", "date": "date32"}

#: Config → column → type; `outlet` and `match` are class labels.
CONFIGS: dict[str, dict[str, str]] = {
    "articles": {
        "id": "string",
        "label": "string",
        "date": "date32",
        "headline": "string",
        "article": "string",
        "alignment": "string",
        "fold": "int64",
    },
    "pairs": {
        "pair_id": "string",
        "similarity": "float64",
        "alignment": "string",
        **{f"a_{name}": kind for name, kind in _SIDE.items()},
        **{f"b_{name}": kind for name, kind in _SIDE.items()},
        "fold": "int64",
    },
    "main": _HEADLINES,
    "hh": {"headline1": "string", "headline2": "string", "label": "match", "fold": "int64"},
    "ah": {"headline": "string", "article": "string", "label": "match", "fold": "int64"},
    "sum": _GENERATION,
    "s2s1": _GENERATION,
    "s2s2": _GENERATION,
    "s2s3": _GENERATION,
    "train_d": _HEADLINES,
    "train_m": _HEADLINES,
    "agnostic": _GENERATION,
    "neighbours": {
        "id": "string",
        "own_id": "string",
        "own_similarity": "float64",
        "other_id": "string",
        "other_similarity": "float64",
    },
}
MATCH = ("no_match", "match")


def class_names(kind: str, outlets: Outlets) -> tuple[str, str] | None:
    """Names of a class label of two values; None for any other type.

    Args:
        kind: a type of `CONFIGS`.
        outlets: names and order of the corpus's outlets.
    """
    return {"outlet": outlets.names, "match": MATCH}.get(kind)


def features(config: str, outlets: Outlets) -> dict[str, dict[str, Any]]:
    """Features of a config in the form of `datasets.Features.from_dict`.

    Args:
        config: a key of `CONFIGS`.
        outlets: names and order of the corpus's outlets.

    Example:
        >>> features("hh", Outlets.parse("R,G"))["label"]
        {'names': ['no_match', 'match'], '_type': 'ClassLabel'}
    """
    return {
        name: {"names": list(names), "_type": "ClassLabel"}
        if (names := class_names(kind, outlets))
        else {"dtype": kind, "_type": "Value"}
        for name, kind in CONFIGS[config].items()
    }


def arrow_schema(config: str, outlets: Outlets) -> pa.Schema:
    """Arrow schema of a config; its metadata tell `datasets` the features, class labels included.

    Args:
        config: a key of `CONFIGS`.
        outlets: names and order of the corpus's outlets.
    """
    types = {"string": pa.string(), "date32": pa.date32(), "float64": pa.float64()}
    fields = [pa.field(name, types.get(kind, pa.int64())) for name, kind in CONFIGS[config].items()]
    info = json.dumps({"info": {"features": features(config, outlets)}})
    return pa.schema(fields, metadata={"huggingface": info})
