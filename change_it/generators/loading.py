"""Saved generators, ready to write headlines: a model of its own, or adapters on their base."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from change_it.generators.building import load_adapters, load_model, load_tokenizer
from change_it.generators.card import GeneratorCard
from change_it.generators.formats import Format, make_format
from change_it.training.models import hash_of_weights, local_folder, pick_device, quiet

COMMAND = "change-it train generator"


@dataclass(frozen=True)
class Generator:
    """A trained generator.

    Attributes:
        model: in `eval` mode, on its device.
        format: how it reads and writes texts.
        card: what it was made for and of.
        folder: where it was loaded from.
    """

    model: Any
    format: Format
    card: GeneratorCard
    folder: Path

    @cached_property
    def weights_hash(self) -> str:
        """SHA-256 of its weights, of the adapters alone where there are any."""
        return hash_of_weights(self.folder, command=COMMAND)


def load_generator(name: str | Path, *, device: str = "auto") -> Generator:
    """Load a generator.

    Args:
        name: folder written by `change-it train generator` or `change-it merge`, or a Hub id.
        device: auto, cpu, cuda, cuda:1, mps.

    Raises:
        InputError: no such folder or id, not a generator, its base model is not there, no such device.
    """
    place = pick_device(device)
    folder = local_folder(name, command=COMMAND)
    card = GeneratorCard.load(folder)
    tokenizer = load_tokenizer(folder)
    with quiet():
        model = load_model(card.base or folder, card.kind, tokenizer)
        if card.base:
            model = load_adapters(model, folder)
    model = model.to(place).eval()
    return Generator(model, make_format(card, tokenizer, model), card, folder)
