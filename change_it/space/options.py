"""Options of `change-it demo`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

#: Languages of the interface, the first one where nothing is chosen.
Language = Literal["it", "en"]


@dataclass(kw_only=True)
class DemoOptions:
    """The page of the Space on this machine: transfer, score, compare, headline quality.

    It uses the models of a run; where there are none it makes the quickstart's first, which takes minutes.

    Examples:
        change-it demo
        change-it demo --run runs/mine --port 7861 --language en
    """

    run: Path = Path("runs/quickstart")
    """Folder of a run with judges and generators; the folder's quickstart is run first when it has none."""
    host: str = "127.0.0.1"
    """Address to listen at; 0.0.0.0 lets other machines in."""
    port: int = 7860
    """Port to listen at; 0 takes a free one."""
    language: Language = "it"
    """Language in which the page opens; it can be changed there."""
    share: bool = False
    """Open a public address through Gradio's servers."""
