"""A language model behind a server, which is prompted for headlines without training."""

from collections.abc import Sequence
from typing import Any

from change_it.errors import InputError
from change_it.generators.headline_transfer import HeadlineSystem
from change_it.generators.prompt import Prompt, headline_of
from change_it.generators.search import SETTINGS, Candidate, Search
from change_it.networks.server import Server
from change_it.scoring.item import Item
from change_it.scoring.signature import ENDPOINT, Writer

#: Tokens of an answer, at most, when no `max_new_tokens` are given.
ANSWER_TOKENS = 96
#: Settings of a search that a server knows.
SENT = {"do_sample", "max_new_tokens", "temperature", "top_p"}


class PromptedGenerator(HeadlineSystem):
    """Prompts the model of a server, a request for each candidate; the headlines of examples are no answers."""

    kept_together = 1  # answers cost: each is kept

    def __init__(self, prompt: Prompt, server: Server, concurrency: int):
        """Nothing is sent yet."""
        super().__init__("prompt", prompt.outlets, prompt.outlets, ("headline", "article"))
        self.prompt, self.server, self.concurrency = prompt, server, concurrency
        self._named: set[str] = set()  # the models that have answered

    def writer(self, target: str) -> Writer:
        """See `HeadlineSystem`; of a model in a folder the last name alone."""
        named = self._named or {self.server.model}
        names = sorted(name.rpartition("/")[2] if name.startswith("/") else name for name in named)
        return Writer(ENDPOINT, "+".join(names), self.prompt.signature)

    def batches_at_once(self, search: Search) -> int:
        """See `HeadlineSystem`."""
        return self.concurrency

    def propose(
        self, items: Sequence[Item], search: Search, batch_size: int | None = None, progress: bool = False
    ) -> list[list[Candidate]]:
        """See `HeadlineSystem`: greedy for the first candidate, drawn for the others, each with a seed of its own."""
        if unknown := search.decoding.to_diff_dict().keys() & SETTINGS - SENT:
            raise InputError(f"--generation {min(unknown)}: a server takes {', '.join(sorted(SENT))} alone")
        offered: list[list[Candidate]] = []
        for item in items:
            texts: dict[str, Candidate] = {}
            for number in range(search.candidates if (item.source + item.article).strip() else 0):
                text, fault = self._answer(item, number, search)
                if text:
                    texts.setdefault(text, Candidate(text, 0.0))
                else:
                    self.faults.setdefault(item, fault)
            offered.append(list(texts.values()))
        return offered

    def _answer(self, item: Item, number: int, search: Search) -> tuple[str, str]:
        """A headline, or an empty one and why there is none."""
        decoding, settings = search.decoding, dict[str, Any](temperature=0.0)
        if search.is_drawn or number:
            temperature = 1.0 if decoding.temperature is None else decoding.temperature
            top_p = 0.95 if decoding.top_p is None else decoding.top_p
            settings = {"temperature": temperature, "top_p": top_p, "seed": search.seed + number}
        tokens = decoding.max_new_tokens or ANSWER_TOKENS
        answer, fault = self.server.complete(self.prompt.text(item), max_tokens=tokens, **settings)
        if answer is None:
            return "", fault
        self._named.add(answer.model)
        ended = answer.finish_reason != "length"
        text = headline_of(answer.text, ended=ended, outlets=self.prompt.outlets)
        if self.prompt.is_example(text, item.target):
            return "", "the headline of an example in the prompt"
        empty = "no headline in the answer" if answer.text.strip() else "empty answer"
        return text, "" if text else f"{empty} ({answer.finish_reason})"
