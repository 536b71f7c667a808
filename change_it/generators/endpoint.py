"""A model behind an OpenAI-compatible server that is asked for headlines."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from change_it.generators.headline_transfer import HeadlineSystem
from change_it.generators.prompt import Prompt, headline_of
from change_it.generators.search import Candidate, Search
from change_it.networks.server import CONCURRENCY, Server
from change_it.progress import bar
from change_it.scoring.item import Item
from change_it.scoring.signature import ENDPOINT, Writer

#: Tokens of an answer, at most, when no `max_new_tokens` are given.
ANSWER_TOKENS = 96
#: Settings of a search that a server knows.
SENT = {"do_sample", "max_new_tokens", "temperature", "top_p"}


class Endpoint(HeadlineSystem):
    """Asks the model of a server."""

    kept_together = 1  # answers cost

    def __init__(self, url: str, model: str, prompt: Prompt, concurrency: int = CONCURRENCY):
        """Nothing is asked yet; `url` is the base of the server's paths, such as http://localhost:8000/v1, and it gets `concurrency` requests at a time."""
        super().__init__("prompt", prompt.outlets, prompt.outlets, ("headline", "article"))
        self.server, self.prompt = Server(url, model), prompt
        self.concurrency, self._pool = concurrency, ThreadPoolExecutor(concurrency)
        self._named: set[str] = set()

    def writer(self, target: str) -> Writer:
        """See `HeadlineSystem`; of the models that have answered so far, of a folder the last name alone."""
        named = self._named or {self.server.model}
        names = sorted(name.rpartition("/")[2] if name.startswith("/") else name for name in named)
        return Writer(ENDPOINT, "+".join(names), self.prompt.signature)

    def batches_at_once(self, search: Search) -> int:
        """As many items as requests: each draw has a seed of its own."""
        return self.concurrency

    def propose(
        self, items: Sequence[Item], search: Search, batch_size: int | None = None, progress: bool = False
    ) -> list[list[Candidate]]:
        """See `HeadlineSystem`; a request for each candidate: greedy for the first, drawn for the others."""
        asked = [
            (row, number)
            for row, item in enumerate(items)
            for number in range(search.candidates)
            if item.source or item.article
        ]
        texts: list[list[str]] = [[] for _ in items]
        answers = self._pool.map(lambda one: self._ask(items[one[0]], one[1], search), asked)
        shown = bar("asking", len(asked), items=answers, shown=progress)
        for (row, _), (text, fault) in zip(asked, shown, strict=True):
            if search.all_draws or (text and text not in texts[row]):
                texts[row].append(text)
            if not text:
                self.faults.setdefault(items[row], fault)
        return [[Candidate(text, 0.0) for text in of_item] for of_item in texts]

    def _ask(self, item: Item, number: int, search: Search) -> tuple[str, str]:
        """A candidate, or why there is none."""
        decoding = search.decoding
        settings: dict[str, Any] = {"temperature": 0.0}
        if search.is_drawn or number:
            temperature = 1.0 if decoding.temperature is None else decoding.temperature
            top_p = 0.95 if decoding.top_p is None else decoding.top_p
            settings = {"temperature": temperature, "top_p": top_p, "seed": search.seed + number}
        tokens = decoding.max_new_tokens or ANSWER_TOKENS
        choice, fault = self.server.complete(self.prompt.text(item), max_tokens=tokens, **settings)
        if choice is None:
            return "", fault
        self._named.add(choice.model)
        ended = choice.finish_reason != "length"
        content = choice.message.content
        text = headline_of(content, ended=ended, outlets=self.prompt.outlets)
        if text and self.prompt.is_example(text, item.target):
            return "", "the headline of an example in the prompt"
        empty = "no headline in the answer" if content.strip() else "empty answer"
        return text, "" if text else f"{empty} ({choice.finish_reason})"
