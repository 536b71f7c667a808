"""`change-it train judge --task fluency`: the judge before training, how it is trained, and what it lets through."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from change_it.judges import ngram
from change_it.judges.arguments import SCRATCH, VOCABULARY, JudgeSettings
from change_it.judges.casing import read_casing
from change_it.judges.encoders import load_encoder, load_encoder_weights, train_wordpiece
from change_it.judges.fluency import FluencyJudgeConfig, FluencyJudgeForSequenceClassification
from change_it.judges.fluency_building import (
    GROUPINGS,
    bucket_count,
    learn_counts,
    learn_neighbours,
    warm_start,
)
from change_it.judges.fluency_data import (
    PARTS,
    TEST_SEED,
    FluencyData,
    FluencyExamples,
    break_headline,
    broken_by_family,
    parse_held_out,
)
from change_it.judges.judge import Judge
from change_it.judges.scores import scores
from change_it.networks.pretrained import load_weights, read_tokenizer
from change_it.tables import Column, Row, Table
from change_it.text.damage import FAMILIES
from change_it.training.loop import TrainingResult
from change_it.training.run_folder import Run, stage

LABELS = ("broken", "printed")
SEEN, UNSEEN = "seen damage", "unseen damage"
#: Share of printed validation headlines that get more than a half.
ACCEPTANCE = 0.94
#: Validation headlines that an evaluation reads (half of them broken too), and test headlines of each family, at most.
VALIDATION, TESTED = 800, 1000
#: Epochs rise until there are this many updates.
MIN_UPDATES = 300
#: Examples that the linear layers start from.
WARM = 4000
#: Cells of one direction and size of the embeddings of a scratch encoder.
SIZES = {"tiny": (96, 64), "small": (192, 96), "base": (384, 192)}
#: Characters of a text that word pieces are learnt from.
PIECED = 600
#: Tokens of an article's opening that words are counted in.
OPENING_TOKENS = 400
PART_COUNTS = "parts.safetensors"

Floats = NDArray[np.float64]


def prepare(settings: JudgeSettings, data: FluencyData, work: Path) -> Run:
    """The judge before training, and how it is trained and tested.

    Args:
        settings: of the run.
        data: see `load_fluency`.
        work: folder of the unfinished run.
    """
    held_out = parse_held_out(settings.held_out)
    apart = {*held_out} if data.material.generated else {*held_out, "generated"}
    families = [name for name in FAMILIES if name not in apart]
    model, tokenizer = _start(settings, data, families, work)
    model.config.change_it = settings.about(data.outlets)
    examples = FluencyExamples(data, tokenizer, families, max_tokens=settings.max_tokens, seed=settings.seed)
    printed = data.validation[:VALIDATION]
    broken = []
    for row, headline in enumerate(printed[: VALIDATION // 2]):
        random = np.random.default_rng((TEST_SEED, row))
        broken += [
            text for text, _ in filter(None, [break_headline(headline, families, random, data.material)])
        ]

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
        baseline().save(folder)
        read_casing(settings.corpus).save(folder)

    @cache
    def baseline() -> ngram.NgramJudge:
        titles = data.counted[: data.titles]

        def spoil(row: int) -> str | None:
            random = np.random.default_rng((TEST_SEED, row))
            found = break_headline(titles[row], families, random, data.material)
            return found[0] if found else None

        return ngram.fit(
            titles, data.counted[data.titles :], spoil, seed=settings.seed, acceptance=ACCEPTANCE
        )

    def describe(_: TrainingResult) -> dict[str, Any]:
        return {
            "task": settings.task,
            "classes": LABELS,
            "fold": settings.fold,
            "precision": settings.arithmetic,
            **tested(lambda texts: ask(model, texts), baseline(), data, held_out),
            "sizes": {
                "train": len(examples),
                "validation": len(printed) + len(broken),
                **dict.fromkeys((SEEN, UNSEEN), 2 * sum(map(len, data.tests.values()))),
                "parameters": sum(parameter.numel() for parameter in model.parameters()),
            },
        }

    return Run(
        model=model,
        dataset=examples,
        collate=examples.collate,
        evaluate=evaluate,
        lengths=examples.lengths,
        name="fluency judge",
        save=save,
        describe=describe,
        min_updates=MIN_UPDATES,
    )


def tested(
    ask: Callable[[Sequence[str]], Floats],
    baseline: ngram.NgramJudge,
    data: FluencyData,
    held_out: Sequence[str],
) -> dict[str, Any]:
    """What a judge and the n-gram baseline let through of A2's headlines, as printed and broken.

    Args:
        ask: probability of each text that it was printed.
        baseline: compared at the threshold at which it accepts as many printed headlines as the judge does.
        data: test headlines and material.
        held_out: families that the judge has not seen.

    Returns:
        `acceptance` (`gold`, `outlets`, and `families`: name → accepted, n-grams, n, seen), and `results` and
        `baselines` as of the other judges, over printed headlines and seen or unseen damage in equal numbers.
    """
    printed = [headline for headlines in data.tests.values() for headline in headlines]
    outlet = np.repeat(list(data.tests), [len(headlines) for headlines in data.tests.values()])
    gold, gold_baseline = ask(printed), baseline.probabilities(printed)
    accepted = gold > 0.5
    cut = float(np.quantile(gold_baseline, 1 - accepted.mean()))
    some = np.random.default_rng(TEST_SEED).permutation(len(printed))[:TESTED]
    texts = broken_by_family([printed[row] for row in some], data.material)
    families: dict[str, Any] = {}
    verdicts: dict[bool, list[NDArray[np.bool_]]] = {True: [], False: []}
    verdicts_baseline: dict[bool, list[NDArray[np.bool_]]] = {True: [], False: []}
    for name, broken in texts.items():
        seen = name not in held_out
        own, other = ask(broken) > 0.5, baseline.probabilities(broken) > cut
        verdicts[seen].append(own)
        verdicts_baseline[seen].append(other)
        families[name] = {
            "accepted": float(own.mean()),
            "n-grams": float(other.mean()),
            "n": len(broken),
            "seen": seen,
        }

    def table(printed: NDArray[np.bool_], broken: list[NDArray[np.bool_]]) -> dict[str, Any]:
        """Every family counts alike, and all of them together as much as the printed headlines."""
        share = float(np.mean([one.mean() for one in broken]))
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
    found, training = metrics["acceptance"], metrics["training"]
    outlets = ", ".join(f"{name} {share:.3f}" for name, share in found["outlets"].items())
    rows = [
        Row({"headlines": "as printed", "judge": found["gold"], "n-grams": found["gold"]}, "printed", True)
    ]
    for seen, group in ((True, SEEN), (False, UNSEEN)):
        families = {name: row for name, row in found["families"].items() if row["seen"] is seen}
        for name, row in families.items():
            cells = {"headlines": name.replace("_", " "), "judge": row["accepted"], "n-grams": row["n-grams"]}
            rows.append(Row({**cells, "n": row["n"]}, group))
        if families:
            means = {
                key: float(np.mean([row[key] for row in families.values()]))
                for key in ("accepted", "n-grams")
            }
            cells = {"headlines": f"mean of {group}", "judge": means["accepted"], "n-grams": means["n-grams"]}
            rows.append(Row(cells, group, True))
    note = (
        f"share accepted; printed headlines by outlet: {outlets}; {training['updates']:,} updates "
        f"({training['epochs']:.1f} epochs) in {metrics['seconds']['training']:.0f} s; fold {metrics['fold']}; "
        f"weights {metrics['weights_hash'][:6]}"
    )
    columns = (Column("headlines", "text"), Column("judge"), Column("n-grams"), Column("n", "count"))
    return Table(columns, tuple(rows), "fluency: would a newspaper print it · A2", (note,))


def _start(
    settings: JudgeSettings, data: FluencyData, families: Sequence[str], work: Path
) -> tuple[Any, Any]:
    """The judge before training, made once: a resumed run and every process load the same one."""
    import change_it.auto  # noqa: F401 (tokenizers are loaded by the type of the model)

    def save(folder: Path) -> None:
        model, tokenizer = build(settings, data, families)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        save_file({"without": model.without}, folder / PART_COUNTS)

    folder = stage(work / "start", save, seed=settings.seed)
    model = load_weights(FluencyJudgeForSequenceClassification, folder)
    model.without = load_file(folder / PART_COUNTS)["without"]
    return model, read_tokenizer(folder)


def build(settings: JudgeSettings, data: FluencyData, families: Sequence[str]) -> tuple[Any, Any]:
    """A fluency judge that knows the corpus's words and has seen a few broken headlines.

    Args:
        settings: encoder, its size, and the seed.
        data: texts to count, and headlines.
        families: of damage to learn from.

    Returns:
        The model with the counts of each part, and its tokenizer.
    """
    own = settings.encoder == SCRATCH
    cells, dimensions = SIZES[settings.size]
    config: Any = None
    if own:
        tokenizer = train_wordpiece(
            [text[:PIECED] for text in data.counted], VOCABULARY[settings.size], lowercase=True
        )
    else:
        tokenizer, config = load_encoder(settings.encoder)
    options = {"truncation": True, "max_length": settings.max_tokens}
    rows = tokenizer(data.counted[: data.titles], **options)["input_ids"]
    rows += tokenizer(
        data.counted[data.titles :], add_special_tokens=False, truncation=True, max_length=OPENING_TOKENS
    )["input_ids"]
    vocabulary = len(tokenizer) if own else config.vocab_size
    vectors, classes = learn_neighbours(rows, vocabulary, dimensions, settings.seed)
    model = FluencyJudgeForSequenceClassification(
        FluencyJudgeConfig(
            encoder=None if own else config.to_dict(),
            vocab_size=vocabulary,
            embedding_size=dimensions,
            hidden_size=cells if own else config.hidden_size,
            buckets=bucket_count(sum(map(len, rows))),
            groupings=len(GROUPINGS),
            id2label=dict(enumerate(LABELS)),
            label2id={name: number for number, name in enumerate(LABELS)},
        )
    )
    model.classes.copy_(classes)
    learn_counts(model, rows, data.counted_parts, PARTS)
    if own:
        with torch.no_grad():
            noise = 0.1 * torch.randn_like(vectors)
            model.encoder.embeddings.weight.copy_(vectors + noise)
    else:
        loaded = load_encoder_weights(settings.encoder, config)
        model.encoder.load_state_dict(loaded.state_dict(), strict=False)  # without the pooler
    examples = FluencyExamples(data, tokenizer, families, max_tokens=settings.max_tokens, seed=settings.seed)
    chosen = np.random.default_rng(settings.seed).permutation(len(examples))[:WARM].tolist()
    batches = [
        examples.collate([examples[row] for row in chosen[at : at + 64]]) for at in range(0, len(chosen), 64)
    ]
    warm_start(model, batches)
    return model, tokenizer


def _logit(probabilities: Floats) -> Floats:
    bounded = np.clip(probabilities, 1e-12, 1 - 1e-12)
    return np.asarray(np.log(bounded / (1 - bounded)))
