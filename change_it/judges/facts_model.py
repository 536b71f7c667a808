"""Facts, judged by a model that is asked: a stub with the interface alone, which the module of that name replaces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from change_it.errors import InputError
from change_it.io import read_json
from change_it.progress import ProgressOption
from change_it.stats import Bools, Floats

COMMAND = "change-it train judge --task facts --encoder MODEL"


@dataclass(frozen=True)
class FactsSettings:
    """What `config.json` of a judge of facts says under `change_it`."""

    model: str
    kind: Literal["asked", "classifier", "endpoint"]
    threshold: float = 0.5
    url: str = ""
    outlets: tuple[str, str] | None = None
    language: str = ""
    validated: Mapping[str, Any] = field(default_factory=dict)


class FactsModel:
    """A judge of facts."""

    settings: FactsSettings
    model_hash: str
    weights_hash: str

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path,
        *,
        endpoint: str | None = None,
        precision: str = "float32",
        device: str = "auto",
    ) -> "FactsModel":
        """Load a judge of facts."""
        record = (read_json(Path(name) / "config.json") or {}).get("change_it")
        if endpoint is None and record is not None and "model" not in record:
            raise InputError(
                f"{name} holds no judge of facts of this version: make one with {COMMAND} --out {name}"
            )
        raise NotImplementedError

    def probabilities(
        self,
        headlines: Sequence[str],
        sources: Sequence[Sequence[str]],
        *,
        language: str,
        progress: ProgressOption = False,
    ) -> Floats:
        """(n,) P(supported)."""
        raise NotImplementedError

    def accepts(self, probabilities: Floats) -> Bools:
        """Whether headlines with these probabilities count as supported."""
        raise NotImplementedError

    def is_validated(self, language: str) -> bool:
        """Whether labels of that language have set the threshold."""
        raise NotImplementedError

    @property
    def base(self) -> str:
        """Name of the pre-trained model."""
        raise NotImplementedError

    @property
    def signature(self) -> str:
        """Its kind, hash and threshold."""
        raise NotImplementedError

    def save(self, folder: Path) -> None:
        """Write `config.json`."""
        raise NotImplementedError


def with_threshold(model: FactsModel, threshold: float, **changes: Any) -> FactsModel:
    """The same judge with another threshold, and what labels say of it."""
    raise NotImplementedError
