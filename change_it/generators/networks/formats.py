"""Turn texts into tensors and tokens into headlines, by one format for each kind of generator.

Training, `transfer` and the pipeline read and write by these. Imports are relative and stay in this folder,
all of which goes to the Hub with the weights.
"""

import re
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from transformers import LogitsProcessor, NoRepeatNGramLogitsProcessor, PreTrainedTokenizerBase

from .tokenizer import IGNORED, HeadlineTokenizer, Padding, padded_inputs

#: Characters of a token, at most: what lies behind is cut before the tokenizer reads it.
CHARACTERS_A_TOKEN = 40
#: Control characters, which no table of texts may hold.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x9f]")
#: Field of a prompt for the original headline.
HEADLINE = "{headline}"
#: Field of a prompt for the outlet that is written for.
OUTLET = "{to}"
#: Number of the most frequent ids of a tokenizer over words: articles, prepositions, marks.
FREQUENT_IDS = 200
#: Token that parts outlet, headline and article in a source.
SEPARATOR = "|"

#: What `texts` needs of each source: its unknown words, which have temporary ids there. Most formats need
#: nothing, and have an empty list.
Context = Sequence[Sequence[str]]
#: Token ids of each text.
Ids = list[list[int]]


class NeverWritten(LogitsProcessor):
    """Gives tokens of each source no probability.

    Attributes:
        rows: the tokens of each source.
    """

    def __init__(self, rows: Sequence[Sequence[int]]):
        self.rows = rows
        pairs = [(row, token) for row, tokens in enumerate(rows) for token in tokens]
        self._places = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).T

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores with -inf for the tokens of each source."""
        # the beams or drawn headlines of a source follow each other
        by_source = scores.view(len(self.rows), -1, scores.shape[-1])
        rows, tokens = self._places.to(scores.device)
        by_source[rows, :, tokens] = -torch.inf
        return scores


class NoRepeatedWord(LogitsProcessor):
    """Forbids to write a word twice. Frequent words are only forbidden twice in a row, marks never.

    Attributes:
        marks: ids of the tokens that stay allowed.
    """

    def __init__(self, marks: Sequence[int]):
        self.marks = torch.tensor(marks, dtype=torch.long)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores with -inf for the words that would be repeated."""
        written = input_ids[:, 1:]  # without `<s>`
        # a tokenizer over words numbers them by frequency
        is_forbidden = written >= FREQUENT_IDS
        is_forbidden[:, -1:] = True
        is_forbidden &= ~torch.isin(written, self.marks.to(scores.device))
        most = torch.where(is_forbidden, -torch.inf, torch.inf).to(scores.dtype)
        return scores.scatter_reduce(1, written, most, "amin")


class NoRepeatedNGram(NoRepeatNGramLogitsProcessor):
    """Forbids an n-gram twice in what is generated; the prompt's own n-grams stay allowed.

    Attributes:
        prompt: number of tokens of the prompt.
    """

    def __init__(self, size: int, prompt: int):
        super().__init__(size)
        self.prompt = prompt

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores with -inf for the tokens that would repeat an n-gram."""
        return super().__call__(input_ids[:, self.prompt :], scores)


class Format:
    """Turns texts into the token ids of a model, and its ids into texts.

    This one is for T5, BART and their like; subclasses are for others.

    Attributes:
        overhead: number of tokens of a prompt without the source.
        tokenizer: the model's tokenizer.
        max_source_tokens: tokens of a source, at most.
        max_target_tokens: tokens of a headline, at most.
        ends: ids of the tokens that end a headline.
        lock: threads that share a format hold it, since a tokenizer must not be used by two at once.
        pad: makes a training batch of examples: the arguments of the model, `labels` among them with -100
            where nothing is learnt.
    """

    overhead = 0

    def __init__(self, tokenizer: PreTrainedTokenizerBase, *, max_source_tokens: int, max_target_tokens: int):
        self.tokenizer = tokenizer
        self.max_source_tokens = max_source_tokens
        self.max_target_tokens = max_target_tokens
        self.ends = [tokenizer.eos_token_id]
        self.lock = threading.Lock()
        self.pad = Padding({"input_ids": tokenizer.pad_token_id, "labels": IGNORED})

    def read(self, sources: Sequence[str]) -> tuple[Ids, list[list[str]]]:
        """Return the token ids of each source, and what `texts` needs of each: here empty lists."""
        end = self.tokenizer.eos_token_id
        texts = cut_texts(sources, self.max_source_tokens)
        rows = self.tokenizer(texts, truncation=True, max_length=self.max_source_tokens)["input_ids"]
        return [row or [end] for row in rows], [[]] * len(rows)

    def encode(self, sources: Sequence[str], targets: Sequence[str]) -> dict[str, Ids]:
        """Return training examples as columns of token ids: `input_ids`, `attention_mask` and `labels`.

        Where a network writes behind its source, the labels of the source are ignored. Nothing is padded.
        """
        rows, context = self.read(sources)
        inputs, labels = self._inputs_and_labels(rows, context, cut_texts(targets, self.max_target_tokens))
        mask = [[1] * len(row) for row in inputs]
        return {"input_ids": inputs, "attention_mask": mask, "labels": labels}

    def _inputs_and_labels(self, rows: Ids, context: Context, targets: list[str]) -> tuple[Ids, Ids]:
        """Return the inputs and labels of training examples.

        Args:
            rows: token ids of each source.
            context: what `texts` needs of each source.
            targets: the headlines, of which `max_target_tokens` tokens are learnt.
        """
        end = self.tokenizer.eos_token_id
        labels = []
        for row in self.tokenizer(text_target=targets)["input_ids"]:
            if row[-1:] != [end]:
                row = [*row, end]
            labels.append(row[: self.max_target_tokens])
        return rows, labels

    def inputs(self, sources: Sequence[str]) -> tuple[dict[str, Tensor], list[list[str]]]:
        """Return arguments of `generate`, and what `texts` needs of each source."""
        rows, context = self.read(sources)
        return padded_inputs(rows, self.tokenizer.pad_token_id, left=self.pad.left), context

    def texts(self, ids: Tensor, context: Context) -> list[str]:
        """Return the texts of generated ids, (rows, steps) without the prompt.

        Args:
            ids: the tokens of each headline.
            context: for each row what `inputs` returned for its source.
        """
        return [one_line(text) for text in self.tokenizer.batch_decode(ids, skip_special_tokens=True)]

    def prompt_tokens(self, inputs: dict[str, Tensor]) -> int:
        """Return how many tokens the output of `generate` begins with: the decoder's first, or the prompt."""
        return 1

    def rules(self, size: int, prompt: int, context: Context = ()) -> dict[str, Any]:
        """Return arguments of `generate` that keep n-grams from being written twice.

        Args:
            size: words of an n-gram; 0 allows all.
            prompt: number of tokens before what is written.
            context: for each source what `inputs` returned for it.
        """
        return {"no_repeat_ngram_size": size}


class WordFormat(Format):
    """Format of the papers' networks: words, and temporary ids for those that are copied.

    Attributes:
        copies: whether unknown words of a source are learnt by their temporary ids, not as `<unk>`.
    """

    tokenizer: HeadlineTokenizer

    def __init__(self, tokenizer: HeadlineTokenizer, *, copies: bool = True, **lengths: int):
        super().__init__(tokenizer, **lengths)
        self.copies = copies

    def read(self, sources: Sequence[str]) -> tuple[Ids, list[list[str]]]:
        """Return the token ids of each source, and its words that have temporary ids."""
        texts = cut_texts(sources, self.max_source_tokens)
        return self.tokenizer.sources(texts, max_tokens=self.max_source_tokens)

    def _inputs_and_labels(self, rows: Ids, context: Context, targets: list[str]) -> tuple[Ids, Ids]:
        """Return the inputs and labels of training examples."""
        copied = context if self.copies else None
        return rows, self.tokenizer.targets(targets, copied, max_tokens=self.max_target_tokens)

    def texts(self, ids: Tensor, context: Context) -> list[str]:
        """Return the texts of generated ids, with the words of their sources that were copied."""
        return self.tokenizer.headlines(ids.tolist(), context)

    def rules(self, size: int, prompt: int, context: Context = ()) -> dict[str, Any]:
        """Return arguments of `generate` that keep words from being written twice; see `Format`.

        Size 1 is the rule of `NoRepeatedWord`, with no trigram twice. What parts outlet, headline and article
        in a source is not copied.
        """
        processors: list[LogitsProcessor] = []
        if size == 1:
            size = 3
            processors.append(NoRepeatedWord(self._marks))
        separators = self._separators(context)
        if any(separators):
            processors.append(NeverWritten([[*self._known_separators, *row] for row in separators]))
        return {"no_repeat_ngram_size": size, "logits_processor": processors}

    @cached_property
    def _marks(self) -> list[int]:
        """Return the ids of tokens without letters and digits, in order."""
        marks = []
        for token, id_ in self.tokenizer.get_vocab().items():
            if not any(map(str.isalnum, token)):
                marks.append(id_)
        return sorted(marks)

    @cached_property
    def _known_separators(self) -> list[int]:
        """Return the ids of the tokens that are a separator, with or without spaces."""
        vocabulary = self.tokenizer.get_vocab().items()
        return [id_ for token, id_ in vocabulary if token.strip() == SEPARATOR]

    def _separators(self, context: Context) -> Ids:
        """Return the temporary ids that each source's separators have."""
        first = len(self.tokenizer)
        rows = []
        for words in context:
            rows.append([first + place for place, word in enumerate(words) if word.strip() == SEPARATOR])
        return rows


class CausalFormat(Format):
    """Format of language models: a prompt with the source, then the headline, which alone the loss counts.

    Attributes:
        end: id of the token that ends a headline.
        lead: what stands between the prompt and a headline.
        before: token ids of the prompt before the source.
        template: text of the prompt after the source, perhaps with fields.
        after: token ids of the prompt after the source where no field is filled.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        *,
        prompt: Sequence[str],
        chat_end: str | None = None,
        **lengths: int,
    ):
        """Prepare the prompt. Sources are cut, the prompt never is.

        Args:
            tokenizer: the model's tokenizer.
            prompt: text before and after the source. With fields {to} and {headline} after it, a source is
                `to | headline | article`, and the article takes its place. The line of {headline} is left
                out where there is no headline.
            chat_end: token that ends a headline where the prompt is in a chat template, which then has the
                token that begins a text, too.
            lengths: `max_source_tokens` and `max_target_tokens`.
        """
        super().__init__(tokenizer, **lengths)
        if chat_end is None:
            self.end = tokenizer.eos_token_id
            self.lead = " "
        else:
            self.end = tokenizer.convert_tokens_to_ids(chat_end)
            self.lead = ""
            self.ends = list(dict.fromkeys([self.end, *self.ends]))
        self.before = self._ids([prompt[0]])[0]
        begin = tokenizer.bos_token_id
        # some tokenizers have a token of the beginning and do not put it before texts
        if chat_end is None and begin is not None and begin in tokenizer("a")["input_ids"]:
            self.before = [begin, *self.before]
        self.template = prompt[1]
        self.after = self._ids([self._after("", "")])[0]
        self.overhead = len(self.before) + len(self.after)
        self.pad = Padding(self.pad.values, left=True)

    def read(self, sources: Sequence[str]) -> tuple[Ids, list[list[str]]]:
        """Return the token ids of each source in the prompt, and what `texts` needs of each: empty lists."""
        articles = cut_texts(sources, self.max_source_tokens)
        afters = [self.after] * len(articles)
        if HEADLINE in self.template:
            parts = [_source_parts(source) for source in articles]
            articles = [article for _, _, article in parts]
            afters = self._ids([self._after(to, headline) for to, headline, _ in parts])
        room = self.max_source_tokens + len(self.after)
        rows = []
        for article, after in zip(self._ids(articles), afters, strict=True):
            # the prompt's end always stays; the article gets the room that is left
            after = after[-room:]
            article = article[: room - len(after)]
            rows.append([*self.before, *article, *after])
        return rows, [[]] * len(rows)

    def _inputs_and_labels(self, rows: Ids, context: Context, targets: list[str]) -> tuple[Ids, Ids]:
        """Return inputs of prompt, headline and end, and labels with -100 in the place of the prompt."""
        inputs = []
        labels = []
        headlines = self._ids([f"{self.lead}{target}" for target in targets])
        for prompt, headline in zip(rows, headlines, strict=True):
            answer = [*headline, self.end][: self.max_target_tokens]
            inputs.append(prompt + answer)
            labels.append([IGNORED] * len(prompt) + answer)
        return inputs, labels

    def texts(self, ids: Tensor, context: Context) -> list[str]:
        """Return the first line of each generated text, which is the headline."""
        texts = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return [one_line(text.lstrip().partition("\n")[0]) for text in texts]

    def prompt_tokens(self, inputs: dict[str, Tensor]) -> int:
        """Return the length of prompt and source, padded on the left."""
        return inputs["input_ids"].shape[1]

    def rules(self, size: int, prompt: int, context: Context = ()) -> dict[str, Any]:
        """Return arguments of `generate` that keep n-grams from being written twice; see `Format`.

        The rule of transformers would count the n-grams of the prompt, too.
        """
        processors: list[LogitsProcessor] = []
        if size:
            processors.append(NoRepeatedNGram(size, prompt))
        return {"no_repeat_ngram_size": 0, "logits_processor": processors}

    def _after(self, to: str, headline: str) -> str:
        """Return the text after an article, with the outlet and the original headline in its fields."""
        lines = []
        for line in self.template.splitlines(keepends=True):
            if headline or HEADLINE not in line:
                lines.append(line.replace(OUTLET, to).replace(HEADLINE, headline))
        return "".join(lines)

    def _ids(self, texts: list[str]) -> Ids:
        """Return the token ids of texts, without special tokens."""
        return list(self.tokenizer(texts, add_special_tokens=False)["input_ids"])


#: Formats by the kind of generator.
FORMATS: dict[str, type[Format]] = {"words": WordFormat, "encoder-decoder": Format, "causal": CausalFormat}


def cut_texts(texts: Sequence[str], tokens: int) -> list[str]:
    """Return texts without lone surrogates, cut behind what so many tokens can hold.

    Every tokenizer reads them.
    """
    most = CHARACTERS_A_TOKEN * tokens
    return [text[:most].encode("utf-8", "replace").decode("utf-8") for text in texts]


def one_line(text: str) -> str:
    """Return the text with single spaces, without control characters."""
    return " ".join(_CONTROL.sub("", text).split())


def _source_parts(source: str) -> tuple[str, str, str]:
    """Return outlet, headline and article of `to | headline | article`; what is not given is empty."""
    *given, article = source.split(" | ", 2)
    to, headline = [*given, "", ""][:2]
    return to, headline, article
