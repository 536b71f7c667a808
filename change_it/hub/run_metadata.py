"""A run's JSON files for cards, and without this machine's paths before they are pushed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from change_it.io import is_hub_id, read_json

#: An absolute path of any system, or one into a home folder.
_PATH = re.compile(r"/[^/\s]+/|~/|[A-Za-z]:[\\/]")


@dataclass(frozen=True)
class Run:
    """The run that a model comes from; None for what is not there."""

    corpus: dict[str, Any] | None  # `alignment.json` of the corpus
    scores: dict[str, Any] | None  # `scores.json` of the report
    dataset: str | None  # Hub id of the corpus

    @classmethod
    def of_model(
        cls, folder: Path, outlets: Sequence[str], metrics: Mapping[str, Any], dataset: str | None
    ) -> "Run":
        """The corpus and the report of a model's own outlets, from the folders above it."""
        corpus = metrics.get("options", {}).get("corpus")
        parents = list(folder.resolve().parents)[:3]
        places = [*([Path(corpus)] if corpus else []), *(up / "corpus" for up in parents)]
        corpora = [
            record
            for place in places
            if (record := read_json(place / "alignment.json"))
            and {record["outlets"]["a"], record["outlets"]["b"]} == {*outlets}
        ]
        reports = [
            record
            for up in parents
            if (record := read_json(up / "report" / "scores.json")) and {*record["outlets"]} == {*outlets}
        ]
        if dataset is None and not corpora and corpus and is_hub_id(corpus):
            dataset = corpus
        return cls(corpora[0] if corpora else None, reports[0] if reports else None, dataset)


def public(value: Any) -> Any:
    """A JSON value in which every absolute path has become the last name in it."""
    if isinstance(value, str):
        return re.split(r"[\\/]", value.rstrip("\\/"))[-1] if _PATH.match(value) else value
    if isinstance(value, Mapping):
        return {key: public(item) for key, item in value.items()}
    return [public(item) for item in value] if isinstance(value, list) else value
