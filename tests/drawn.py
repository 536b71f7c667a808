"""Draw texts and scores at random, the same for each seed."""

import random

import numpy as np

#: Words of several scripts, with accents and apostrophes; some stand several times.
VOCABULARY = (
    "il governo cade è perché l'Italia «sì» riforma tasse Roma 2020 oggi e poi no мир Σίσυφος il il e"
)


def texts(count, seed, *, shortest=1, longest=12):
    """Draw texts of `shortest` to `longest` words of `VOCABULARY`."""
    draw = random.Random(seed)
    return [
        " ".join(draw.choices(VOCABULARY.split(), k=draw.randint(shortest, longest))) for _ in range(count)
    ]


def normal_scores(n=60, seed=4):
    """Draw (n, 4) normal scores; each system is half a deviation above the one before."""
    draw = np.random.default_rng(seed)
    return draw.normal(0, 1, (n, 1)) + draw.normal(0, 1, (n, 4)) + np.arange(4) / 2


def tied_scores(n=60, seed=1):
    """Draw (n, 4) shares with many ties and zeros, as ROUGE gives them."""
    return np.random.default_rng(seed).integers(0, 4, (n, 4)) / 3


def cosine(a, b):
    """Return the cosine of two vectors, 0 where one has no length."""
    length = np.linalg.norm(a) * np.linalg.norm(b)
    return a @ b / length if length else 0.0
