"""Options of `change-it reproduce`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from change_it.training.settings import DeviceOptions

Paper = Literal["evalnlgeval2020", "changeit2020", "hevas2019", "lrec2020"]
Scale = Literal["smoke", "cpu", "full"]


@dataclass(kw_only=True)
class ReproduceOptions(DeviceOptions):
    """Train, transfer and score what a paper's tables need, and print them: published, measured, difference.

    What is finished is kept: an interrupted run goes on where it was, and a finished one gives its tables at once.

    Examples:
        change-it reproduce evalnlgeval2020 --corpus runs/quickstart/corpus --out runs/mine/evalnlgeval2020 --plan
        change-it reproduce evalnlgeval2020 --corpus runs/mine/corpus --out runs/mine/evalnlgeval2020 --scale smoke
        change-it reproduce changeit2020 --corpus runs/mine/corpus --submissions team1=team1.csv team2=team2.csv --out runs/mine/changeit2020
        change-it reproduce changeit2020 --corpus runs/mine/corpus --reuse runs/mine/evalnlgeval2020 --out runs/mine/changeit2020
        change-it reproduce evalnlgeval2020 --corpus runs/mine/corpus --writer google/gemma-3-270m --out runs/mine/evalnlgeval2020
        change-it reproduce hevas2019 --corpus runs/mine/corpus --out runs/mine/hevas2019
    """

    paper: tyro.conf.Positional[Paper]
    """evalnlgeval2020: Tables 1 and 2; changeit2020: Tables 2, 3 and 4 and a ranking; hevas2019: Tables 1 to 3; lrec2020: Tables 1, 2, 5, 6 and 7, Figure 2, and its expectations."""
    corpus: str
    """Corpus folder written by `change-it corpus build`; outlet A stands for la Repubblica, B for Il Giornale."""
    out: Path
    """Folder of the run: report.html, tables.md, tables.json, tables/, and all that was trained for them."""
    scale: Scale = "cpu"
    """smoke: a few updates, to see that all runs; cpu: small models on two cores; full: what the papers trained."""
    plan: bool = False
    """Print the plan with an estimate of its time, and stop."""
    submissions: tuple[str, ...] = ()
    """Of changeit2020: systems as NAME=FILE to rank beside the baseline, CSV with id and headline, a new headline for each test article."""
    encoder: str | None = None
    """Of evalnlgeval2020 and changeit2020: pre-trained encoder of the papers' judges, Hub id or local folder; when not given, bert-base-multilingual-cased at full and none elsewhere."""
    writer: str | None = None
    """Of evalnlgeval2020 and changeit2020: a pre-trained model, Hub id or folder, that is tuned (recipe rewrite, extra: lora) and stands as our-writer beside the papers' networks."""
    reuse: Path | None = None
    """Folder of another run on the same corpus with the same scale and seed, such as that of another paper: what is the same there is copied."""
    seed: int = 1
    """Of everything."""
