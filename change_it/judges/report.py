"""The table of a judge beside its baselines, as in the papers' Table 1."""

from typing import Any

from rich.console import Console
from rich.table import Table

from change_it.papers.evalnlgeval2020 import JUDGES

TITLES = {"main": "main: which outlet", "hh": "HH: headline and headline", "ah": "AH: headline and article"}


def show(metrics: dict[str, Any], console: Console) -> None:
    """Print precision, recall and F1 of each class on A2.

    Args:
        metrics: what `train_judge` gives.
        console: where to.
    """
    first, second = metrics["classes"]
    sizes, training = metrics["sizes"], metrics["training"]
    table = Table(title=f"{TITLES[metrics['task']]} · gold A2", title_justify="left")
    table.add_column("negatives" if metrics["task"] != "main" else "test")
    table.add_column("system")
    for name in (first, second):
        for column in ("P", "R", "F1"):
            table.add_column(f"{name}\n{column}", justify="right")
    table.add_column("mean\nF1", justify="right")
    for test, result in metrics["results"].items():
        rows = {"[bold]judge[/]": result} | {
            name: kinds[test] for name, kinds in metrics["baselines"].items()
        }
        for name, row in rows.items():
            numbers = [row[label][key] for label in (first, second) for key in ("precision", "recall", "f1")]
            table.add_row(test, name, *(f"{number:.3f}" for number in [*numbers, row["macro_f1"]]))
        table.add_section()
    published = [row for row in JUDGES if row.judge == metrics["task"]]
    mean = sum(row.f1 for row in published) / len(published)
    table.add_row(
        "",
        "[dim]published[/]",
        *(f"[dim]{number:.2f}[/]" for row in published for number in (row.precision, row.recall, row.f1)),
        f"[dim]{mean:.3f}[/]",
    )
    console.print(table)
    tests = ", ".join(f"{name} {sizes[name]:,}" for name in metrics["results"])
    console.print(
        f"{sizes['train']:,} training and {sizes['validation']:,} validation examples, test: {tests}; "
        f"{training['updates']:,} updates ({training['epochs']:.1f} epochs) in {metrics['seconds']['training']:.0f} s; "
        f"best validation F1 {training['best_score']:.3f}; fold {metrics['fold']}; weights {metrics['weights_hash'][:6]}",
        soft_wrap=True,
    )
