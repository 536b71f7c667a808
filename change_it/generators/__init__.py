"""Generators: the papers' networks beside today's models, their training, transfer, and the choice among candidates by judges.

Everything but the options loads torch, so the names are loaded lazily.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from change_it.generators.options import GeneratorOptions, Recipe

if TYPE_CHECKING:
    from change_it.generators.extract import Extract
    from change_it.generators.formats import Candidate, Decoding
    from change_it.generators.generator import Generator, load_generator
    from change_it.generators.train import train_generator
    from change_it.generators.transfer import HeadlineTransfer

__all__ = [
    "Candidate",
    "Decoding",
    "Extract",
    "Generator",
    "GeneratorOptions",
    "HeadlineTransfer",
    "Recipe",
    "load_generator",
    "train_generator",
]

_MODULES = {
    "Candidate": "formats",
    "Decoding": "formats",
    "Generator": "generator",
    "Extract": "extract",
    "HeadlineTransfer": "transfer",
    "load_generator": "generator",
    "train_generator": "train",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"change_it.generators.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
