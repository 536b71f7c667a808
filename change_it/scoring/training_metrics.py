"""Compliancy as the `compute_metrics` of a `Seq2SeqTrainer`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from change_it.errors import InputError
from change_it.io import refuse_lengths
from change_it.scoring.compliancy import COMPLIANCY_MEASURES, OF_FLUENCY, aggregate, compute_compliancy
from change_it.stats import estimate

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from change_it.judges.judge import Judges


def compute_metrics(
    judges: "str | Path | Judges",
    tokenizer: "PreTrainedTokenizerBase",
    sources: Sequence[str],
    articles: Sequence[str],
    labels: Sequence[str],
    **options: Any,
) -> Callable[[Any], dict[str, float]]:
    """What a `Seq2SeqTrainer` with `predict_with_generate=True` calls on the headlines that it wrote.

    Args:
        judges: folder or Hub id of the judges, or loaded ones.
        tokenizer: of the model that is trained.
        sources: n original headlines, in the order of the trainer's evaluation set.
        articles: their articles.
        labels: outlets that the originals come from, by short name.
        **options: others of `compute_compliancy`, as `reversal`.

    Returns:
        A function of an `EvalPrediction`: `COMPLIANCY_MEASURES` as shares of the n headlines, averaged over the directions; without
        those that these judges cannot tell. An empty headline passes nothing.

    Raises:
        InputError: lists of different lengths, judges that cannot be loaded; of the function: logits instead of ids, or another
            number of headlines.

    Examples:
        >>> score = compute_metrics("runs/quickstart/judges", tokenizer, sources, articles, labels)  # doctest: +SKIP
        >>> trainer = Seq2SeqTrainer(model, arguments, ..., compute_metrics=score)  # doctest: +SKIP
    """
    refuse_lengths(sources=sources, articles=articles, labels=labels)
    from change_it.judges.judge import Judges

    loading = {name: options.pop(name) for name in ("precision", "device") if name in options}
    loaded = Judges.of(judges, **loading)

    def compute(prediction: Any) -> dict[str, float]:
        predictions = prediction.predictions
        ids = np.asarray(predictions[0] if isinstance(predictions, tuple) else predictions)
        if ids.ndim != 2 or not np.issubdtype(ids.dtype, np.integer):
            raise InputError("these are logits, not headlines: train with predict_with_generate=True")
        if len(ids) != len(sources):
            raise InputError(
                f"{len(ids)} headlines were written for {len(sources)} sources: give the items of the evaluation set"
            )
        filled = np.where(ids < 0, tokenizer.pad_token_id, ids)
        texts = [" ".join(text.split()) for text in tokenizer.batch_decode(filled, skip_special_tokens=True)]
        rows = [row for row, text in enumerate(texts) if text]
        measures = [name for name in COMPLIANCY_MEASURES if loaded.fluency or name not in OF_FLUENCY]
        passed = {"n": np.ones(len(texts)), **{name: np.zeros(len(texts)) for name in measures}}
        if rows:
            parts = [[column[row] for row in rows] for column in (texts, sources, articles, labels)]
            scores = compute_compliancy(
                parts[0], parts[1], parts[2], parts[3], loaded, **{"resamples": 1, **options}
            )
            for name in measures:
                passed[name][rows] = [verdict[name] for verdict in scores["verdicts"]]
        return {name: float(shares[-1]) for name, shares in estimate(passed, aggregate, labels).items()}

    return compute
