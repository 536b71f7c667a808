"""The search for headlines, and the `transformers.pipeline` of a generator.

This file is saved with the model, and so are the files that it imports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import Pipeline, StoppingCriteria
from transformers.dynamic_module_utils import custom_object_save

from .formats import FORMATS, Format

#: The base class without its types, which are narrower than what it takes.
_Pipeline: Any = Pipeline


@dataclass(frozen=True)
class Candidate:
    """A headline that a generator offers.

    Attributes:
        text: the headline.
        score: mean log-probability of its tokens, at most 0; higher is better.
    """

    text: str
    score: float


@torch.no_grad()
def search_headlines(
    model: Any,
    format_: Format,
    encoded: tuple[dict[str, Tensor], Sequence[list[str]]],
    settings: Mapping[str, Any],
    *,
    candidates: int = 1,
    rule: int,
) -> list[list[Candidate]]:
    """Return the candidates of each source, distinct and best first.

    A candidate is empty only where nothing else was written for its source.

    Args:
        model: the generator's model.
        format_: how it reads and writes.
        encoded: sources as the format's `inputs` returns them.
        settings: settings of `generate`; `num_beams` rises to the number of candidates.
        candidates: headlines of a source, at most.
        rule: size of n-grams that are not repeated, unless the settings have `no_repeat_ngram_size`.
    """
    inputs = {name: tensor.to(model.device) for name, tensor in encoded[0].items()}
    context = encoded[1]
    prompt = format_.prompt_tokens(inputs)
    if settings.get("do_sample"):
        beams = 1
        offered = candidates
    else:
        beams = max(settings["num_beams"], candidates)
        offered = beams

    options: dict[str, Any] = {"do_sample": False, "max_new_tokens": format_.max_target_tokens, **settings}
    rules = format_.rules(options.pop("no_repeat_ngram_size", rule), prompt, context)
    processors = [*rules.pop("logits_processor", []), *options.pop("logits_processor", [])]
    options["num_beams"] = beams
    options["num_return_sequences"] = offered
    options["pad_token_id"] = format_.tokenizer.pad_token_id
    options["eos_token_id"] = format_.ends
    if beams > 1:
        options["stopping_criteria"] = [*options.get("stopping_criteria", []), ForgetScores()]
    output = model.generate(
        **inputs,
        **options,
        **rules,
        logits_processor=processors,
        return_dict_in_generate=True,
        output_scores=True,
    )

    ids = output.sequences[:, prompt:]
    scores = output.get("sequences_scores")
    if scores is None:
        scores = mean_scores(output.scores, ids, format_.ends)
    context_of_each = [words for words in context for _ in range(offered)]
    with format_.lock:
        texts = format_.texts(ids.cpu(), context_of_each)
    written = [Candidate(text, score) for text, score in zip(texts, scores.tolist(), strict=True)]
    found = []
    for start in range(0, len(written), offered):
        found.append(_best(written[start : start + offered], candidates))
    return found


class ForgetScores(StoppingCriteria):
    """Stops nothing, and frees the scores of all words, which `generate` keeps of every step.

    It keeps them where a score of each headline is wanted, and a search with beams does not read them again:
    of 256 headlines and 5,000 words they are 200 MB.
    """

    def __call__(self, input_ids: Tensor, scores: Any, **_: Any) -> Tensor:
        """Empty the tensor of the last step, and return for each headline that it goes on."""
        scores[-1].set_()
        return torch.zeros(len(input_ids), dtype=torch.bool, device=input_ids.device)


def mean_scores(scores: Sequence[Tensor], ids: Tensor, ends: Sequence[int]) -> Tensor:
    """Return the mean log-probability (rows,) of each row's tokens up to its first end token.

    Args:
        scores: for each step the (rows, words) scores.
        ids: (rows, steps) tokens that were written.
        ends: ids of end tokens.
    """
    columns = []
    for step, words in zip(scores, ids.split(1, dim=1), strict=True):
        log_probabilities = step.log_softmax(-1)
        columns.append(log_probabilities.gather(1, words))
    values = torch.cat(columns, dim=1)
    is_end = torch.isin(ids, torch.tensor(ends, device=ids.device))
    # both are 0 before the first end token and 1 at it; behind it they differ
    has_no_end_before = is_end.cumsum(1) == is_end
    counted = has_no_end_before.to(values.dtype)
    return (values * counted).nan_to_num(0.0).sum(1) / counted.sum(1)


def _best(candidates: list[Candidate], count: int) -> list[Candidate]:
    """Return the best candidates with different texts; the best empty one where all are empty."""
    ordered = sorted(candidates, key=lambda candidate: -candidate.score)
    distinct: dict[str, Candidate] = {}
    for candidate in ordered:
        if candidate.text:
            distinct.setdefault(candidate.text, candidate)
    return list(distinct.values())[:count] or ordered[:1]


class HeadlinePipeline(_Pipeline):
    """Text generation that writes what `change-it transfer` writes.

    Sources are what the generator reads: an article, a headline, or `outlet | headline | article`. Settings
    of `generate` other than the saved ones are given to the pipeline or to a call.

    Examples:
        >>> import change_it.auto  # doctest: +SKIP
        >>> write = pipeline("headline-generation", model="owner/name")  # doctest: +SKIP
        >>> write("faro | the original headline | its article")  # doctest: +SKIP
        [{'generated_text': '...'}]
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        record = getattr(self.model.config, "change_it", {})
        if "kind" not in record:
            raise ValueError(
                "config.json does not say how this model reads and writes: open the folder of a generator, "
                "and merge adapters with their base first (merge_and_unload of peft)"
            )
        self.format = FORMATS[record["kind"]](self.tokenizer, **record["format"])

    def _sanitize_parameters(
        self, return_full_text: bool | None = None, **generate: Any
    ) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Return the parameters of `preprocess`, `_forward` and `postprocess`."""
        if return_full_text:
            raise ValueError(
                "return_full_text=True is for models that go on with a text: a headline stands alone"
            )
        return {}, generate, {}

    def preprocess(self, text: Any) -> dict[str, Any]:
        """Return the text, which is read with those of its batch.

        Raises:
            ValueError: it is no text, or it does not name an outlet that the generator writes for.
        """
        if not isinstance(text, str):
            raise ValueError(
                "this pipeline reads texts, not chat messages: give the content of the message as a text"
            )
        outlets = self.model.config.change_it.get("outlets")
        if outlets and (text.count(" | ") < 2 or text.partition(" | ")[0] not in outlets):
            raise ValueError(
                f"give the source as 'outlet | headline | article', with the outlet {' or '.join(outlets)}"
            )
        return {"text": text}

    def _forward(self, batch: dict[str, Any], **generate: Any) -> dict[str, Any]:
        """Return the candidates of a text, or of each text of a batch."""
        is_batch = isinstance(batch["text"], list)
        texts = batch["text"] if is_batch else [batch["text"]]
        saved = self.model.generation_config.to_diff_dict()
        chosen = {**saved, **generate}
        # of the saved settings these alone count; all that are given count
        names = {"num_beams", "do_sample", "max_new_tokens", *generate} - {"num_return_sequences"}
        settings = {"num_beams": 1}
        settings.update({name: chosen[name] for name in names & chosen.keys()})
        written = search_headlines(
            self.model,
            self.format,
            self.format.inputs(texts),
            settings,
            candidates=chosen.get("num_return_sequences") or 1,
            rule=self.model.config.change_it["no_repeat_ngram_size"],
        )
        if is_batch:
            return {"candidates": written}
        return {"candidates": written[0]}

    def postprocess(self, written: dict[str, Any]) -> list[dict[str, str]]:
        """Return a record for each headline, best first, as the pipelines of transformers do."""
        return [{"generated_text": candidate.text} for candidate in written["candidates"]]

    def save_pretrained(self, save_directory: Any, **options: Any) -> None:
        """Save model, tokenizer and this code."""
        self.model.save_pretrained(save_directory, **options)
        self.tokenizer.save_pretrained(save_directory, **options)
        custom_object_save(type(self), Path(save_directory))
