"""A tiny run on disk, models of it that a page can offer, and the page served on loopback."""

import os
from contextlib import contextmanager
from dataclasses import replace

from saved_judges import save_judges
from scoring_fakes import OUTLETS, FakeJudges
from tiny_generators import WORDS, save_generator

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def verdicts():
    """What an audit may find of judges."""
    from change_it.audit.verdicts import Verdict

    found = {
        ("main", "care"): {"says which of two headlines of one event is whose": (0.875, 0.7, 0.9)},
        ("hh", "rely"): {"refuses random wrong stories": (0.882, 0.86, 0.9)},
        ("ah", "distrust"): {"refuses the nearest wrong stories": (0.48, 0.43, 0.53)},
        ("fluency", "rely"): {"accepts printed headlines": (0.913, 0.89, 0.93)},
        ("evidence", "care"): {"accepts the newspapers' own headlines": (0.91, 0.7, 0.95)},
    }
    return tuple(Verdict(*judge, shares=shares) for judge, shares in found.items())


def write_run(run):
    """A run's folder with judges and generators of both directions; no corpus."""
    save_judges(run / "judges", [WORDS], OUTLETS, transformer=True)
    for seed, to in enumerate(OUTLETS):
        save_generator(run / "generators" / f"sum-{to}", to=to, seed=seed)
    return run


def models_of(run):
    """Rules as judges, the run's untrained generators of the recipe sum, under two names."""
    from change_it.generators.headline_transfer import HeadlineTransfer
    from change_it.space.models import Models

    transfer = HeadlineTransfer.from_pretrained(run / "generators")
    return Models(FakeJudges(digits="abcd"), {"sum": transfer, "other": transfer})


def models_in(language, run):
    """The same, of a language and with an audit."""
    from change_it.audit.verdicts import Summary
    from change_it.scoring.item import Item

    return replace(
        models_of(run),
        language=language,
        audit=Summary(verdicts(), "Acceptability stops 1 of 10 kinds."),
        sample=language == "it",
        examples=(Item("", *OUTLETS, "Crolla il ponte", "Il ponte sulla statale crolla ieri."),),
    )


@contextmanager
def served(models):
    """The address of a page over models, served while the block runs."""
    from change_it.space.app import build, launch

    page = build(models)
    _, url, _ = launch(page, prevent_thread_lock=True, quiet=True)
    try:
        yield url
    finally:
        page.close(verbose=False)
