"""Settings of the search for headlines, and what a batch of it may hold."""

import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from transformers import GenerationConfig

from change_it.errors import InputError
from change_it.networks.formats import Format
from change_it.networks.headline_pipeline import Candidate
from change_it.training.training_options import setting_of

__all__ = ["Candidate", "Search", "read_decoding"]

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


class Search(NamedTuple):
    """Settings of decoding."""

    #: Settings of transformers; `num_beams` is 5 when None, and `no_repeat_ngram_size` what the generator was trained for.
    decoding: GenerationConfig = GenerationConfig()
    candidates: int = 1  # distinct headlines a source, at most
    seed: int = 1  # of headlines that are drawn (`do_sample`); they depend on it and on the batch alone

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of `decoding` that are not None, by name, and the number of beams."""
        given = self.decoding.to_diff_dict()
        return {"num_beams": BEAMS} | {name: value for name, value in given.items() if name in SETTINGS}

    @property
    def is_drawn(self) -> bool:
        """Whether headlines are drawn at random."""
        return bool(self.decoding.do_sample)

    def batch_size(self, model: Any, format_: Format) -> int:
        """The number of sources in a batch where none is given, at least 1."""
        width = self.candidates if self.is_drawn else max(self.settings["num_beams"], self.candidates)
        # `generate` keeps the scores of every step
        scores = width * format_.max_target_tokens * model.config.get_text_config().vocab_size
        limits = (
            BATCH_TOKENS // format_.max_source_tokens,
            BATCH_HEADLINES // width,
            BATCH_SCORES // scores,
        )
        return max(1, min(LARGEST_BATCH, *limits))


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


@contextmanager
def drawn(sources: Sequence[str], seed: int) -> Iterator[None]:
    """Random state of one batch: a function of the seed and the batch alone, and restored afterwards."""
    text = "\0".join([str(seed), *sources]).encode("utf-8", "replace")
    with _DRAWING, torch.random.fork_rng():
        torch.manual_seed(zlib.crc32(text))
        yield
