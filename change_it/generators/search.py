"""The search for headlines: candidates of one batch of sources; who calls it makes the batches."""

import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache, LogitsProcessor, LogitsProcessorList
from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

from change_it.generators.decoding import Candidate, Decoding
from change_it.networks.formats import Format
from change_it.networks.pretrained import reading_errors

#: States of one layer that headlines of a source can share: keys and values alone.
SHARED = (DynamicLayer, DynamicSlidingWindowLayer)
#: Held while headlines are drawn: torch has one random state for all threads.
_DRAWING = threading.Lock()


@torch.no_grad()
def generate(
    model: Any, format_: Format, sources: Sequence[str], decoding: Decoding
) -> list[list[Candidate]]:
    """Candidates for each source, distinct and best first; `model` is on its device, in `eval` mode."""
    if not sources:
        return []
    with reading_errors(format_.tokenizer):
        inputs, context = format_.inputs(sources)
    inputs = {name: tensor.to(model.device) for name, tensor in inputs.items()}
    prompt = format_.prompt_tokens(inputs)
    beams = 1 if decoding.sample else max(decoding.beams, decoding.candidates)
    offered = decoding.candidates if decoding.sample else beams
    settings = format_.search(decoding.no_repeat_ngram_size or 0, prompt)
    processors = LogitsProcessorList(settings.pop("logits_processor", []))
    chosen = ChosenScores(prompt)
    if beams == 1:
        processors.append(chosen)
    else:
        settings |= {"length_penalty": 1.0, "early_stopping": False}
    if decoding.sample:
        settings |= {"temperature": decoding.temperature, "top_p": decoding.top_p, "top_k": 0}
    settings |= prompt_states(model, format_, inputs, offered if decoding.sample else beams)
    with drawn(sources, decoding.seed) if decoding.sample else nullcontext():
        output = model.generate(
            **inputs,
            **settings,
            num_beams=beams,
            num_return_sequences=offered,
            do_sample=decoding.sample,
            max_new_tokens=format_.max_target_tokens,
            logits_processor=processors,
            pad_token_id=format_.tokenizer.pad_token_id,
            eos_token_id=format_.ends,
            return_dict_in_generate=True,
            output_scores=beams > 1,
        )
    ids = output.sequences[:, prompt:]
    scores = output.sequences_scores if beams > 1 else chosen.means(ids, format_.ends)
    texts = format_.texts(ids.cpu(), [of_source for of_source in context for _ in range(offered)])
    candidates = list(map(Candidate, texts, scores.tolist()))
    return [
        best(candidates[start : start + offered], decoding.candidates)
        for start in range(0, len(candidates), offered)
    ]


def prompt_states(model: Any, format_: Format, inputs: dict[str, Tensor], copies: int) -> dict[str, Any]:
    """Further arguments of `generate`: the states of a prompt, computed once for all headlines of a source that are searched at once.

    They are of all of the prompt but its last token, which `generate` reads itself; an encoder reads a source once anyway.
    """
    prompt = format_.prompt_tokens(inputs)
    if copies == 1 or prompt == 1:
        return {}
    before = {name: tensor[:, :-1] for name, tensor in inputs.items()}
    tokenizer = format_.tokenizer
    read = model.generate(
        **before,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        max_new_tokens=1,
        num_beams=1,
        do_sample=False,
        return_dict_in_generate=True,
    )
    states: Any = read.past_key_values
    layers = states.layers if isinstance(states, DynamicCache) else [None]
    if any(type(layer) not in SHARED for layer in layers):
        return {}  # of another kind, such as a recurrence: read for each headline
    states.batch_repeat_interleave(copies)
    states.reorder_cache = partial(reorder_written, states, states.get_seq_length())
    return {"past_key_values": states}


def reorder_written(states: Any, prompt: int, beams: Tensor) -> None:
    """Reorder the states behind the first `prompt` tokens, which the headlines of a source share."""
    for layer in states.layers:
        keys = getattr(layer, "keys", None)
        if (
            keys is None or keys.shape[-2] != layer.get_seq_length()
        ):  # a window may have left the prompt behind
            layer.reorder_cache(beams)
            continue
        for tensor in (keys, layer.values):
            written = tensor[..., prompt:, :]
            written.copy_(written.index_select(0, beams.to(tensor.device)))


class ChosenScores(LogitsProcessor):
    """Log-probability of each token that greedy search or sampling chose, before temperature and top-p; keeps one step's scores."""

    def __init__(self, prompt: int):
        self.prompt = prompt
        self.last: Tensor | None = None
        self.chosen: list[Tensor] = []

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores as they came."""
        self._add(input_ids[:, -1])
        self.last = scores.log_softmax(-1)
        return scores

    def _add(self, tokens: Tensor) -> None:
        if self.last is not None:
            self.chosen.append(self.last.gather(1, tokens[:, None])[:, 0])

    def means(self, ids: Tensor, ends: Sequence[int]) -> Tensor:
        """(rows,) mean log-probability of (rows, steps) generated tokens up to the first end token."""
        self._add(ids[:, -1])
        values = torch.stack(self.chosen, dim=1)
        end = torch.isin(ids, torch.tensor(ends, device=ids.device))
        ended = end.cumsum(1) - end.long()  # ends before this token
        counted = (ended == 0).to(values.dtype)
        return (values * counted).nan_to_num(0.0).sum(1) / counted.sum(1)


def best(candidates: Sequence[Candidate], count: int) -> list[Candidate]:
    """The best distinct candidates, best first; an empty text only where there is nothing else."""
    ordered = sorted(candidates, key=lambda candidate: -candidate.score)
    distinct = {candidate.text: candidate for candidate in reversed(ordered) if candidate.text}
    return [each for each in ordered if distinct.get(each.text) is each][:count] or ordered[:1]


@contextmanager
def drawn(sources: Sequence[str], seed: int) -> Iterator[None]:
    """Random state of one batch: a function of the seed and the batch alone, and restored afterwards."""
    text = "\0".join([str(seed), *sources]).encode("utf-8", "replace")
    with _DRAWING, torch.random.fork_rng():
        torch.manual_seed(zlib.crc32(text))
        yield
