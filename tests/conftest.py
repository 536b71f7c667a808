"""What all tests share; nothing large is loaded before a test asks for it."""

import gc
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from sample_corpora import build_sample_corpus

# One thread a process, those that tests start included: as many processes as cores are at work, and a thread
# that waits spins.
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

gate = {"max_examples": 15, "derandomize": True, "deadline": None, "database": None}
settings.register_profile("gate", **gate, suppress_health_check=list(HealthCheck))
settings.load_profile("gate")  # unless --hypothesis-profile names another, as for a night:
settings.register_profile("night", settings.get_profile("gate"), max_examples=4000, derandomize=False)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Never look for garbage in what the libraries hold, neither while they are loaded nor later.

    In the rest it is looked for seldom.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000)
        gc.enable()


#: Seconds of tests that are not slow, and wait for a process that loads large libraries.
SECONDS = {"test_imports.py": 10}


def pytest_collection_modifyitems(config, items):
    """The longest first, so that in the end no process waits for another."""

    def seconds(item):
        marked = sum(mark.kwargs.get("seconds", 0) for mark in item.iter_markers("slow"))
        return marked or SECONDS.get(item.path.name, 0)

    items.sort(key=lambda item: -seconds(item))


@pytest.fixture(autouse=True, scope="module")
def libraries_are_no_garbage():
    """Look for garbage in no library that is loaded already: each training looks through all there is."""
    gc.freeze()


@pytest.fixture(scope="session")
def corpus(tmp_path_factory, worker_id):
    """Return the folder of a small corpus; its sample lies beside it."""
    return build_sample_corpus(600, tmp_path_factory, worker_id)


@pytest.fixture(scope="module")
def sample(corpus):
    """The small corpus as an audit reads it."""
    from change_it.audit.measure import read_corpus

    return read_corpus(corpus)


@pytest.fixture
def interrupted_at(monkeypatch):
    """A context in which training stops right after an update, before its evaluation and its checkpoint."""
    from change_it.training.trainer import Clock

    decide = Clock.on_step_end

    @contextmanager
    def interrupted(update):
        def on_step_end(clock, args, state, control, **_):
            if state.global_step == update:
                raise InterruptedError
            decide(clock, args, state, control)

        with monkeypatch.context() as patched:
            patched.setattr(Clock, "on_step_end", on_step_end)
            with pytest.raises(InterruptedError):
                yield

    return interrupted


@pytest.fixture(scope="session")
def gradio():
    """The library of pages, which takes two seconds to load: only a process that tests pages needs it."""
    import gradio

    return gradio


@pytest.fixture
def undrawn(monkeypatch):
    """Leave the files of charts empty, for a test of something else: they take half the time of a report."""
    from matplotlib.figure import Figure

    def savefig(figure, file, **_):
        if isinstance(file, Path):
            file.touch()

    monkeypatch.setattr(Figure, "savefig", savefig)


@pytest.fixture
def fake_judges():
    """Judges that decide by the rules of `FakeJudges`: main, hh and ah, without fluency."""
    from scoring_fakes import FakeJudges

    return FakeJudges()


@pytest.fixture(scope="session")
def saved_models(tmp_path_factory):
    """Folder of untrained judges and a generator of the sample's outlets."""
    from saved_judges import save_judges
    from tiny_generators import WORDS, save_generator

    folder = tmp_path_factory.mktemp("saved-models")
    save_judges(folder / "judges", [WORDS], ("colle", "faro"), transformer=True)
    save_generator(folder / "generator", outlets=("colle", "faro"), to="faro")
    return folder


@pytest.fixture
def toy_test():
    """Eight items of four events: rep's headlines for gio, then gio's, which exclaim, for rep."""
    from scoring_fakes import toy_test_set

    return toy_test_set()


@pytest.fixture(scope="session")
def toy_corpus(tmp_path_factory):
    from scoring_fakes import write_toy_corpus

    return write_toy_corpus(tmp_path_factory.mktemp("toy") / "corpus")


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, driven by Playwright; without it tests skip, or fail where
    CHANGE_IT_REQUIRE_BROWSER=1 asks for it.
    """
    program = shutil.which("chromium")
    if not program:
        give_up = pytest.fail if os.environ.get("CHANGE_IT_REQUIRE_BROWSER") == "1" else pytest.skip
        give_up("no program chromium (apt-get install chromium)")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=60_000)
