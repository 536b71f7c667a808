"""Serve the page on this machine, with the models of a run: `change-it demo`."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from change_it.errors import InputError
from change_it.render.tables import console


@dataclass(kw_only=True)
class DemoOptions:
    """Serve the page of the Space on this machine: rewrite headlines in a browser, and judge them.

    Examples:
        change-it demo
        change-it demo --judges runs/mine/judges-1
        change-it demo --run runs/mine --port 7861
    """

    run: Path = Path("runs/quickstart")
    """Folder of a run with judges (or judges-1) and perhaps generators. Without generators the page only
    judges.
    """
    judges: str | None = None
    """Folder or Hub id of judges, instead of those of the run."""
    port: int = 7860
    """Port of the page; 0 takes a free one."""


def run(options: DemoOptions) -> None:
    """Serve the page until it is interrupted."""
    if find_spec("gradio") is None:
        raise InputError("the page requires Gradio: pip install '.[space]'")
    judges = options.judges or _judges_of(options.run)

    from change_it.space.app import build, launch
    from change_it.space.models import Models

    with console().status(f"loading the models of {options.run}"):
        models = Models.from_run(options.run, judges)
        page = build(models)
    try:
        _, address, _ = launch(
            page,
            hosts=("127.0.0.1", "localhost"),
            server_port=options.port or None,
            quiet=True,
            prevent_thread_lock=True,
        )
    except (OSError, OverflowError) as error:
        raise InputError(f"--port {options.port} cannot be used: --port 0 takes a free one") from error
    print(f"The page is at {address}; Ctrl-C ends it.", flush=True)
    page.block_thread()


def _judges_of(run: Path) -> str:
    """Return the folder of a run's judges, those of both folds or of one.

    Raises:
        InputError: there are none.
    """
    for name in ("judges", "judges-1"):
        if (run / name).is_dir():
            return str(run / name)
    advice = "give --judges or another --run, or make one with change-it quickstart"
    raise InputError(f"{run} holds no judges: {advice}")
