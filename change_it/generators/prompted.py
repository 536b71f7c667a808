"""A language model behind a server, prompted for headlines without training."""

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

#: Characters of an article in a prompt, and tokens of an answer when no `max_new_tokens` are given, at most.
ARTICLE, ANSWER_TOKENS = 1200, 96
#: Settings of a search that a server knows.
SENT = {"do_sample", "max_new_tokens", "temperature", "top_p"}


class PromptedGenerator(HeadlineSystem):
    """Prompts the model of a server in the language of a corpus, a request for each candidate."""

    def __init__(self, corpus: str, server: Server, concurrency: int):
        """Nothing is sent yet."""
        outlets, self.language = read_outlets(corpus), corpus_language(corpus)
        super().__init__("prompt", outlets, outlets, ("headline", "article"))
        self.server, self.concurrency = server, concurrency
        self.template = read_prompts(self.language)["prompted"].strip()
        self._named: set[str] = set()  # the models that have answered

    def signature(self, target: str) -> str:
        """See `HeadlineSystem`; of a model in a folder the last name alone."""
        named = self._named or {self.server.model}
        names = "+".join(sorted(name.rpartition("/")[2] if name.startswith("/") else name for name in named))
        wording = hashlib.sha256(self.template.encode()).hexdigest()[:6]
        return f"endpoint|{names.replace('|', '_')}|prompt:{self.language}+{wording}|v:{__version__}"

    def batches_at_once(self, search: Search) -> int:
        """See `HeadlineSystem`."""
        return self.concurrency

    def prompt(self, item: Item) -> str:
        """The prompt for an item, with the beginning of its article up to a whole word."""
        article = " ".join(item.article.split())
        article = article if len(article) <= ARTICLE else article[:ARTICLE].rpartition(" ")[0]
        names = {"{to}": item.target, "{from}": self.outlets[item.target == self.outlets[0]]}
        fields = {**names, "{article}": article, "{headline}": item.source}
        # in one pass: braces of texts stay
        return re.sub(r"\{\w+\}", lambda field: fields.get(field.group(), field.group()), self.template)

    def write(self, items: Sequence[Item], search: Search) -> list[list[Candidate]]:
        """See `HeadlineSystem`: greedy for the first candidate, drawn for the others, each with a seed of its own."""
        if unknown := search.decoding.to_diff_dict().keys() & SETTINGS - SENT:
            raise InputError(f"--generation {min(unknown)}: a server takes {', '.join(sorted(SENT))} alone")
        texts: dict[str, Candidate] = {}
        for number in range(search.candidates):
            text, fault = self._answer(items[0], number, search)
            if text:
                texts.setdefault(text, Candidate(text, 0.0))
            else:
                self.faults.setdefault(items[0], fault)
        return [list(texts.values())]

    def _answer(self, item: Item, number: int, search: Search) -> tuple[str, str]:
        """A headline, or an empty one and why there is none."""
        decoding, settings = search.decoding, dict[str, Any](temperature=0.0)
        if search.is_drawn or number:
            temperature = 1.0 if decoding.temperature is None else decoding.temperature
            top_p = 0.95 if decoding.top_p is None else decoding.top_p
            settings = {"temperature": temperature, "top_p": top_p, "seed": search.seed + number}
        settings["max_tokens"] = decoding.max_new_tokens or ANSWER_TOKENS
        answer, fault = self.server.complete(self.prompt(item), **settings)
        if answer is None:
            return "", fault
        self._named.add(answer.model)
        if fault := fault_of(answer):
            return "", fault
        headline = headline_of(answer.text, self.outlets)
        if headline:
            return headline, ""
        return "", f"no headline in the answer ({answer.finish_reason}): {shown(answer.text)}"
