"""Generators: the papers' networks beside today's models, their training, transfer, and the choice among candidates by judges.

Everything but the options loads torch, so the names are loaded lazily.
"""

from typing import TYPE_CHECKING

from change_it.generators.generator_options import GeneratorOptions, Recipe
from change_it.lazy import lazy_attributes

if TYPE_CHECKING:
    from change_it.generators.generator import Generator, load_generator
    from change_it.generators.headline_transfer import HeadlineTransfer
    from change_it.generators.search import Candidate
    from change_it.generators.train import train_generator

__all__ = [
    "Candidate",
    "Generator",
    "GeneratorOptions",
    "HeadlineTransfer",
    "Recipe",
    "load_generator",
    "train_generator",
]

__getattr__ = lazy_attributes(
    __name__,
    {
        "Candidate": "search",
        "Generator": "generator",
        "HeadlineTransfer": "headline_transfer",
        "load_generator": "generator",
        "train_generator": "train",
    },
)
