"""The whole evaluation on real input, as JSON: corpus, four judges, linear and with a pre-trained encoder, audit, systems.

    python benchmarks/real_corpus.py --data articles.parquet --labels left,right --language en --encoder FOLDER --out runs/real
    python benchmarks/real_corpus.py --data articles.parquet --encoder FOLDER --fold 1 --seeds 1 2 --precision bf16 --minutes 30
    python benchmarks/real_corpus.py --data articles.parquet --columns label=outlet --labels "Vox:vox,Washington Times:wt" --other-outlets --fold 1 --out runs/vox

With a fold, judges of the other fold choose the system floor. What is finished in `--out` is kept, so an interrupted run goes on.
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

from change_it.commands import audit as audit_command
from change_it.commands import corpus_build, train_judge
from change_it.commands import score as score_command
from change_it.commands.audit import AuditOptions
from change_it.commands.score import ScoreOptions
from change_it.corpus.corpus_options import BuildOptions
from change_it.judges.judge_options import Fold, JudgeOptions, Task
from change_it.training.training_options import Arithmetic


@dataclass(kw_only=True)
class Options:
    """Build, train, score."""

    data: Path
    """Articles of two outlets, or of many."""
    encoder: str | None = None
    """Pre-trained encoder: Hub id or folder; linear judges alone when not given."""
    out: Path = Path("runs/real")
    """Folder of the run."""
    labels: str = "left,right"
    """The two outlets, A then B, as in `corpus build`."""
    columns: str = ""
    """Column map of the file."""
    other_outlets: bool = False
    """Keep the articles of further outlets: HH, AH and fluency learn from them."""
    window_days: int = 3
    """Articles further apart are never compared."""
    strict: float = 0.5
    """Cosine above which a pair is strictly aligned."""
    language: Literal["it", "en", "none"] = "en"
    """Stop words of the alignment."""
    fold: Fold = "all"
    """Fold that the judges learn from."""
    precision: Arithmetic = "float32"
    """Arithmetic of the trainings and of the judges: bf16 takes half the time on a CPU that has it."""
    minutes: float | None = None
    """Training time of each judge, at most."""
    audited: bool = True
    """Audit the judges."""
    seeds: tuple[int, ...] = (1,)
    """Seeds of judges, audits and systems; the corpus has the first."""


#: Small corpora want more and larger steps than the papers' presets.
SMALL_CORPUS: dict[Task, dict[str, Any]] = {
    "main": {"epochs": 3, "batch_size": 32, "learning_rate": 1e-4},
    "hh": {"epochs": 5, "batch_size": 32, "learning_rate": 1e-4},
    "ah": {"updates": 120, "batch_size": 16, "learning_rate": 5e-5, "max_tokens": 256},
    "fluency": {"epochs": 4, "batch_size": 64, "learning_rate": 2e-4},
}


def judge(
    options: Options, folder: Path, seed: int, task: Task, settings: dict[str, Any], fold: Fold | None = None
) -> dict[str, Any]:
    """Train one judge unless it is there; its results beside its baselines, and the seconds."""
    out = folder / task
    if not (out / "metrics.json").exists():
        train_judge.run(
            JudgeOptions(
                task=task,
                corpus=str(options.out / "corpus"),
                out=out,
                fold=fold or options.fold,
                arg=("bf16=true",) if options.precision == "bf16" and "encoder" in settings else (),
                max_minutes=options.minutes,
                seed=seed,
                resume=True,
                **settings,
            )
        )
    metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
    return {name: metrics[name] for name in ("results", "baselines", "sizes", "seconds") if name in metrics}


def evaluation_options(options: Options, judges: Path, seed: int) -> dict[str, Any]:
    """What judges are asked about, and how."""
    corpus = str(options.out / "corpus")
    return {"corpus": corpus, "judges": str(judges), "precision": options.precision, "seed": seed}


def audit(options: Options, judges: Path, seed: int) -> dict[str, Any]:
    """What the judges let through of systems that must fail, and the verdicts on them."""
    out = judges.parent / "audit"
    if not (out / "audit.json").exists():
        audit_command.run(AuditOptions(out=out, **evaluation_options(options, judges, seed)))
    results = json.loads((out / "audit.json").read_text(encoding="utf-8"))
    return {
        "verdicts": [f"{one['judge']}: {one['words']}. {one['text']}" for one in results["verdicts"]],
        "systems": {
            one["system"]: {"n": one["n"], "kept": one["kept"], "interval": one["interval"], **one["values"]}
            for one in results["systems"]
        },
        "main_listens_to": {
            outlet: [one["text"] for one in results["cues"] if one["outlet"] == outlet]
            for outlet in results["outlets"]
        },
    }


def systems(options: Options, judges: Path, seed: int, choosers: str | None) -> list[dict[str, Any]]:
    """The table of the built-in systems."""
    out = judges.parent / "report"
    if not (out / "systems.csv").exists():
        asked = evaluation_options(options, judges, seed)
        score_command.run(ScoreOptions(out=out, floor=choosers, **asked))
    return pl.read_csv(out / "systems.csv").to_dicts()


def evaluate(options: Options, kind: str, seed: int) -> dict[str, Any]:
    """Judges of one kind and seed: trained, audited, asked."""
    run = options.out / f"{kind}-{seed}"
    judges, choosers = run / "judges", run / "choosers"
    report: dict[str, Any] = {}
    for task, settings in SMALL_CORPUS.items():
        chosen = {"encoder": options.encoder, **settings} if kind == "pretrained" else {}
        report[task] = judge(options, judges, seed, task, chosen)
        if options.fold != "all":
            judge(options, choosers, seed, task, chosen, "0" if options.fold == "1" else "1")
    floor = str(choosers) if options.fold != "all" else None
    if options.audited:
        report["audit"] = audit(options, judges, seed)
    return report | {"systems": systems(options, judges, seed, floor)}


def main(options: Options) -> None:
    report: dict[str, Any] = {}
    with redirect_stdout(sys.stderr):
        corpus = options.out / "corpus"
        if not (corpus / "alignment.json").exists():
            start = time.perf_counter()
            corpus_build.run(
                BuildOptions(
                    files=(str(options.data),),
                    labels=options.labels,
                    columns=options.columns,
                    other_outlets=options.other_outlets,
                    window_days=options.window_days,
                    strict=options.strict,
                    language=options.language,
                    out=corpus,
                    seed=options.seeds[0],
                )
            )
            report["build_seconds"] = round(time.perf_counter() - start, 1)
        alignment = json.loads((corpus / "alignment.json").read_text(encoding="utf-8"))
        report |= {
            name: alignment[name]
            for name in ("rows", "kept", "rejected", "pairs", "splits", "other_outlets", "leak_check")
        }
        kinds = ["linear", *(["pretrained"] if options.encoder else [])]
        for seed in options.seeds:
            for kind in kinds:
                report[f"{kind}, seed {seed}"] = evaluate(options, kind, seed)
    print(json.dumps(report, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main(tyro.cli(Options))
