"""How texts become tensors and tokens become headlines: one format for each kind of generator.

`collate` and `generate` see one batch; who calls them makes the batches.
"""

import threading
import tomllib
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib.resources import files
from typing import Any

import torch
from torch import Tensor
from transformers import (
    LogitsProcessor,
    LogitsProcessorList,
    NoRepeatNGramLogitsProcessor,
    PreTrainedTokenizerBase,
)

from change_it.errors import InputError
from change_it.generators.decoding import Candidate, Decoding
from change_it.networks.pretrained import reading_errors
from change_it.networks.tokenizer import IGNORED, padded, padded_inputs

#: The most frequent ids of a tokenizer over words: articles, prepositions, marks.
FREQUENT = 200
#: Characters of a token, at most: what lies behind is cut before the tokenizer reads it.
CHARACTERS = 40

#: Held while headlines are drawn: torch has one random state for all threads.
_DRAWING = threading.Lock()


class Format(ABC):
    """Between texts and one kind of model; safe in many threads."""

    #: Tokens of a prompt without the source.
    overhead = 0

    def __init__(self, tokenizer: Any, *, max_source_tokens: int, max_target_tokens: int):
        self.tokenizer = tokenizer
        self.max_source_tokens, self.max_target_tokens = max_source_tokens, max_target_tokens
        self._lock = threading.Lock()  # a tokenizer must not be used by two threads at once

    def collate(self, sources: Sequence[str], targets: Sequence[str]) -> dict[str, Tensor]:
        """A training batch: arguments of the model, `labels` among them with -100 where nothing is learnt."""
        return self._batch(clean(sources, self.max_source_tokens), clean(targets, self.max_target_tokens))

    def lengths(self, sources: Sequence[str], targets: Sequence[str]) -> list[int]:
        """Rough length of each example, to batch like with like: characters, up to what is certainly cut."""
        return [
            min(len(source), 8 * self.max_source_tokens) + min(len(target), 8 * self.max_target_tokens)
            for source, target in zip(sources, targets, strict=True)
        ]

    @torch.no_grad()
    def generate(self, model: Any, sources: Sequence[str], decoding: Decoding) -> list[list[Candidate]]:
        """Candidates for each source, distinct and best first; `model` is on its device, in `eval` mode."""
        if not sources:
            return []
        with self._lock, reading_errors(self.tokenizer):
            inputs, prompt, context = self._inputs(clean(sources, self.max_source_tokens))
        inputs = {name: tensor.to(model.device) for name, tensor in inputs.items()}
        beams = 1 if decoding.sample else max(decoding.beams, decoding.candidates)
        offered = decoding.candidates if decoding.sample else beams
        chosen = ChosenScores(prompt)
        processors: list[LogitsProcessor] = []
        if decoding.no_repeat_ngram_size:
            processors += self._without_repeats(decoding.no_repeat_ngram_size, prompt)
        if beams == 1:
            processors.append(chosen)
        settings: dict[str, Any] = {"num_beams": beams, "num_return_sequences": offered}
        if beams > 1:
            settings |= {"length_penalty": 1.0, "early_stopping": False}
        if decoding.sample:
            settings |= {"temperature": decoding.temperature, "top_p": decoding.top_p, "top_k": 0}
        with drawn(sources, decoding.seed) if decoding.sample else nullcontext():
            output = model.generate(
                **inputs,
                **settings,
                do_sample=decoding.sample,
                max_new_tokens=self.max_target_tokens,
                no_repeat_ngram_size=0,
                logits_processor=LogitsProcessorList(processors),
                pad_token_id=self.tokenizer.pad_token_id,
                eos_token_id=self.tokenizer.eos_token_id,
                return_dict_in_generate=True,
                output_scores=beams > 1,
            )
        ids = output.sequences[:, prompt:]
        scores = output.sequences_scores if beams > 1 else chosen.means(ids, self.tokenizer.eos_token_id)
        with self._lock:
            texts = self._texts(ids.cpu(), [of_source for of_source in context for _ in range(offered)])
        candidates = list(map(Candidate, texts, scores.tolist()))
        return [
            best(candidates[start : start + offered], decoding.candidates)
            for start in range(0, len(candidates), offered)
        ]

    def _without_repeats(self, size: int, prompt: int) -> list[LogitsProcessor]:
        """What keeps n-grams of tokens from being written twice."""
        return [NoRepeatedNGram(size, prompt)]

    @abstractmethod
    def _batch(self, sources: list[str], targets: list[str]) -> dict[str, Tensor]:
        """As `collate`, of clean texts."""

    @abstractmethod
    def _inputs(self, sources: list[str]) -> tuple[dict[str, Tensor], int, list[list[str]]]:
        """Arguments of `generate`, tokens that its output begins with, and what `_texts` needs of each source."""

    @abstractmethod
    def _texts(self, ids: Tensor, context: list[list[str]]) -> list[str]:
        """Generated ids, (rows, steps), as text."""


class WordFormat(Format):
    """Of the papers' networks: words, and temporary ids for those that are copied."""

    def __init__(self, tokenizer: Any, *, max_source_tokens: int, max_target_tokens: int, copies: bool):
        """Without `copies`, unknown words of the source are learnt as `<unk>`."""
        super().__init__(tokenizer, max_source_tokens=max_source_tokens, max_target_tokens=max_target_tokens)
        self.copies = copies

    def _batch(self, sources: list[str], targets: list[str]) -> dict[str, Tensor]:
        batch, unknown = self.tokenizer.sources(sources, max_tokens=self.max_source_tokens)
        copied = unknown if self.copies else None
        return {**batch, "labels": self.tokenizer.targets(targets, copied, max_tokens=self.max_target_tokens)}

    def lengths(self, sources: Sequence[str], targets: Sequence[str]) -> list[int]:
        """What an example costs: attention looks at every word of the source for every word that is written."""
        return [
            min(source.count(" ") + 1, self.max_source_tokens)
            * min(target.count(" ") + 1, self.max_target_tokens)
            for source, target in zip(sources, targets, strict=True)
        ]

    def _without_repeats(self, size: int, prompt: int) -> list[LogitsProcessor]:
        if size > 1:
            return super()._without_repeats(size, prompt)
        return [NoRepeatedNGram(3, prompt), NoRepeatedWord(self.tokenizer, prompt)]

    def _inputs(self, sources: list[str]) -> tuple[dict[str, Tensor], int, list[list[str]]]:
        batch, unknown = self.tokenizer.sources(sources, max_tokens=self.max_source_tokens)
        return dict(batch), 1, unknown

    def _texts(self, ids: Tensor, context: list[list[str]]) -> list[str]:
        return list(self.tokenizer.headlines(ids, context))


class EncoderDecoderFormat(Format):
    """Of T5, BART and their like: the encoder reads the source, the decoder writes."""

    def _batch(self, sources: list[str], targets: list[str]) -> dict[str, Tensor]:
        batch, _, _ = self._inputs(sources)
        options = {"truncation": True, "max_length": self.max_target_tokens}
        encoded = self.tokenizer(text_target=targets, **options)["input_ids"]
        end = self.tokenizer.eos_token_id
        ended = [row if row[-1:] == [end] else [*row[: self.max_target_tokens - 1], end] for row in encoded]
        return {**batch, "labels": padded(ended, IGNORED)}

    def _inputs(self, sources: list[str]) -> tuple[dict[str, Tensor], int, list[list[str]]]:
        rows = self.tokenizer(sources, truncation=True, max_length=self.max_source_tokens)["input_ids"]
        rows = [row or [self.tokenizer.eos_token_id] for row in rows]
        return padded_inputs(rows, self.tokenizer.pad_token_id), 1, [[]] * len(rows)

    def _texts(self, ids: Tensor, context: list[list[str]]) -> list[str]:
        return [one_line(text) for text in self.tokenizer.batch_decode(ids, skip_special_tokens=True)]


class CausalFormat(Format):
    """Of language models: a prompt with the source, then the headline; the loss counts the headline alone."""

    def __init__(
        self, tokenizer: Any, *, max_source_tokens: int, max_target_tokens: int, prompt: tuple[str, str]
    ):
        """`prompt` stands before and after the source; sources are cut, the prompt never is."""
        super().__init__(tokenizer, max_source_tokens=max_source_tokens, max_target_tokens=max_target_tokens)
        begin = tokenizer.bos_token_id
        started = begin is not None and begin in tokenizer("a")["input_ids"]
        self.before = [begin] * started + self._ids([prompt[0]])[0]
        self.after = self._ids([prompt[1]])[0]
        self.overhead = len(self.before) + len(self.after)

    def _batch(self, sources: list[str], targets: list[str]) -> dict[str, Tensor]:
        """`input_ids` are of prompt, headline and end, `labels` without the prompt."""
        prompts = self._prompts(sources)
        headlines = self._ids([f" {target}" for target in targets])
        answers = [[*row[: self.max_target_tokens - 1], self.tokenizer.eos_token_id] for row in headlines]
        rows = [prompt + answer for prompt, answer in zip(prompts, answers, strict=True)]
        labels = [[IGNORED] * len(prompt) + answer for prompt, answer in zip(prompts, answers, strict=True)]
        return {**padded_inputs(rows, self.tokenizer.pad_token_id), "labels": padded(labels, IGNORED)}

    def _inputs(self, sources: list[str]) -> tuple[dict[str, Tensor], int, list[list[str]]]:
        batch = padded_inputs(self._prompts(sources), self.tokenizer.pad_token_id, left=True)
        return batch, batch["input_ids"].shape[1], [[]] * len(sources)

    def _texts(self, ids: Tensor, context: list[list[str]]) -> list[str]:
        texts = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return [one_line(text.lstrip().partition("\n")[0]) for text in texts]

    def _prompts(self, sources: list[str]) -> list[list[int]]:
        return [self.before + row[: self.max_source_tokens] + self.after for row in self._ids(sources)]

    def _ids(self, texts: list[str]) -> list[list[int]]:
        return list(self.tokenizer(texts, add_special_tokens=False)["input_ids"])


def prompt_of(language: str, reads: str, to: str | None) -> tuple[str, str]:
    """What stands before and after the source in the prompt of a causal model; `to` None is agnostic."""
    path = files("change_it.generators") / "prompts" / f"{language}.toml"
    if not path.is_file():
        raise InputError(f"there are no prompts for --language {language}: use it or en")
    template = tomllib.loads(path.read_text(encoding="utf-8"))[reads]["targeted" if to else "agnostic"]
    before, _, after = template.partition("{source}")
    return before.replace("{to}", to or ""), after.replace("{to}", to or "")


def clean(texts: Sequence[str], tokens: int) -> list[str]:
    """Texts that every tokenizer reads: no lone surrogates, nothing behind what `tokens` tokens can hold."""
    return [text[: CHARACTERS * tokens].encode("utf-8", "replace").decode("utf-8") for text in texts]


def one_line(text: str) -> str:
    """The text with single spaces."""
    return " ".join(text.split())


class NoRepeatedNGram(LogitsProcessor):
    """Forbids an n-gram twice in what is generated; the prompt's own n-grams stay allowed."""

    def __init__(self, size: int, prompt: int):
        self.inner, self.prompt = NoRepeatNGramLogitsProcessor(size), prompt

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores with -inf for the tokens that would repeat an n-gram."""
        return self.inner(input_ids[:, self.prompt :], scores)


class NoRepeatedWord(LogitsProcessor):
    """Forbids a word twice, but for the `FREQUENT` ones, which it forbids twice in a row; marks stay allowed."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, prompt: int):
        self.prompt = prompt
        ids = tokenizer.get_vocab().items()
        marks = [id_ for token, id_ in ids if not any(map(str.isalnum, token))]
        self.marks = torch.tensor(marks, dtype=torch.long)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores with -inf for the words that would be repeated."""
        written = input_ids[:, self.prompt :]
        repeated = torch.zeros_like(scores, dtype=torch.bool).scatter_(1, written, True)
        repeated[:, :FREQUENT] = False
        repeated.scatter_(1, written[:, -1:], True)
        repeated[:, self.marks.to(scores.device)] = False
        return scores.masked_fill(repeated, -torch.inf)


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

    def means(self, ids: Tensor, end: int) -> Tensor:
        """(rows,) mean log-probability of (rows, steps) generated tokens up to the first end token."""
        self._add(ids[:, -1])
        values = torch.stack(self.chosen, dim=1)
        ended = (ids == end).cumsum(1) - (ids == end).long()  # ends before this token
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
