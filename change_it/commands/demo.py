"""`change-it demo`: the page on this machine, over the models of a run."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from change_it.errors import InputError
from change_it.tables import console

#: The run that is made where it is not there.
QUICKSTART = Path("runs/quickstart")


@dataclass(kw_only=True)
class DemoOptions:
    """The page of the Space on this machine: transfer, score, headline quality.

    It uses the models of a run; where there are none it makes the quickstart's first, which takes minutes.

    Examples:
        change-it demo
        change-it demo --run runs/mine --port 7861
    """

    run: Path = QUICKSTART
    """Folder of a run with judges, and generators or a corpus; the quickstart's is made first when it has none."""
    host: str = "127.0.0.1"
    """Address to listen at; 0.0.0.0 lets other machines in."""
    port: int = 7860
    """Port to listen at; 0 takes a free one."""
    share: bool = False
    """Open a public address through Gradio's servers."""


def check(options: DemoOptions) -> None:
    """Refuse, before anything large loads, an address that cannot be used, and a run that is not there or lacks models."""
    if not 0 <= options.port <= 65_535:
        raise InputError(f"--port {options.port} is not a port: give a number from 0 to 65535")
    if find_spec("gradio") is None:
        raise InputError("the page requires Gradio: pip install gradio gensim pyphen")
    if has_models(options.run):
        return
    if options.run.is_file():
        raise InputError(f"--run {options.run} is a file: give the folder of a run")
    if not options.run.exists() and options.run != QUICKSTART:
        raise InputError(
            f"there is no run {options.run}: give the folder of one, or make it with change-it quickstart --out {options.run}"
        )
    if options.run.is_dir() and any(options.run.iterdir()) and not _is_quickstart(options.run):
        raise InputError(
            f"{options.run} is no run of the quickstart and lacks judges, or generators and a corpus: "
            "train them there, or give another --run"
        )


def run(options: DemoOptions) -> None:
    """Serve the page until it is interrupted."""
    check(options)
    terminal = console()
    if not has_models(options.run):
        terminal.print(
            f"{options.run} holds no models yet: training them with the quickstart, once; this takes some minutes."
        )
        _train(options.run)
    from change_it.space.app import build, launch
    from change_it.space.models import Models

    with terminal.status(f"loading the models of {options.run}"):
        models = Models.from_run(options.run)
        page = build(models)
    try:
        launch(page, server_name=options.host, server_port=options.port or None, share=options.share)
    except OSError as error:
        raise InputError(f"--port {options.port} at {options.host} cannot be used: {error}") from error


def has_models(run: Path) -> bool:
    """Whether a run holds judges and something to transfer with; of a quickstart that is its generators."""
    judges = all((run / "judges" / task / "config.json").is_file() for task in ("main", "hh", "ah"))
    generators = any((run / "generators").glob("*/generator.json"))
    corpus = (run / "corpus" / "articles").is_dir() and not _is_quickstart(run)
    return judges and (generators or corpus)


def _is_quickstart(run: Path) -> bool:
    return (run / "run.json").is_file()


def _train(run: Path) -> None:
    """The quickstart in that folder; what is finished there is kept."""
    from change_it.commands import quickstart

    quickstart.run(quickstart.QuickstartOptions(out=run))
