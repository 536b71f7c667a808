"""What the stations of a run left in JSON files, read for cards, and freed of this machine's paths before it is pushed."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from change_it.corpus.alignment import number_above
from change_it.errors import InputError

#: CHANGE-IT's outlets, whose texts may be passed on under the shared task's licence alone.
CHANGE_IT_OUTLETS, CHANGE_IT_LICENSE = {"rep", "gio"}, "cc-by-nc-sa-4.0"
#: The sample's outlets: invented texts, under the package's own licence.
SAMPLE_OUTLETS, SAMPLE_LICENSE = {"colle", "faro"}, "apache-2.0"
#: The Hub's word for a licence that nobody has named.
UNKNOWN_LICENSE = "unknown"

#: An absolute path of any system, or one into a home folder.
_PATH = re.compile(r"/[^/\s]+/|~/|[A-Za-z]:[\\/]")


@dataclass(frozen=True)
class Run:
    """What a model's card tells of the run that it comes from; None where it is not there.

    Attributes:
        corpus: `alignment.json` of the corpus.
        scores: `scores.json` of the report.
        dataset: Hub id of the corpus.
    """

    corpus: dict[str, Any] | None
    scores: dict[str, Any] | None
    dataset: str | None

    @classmethod
    def around(
        cls, folder: Path, outlets: Sequence[str], corpus: str | None = None, dataset: str | None = None
    ) -> "Run":
        """Look for the corpus and the report beside a model, in its run's folder.

        Args:
            folder: of the model.
            outlets: the model's; a corpus or report of others is not its own.
            corpus: folder or Hub id that it was trained on, as its `metrics.json` tells.
            dataset: Hub id that was given.
        """
        run = folder.resolve()
        parents = list(run.parents)[:3]
        places = [*([Path(corpus)] if corpus else []), *(up / "corpus" for up in parents)]
        found = [read_json(place / "alignment.json") for place in places]
        scores = [read_json(up / "report" / "scores.json") for up in parents]
        own = [
            record
            for record in found
            if record and {record["outlets"]["a"], record["outlets"]["b"]} == {*outlets}
        ]
        reports = [record for record in scores if record and {*record["outlets"]} == {*outlets}]
        if dataset is None and not own and corpus and is_hub_id(corpus):
            dataset = corpus
        return cls(own[0] if own else None, reports[0] if reports else None, dataset)


def is_hub_id(name: str) -> bool:
    """Whether a name that is no folder can be a Hub id.

    Args:
        name: what was given as model or corpus.
    """
    return name.count("/") == 1 and not name.startswith((".", "/", "~")) and not Path(name).exists()


def license_of(outlets: Sequence[str]) -> str:
    """Licence of texts of these outlets, and of what is made from them.

    Args:
        outlets: short names.

    Example:
        >>> license_of(("rep", "gio")), license_of(("left", "right"))
        ('cc-by-nc-sa-4.0', 'unknown')
    """
    if {*outlets} == CHANGE_IT_OUTLETS:
        return CHANGE_IT_LICENSE
    return SAMPLE_LICENSE if {*outlets} == SAMPLE_OUTLETS else UNKNOWN_LICENSE


def read_json(path: Path) -> dict[str, Any] | None:
    """A JSON object, None where there is no such file.

    Args:
        path: the file.

    Raises:
        InputError: it is broken.
    """
    if not path.is_file():
        return None
    try:
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is broken: run what writes it again") from error
    return record


def public(value: Any) -> Any:
    """A JSON value in which every absolute path has become the last name in it.

    Args:
        value: anything read from JSON.

    Example:
        >>> public({"files": ["/home/me/news.csv", "news.csv"], "seed": 1})
        {'files': ['news.csv', 'news.csv'], 'seed': 1}
    """
    if isinstance(value, str):
        return re.split(r"[\\/]", value.rstrip("\\/"))[-1] if _PATH.match(value) else value
    if isinstance(value, Mapping):
        return {key: public(item) for key, item in value.items()}
    return [public(item) for item in value] if isinstance(value, list) else value


def as_json(value: Any) -> bytes:
    """A JSON file.

    Args:
        value: its content.
    """
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def curve(record: Mapping[str, Any]) -> list[tuple[float, int]]:
    """The alignment curve: how many pairs of articles are at least as alike as some thresholds.

    Args:
        record: `alignment.json`.

    Returns:
        Thresholds, rising, and numbers of one-to-one pairs, from the lowest threshold that the corpus was split at.
    """
    histogram, chosen = record["histogram"], set(record["thresholds"].values())
    above = number_above(np.array(histogram["pairs"]))
    tenths = {tenth / 10 for tenth in range(1, 10) if tenth / 10 > min(chosen)}
    places = {mark: int(np.searchsorted(histogram["edges"], mark - 1e-9)) for mark in chosen | tenths}
    return [(mark, int(above[place])) for mark, place in sorted(places.items()) if place < len(above)]
