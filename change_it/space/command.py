"""`change-it demo`: the page on this machine, over the models of a run."""

import errno
from pathlib import Path

from rich.console import Console

from change_it.errors import InputError
from change_it.space.options import DemoOptions

console = Console()


def run(options: DemoOptions) -> None:
    """Serve the page until it is interrupted.

    Args:
        options: see `DemoOptions`.

    Raises:
        InputError: Gradio is not installed, the run cannot be used, or the port is taken.
    """
    try:
        import gradio  # noqa: F401 (asked for before minutes of training)
    except ImportError:
        raise InputError("the page needs Gradio: pip install 'change-it[space]'") from None
    if not 0 <= options.port <= 65_535:
        raise InputError(f"--port {options.port} is no port: give a number from 0 to 65535")
    if not has_models(options.run):
        _train(options.run)
    from change_it.space.interface import build, launch
    from change_it.space.models import Models

    with console.status(f"loading the models of {options.run}"):
        models = Models.from_run(options.run)
        page = build(models, options.language)
        models.warm()
    try:
        _, address, public = launch(
            page,
            server_name=options.host,
            server_port=options.port or _free_port(options.host),
            share=options.share,
            prevent_thread_lock=True,
        )
    except OSError as error:
        raise InputError(
            f"--port {options.port} at {options.host} cannot be used: give another one, or --port 0 for a free one"
        ) from error
    console.print(f"Open [bold]{public or address}[/] in a browser; Ctrl-C ends it.", soft_wrap=True)
    page.block_thread()


def has_models(run: Path) -> bool:
    """Whether a run holds judges and something to transfer with.

    Args:
        run: its folder.
    """
    judges = all((run / "judges" / task / "config.json").is_file() for task in ("main", "hh", "ah"))
    return judges and any((run / "generators").glob("*/generator.json"))


def _train(run: Path) -> None:
    """The quickstart in that folder; stations that are finished there are kept."""
    from change_it import quickstart

    if run.is_dir() and any(run.iterdir()) and not (run / "run.json").is_file():
        raise InputError(
            f"{run} is no run of the quickstart and lacks judges or generators: train them there, or give another --run"
        )
    console.print(f"{run} holds no models yet: training them with the quickstart, once; this takes minutes.")
    quickstart.run(quickstart.QuickstartOptions(out=run))


def _free_port(host: str) -> int:
    """A port that nobody listens at."""
    import socket

    with socket.socket() as probe:
        try:
            probe.bind((host, 0))
        except OSError as error:
            reason = errno.errorcode.get(error.errno or 0, "")
            raise InputError(f"--host {host} is no address of this machine ({reason})") from error
        return int(probe.getsockname()[1])
