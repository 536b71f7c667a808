"""The whole evaluation on real input, as JSON: corpus, four judges with a pre-trained encoder and from scratch, audit, systems.

    python benchmarks/real_corpus.py --data articles.parquet --labels left,right --language en --encoder FOLDER --out runs/real

What is finished in `--out` is kept, so an interrupted run goes on.
"""

import json
import sys
import time
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl
import tyro

from change_it.audit.options import AuditOptions
from change_it.corpus.command import run_build
from change_it.corpus.options import BuildOptions
from change_it.judges import train
from change_it.judges.options import Fold, JudgeOptions, Task
from change_it.report import audit_command, score_command
from change_it.scoring.options import ScoreOptions
from change_it.training.options import Precision


@dataclass(kw_only=True)
class Options:
    """Build, train, score."""

    data: Path
    """Articles of two outlets."""
    encoder: str
    """Pre-trained encoder: Hub id or folder."""
    out: Path = Path("runs/real")
    """Folder of the run."""
    labels: str = "left,right"
    """The two outlets, A then B."""
    language: Literal["it", "en", "none"] = "en"
    """Stop words of the alignment."""
    fold: Fold = "all"
    """Fold that the judges learn from."""
    mixed_precision: Precision = "no"
    """Arithmetic of the trainings: bf16 takes half the time on a CPU that has it."""
    minutes: float | None = None
    """Training time of each judge, at most."""
    scratch: bool = True
    """Train judges from scratch as well."""
    seed: int = 1
    """Seed of everything."""


#: Small corpora want more and larger steps than the papers' presets.
SMALL_CORPUS: dict[Task, dict[str, Any]] = {
    "main": {},
    "hh": {"epochs": 5, "batch_size": 32, "learning_rate": 1e-4},
    "ah": {"updates": 120, "batch_size": 16, "learning_rate": 5e-5, "max_tokens": 1024},
    "fluency": {"epochs": 4, "batch_size": 64, "learning_rate": 2e-4},
}


def judge(options: Options, kind: str, task: Task, settings: dict[str, Any]) -> dict[str, Any]:
    """Train one judge unless it is there; its results beside its baselines, and the seconds."""
    out = options.out / kind / task
    if not (out / "metrics.json").exists():
        train.run(
            JudgeOptions(
                task=task,
                corpus=str(options.out / "corpus"),
                out=out,
                fold=options.fold,
                mixed_precision=options.mixed_precision,
                max_minutes=options.minutes,
                seed=options.seed,
                resume=True,
                **settings,
            )
        )
    metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
    return {
        name: metrics[name]
        for name in ("results", "baselines", "acceptance", "sizes", "seconds")
        if name in metrics
    }


def audit(options: Options, kind: str) -> dict[str, Any]:
    """What the judges let through of systems that must fail, and the verdicts on them."""
    out = options.out / kind.replace("judges", "audit")
    if not (out / "audit.json").exists():
        corpus, judges = str(options.out / "corpus"), str(options.out / kind)
        audit_command.run(AuditOptions(corpus=corpus, judges=judges, out=out, seed=options.seed))
    found = json.loads((out / "audit.json").read_text(encoding="utf-8"))
    return {
        "verdicts": [f"{one['judge']}: {one['words']}. {one['text']}" for one in found["verdicts"]],
        "systems": {one["system"]: {"n": one["n"], **one["values"]} for one in found["systems"]},
    }


def main(options: Options) -> None:
    report: dict[str, Any] = {}
    with redirect_stdout(sys.stderr):
        corpus = options.out / "corpus"
        if not (corpus / "alignment.json").exists():
            start = time.perf_counter()
            run_build(
                BuildOptions(
                    files=(str(options.data),),
                    labels=options.labels,
                    language=options.language,
                    out=corpus,
                    seed=options.seed,
                )
            )
            report["build_seconds"] = round(time.perf_counter() - start, 1)
        alignment = json.loads((corpus / "alignment.json").read_text(encoding="utf-8"))
        report |= {
            name: alignment[name] for name in ("rows", "kept", "rejected", "pairs", "splits", "leak_check")
        }
        kinds = {"judges": options.encoder} | ({"judges-scratch": "scratch"} if options.scratch else {})
        for kind, encoder in kinds.items():
            report[kind] = {
                task: judge(
                    options, kind, task, {"encoder": encoder} | (settings if kind == "judges" else {})
                )
                for task, settings in SMALL_CORPUS.items()
            }
            report[kind]["audit"] = audit(options, kind)
        score_command.run(
            ScoreOptions(
                corpus=str(corpus),
                judges=str(options.out / "judges"),
                out=options.out / "report",
                seed=options.seed,
            )
        )
        report["systems"] = pl.read_csv(options.out / "report" / "systems.csv").to_dicts()
    print(json.dumps(report, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main(tyro.cli(Options))
