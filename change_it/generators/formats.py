"""How texts become tensors and tokens become headlines: one format for each kind of generator.

`collate` and `generate` see one batch; who calls them makes the batches.
"""

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import torch
from torch import Tensor
from transformers import LogitsProcessor, LogitsProcessorList

from change_it.errors import InputError
from change_it.generators.card import GeneratorCard
from change_it.generators.decoding import Candidate, ChosenScores, Decoding, NoRepeatedNGram, best, drawn

__all__ = [
    "Candidate",
    "CausalFormat",
    "Decoding",
    "EncoderDecoderFormat",
    "Format",
    "WordFormat",
    "make_format",
    "prompt_of",
]

#: Padding of labels, which no loss counts.
IGNORED = -100
#: Characters of a token, at most: what lies behind is cut before the tokenizer reads it.
CHARACTERS = 40


class Format(ABC):
    """Between texts and one kind of model.

    Attributes:
        tokenizer: the model's.
        source_tokens: longer sources are cut.
        target_tokens: tokens of a headline, the end included, at most.
    """

    def __init__(self, tokenizer: Any, *, source_tokens: int, target_tokens: int):
        self.tokenizer, self.source_tokens, self.target_tokens = tokenizer, source_tokens, target_tokens

    @abstractmethod
    def collate(self, sources: Sequence[str], targets: Sequence[str]) -> dict[str, Tensor]:
        """A training batch.

        Args:
            sources: n texts.
            targets: n headlines.

        Returns:
            Keyword arguments of the model, `labels` among them with -100 where nothing is learnt.
        """

    def lengths(self, sources: Sequence[str], targets: Sequence[str]) -> list[int]:
        """Rough length of each example, to batch like with like: characters, up to what is certainly cut."""
        return [
            min(len(source), 8 * self.source_tokens) + min(len(target), 8 * self.target_tokens)
            for source, target in zip(sources, targets, strict=True)
        ]

    @torch.no_grad()
    def generate(self, model: Any, sources: Sequence[str], decoding: Decoding) -> list[list[Candidate]]:
        """Headlines for a batch of sources.

        Args:
            model: on its device, in `eval` mode.
            sources: n texts of any kind; an empty one gives what the model makes of nothing.
            decoding: how to search.

        Returns:
            n lists of distinct candidates, best first; at least one each, at most `decoding.candidates`.
        """
        if not sources:
            return []
        inputs, prompt, context = self._inputs([clean(source, self.source_tokens) for source in sources])
        inputs = {name: tensor.to(model.device) for name, tensor in inputs.items()}
        beams = 1 if decoding.sample else max(decoding.beams, decoding.candidates)
        offered = decoding.candidates if decoding.sample else beams
        chosen = ChosenScores(prompt)
        processors: list[LogitsProcessor] = []
        if decoding.no_repeat_ngram_size:
            processors.append(NoRepeatedNGram(decoding.no_repeat_ngram_size, prompt))
        if beams == 1:
            processors.append(chosen)
        settings: dict[str, Any] = {"num_beams": beams, "num_return_sequences": offered}
        if beams > 1:
            settings |= {"length_penalty": 1.0, "early_stopping": False}
        if decoding.sample:
            settings |= {"temperature": decoding.temperature, "top_p": decoding.top_p, "top_k": 0}
        with drawn(sources, decoding.seed):
            output = model.generate(
                **inputs,
                **settings,
                do_sample=decoding.sample,
                max_new_tokens=self.target_tokens,
                no_repeat_ngram_size=0,
                logits_processor=LogitsProcessorList(processors),
                pad_token_id=self.tokenizer.pad_token_id,
                eos_token_id=self.tokenizer.eos_token_id,
                return_dict_in_generate=True,
                output_scores=beams > 1,
            )
        ids = output.sequences[:, prompt:]
        scores = output.sequences_scores if beams > 1 else chosen.means(ids, self.tokenizer.eos_token_id)
        texts = self._texts(ids.cpu(), [one for one in context for _ in range(offered)])
        found = [Candidate(text, score) for text, score in zip(texts, scores.tolist(), strict=True)]
        return [
            best(found[start : start + offered], decoding.candidates)
            for start in range(0, len(found), offered)
        ]

    @abstractmethod
    def _inputs(self, sources: list[str]) -> tuple[dict[str, Tensor], int, list[Any]]:
        """Arguments of `generate`, tokens that its output begins with, and what `_texts` needs of each source."""

    @abstractmethod
    def _texts(self, ids: Tensor, context: list[Any]) -> list[str]:
        """Generated ids, (rows, steps), as text."""


class WordFormat(Format):
    """Of the papers' networks: words, and temporary ids for those that are copied."""

    def __init__(self, tokenizer: Any, *, source_tokens: int, target_tokens: int, copies: bool):
        """Format of a `HeadlineTokenizer`.

        Args:
            tokenizer: the model's.
            source_tokens: longer sources are cut.
            target_tokens: longer headlines are cut.
            copies: the model can write unknown words of the source; else they are learnt as `<unk>`.
        """
        super().__init__(tokenizer, source_tokens=source_tokens, target_tokens=target_tokens)
        self.copies = copies

    def collate(self, sources: Sequence[str], targets: Sequence[str]) -> dict[str, Tensor]:
        """`input_ids`, `attention_mask` and `labels`; unknown words have temporary ids."""
        batch, unknown = self.tokenizer.sources(
            [clean(source, self.source_tokens) for source in sources], max_tokens=self.source_tokens
        )
        labels = self.tokenizer.targets(
            [clean(target, self.target_tokens) for target in targets],
            unknown if self.copies else None,
            max_tokens=self.target_tokens,
        )
        return {**batch, "labels": labels}

    def lengths(self, sources: Sequence[str], targets: Sequence[str]) -> list[int]:
        """What an example costs: attention looks at every word of the source for every word that is written."""
        return [
            min(source.count(" ") + 1, self.source_tokens) * min(target.count(" ") + 1, self.target_tokens)
            for source, target in zip(sources, targets, strict=True)
        ]

    def _inputs(self, sources: list[str]) -> tuple[dict[str, Tensor], int, list[Any]]:
        batch, unknown = self.tokenizer.sources(sources, max_tokens=self.source_tokens)
        return dict(batch), 1, unknown

    def _texts(self, ids: Tensor, context: list[Any]) -> list[str]:
        return list(self.tokenizer.headlines(ids, context))


class EncoderDecoderFormat(Format):
    """Of T5, BART and their like: the encoder reads the source, the decoder writes."""

    def collate(self, sources: Sequence[str], targets: Sequence[str]) -> dict[str, Tensor]:
        """`input_ids`, `attention_mask` and `labels` that end with the end token."""
        batch, _, _ = self._inputs([clean(source, self.source_tokens) for source in sources])
        encoded = self.tokenizer(
            text_target=[clean(target, self.target_tokens) for target in targets],
            truncation=True,
            max_length=self.target_tokens,
        )["input_ids"]
        end = self.tokenizer.eos_token_id
        ended = [row if row[-1:] == [end] else [*row[: self.target_tokens - 1], end] for row in encoded]
        return {**batch, "labels": padded(ended, IGNORED)}

    def _inputs(self, sources: list[str]) -> tuple[dict[str, Tensor], int, list[Any]]:
        rows = self.tokenizer(sources, truncation=True, max_length=self.source_tokens)["input_ids"]
        rows = [row or [self.tokenizer.eos_token_id] for row in rows]
        ids = padded(rows, self.tokenizer.pad_token_id)
        mask = padded([[1] * len(row) for row in rows], 0)
        return {"input_ids": ids, "attention_mask": mask}, 1, [None] * len(rows)

    def _texts(self, ids: Tensor, context: list[Any]) -> list[str]:
        return [one_line(text) for text in self.tokenizer.batch_decode(ids, skip_special_tokens=True)]


class CausalFormat(Format):
    """Of language models: a prompt with the source, then the headline; the loss counts the headline alone."""

    def __init__(self, tokenizer: Any, *, source_tokens: int, target_tokens: int, prompt: tuple[str, str]):
        """Format of a causal model.

        Args:
            tokenizer: the model's.
            source_tokens: longer sources are cut; the prompt never is.
            target_tokens: longer headlines are cut.
            prompt: what stands before and after the source (see `prompt_of`).
        """
        super().__init__(tokenizer, source_tokens=source_tokens, target_tokens=target_tokens)
        begin = tokenizer.bos_token_id
        started = begin is not None and begin in tokenizer("a")["input_ids"]
        self.before = [begin] * started + self._ids([prompt[0]])[0]
        self.after = self._ids([prompt[1]])[0]

    @property
    def overhead(self) -> int:
        """Tokens of the prompt without the source."""
        return len(self.before) + len(self.after)

    def collate(self, sources: Sequence[str], targets: Sequence[str]) -> dict[str, Tensor]:
        """`input_ids` of prompt, headline and end, `attention_mask`, and `labels` without the prompt."""
        prompts = self._prompts([clean(source, self.source_tokens) for source in sources])
        headlines = self._ids([f" {clean(target, self.target_tokens)}" for target in targets])
        answers = [[*row[: self.target_tokens - 1], self.tokenizer.eos_token_id] for row in headlines]
        rows = [prompt + answer for prompt, answer in zip(prompts, answers, strict=True)]
        labels = [[IGNORED] * len(prompt) + answer for prompt, answer in zip(prompts, answers, strict=True)]
        return {
            "input_ids": padded(rows, self.tokenizer.pad_token_id),
            "attention_mask": padded([[1] * len(row) for row in rows], 0),
            "labels": padded(labels, IGNORED),
        }

    def _inputs(self, sources: list[str]) -> tuple[dict[str, Tensor], int, list[Any]]:
        rows = self._prompts(sources)
        ids = padded(rows, self.tokenizer.pad_token_id, left=True)
        mask = padded([[1] * len(row) for row in rows], 0, left=True)
        return {"input_ids": ids, "attention_mask": mask}, ids.shape[1], [None] * len(rows)

    def _texts(self, ids: Tensor, context: list[Any]) -> list[str]:
        return [
            one_line(text.lstrip().partition("\n")[0])
            for text in self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        ]

    def _prompts(self, sources: list[str]) -> list[list[int]]:
        return [self.before + row[: self.source_tokens] + self.after for row in self._ids(sources)]

    def _ids(self, texts: list[str]) -> list[list[int]]:
        return list(self.tokenizer(texts, add_special_tokens=False)["input_ids"])


def make_format(card: GeneratorCard, tokenizer: Any, model: Any) -> Format:
    """The format of a generator.

    Args:
        card: what the generator is.
        tokenizer: its tokenizer.
        model: its model.
    """
    lengths = {"source_tokens": card.source_tokens, "target_tokens": card.target_tokens}
    if card.kind == "words":
        return WordFormat(tokenizer, **lengths, copies=bool(model.config.copy))
    if card.kind == "encoder-decoder":
        return EncoderDecoderFormat(tokenizer, **lengths)
    return CausalFormat(tokenizer, **lengths, prompt=prompt_of(card.language, card.reads, card.to))


def prompt_of(language: str, reads: str, to: str | None) -> tuple[str, str]:
    r"""What stands before and after the source in the prompt of a causal model.

    Args:
        language: it or en: `prompts/<language>.toml`.
        reads: article or headline.
        to: outlet, or None for agnostic.

    Raises:
        InputError: there is no such prompt.

    Example:
        >>> prompt_of("en", "headline", "gio")
        ('Original headline: ', '\n\nHeadline in the style of gio:')
    """
    path = files("change_it.generators") / "prompts" / f"{language}.toml"
    if not path.is_file():
        raise InputError(f"there are no prompts for --language {language}: use it or en")
    template = tomllib.loads(path.read_text(encoding="utf-8"))[reads]["targeted" if to else "agnostic"]
    before, _, after = template.partition("{source}")
    return before.replace("{to}", to or ""), after.replace("{to}", to or "")


def clean(text: str, tokens: int) -> str:
    """A text that every tokenizer reads: no lone surrogates, nothing behind what `tokens` tokens can hold."""
    return text[: CHARACTERS * tokens].encode("utf-8", "replace").decode("utf-8")


def one_line(text: str) -> str:
    """The text with single spaces."""
    return " ".join(text.split())


def padded(rows: Sequence[Sequence[int]], value: int, *, left: bool = False) -> Tensor:
    """Rows of one length.

    Args:
        rows: n lists of ids.
        value: what shorter ones are filled with.
        left: fill before them.

    Returns:
        (n, longest) int64.

    Example:
        >>> padded([[1], [2, 3]], 0, left=True).tolist()
        [[0, 1], [2, 3]]
    """
    width = max(map(len, rows), default=0)
    filled = [
        [*([value] * (width - len(row)) * left), *row, *([value] * (width - len(row)) * (not left))]
        for row in rows
    ]
    return torch.tensor(filled, dtype=torch.long)
