"""A language model that is prompted for headlines, without training: of transformers, or behind a server."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from change_it.errors import InputError
from change_it.generators.generator import COMMAND, kind_of, load_model, load_tokenizer
from change_it.generators.headline_transfer import HeadlineSystem
from change_it.generators.prompt import Prompt, headline_of
from change_it.generators.search import LARGEST_BATCH, Candidate, Search, write
from change_it.networks.formats import CausalFormat, Format
from change_it.networks.pretrained import (
    hash_of_weights,
    local_folder,
    pick_device,
    quiet,
    read_config,
    reading_errors,
)
from change_it.networks.server import CONCURRENCY, Server
from change_it.scoring.item import Item
from change_it.scoring.signature import ENDPOINT, Writer
from change_it.training.training_options import Arithmetic

#: Tokens of a prompt and of a headline, at most; of a server's answer, when no `max_new_tokens` are given.
PROMPT_TOKENS, HEADLINE_TOKENS, ANSWER_TOKENS = 4096, 48, 96
#: What the marks of a chat's turns take of them.
TURNS = 32
#: What no headline of a local model has twice, where the search sets nothing else.
NO_REPEAT = 3
#: Settings of a search that a server knows.
SENT = {"do_sample", "max_new_tokens", "temperature", "top_p"}


class Answer(NamedTuple):
    """A headline with its mean log-probability, 0 where that is unknown; or why there is none."""

    text: str
    score: float = 0.0
    fault: str = ""


class PromptedWriter(HeadlineSystem):
    """Prompts a language model; the headlines of examples are no answers."""

    def __init__(self, prompt: Prompt, model: "LocalModel | ServedModel"):
        super().__init__("prompt", prompt.outlets, prompt.outlets, ("headline", "article"))
        self.prompt, self.model = prompt, model
        self.models, self.kept_together = model.models, model.kept_together

    def writer(self, target: str) -> Writer:
        """See `HeadlineSystem`."""
        return Writer(self.model.weights_hash, self.model.name, self.prompt.signature)

    def batches_at_once(self, search: Search) -> int:
        """See `HeadlineSystem`."""
        return self.model.concurrency or super().batches_at_once(search)

    def propose(
        self, items: Sequence[Item], search: Search, batch_size: int | None = None, progress: bool = False
    ) -> list[list[Candidate]]:
        """See `HeadlineSystem`."""
        rows = [row for row, item in enumerate(items) if (item.source + item.article).strip()]
        prompts = [self._prompt(items[row]) for row in rows]
        answers = self.model.answers(prompts, search, batch_size, "prompting" if progress else "")
        offered: list[dict[str, Candidate]] = [{} for _ in items]
        for row, of_item in zip(rows, answers, strict=True):
            for text, score, fault in of_item:
                if self.prompt.is_example(text, items[row].target):
                    text, fault = "", "the headline of an example in the prompt"
                if not text:
                    self.faults.setdefault(items[row], fault)
                if text:
                    offered[row].setdefault(text, Candidate(text, score))
        return [[*of_item.values()][: search.candidates] for of_item in offered]

    def _prompt(self, item: Item) -> str:
        """The prompt, with as many examples as there is room for."""
        for shots in range(self.prompt.shots, -1, -1):
            text = self.prompt.text(item, shots, instructs=self.model.instructs)
            if self.model.has_room(text):
                break
        return text


class PromptFormat(CausalFormat):
    """Format of prompted language models: a source is the whole prompt.

    A chat model gets it as its user's turn; any other goes on with it, and the first line that it writes is the headline.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        *,
        max_source_tokens: int,
        max_target_tokens: int,
        ends: Sequence[int],
        outlets: Sequence[str] = (),
    ):
        """`ends` are the model's own, in addition to the tokenizer's; names of `outlets` before a headline are no part of it."""
        self.outlets = outlets
        lengths = {"max_source_tokens": max_source_tokens, "max_target_tokens": max_target_tokens}
        super().__init__(tokenizer, **lengths, prompt=("", ""))
        self.chat = bool(tokenizer.chat_template)
        self.thinks = max_target_tokens > HEADLINE_TOKENS  # as far as its template can ask for it
        lines = [] if self.chat else [row[-1] for row in self._ids(["\n", "\n\n"])]
        self.ends = sorted({*self.ends, *ends, *lines})

    def _prompts(self, sources: list[str]) -> list[list[int]]:
        if not self.chat:
            rows = [self.before + row for row in self._ids(sources)]
        else:
            options: dict[str, Any] = {"add_generation_prompt": True, "enable_thinking": self.thinks}
            turns = [[{"role": "user", "content": source}] for source in sources]
            rows = self._ids(
                [str(self.tokenizer.apply_chat_template(turn, tokenize=False, **options)) for turn in turns]
            )
        return [row[: self.max_source_tokens] for row in rows]

    def texts(self, ids: Tensor, context: Sequence[list[str]]) -> list[str]:
        """The headline in each answer."""
        ended = torch.isin(ids, torch.tensor(self.ends)).any(1).tolist()
        whole = ids.shape[1] < self.max_target_tokens
        texts = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return [
            headline_of(text, ended=whole or end, outlets=self.outlets)
            for text, end in zip(texts, ended, strict=True)
        ]


class LocalModel:
    """A causal model or an encoder-decoder of transformers; it can be shared by threads."""

    kept_together, concurrency = LARGEST_BATCH, 0  # as many batches at once as the model answers

    def __init__(self, model: Any, format_: Format, name: str, weights_hash: str):
        self.model, self.format, self.models = model, format_, [model]
        self.name, self.weights_hash = name, weights_hash
        self.instructs = getattr(format_, "chat", True)  # an encoder-decoder reads instructions

    @classmethod
    def from_pretrained(
        cls,
        name: str,
        outlets: Sequence[str],
        *,
        max_new_tokens: int | None = None,
        precision: Arithmetic = "float32",
        device: str = "auto",
    ) -> "LocalModel":
        """Load a model, which writes `max_new_tokens` at most, thoughts among them; 48 when None."""
        where, folder = pick_device(device), local_folder(name, command=COMMAND)
        kind, tokenizer = kind_of(str(folder)), load_tokenizer(folder)
        if kind == "words":
            raise InputError(
                f"{name} is a word-level generator, and --prompt requires a language model or an encoder-decoder"
            )
        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        with quiet():
            model = load_model(folder, kind, tokenizer, use="base", dtype=dtype)
        text_config = read_config(folder).get_text_config()
        positions = getattr(text_config, "max_position_embeddings", None) or PROMPT_TOKENS
        written = max_new_tokens or HEADLINE_TOKENS
        room = min(positions - (written if kind == "causal" else 0), PROMPT_TOKENS)
        if room < 4 * HEADLINE_TOKENS:
            given = f" with max_new_tokens={written}" if max_new_tokens else ""
            raise InputError(
                f"{name} has {positions} positions, too few for a prompt{given}: give another model"
            )
        lengths = {"max_source_tokens": room, "max_target_tokens": written}
        brought = getattr(model.generation_config, "eos_token_id", None)
        ends = brought if isinstance(brought, list) else [brought] if brought is not None else []
        format_ = (
            PromptFormat(tokenizer, **lengths, ends=ends, outlets=outlets)
            if kind == "causal"
            else Format(tokenizer, **lengths)
        )
        last = str(name).rstrip("/").rpartition("/")[2]
        return cls(model.to(where).eval(), format_, last, hash_of_weights(folder, command=COMMAND))

    def has_room(self, prompt: str) -> bool:
        """Whether it reads the whole prompt."""
        with reading_errors(self.format.tokenizer):
            return self.format.tokens(prompt) + TURNS <= self.format.max_source_tokens

    def answers(
        self, prompts: Sequence[str], search: Search, batch_size: int | None, shown: str
    ) -> list[list[Answer]]:
        """Answers to each prompt, best first: all that are found, since some may be of an example."""
        search = search._replace(candidates=search.width)
        written = write(
            self.model, self.format, prompts, search, NO_REPEAT, batch_size=batch_size, shown=shown
        )
        return [[Answer(each.text, each.score) for each in found] for found in written]


class ServedModel:
    """The model of an OpenAI-compatible server, shared by threads; a request for each candidate."""

    weights_hash, kept_together, instructs = ENDPOINT, 1, True  # answers cost: each is kept

    def __init__(self, url: str, model: str, outlets: Sequence[str], concurrency: int = CONCURRENCY):
        """Nothing is sent yet; `url` is the base of the server's paths, such as http://localhost:8000/v1."""
        self.server, self.outlets, self.concurrency = Server(url, model), outlets, concurrency
        self.models: Sequence[Any] = ()  # none here
        self._named: set[str] = set()

    @property
    def name(self) -> str:
        """The models that have answered so far, of a folder the last name alone."""
        named = self._named or {self.server.model}
        return "+".join(sorted(name.rpartition("/")[2] if name.startswith("/") else name for name in named))

    def has_room(self, prompt: str) -> bool:
        """Whether it reads the whole prompt, which only the server knows."""
        return True

    def answers(
        self, prompts: Sequence[str], search: Search, batch_size: int | None, shown: str
    ) -> list[list[Answer]]:
        """Answers to each prompt: greedy for the first, drawn for the others, each with a seed of its own."""
        numbers = range(search.candidates)
        return [[self._answer(prompt, number, search) for number in numbers] for prompt in prompts]

    def _answer(self, prompt: str, number: int, search: Search) -> Answer:
        decoding = search.decoding
        settings: dict[str, Any] = {"temperature": 0.0}
        if search.is_drawn or number:
            temperature = 1.0 if decoding.temperature is None else decoding.temperature
            top_p = 0.95 if decoding.top_p is None else decoding.top_p
            settings = {"temperature": temperature, "top_p": top_p, "seed": search.seed + number}
        tokens = decoding.max_new_tokens or ANSWER_TOKENS
        choice, fault = self.server.complete(prompt, max_tokens=tokens, **settings)
        if choice is None:
            return Answer("", fault=fault)
        self._named.add(choice.model)
        content, reason = choice.message.content, choice.finish_reason
        text = headline_of(content, ended=reason != "length", outlets=self.outlets)
        empty = "no headline in the answer" if content.strip() else "empty answer"
        return Answer(text, fault="" if text else f"{empty} ({reason})")
