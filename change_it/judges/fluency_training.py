"""`change-it train judge --task fluency`: how the judge is trained, and what it lets through.

It learns from headlines as they were printed, and the same ones broken anew every epoch; see `fluency_data` and
`fluency_start`.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import load_file, save_file

from change_it.corpus.folder import read_casing
from change_it.judges.baselines import scores
from change_it.judges.fluency import FluencyJudgeForSequenceClassification
from change_it.judges.fluency_data import (
    HELD_OUT,
    TEST_SEED,
    FluencyData,
    FluencyExamples,
    break_headline,
    broken_by_family,
)
from change_it.judges.fluency_start import LABELS, Started, build
from change_it.judges.judge import Judge
from change_it.judges.judge_options import JudgeSettings
from change_it.judges.ngram import NgramJudge, fit_ngram_judge
from change_it.networks.pretrained import load_weights, read_tokenizer
from change_it.stats import Bools, Floats
from change_it.tables import Column, Row, Table
from change_it.text.damage import FAMILIES
from change_it.training.run_folder import stage
from change_it.training.trainer import TrainingResult, TrainingRun

SEEN, UNSEEN = "seen damage", "unseen damage"
#: Share of printed validation headlines that get more than a half.
ACCEPTANCE = 0.94
#: Validation headlines that an evaluation reads (half of them broken too), and test headlines of each family, at most.
VALIDATION, TESTED = 800, 1000
PART_COUNTS = "parts.safetensors"


def prepare(settings: JudgeSettings, data: FluencyData, work: Path) -> TrainingRun:
    """The judge before training, and how it is trained and tested."""
    families = [name for name in FAMILIES if name not in HELD_OUT]
    model, tokenizer = _start(settings, data, families, work)
    model.config.change_it = settings.about(data.outlets)
    examples = FluencyExamples(data, tokenizer, families, max_tokens=settings.max_tokens, seed=settings.seed)
    printed = data.validation[:VALIDATION]

    def spoilt(headlines: Sequence[str], row: int) -> str | None:
        random = np.random.default_rng((TEST_SEED, row))
        broken = break_headline(headlines[row], families, random, data.material)
        return broken[0] if broken else None

    first = min(VALIDATION // 2, len(printed))
    broken = [text for row in range(first) if (text := spoilt(printed, row))]

    def ask(model: Any, texts: Sequence[str], *, progress: bool = True) -> Floats:
        judge = Judge.of(model, tokenizer, precision=settings.arithmetic)
        return judge.probabilities(texts, progress=progress)[:, 1]

    def evaluate(model: Any) -> dict[str, float]:
        model.threshold.zero_()
        logits = _logit(ask(model, printed, progress=False))
        model.threshold.fill_(float(np.quantile(logits, 1 - ACCEPTANCE)))
        accepted = ask(model, broken, progress=False) > 0.5
        return {"score": 1 - float(accepted.mean())}

    def save(folder: Path) -> None:
        Judge.of(model, tokenizer).save_pretrained(folder)
        read_casing(settings.corpus).save(folder)

    @cache
    def baseline() -> NgramJudge:
        titles, openings = data.counted[: data.titles], data.counted[data.titles :]
        spoil = partial(spoilt, titles)
        return fit_ngram_judge(titles, openings, spoil, seed=settings.seed, acceptance=ACCEPTANCE)

    def describe(_: TrainingResult) -> dict[str, Any]:
        return {
            "task": settings.task,
            "classes": LABELS,
            "fold": settings.fold,
            "precision": settings.arithmetic,
            **tested(lambda texts: ask(model, texts), baseline(), data),
            "sizes": {
                "train": len(examples),
                "validation": len(printed) + len(broken),
                **dict.fromkeys((SEEN, UNSEEN), 2 * sum(map(len, data.tests.values()))),
                "parameters": sum(parameter.numel() for parameter in model.parameters()),
            },
        }

    return TrainingRun(
        model=model,
        dataset=examples,
        collate=examples.collate,
        evaluate=evaluate,
        lengths=examples.lengths,
        name="fluency judge",
        save=save,
        describe=describe,
    )


def tested(
    ask: Callable[[Sequence[str]], Floats],
    baseline: NgramJudge,
    data: FluencyData,
) -> dict[str, Any]:
    """What a judge and the n-gram baseline let through of A2's headlines, as printed and broken, seen or unseen damage.

    The baseline is compared at the threshold at which it accepts as many printed headlines as the judge does.
    """
    printed = [headline for headlines in data.tests.values() for headline in headlines]
    outlet = np.repeat(list(data.tests), [len(headlines) for headlines in data.tests.values()])
    gold, gold_baseline = ask(printed), baseline.probabilities(printed)
    accepted = gold > 0.5
    cut = float(np.quantile(gold_baseline, 1 - accepted.mean()))
    some = np.random.default_rng(TEST_SEED).permutation(len(printed))[:TESTED]
    texts = broken_by_family([printed[row] for row in some], data.material)
    families: dict[str, Any] = {}
    verdicts: dict[bool, list[Bools]] = {True: [], False: []}
    verdicts_baseline: dict[bool, list[Bools]] = {True: [], False: []}
    for name, broken in texts.items():
        seen = name not in HELD_OUT
        passed, passed_baseline = ask(broken) > 0.5, baseline.probabilities(broken) > cut
        verdicts[seen].append(passed)
        verdicts_baseline[seen].append(passed_baseline)
        shares = {"accepted": float(passed.mean()), "n-grams": float(passed_baseline.mean())}
        families[name] = {**shares, "n": len(broken), "seen": seen}

    def table(printed: Bools, broken: list[Bools]) -> dict[str, Any]:
        """Every family counts alike, and all of them together as much as the printed headlines."""
        share = float(np.mean([accepted.mean() for accepted in broken]))
        count = len(printed)
        false = round(share * count)
        predicted = np.concatenate([printed, np.arange(count) < false]).astype(np.int64)
        return scores(np.repeat([1, 0], count), predicted, LABELS)

    names = {True: SEEN, False: UNSEEN}
    kinds = [kind for kind in (True, False) if verdicts[kind]]
    return {
        "acceptance": {
            "gold": float(accepted.mean()),
            "outlets": {name: float(accepted[outlet == name].mean()) for name in data.tests},
            "families": families,
        },
        "results": {names[kind]: table(accepted, verdicts[kind]) for kind in kinds},
        "baselines": {
            "n-grams": {names[kind]: table(gold_baseline > cut, verdicts_baseline[kind]) for kind in kinds}
        },
    }


def acceptance_table(metrics: dict[str, Any]) -> Table:
    """What the judge lets through, family by family, beside the n-gram baseline at equal acceptance of printed headlines."""
    acceptance, training = metrics["acceptance"], metrics["training"]
    gold = acceptance["gold"]
    outlets = ", ".join(f"{name} {share:.3f}" for name, share in acceptance["outlets"].items())
    rows = [Row({"headlines": "as printed", "judge": gold, "n-grams": gold}, "printed", True)]
    for seen, group in ((True, SEEN), (False, UNSEEN)):
        families = {name: row for name, row in acceptance["families"].items() if row["seen"] is seen}
        for name, row in families.items():
            cells = {"headlines": name.replace("_", " "), "judge": row["accepted"], "n-grams": row["n-grams"]}
            rows.append(Row({**cells, "n": row["n"]}, group))
        if families:
            judge, ngrams = (
                float(np.mean([row[key] for row in families.values()])) for key in ("accepted", "n-grams")
            )
            cells = {"headlines": f"mean of {group}", "judge": judge, "n-grams": ngrams}
            rows.append(Row(cells, group, True))
    note = (
        f"share accepted; printed headlines by outlet: {outlets}; {training['updates']:,} updates "
        f"({training['epochs']:.1f} epochs) in {metrics['seconds']['training']:.0f} s; fold {metrics['fold']}; "
        f"hash {metrics['model_hash'][:6]}"
    )
    columns = (Column("headlines", "text"), Column("judge"), Column("n-grams"), Column("n", "count"))
    return Table(columns, tuple(rows), "fluency: would a newspaper print it · A2", (note,))


def _start(settings: JudgeSettings, data: FluencyData, families: Sequence[str], work: Path) -> Started:
    """The judge before training, made once: a resumed run and every process load the same one."""
    import change_it.auto  # noqa: F401 (tokenizers are loaded by the type of the model)

    def save(folder: Path) -> None:
        model, tokenizer = build(settings, data, families)
        assert model.without is not None
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        save_file({"without": model.without}, folder / PART_COUNTS)

    folder = stage(work / "start", save, seed=settings.seed)
    model = load_weights(FluencyJudgeForSequenceClassification, folder)
    model.without = load_file(folder / PART_COUNTS)["without"]
    return model, read_tokenizer(folder)


def _logit(probabilities: Floats) -> Floats:
    bounded = np.clip(probabilities, 1e-12, 1 - 1e-12)
    return np.asarray(np.log(bounded / (1 - bounded)))
