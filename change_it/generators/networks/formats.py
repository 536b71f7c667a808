"""How texts become tensors and tokens become headlines: one format for each kind of generator.

Training, `transfer` and the pipeline read and write by these. Imports are relative and stay in this folder, all of which goes
to the Hub with the weights.
"""

import re
import threading
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import LogitsProcessor, NoRepeatNGramLogitsProcessor, PreTrainedTokenizerBase

from .tokenizer import IGNORED, HeadlineTokenizer, Padding, padded_inputs

#: Characters of a token, at most: what lies behind is cut before the tokenizer reads it.
CHARACTERS = 40
#: Control characters, which no table of texts may hold.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x9f]")
#: Field of a prompt for the original headline.
HEADLINE = "{headline}"
#: The most frequent ids of a tokenizer over words: articles, prepositions, marks.
FREQUENT = 200


class NeverWritten(LogitsProcessor):
    """Gives tokens of each source no probability."""

    def __init__(self, rows: Sequence[Sequence[int]]):
        self.rows = rows

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores with -inf for them."""
        width = len(scores) // len(self.rows)  # headlines of a source
        for row, tokens in enumerate(self.rows):
            scores[row * width : (row + 1) * width, tokens] = -torch.inf
        return scores


class NoRepeatedWord(LogitsProcessor):
    """Forbids a word twice, but for the `FREQUENT` ones, which it forbids twice in a row; `marks` stay allowed."""

    def __init__(self, marks: Sequence[int]):
        self.marks = torch.tensor(marks, dtype=torch.long)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores with -inf for the words that would be repeated."""
        written = input_ids[:, 1:]  # `<s>` comes before them
        repeated = torch.zeros_like(scores, dtype=torch.bool).scatter_(1, written, True)
        repeated[:, :FREQUENT] = False
        repeated.scatter_(1, written[:, -1:], True)
        repeated[:, self.marks.to(scores.device)] = False
        return scores.masked_fill(repeated, -torch.inf)


class NoRepeatedNGram(NoRepeatNGramLogitsProcessor):
    """Forbids an n-gram twice in what is generated; the prompt's own n-grams stay allowed."""

    def __init__(self, size: int, prompt: int):
        super().__init__(size)
        self.prompt = prompt

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores with -inf for the tokens that would repeat an n-gram."""
        return super().__call__(input_ids[:, self.prompt :], scores)


class Format:
    """Between texts and one kind of model: T5, BART and their like, and by subclasses others; threads that share one hold its `lock`."""

    #: Tokens of a prompt without the source.
    overhead = 0

    def __init__(self, tokenizer: PreTrainedTokenizerBase, *, max_source_tokens: int, max_target_tokens: int):
        self.tokenizer = tokenizer
        self.max_source_tokens, self.max_target_tokens = max_source_tokens, max_target_tokens
        self.ends = [tokenizer.eos_token_id]  # tokens that end a headline
        self.lock = threading.Lock()  # a tokenizer must not be used by two threads at once
        #: Makes a training batch of examples: arguments of the model, `labels` among them with -100 where nothing is learnt.
        self.pad = Padding({"input_ids": tokenizer.pad_token_id, "labels": IGNORED})

    def read(self, sources: Sequence[str]) -> tuple[list[list[int]], list[list[str]]]:
        """Token ids of each source, and what `texts` needs of it."""
        most = self.max_source_tokens
        rows = self.tokenizer(clean(sources, most), truncation=True, max_length=most)["input_ids"]
        return [row or [self.tokenizer.eos_token_id] for row in rows], [[]] * len(rows)

    def encode(self, sources: Sequence[str], targets: Sequence[str]) -> dict[str, list[list[int]]]:
        """Columns of token ids of training examples."""
        most = self.max_target_tokens
        rows, labels = self._examples(self.read(sources), clean(targets, most), most)
        return {"input_ids": rows, "attention_mask": [[1] * len(row) for row in rows], "labels": labels}

    def _examples(
        self, encoded: Any, targets: list[str], most: int
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Inputs and labels of encoded sources and of targets, of which `most` tokens are learnt."""
        end = self.tokenizer.eos_token_id
        labels = self.tokenizer(text_target=targets)["input_ids"]
        return encoded[0], [(row if row[-1:] == [end] else [*row, end])[:most] for row in labels]

    def inputs(self, sources: Sequence[str]) -> tuple[dict[str, Tensor], list[list[str]]]:
        """Arguments of `generate`, and what `texts` needs of each source."""
        rows, context = self.read(sources)
        return padded_inputs(rows, self.tokenizer.pad_token_id, left=self.pad.left), context

    def texts(self, ids: Tensor, context: Sequence[list[str]]) -> list[str]:
        """Generated ids, (rows, steps) without the prompt, as text; each row with what `inputs` gave for its source."""
        return [one_line(text) for text in self.tokenizer.batch_decode(ids, skip_special_tokens=True)]

    def prompt_tokens(self, inputs: dict[str, Tensor]) -> int:
        """Tokens that the output of `generate` begins with: the one that the decoder starts with, or the prompt."""
        return 1

    def rules(self, size: int, prompt: int, context: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
        """Arguments of `generate` that keep n-grams of a size from being written twice; `prompt` tokens come before them, and sources have this context."""
        return {"no_repeat_ngram_size": size}


class WordFormat(Format):
    """Format of the papers' networks: words, and temporary ids for those that are copied."""

    tokenizer: HeadlineTokenizer

    def __init__(self, tokenizer: HeadlineTokenizer, *, copies: bool = True, **lengths: int):
        """Without `copies`, unknown words of the source are learnt as `<unk>`."""
        super().__init__(tokenizer, **lengths)
        self.copies = copies

    def read(self, sources: Sequence[str]) -> tuple[list[list[int]], list[list[str]]]:
        """See `Format`."""
        most = self.max_source_tokens
        return self.tokenizer.sources(clean(sources, most), max_tokens=most)

    def _examples(
        self, encoded: Any, targets: list[str], most: int
    ) -> tuple[list[list[int]], list[list[int]]]:
        copied = encoded[1] if self.copies else None
        return encoded[0], self.tokenizer.targets(targets, copied, max_tokens=most)

    def texts(self, ids: Tensor, context: Sequence[list[str]]) -> list[str]:
        """See `Format`."""
        return self.tokenizer.headlines(ids.tolist(), context)

    def rules(self, size: int, prompt: int, context: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
        """Size 1 is the rule of `NoRepeatedWord`, with no trigram twice; what parts outlet, headline and article is not copied."""
        ids, processors = self.tokenizer.get_vocab().items(), list[LogitsProcessor]()
        if size == 1:
            marks = sorted(id_ for token, id_ in ids if not any(map(str.isalnum, token)))
            size, processors = 3, [NoRepeatedWord(marks)]
        copied = [
            [len(self.tokenizer) + place for place, word in enumerate(words) if word.strip() == "|"]
            for words in context
        ]
        if any(copied):
            known = [id_ for token, id_ in ids if token.strip() == "|"]
            processors.append(NeverWritten([[*known, *row] for row in copied]))
        return {"no_repeat_ngram_size": size, "logits_processor": processors}


class CausalFormat(Format):
    """Format of language models: a prompt with the source, then the headline; the loss counts the headline alone."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        *,
        prompt: Sequence[str],
        chat_end: str | None = None,
        **lengths: int,
    ):
        """`prompt` is the text before and after the source; sources are cut, the prompt never is.

        With fields {to} and {headline} after it, a source is `to | headline | article`: the article takes its place. The
        line of {headline} is left out where there is none. `chat_end` is the token that ends a headline where the prompt is
        in a chat template, which then has the token that begins a text, too.
        """
        super().__init__(tokenizer, **lengths)
        self.end, self.lead = tokenizer.eos_token_id, " "
        if chat_end is not None:
            self.end, self.lead = tokenizer.convert_tokens_to_ids(chat_end), ""
            self.ends = list(dict.fromkeys([self.end, *self.ends]))
        begin = tokenizer.bos_token_id
        started = chat_end is None and begin is not None and begin in tokenizer("a")["input_ids"]
        self.before = [begin] * started + self._ids([prompt[0]])[0]
        self.template = prompt[1]
        self.after = self._ids([self._after("", "")])[0]
        self.overhead = len(self.before) + len(self.after)
        self.pad = Padding(self.pad.values, left=True)

    def read(self, sources: Sequence[str]) -> tuple[list[list[int]], list[list[str]]]:
        """See `Format`."""
        parts = [[source] for source in clean(sources, self.max_source_tokens)]
        afters = [self.after] * len(parts)
        if HEADLINE in self.template:
            parts = [source.split(" | ", 2) for [source] in parts]
            afters = self._ids([self._after(*(*part[:-1], "", "")[:2]) for part in parts])
        room = self.max_source_tokens + len(self.after)
        articles = self._ids([part[-1] for part in parts])
        rows = [
            self.before + article[: max(room - len(after), 0)] + after[-room:]
            for article, after in zip(articles, afters, strict=True)
        ]
        return rows, [[]] * len(rows)

    def _examples(
        self, encoded: Any, targets: list[str], most: int
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Inputs are of prompt, headline and end, labels without the prompt."""
        headlines = self._ids([f"{self.lead}{target}" for target in targets])
        answers = [[*row, self.end][:most] for row in headlines]
        pairs = list(zip(encoded[0], answers, strict=True))
        labels = [[IGNORED] * len(prompt) + answer for prompt, answer in pairs]
        return [prompt + answer for prompt, answer in pairs], labels

    def texts(self, ids: Tensor, context: Sequence[list[str]]) -> list[str]:
        """See `Format`."""
        texts = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return [one_line(text.lstrip().partition("\n")[0]) for text in texts]

    def prompt_tokens(self, inputs: dict[str, Tensor]) -> int:
        """The prompt and the source, padded on the left."""
        return inputs["input_ids"].shape[1]

    def rules(self, size: int, prompt: int, context: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
        """Not by transformers' rule, which counts the prompt, too."""
        processors = [NoRepeatedNGram(size, prompt)] if size else []
        return {"no_repeat_ngram_size": 0, "logits_processor": processors}

    def _after(self, to: str, headline: str) -> str:
        """The text after an article."""
        lines = self.template.splitlines(keepends=True)
        lines = [line for line in lines if headline or HEADLINE not in line]
        return "".join(line.replace("{to}", to).replace(HEADLINE, headline) for line in lines)

    def _ids(self, texts: list[str]) -> list[list[int]]:
        return list(self.tokenizer(texts, add_special_tokens=False)["input_ids"])


#: Formats by the kind of generator.
FORMATS: dict[str, type[Format]] = {"words": WordFormat, "encoder-decoder": Format, "causal": CausalFormat}


def clean(texts: Sequence[str], tokens: int) -> list[str]:
    """Texts that every tokenizer reads: no lone surrogates, nothing behind what `tokens` tokens can hold."""
    return [text[: CHARACTERS * tokens].encode("utf-8", "replace").decode("utf-8") for text in texts]


def one_line(text: str) -> str:
    """The text with single spaces, without control characters."""
    return " ".join(_CONTROL.sub("", text).split())
