"""The search for headlines, and the `transformers.pipeline` of a generator; this file is saved with the model and the files that it imports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import Pipeline
from transformers.dynamic_module_utils import custom_object_save

from .formats import FORMATS, Format

_Pipeline: Any = Pipeline  # its types are narrower than what it takes


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
    """Candidates of each source, distinct and best first, an empty one only where there is nothing else.

    `encoded` are inputs and context of the format; of the settings of `generate`, `num_beams` rises to the number of candidates,
    and `rule` is the size of n-grams that are not repeated where they have none.
    """
    inputs, context = {name: tensor.to(model.device) for name, tensor in encoded[0].items()}, encoded[1]
    prompt, drawn = format_.prompt_tokens(inputs), settings.get("do_sample")
    offered = candidates if drawn else max(settings["num_beams"], candidates)
    options: dict[str, Any] = {"do_sample": False, "max_new_tokens": format_.max_target_tokens, **settings}
    rules = format_.rules(options.pop("no_repeat_ngram_size", rule), prompt, context)
    rules["logits_processor"] = [*rules.get("logits_processor", []), *options.pop("logits_processor", [])]
    options |= {"num_beams": 1 if drawn else offered, "num_return_sequences": offered}
    options |= {"pad_token_id": format_.tokenizer.pad_token_id, "eos_token_id": format_.ends}
    output = model.generate(**inputs, **options, **rules, return_dict_in_generate=True, output_scores=True)
    ids, scores = output.sequences[:, prompt:], output.get("sequences_scores")
    scores = mean_scores(output.scores, ids, format_.ends) if scores is None else scores
    with format_.lock:
        texts = format_.texts(ids.cpu(), [words for words in context for _ in range(offered)])
    written = list(map(Candidate, texts, scores.tolist()))
    groups = (written[start : start + offered] for start in range(0, len(written), offered))
    return [_best(group, candidates) for group in groups]


def mean_scores(scores: Sequence[Tensor], ids: Tensor, ends: Sequence[int]) -> Tensor:
    """(rows,) mean log-probability of (rows, steps) tokens up to the first end token, from the (rows, words) scores of each step."""
    steps = zip(scores, ids.split(1, dim=1), strict=True)
    values = torch.cat([step.log_softmax(-1).gather(1, tokens) for step, tokens in steps], dim=1)
    end = torch.isin(ids, torch.tensor(ends, device=ids.device))
    counted = (end.cumsum(1) == end).to(values.dtype)  # no end before this token
    return (values * counted).nan_to_num(0.0).sum(1) / counted.sum(1)


def _best(candidates: list[Candidate], count: int) -> list[Candidate]:
    ordered = sorted(candidates, key=lambda candidate: -candidate.score)
    distinct: dict[str, Candidate] = {}
    for candidate in filter(lambda candidate: candidate.text, ordered):
        distinct.setdefault(candidate.text, candidate)
    return [*distinct.values()][:count] or ordered[:1]


class HeadlinePipeline(_Pipeline):
    """Text generation that writes what `change-it transfer` writes.

    Sources are what the generator reads: an article, a headline, or `outlet | headline | article`. Other settings of `generate`
    than the saved ones are given to the pipeline or to a call.

    Examples:
        >>> write = pipeline("headline-generation", model="owner/name")  # after import change_it.auto  # doctest: +SKIP
        >>> write("faro | the original headline | its article")  # doctest: +SKIP
        [{'generated_text': '...'}]
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        record = getattr(self.model.config, "change_it", {})
        if "kind" not in record:
            raise ValueError(
                "config.json does not say how this model reads and writes: open the folder of a generator, and merge adapters "
                "with their base first (merge_and_unload of peft)"
            )
        self.format = FORMATS[record["kind"]](self.tokenizer, **record["format"])

    def _sanitize_parameters(
        self, return_full_text: bool | None = None, **generate: Any
    ) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        if return_full_text:
            raise ValueError(
                "return_full_text=True is for models that go on with a text: a headline stands alone"
            )
        return {}, generate, {}

    def preprocess(self, text: Any) -> dict[str, Any]:
        """The text, which is read with those of its batch; refused where it names no outlet that the generator writes for."""
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
        several = isinstance(batch["text"], list)  # a batch
        saved = self.model.generation_config.to_diff_dict() | generate
        names = {"num_beams", "do_sample", "max_new_tokens", *generate} - {"num_return_sequences"}
        written = search_headlines(
            self.model,
            self.format,
            self.format.inputs(batch["text"] if several else [batch["text"]]),
            {"num_beams": 1} | {name: saved[name] for name in names & saved.keys()},
            candidates=saved.get("num_return_sequences") or 1,
            rule=self.model.config.change_it["no_repeat_ngram_size"],
        )
        return {"candidates": written if several else written[0]}

    def postprocess(self, written: dict[str, Any]) -> list[dict[str, str]]:
        """A record for each headline, best first, as the pipelines of transformers have it."""
        return [{"generated_text": candidate.text} for candidate in written["candidates"]]

    def save_pretrained(self, save_directory: Any, **options: Any) -> None:
        """Save model, tokenizer and this code."""
        for part in (self.model, self.tokenizer):
            part.save_pretrained(save_directory, **options)
        custom_object_save(type(self), Path(save_directory))
