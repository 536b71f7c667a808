"""A tiny run on disk, and the page over its generators, served on loopback."""

import os

import pytest
from saved_judges import save_judges
from scoring_fakes import OUTLETS, FakeJudges
from tiny_generators import WORDS, save_generator

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory):
    """Make a run's folder with judges and untrained generators of both directions; no corpus."""
    run = tmp_path_factory.mktemp("space") / "run"
    save_judges(run / "judges", [WORDS], OUTLETS, transformer=True)
    for seed, to in enumerate(OUTLETS):
        save_generator(run / "generators" / f"sum-{to}", to=to, seed=seed)
    return run


@pytest.fixture(scope="session")
def app(gradio):
    """The module of the page, which loads gradio."""
    from change_it.space import app

    return app


@pytest.fixture(scope="session")
def url(tiny_run):
    """Serve a page with rules as judges and the run's generators under two names; provide its address."""
    from change_it.audit.record import Summary
    from change_it.audit.verdict import MeasureVerdict
    from change_it.corpus.test_set import Item
    from change_it.generators.transfer import HeadlineTransfer
    from change_it.judges.reliability import Verdict
    from change_it.space.app import build, launch
    from change_it.space.models import Models

    transfer = HeadlineTransfer.from_pretrained(tiny_run / "generators")
    verdict = Verdict("hh", "care", shares={"refuses random wrong stories": (0.882, 0.86, 0.9)})
    ranks = MeasureVerdict("ranks", "can rank systems here; misses 1 of 7 kinds of wrong content", {}, ())
    audit = Summary((verdict,), {"acceptability": ranks})
    example = Item("", *OUTLETS, "Crolla il ponte", "Il ponte sulla statale crolla ieri.")
    systems = {"sum": transfer, "other": transfer}
    page = build(Models(FakeJudges(fluency=True), systems, audit=audit, sample=True, examples=(example,)))
    _, address, _ = launch(page, prevent_thread_lock=True, quiet=True)
    yield address
    page.server.force_exit = True  # without waiting for what clients keep open
    page.close(verbose=False)
