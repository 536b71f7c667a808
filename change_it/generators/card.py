"""What a saved generator says of itself: `generator.json` beside its weights."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import get_args

from change_it import __version__
from change_it.errors import InputError
from change_it.generators.options import READS, Kind, Language, Reads, Recipe

CARD = "generator.json"


@dataclass(frozen=True, kw_only=True)
class GeneratorCard:
    """What a generator was made for and of.

    Attributes:
        recipe: what it learnt from.
        reads: what it is given.
        to: outlet whose headlines it writes; None for agnostic.
        outlets: short names of A and B.
        kind: how texts become tokens, and what the model is.
        architecture: s2s, pn, pnc, or the pre-trained model.
        base: Hub id or folder that the adapters belong to; None for a model of its own.
        language: of the prompt of a causal model.
        source_tokens: longer sources are cut.
        target_tokens: tokens of a headline, at most.
        seed: of the training.
        corpus: name of the corpus.
        version: of this package.
    """

    recipe: Recipe
    reads: Reads
    to: str | None
    outlets: tuple[str, str]
    kind: Kind
    architecture: str
    base: str | None
    language: Language
    source_tokens: int
    target_tokens: int
    seed: int
    corpus: str
    version: str = __version__

    def save(self, folder: Path) -> None:
        """Write `generator.json`.

        Args:
            folder: of the weights.
        """
        text = json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"
        (folder / CARD).write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "GeneratorCard":
        """Read `generator.json`.

        Args:
            folder: of the weights.

        Raises:
            InputError: there is none, or it is not of ours.
        """
        path = folder / CARD
        if not path.exists():
            raise InputError(
                f"{folder} holds no {CARD}, so it is no generator of ours: train one with change-it train generator"
            )
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            known = {name: value for name, value in values.items() if name in {f.name for f in fields(cls)}}
            card = cls(**{**known, "outlets": tuple(known["outlets"])})
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError(
                f"{path} cannot be read: train the generator again with change-it train generator"
            ) from error
        if card.recipe not in READS or card.kind not in get_args(Kind):
            raise InputError(
                f"{path} is of another version (recipe {card.recipe}, kind {card.kind}): train the generator again"
            )
        return card
