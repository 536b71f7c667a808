"""`change-it demo`: the page on this machine, over the models of a run."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from change_it.errors import InputError
from change_it.tables import console


@dataclass(kw_only=True)
class DemoOptions:
    """The page of the Space on this machine: transfer and score.

    Examples:
        change-it demo
        change-it demo --run runs/mine --port 7861
    """

    run: Path = Path("runs/quickstart")
    """Folder of a run with judges and generators."""
    port: int = 7860
    """Port to listen at; 0 takes a free one."""


def check(options: DemoOptions) -> None:
    """Refuse, before anything large loads, an address that cannot be used, and a run without judges."""
    if not 0 <= options.port <= 65_535:
        raise InputError(f"--port {options.port} is not a port: give a number from 0 to 65535")
    if find_spec("gradio") is None:
        raise InputError("the page requires Gradio: pip install gradio")
    if not (options.run / "judges").is_dir():
        raise InputError(
            f"{options.run} holds no judges: give the folder of a run, or make one with change-it quickstart"
        )


def run(options: DemoOptions) -> None:
    """Serve the page until it is interrupted."""
    check(options)

    from change_it.space.app import build, launch
    from change_it.space.models import Models

    with console().status(f"loading the models of {options.run}"):
        models = Models.from_run(options.run)
        page = build(models)
    try:
        settings = {"server_port": options.port or None, "quiet": True, "prevent_thread_lock": True}
        _, address, _ = launch(page, hosts=("127.0.0.1", "localhost"), **settings)
    except OSError as error:
        raise InputError(f"--port {options.port} cannot be used: {error}") from error
    print(f"The page is at {address}; Ctrl-C ends it.", flush=True)
    page.block_thread()
