"""A language model or an encoder-decoder that is asked for headlines as it is, without training."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from change_it.errors import InputError
from change_it.generators.generator import COMMAND, kind_of, load_model, load_tokenizer
from change_it.generators.headline_transfer import HeadlineSystem
from change_it.generators.prompt import Prompt, headline_of
from change_it.generators.search import Candidate, Search, write
from change_it.networks.formats import CausalFormat, Format
from change_it.networks.pretrained import (
    hash_of_weights,
    local_folder,
    pick_device,
    quiet,
    read_config,
    reading_errors,
)
from change_it.scoring.item import Item
from change_it.scoring.signature import Writer
from change_it.training.training_options import Arithmetic

#: Tokens of a prompt and of a headline, at most.
PROMPT_TOKENS, HEADLINE_TOKENS = 4096, 48
#: What the marks of a chat's turns take of them.
TURNS = 32
#: What no headline has twice, where the search sets nothing else.
NO_REPEAT = 3


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
        return [self._prompt(source)[: self.max_source_tokens] for source in sources]

    def _prompt(self, source: str) -> list[int]:
        if not self.chat:
            return self.before + self._ids([source])[0]
        turns = [{"role": "user", "content": source}]
        options: dict[str, Any] = {"add_generation_prompt": True, "enable_thinking": self.thinks}
        text = self.tokenizer.apply_chat_template(turns, tokenize=False, **options)
        return self._ids([str(text)])[0]

    def texts(self, ids: Tensor, context: Sequence[list[str]]) -> list[str]:
        """The headline in each answer."""
        ended = torch.isin(ids, torch.tensor(self.ends)).any(1).tolist()
        whole = ids.shape[1] < self.max_target_tokens
        texts = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return [
            headline_of(text, ended=whole or end, outlets=self.outlets)
            for text, end in zip(texts, ended, strict=True)
        ]


class PromptedModel(HeadlineSystem):
    """Asks a model by a prompt; examples that have no place among its positions are left out."""

    def __init__(self, model: Any, format_: Format, prompt: Prompt, base: str, weights_hash: str):
        super().__init__("prompt", prompt.outlets, prompt.outlets, ("headline", "article"))
        self.model, self.format, self.prompt, self.models = model, format_, prompt, [model]
        self.base, self.weights_hash = base, weights_hash

    @classmethod
    def from_pretrained(
        cls,
        name: str,
        prompt: Prompt,
        *,
        max_new_tokens: int | None = None,
        precision: Arithmetic = "float32",
        device: str = "auto",
    ) -> "PromptedModel":
        """Load a causal model or an encoder-decoder, which writes `max_new_tokens` at most, thoughts among them; 48 when None."""
        where, folder = pick_device(device), local_folder(name, command=COMMAND)
        kind, tokenizer = kind_of(str(folder)), load_tokenizer(folder)
        if kind == "words":
            raise InputError(
                f"{name} is a word-level generator, and --prompt requires a language model or an encoder-decoder"
            )
        config = read_config(folder)
        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        with quiet():
            model = load_model(folder, kind, tokenizer, use="base", dtype=dtype)
        positions = getattr(config.get_text_config(), "max_position_embeddings", None) or PROMPT_TOKENS
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
            PromptFormat(tokenizer, **lengths, ends=ends, outlets=prompt.outlets)
            if kind == "causal"
            else Format(tokenizer, **lengths)
        )
        weights_hash = hash_of_weights(folder, command=COMMAND)
        base = str(name).rstrip("/").rpartition("/")[2]
        return cls(model.to(where).eval(), format_, prompt, base, weights_hash)

    def writer(self, target: str) -> Writer:
        """See `HeadlineSystem`."""
        return Writer(self.weights_hash, self.base, self.prompt.signature)

    def propose(
        self, items: Sequence[Item], search: Search, batch_size: int | None = None, progress: bool = False
    ) -> list[list[Candidate]]:
        """See `HeadlineSystem`."""
        rows = [row for row, item in enumerate(items) if (item.source + item.article).strip()]
        sources = [self._source(items[row]) for row in rows]
        answers: list[list[Candidate]] = [[] for _ in items]
        count = search.candidates
        if self.prompt.examples:  # all that are found: some may be of an example
            search = search._replace(candidates=search.width)
        shown = "asking" if progress else ""
        written = write(
            self.model, self.format, sources, search, NO_REPEAT, batch_size=batch_size, shown=shown
        )
        for row, candidates in zip(rows, written, strict=True):
            for each in candidates:
                if not self.prompt.is_example(each.text, items[row].target):
                    answers[row].append(each)
                elif search.all_draws:
                    answers[row].append(replace(each, text=""))
            del answers[row][count:]
        return answers

    def _source(self, item: Item) -> str:
        """The prompt, with as many examples as there is room for."""
        instructs = getattr(self.format, "chat", True)  # an encoder-decoder reads instructions
        with reading_errors(self.format.tokenizer):
            for shots in range(self.prompt.shots, -1, -1):
                text = self.prompt.text(item, shots, instructs=instructs)
                if self.format.tokens(text) + TURNS <= self.format.max_source_tokens:
                    break
        return text
