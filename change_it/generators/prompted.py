"""Prompt a language model behind a server for headlines, without training."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from change_it.corpus.folder import read_outlets
from change_it.corpus.test_set import Item
from change_it.errors import InputError
from change_it.generators.folder import corpus_language, read_prompts
from change_it.generators.transfer import SETTINGS, Candidate, HeadlineSystem, Search
from change_it.models.chat_answers import fault_of, headline_of, shown
from change_it.models.chat_server import Server
from change_it.version import __version__

#: Characters of an article in a prompt, at most.
PROMPT_CHARACTERS = 1200
#: Tokens of an answer, at most, when no `max_new_tokens` are given.
ANSWER_TOKENS = 96
#: Temperature of an answer that is drawn, when none is given.
TEMPERATURE = 1.0
#: Share of the probability that an answer is drawn from, when none is given.
TOP_P = 0.95
#: Settings of a search that are sent to a server.
SENT = {"do_sample", "max_new_tokens", "temperature", "top_p"}


class PromptedGenerator(HeadlineSystem):
    """Prompts the model of a server in the language of a corpus, with a request for each candidate.

    Attributes:
        server: the server.
        concurrency: number of requests at once.
        language: language of the corpus: it, en or none.
        template: the prompt with fields for outlets, headline and article.
    """

    def __init__(self, corpus: str, server: Server, concurrency: int):
        """Read the prompt. Nothing is sent yet."""
        outlets = read_outlets(corpus)
        super().__init__("prompt", outlets, outlets, ("headline", "article"))
        self.language = corpus_language(corpus)
        self.server = server
        self.concurrency = concurrency
        self.template = read_prompts(self.language)["prompted"].strip()
        self._answered: set[str] = set()

    def signature(self, target: str) -> str:
        """Return the models that have answered, the prompt and the version; see `HeadlineSystem`.

        Of a model in a folder it has the last name alone.
        """
        names = set()
        for name in self._answered or {self.server.model}:
            if name.startswith("/"):
                name = name.rpartition("/")[2]
            names.add(name)
        models = "+".join(sorted(names)).replace("|", "_")
        wording = hashlib.sha256(self.template.encode()).hexdigest()[:6]
        return f"endpoint|{models}|prompt:{self.language}+{wording}|v:{__version__}"

    def batches_at_once(self, search: Search) -> int:
        """Return the number of requests at once."""
        return self.concurrency

    def prompt(self, item: Item) -> str:
        """Return the prompt for an item, with the beginning of its article up to a whole word."""
        article = " ".join(item.article.split())
        if len(article) > PROMPT_CHARACTERS:
            article = article[:PROMPT_CHARACTERS].rpartition(" ")[0]
        first, second = self.outlets
        other = second if item.target == first else first
        fields = {
            "{to}": item.target,
            "{from}": other,
            "{article}": article,
            "{headline}": item.source,
        }
        # All fields in one pass, so that braces in a text stay.
        return re.sub(r"\{\w+\}", lambda field: fields.get(field.group(), field.group()), self.template)

    def write(self, items: Sequence[Item], search: Search) -> list[list[Candidate]]:
        """Return the candidates of one item: the first is greedy, others are drawn with a seed each."""
        unknown = search.decoding.to_diff_dict().keys() & (SETTINGS - SENT)
        if unknown:
            raise InputError(f"--generation {min(unknown)}: a server takes {', '.join(sorted(SENT))} alone")
        # each item is a batch of its own, see `HeadlineSystem.batches`
        [item] = items
        candidates: dict[str, Candidate] = {}
        for number in range(search.candidates):
            text, fault = self._answer(item, number, search)
            if text:
                candidates.setdefault(text, Candidate(text, 0.0))
            else:
                self.faults.setdefault(item, fault)
        return [list(candidates.values())]

    def _answer(self, item: Item, number: int, search: Search) -> tuple[str, str]:
        """Return a headline, or an empty one and why there is none."""
        settings = _request_settings(search, number)
        answer, fault = self.server.complete(self.prompt(item), **settings)
        if answer is None:
            return "", fault
        self._answered.add(answer.model)
        fault = fault_of(answer)
        if fault:
            return "", fault
        headline = headline_of(answer.text, self.outlets)
        if headline:
            return headline, ""
        return "", f"no headline in the answer ({answer.finish_reason}): {shown(answer.text)}"


def _request_settings(search: Search, number: int) -> dict[str, Any]:
    """Return the settings of the request for a candidate.

    Args:
        search: settings of decoding.
        number: number of the candidate. 0 is greedy, unless headlines are drawn; all others are drawn.
    """
    decoding = search.decoding
    settings: dict[str, Any] = {"temperature": 0.0}
    if search.is_drawn or number:
        settings["temperature"] = TEMPERATURE
        settings["top_p"] = TOP_P
        settings["seed"] = search.seed + number
        if decoding.temperature is not None:
            settings["temperature"] = decoding.temperature
        if decoding.top_p is not None:
            settings["top_p"] = decoding.top_p
    settings["max_tokens"] = decoding.max_new_tokens or ANSWER_TOKENS
    return settings
