"""What a person sees of a training run: a progress bar, or lines where there is no terminal."""

from typing import Any, Protocol

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class State(Protocol):
    """What the bar shows of a run."""

    update: int
    best_score: float | None
    history: list[dict[str, float]]

    @property
    def mean_loss(self) -> float:
        """Training loss of late."""


class TrainingBar:
    """Updates, loss, score and time left; a context manager that is called with each new state."""

    def __init__(self, name: str, total: int, state: State, *, shown: bool):
        """A bar that is not drawn yet.

        Args:
            name: what is trained.
            total: updates in all.
            state: where the run begins.
            shown: False in every process but the main one.
        """
        self.progress = Progress(
            TextColumn(f"[bold]{name}[/]"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]} score {task.fields[score]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            disable=not shown,
        )
        self.name = name
        self.task = self.progress.add_task(name, total=total, completed=state.update, loss="…", score="…")

    def __enter__(self) -> "TrainingBar":
        self.progress.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.progress.stop()

    def __call__(self, state: State, *, note: bool = False) -> None:
        """Show a state; with `note` also in a log file, where a bar is drawn only once, at its end."""
        loss = f"{state.mean_loss:.3f}"
        score = "…"
        if state.best_score is not None:
            score = f"{state.history[-1]['score']:.3f} (best {state.best_score:.3f})"
        self.progress.update(self.task, completed=state.update, loss=loss, score=score)
        console = self.progress.console
        if note and not self.progress.disable and not console.is_terminal:
            console.print(f"{self.name}: update {state.update}, loss {loss}, score {score}", highlight=False)
