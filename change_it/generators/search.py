"""The search for headlines: candidates of sources, batch after batch."""

import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from transformers import GenerationConfig

from change_it.errors import InputError
from change_it.networks.formats import Format
from change_it.networks.pretrained import batches_at_once, map_threads, reading_errors
from change_it.progress import bar
from change_it.training.training_options import setting_of

#: Width of a search that sets nothing else.
BEAMS = 5
#: Settings that can be given; the number of candidates and the ends of texts are set otherwise.
SETTINGS = vars(GenerationConfig()).keys() - {
    "num_return_sequences",
    "pad_token_id",
    "eos_token_id",
    "return_dict_in_generate",
    "output_scores",
    "transformers_version",
}
#: A batch has at most so many sources, source tokens, headlines that are searched at once, and scores of their tokens (1 GiB).
LARGEST_BATCH, BATCH_TOKENS, BATCH_HEADLINES, BATCH_SCORES = 64, 16_384, 640, 1 << 28
#: Held while headlines are drawn: torch has one random state for all threads.
_DRAWING = threading.Lock()


@dataclass(frozen=True)
class Candidate:
    """A headline that a generator offers.

    Attributes:
        text: the headline.
        score: mean log-probability of its tokens, at most 0; higher is better.
    """

    text: str
    score: float


class Search(NamedTuple):
    """Settings of decoding."""

    #: Settings of transformers; `num_beams` is 5 when None, and `no_repeat_ngram_size` what the generator was trained for.
    decoding: GenerationConfig = GenerationConfig()
    candidates: int = 1  # distinct headlines a source, at most
    seed: int = 1  # of headlines that are drawn (`do_sample`); they depend on it and on the batch alone

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of `decoding` that are not None, by name."""
        return {name: value for name, value in self.decoding.to_diff_dict().items() if name in SETTINGS}

    @property
    def is_drawn(self) -> bool:
        """Whether headlines are drawn at random."""
        return bool(self.decoding.do_sample)

    @property
    def width(self) -> int:
        """Headlines of a source that are searched for at once."""
        beams = BEAMS if self.decoding.num_beams is None else self.decoding.num_beams
        return self.candidates if self.is_drawn else max(beams, self.candidates)


def read_decoding(settings: Sequence[str], **given: Any) -> GenerationConfig:
    """The settings `NAME=VALUE` of transformers' `GenerationConfig`, which win over those that are given."""
    for setting in settings:
        name, given[name] = setting_of(setting, "--generation", "GenerationConfig")
        if name not in SETTINGS:
            raise InputError(
                f"--generation {setting}: it is no setting of transformers' GenerationConfig, or is set here"
            )
    try:
        decoding = GenerationConfig(**given)
        decoding.validate(strict=True)
    except (ValueError, TypeError) as error:
        raise InputError(f"--generation {' '.join(settings)}: {' '.join(str(error).split())}") from error
    return decoding


def write(
    model: Any,
    format_: Format,
    sources: Sequence[str],
    search: Search,
    no_repeat_ngram_size: int,
    *,
    batch_size: int | None = None,
    shown: str = "",
) -> list[list[Candidate]]:
    """Candidates for each source; sources of like length share a batch. `shown` is the name of a progress bar."""
    order = sorted(range(len(sources)), key=lambda index: -len(sources[index]))
    size = batch_size or _batch_size(model, format_, search)
    batches = [order[start : start + size] for start in range(0, len(order), size)]

    def answer(batch: list[int]) -> list[list[Candidate]]:
        return generate(model, format_, [sources[index] for index in batch], search, no_repeat_ngram_size)

    written: dict[int, list[Candidate]] = {}
    with bar(shown, len(sources), shown=bool(shown)) as done_bar:
        threads = 1 if search.is_drawn else batches_at_once(model)
        for batch, several in zip(batches, map_threads(answer, batches, threads), strict=True):
            written |= zip(batch, several, strict=True)
            done_bar.update(len(batch))
    return [written[index] for index in range(len(sources))]


def _batch_size(model: Any, format_: Format, search: Search) -> int:
    """The number of sources in a batch where none is given, at least 1."""
    width, vocabulary = search.width, model.config.get_text_config().vocab_size
    scores = width * format_.max_target_tokens * vocabulary  # `generate` keeps those of every step
    limits = BATCH_TOKENS // format_.max_source_tokens, BATCH_HEADLINES // width, BATCH_SCORES // scores
    return max(1, min(LARGEST_BATCH, *limits))


@torch.no_grad()
def generate(
    model: Any, format_: Format, sources: Sequence[str], search: Search, no_repeat_ngram_size: int = 0
) -> list[list[Candidate]]:
    """Candidates for each source, distinct and best first; `model` is on its device, in `eval` mode."""
    if not sources:
        return []
    with reading_errors(format_.tokenizer), format_.lock:
        inputs, context = format_.inputs(sources)
    inputs = {name: tensor.to(model.device) for name, tensor in inputs.items()}
    prompt = format_.prompt_tokens(inputs)
    settings: dict[str, Any] = {"do_sample": False, "max_new_tokens": format_.max_target_tokens}
    settings |= search.settings
    settings |= format_.search(settings.pop("no_repeat_ngram_size", no_repeat_ngram_size), prompt)
    beams, offered = (1 if search.is_drawn else search.width), search.width
    settings |= {"num_beams": beams, "num_return_sequences": offered}
    settings |= {"pad_token_id": format_.tokenizer.pad_token_id, "eos_token_id": format_.ends}
    settings |= {"return_dict_in_generate": True, "output_scores": True}
    with drawn(sources, search.seed) if search.is_drawn else nullcontext():
        output = model.generate(**inputs, **settings)
    ids = output.sequences[:, prompt:]
    scores = output.sequences_scores if beams > 1 else mean_scores(output.scores, ids, format_.ends)
    with format_.lock:
        texts = format_.texts(ids.cpu(), [of_source for of_source in context for _ in range(offered)])
    candidates = list(map(Candidate, texts, scores.tolist()))
    return [
        best(candidates[start : start + offered], search.candidates)
        for start in range(0, len(candidates), offered)
    ]


def mean_scores(scores: Sequence[Tensor], ids: Tensor, ends: Sequence[int]) -> Tensor:
    """(rows,) mean log-probability of (rows, steps) tokens up to the first end token, from the (rows, words) scores of each step."""
    values = torch.stack(
        [step.log_softmax(-1).gather(1, ids[:, at, None])[:, 0] for at, step in enumerate(scores)], dim=1
    )
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
