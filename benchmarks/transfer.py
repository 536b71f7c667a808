"""The table of EvalNLGEval 2020 for our generators, as JSON: judges of two folds, generators, rerank, score.

    python benchmarks/transfer.py --out runs/transfer                     # the embedded sample
    python benchmarks/transfer.py --articles 0 --generators rewrite-transformer --updates 1200 # the writer alone, on the 12,000 articles that are embedded
    python benchmarks/transfer.py --data articles.parquet --labels left,right --language en --encoder FOLDER --out runs/real

Judges of fold 0 choose, judges of fold 1 score, with another seed and another encoder. What is finished in `--out` is
kept, so an interrupted run goes on.
"""

import json
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl
import tyro
from real_corpus import SMALL_CORPUS

from change_it.commands import corpus_build, corpus_sample, train_generator, train_judge
from change_it.commands import score as score_command
from change_it.commands import transfer as transfer_command
from change_it.commands.corpus_sample import SampleOptions
from change_it.commands.score import ScoreOptions
from change_it.commands.transfer import TransferOptions
from change_it.corpus.corpus_options import BuildOptions
from change_it.corpus.folder import read_outlets
from change_it.generators.generator_options import TRANSFORMER, GeneratorOptions
from change_it.judges.judge_options import JudgeOptions, Task
from tools.sample import write


@dataclass(kw_only=True)
class Options:
    """Corpus, judges of both folds, generators, transfers, the table."""

    out: Path = Path("runs/transfer")
    """Folder of the run."""
    data: Path | None = None
    """Articles of two outlets; the embedded sample when not given."""
    labels: str = "left,right"
    """The two outlets of --data, A then B."""
    language: Literal["it", "en", "none"] = "en"
    """Stop words of the alignment of --data."""
    articles: int = 24_000
    """Size of the sample; 0 takes the embedded one."""
    encoder: str = "scratch"
    """Encoder of the judges that score; those that choose are always trained from scratch."""
    generators: tuple[str, ...] = (
        "sum-s2s",
        "sum-pn",
        "sum-pnc",
        "s2s2-s2s",
        "s2s2-pn",
        "rewrite-transformer",
    )
    """Generators to train as RECIPE-ARCHITECTURE; each for both outlets."""
    minutes: float = 10
    """Limit of training one generator."""
    updates: int | None = None
    """Updates of each; its preset's when not given."""
    """What the judges choose for."""
    shown: int = 50
    """Headlines of each system that are printed, the first of the test set."""
    candidates: int = 16
    """Candidates that the judges choose among."""
    seed: int = 1
    """Seed of everything; judges that choose take the next one."""


#: Minutes that a pre-trained judge may train; its other settings are `real_corpus.SMALL_CORPUS`.
MINUTES: dict[Task, float] = {"main": 12, "hh": 6, "ah": 6, "fluency": 6}


def corpus_of(options: Options) -> Path:
    """Build the corpus unless it is there."""
    folder = options.out / "corpus"
    if not (folder / "alignment.json").exists():
        if options.data is None:
            file = options.out / "sample.csv"
            if options.articles:
                write.run(write.WriteOptions(out=file, articles=options.articles, seed=options.seed))
            else:
                corpus_sample.run(SampleOptions(out=file))
            build = BuildOptions(files=(str(file),), out=folder, seed=options.seed)
        else:
            build = BuildOptions(
                files=(str(options.data),),
                labels=options.labels,
                language=options.language,
                out=folder,
                seed=options.seed,
            )
        corpus_build.run(build)
    return folder


def judges_of(options: Options, corpus: Path) -> None:
    """Train the judges that choose and those that score unless they are there."""
    for name, fold, seed in (("rerank", "0", options.seed + 1), ("judges", "1", options.seed)):
        for task in MINUTES:
            out = options.out / name / task
            if (out / "metrics.json").exists():
                continue
            own: dict[str, Any] = {"encoder": "scratch", "size": "tiny" if name == "rerank" else "small"}
            if name == "judges" and options.encoder != "scratch":
                own = {"encoder": options.encoder, **SMALL_CORPUS[task], "max_minutes": MINUTES[task]}
            train_judge.run(
                JudgeOptions(task=task, corpus=str(corpus), out=out, fold=fold, seed=seed, resume=True, **own)
            )


def generators_of(options: Options, corpus: Path) -> dict[str, Any]:
    """Train the generators unless they are there; sizes, seconds and losses of each."""
    trained = {}
    for name in options.generators:
        recipe, _, architecture = name.partition("-")
        outlets: tuple[str | None, ...] = (None,) if recipe == "rewrite" else read_outlets(str(corpus))
        for to in outlets:
            out = options.out / "generators" / name / (f"{recipe}-{to}" if to else recipe)
            if not (out / "metrics.json").exists():
                settings: Any = GeneratorOptions(
                    recipe=recipe,
                    architecture=architecture,
                    to=to,
                    corpus=str(corpus),
                    out=out,
                    max_minutes=options.minutes,
                    updates=options.updates,
                    seed=options.seed,
                    resume=True,
                    quick=architecture != TRANSFORMER,
                    mixed_precision="bf16" if architecture == TRANSFORMER else "no",
                )
                train_generator.run(settings)
            metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
            trained[f"{name}-{to}" if to else name] = {
                key: metrics[key] for key in ("validation_loss", "sizes", "seconds", "weights_hash")
            } | {key: metrics["training"][key] for key in ("updates", "epochs", "stopped", "best_update")}
    return trained


def predictions_of(options: Options, corpus: Path) -> list[str]:
    """Transfer with every generator, plain and reranked; `NAME=FILE` of each."""
    systems = {name: str(options.out / "generators" / name) for name in options.generators}
    files = []
    for name, generator in systems.items():
        for suffix, rerank in (("", None), ("+rerank", str(options.out / "rerank"))):
            file = options.out / "predictions" / f"{name}{suffix}.csv"
            if not file.exists():
                transfer_command.run(
                    TransferOptions(
                        generator=generator,
                        corpus=str(corpus),
                        out=file,
                        rerank=rerank,
                        candidates=options.candidates if rerank else None,
                        seed=options.seed,
                    )
                )
            files.append(f"{name}{suffix}={file}")
    return files


def main(options: Options) -> None:
    with redirect_stdout(sys.stderr):
        corpus = corpus_of(options)
        judges_of(options, corpus)
        generators = generators_of(options, corpus)
        predictions = predictions_of(options, corpus)
        report = options.out / "report"
        score_command.run(
            ScoreOptions(
                corpus=str(corpus),
                judges=str(options.out / "judges"),
                predictions=tuple(predictions),
                out=report,
                seed=options.seed,
            )
        )
    scores = json.loads((report / "scores.json").read_text(encoding="utf-8"))
    shown = {
        path.stem: pl.read_csv(path)
        .sort("id")
        .head(options.shown)
        .select("source", "headline", "direction")
        .rows()
        for path in sorted((report / "items").glob("*.csv"))
    }
    results = {"generators": generators, "table": scores, "headlines": shown}
    print(json.dumps(results, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main(tyro.cli(Options))
