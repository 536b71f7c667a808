"""A model behind an OpenAI-compatible server that is asked for headlines: vLLM, llama.cpp, Ollama, `transformers serve`, a provider."""

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from huggingface_hub import InferenceClient, errors

from change_it.errors import InputError
from change_it.generators.generator_options import KEY, check_url
from change_it.generators.headline_transfer import Proposer, Question
from change_it.generators.prompt import Prompt, headline_of
from change_it.generators.search import Candidate, Search
from change_it.progress import bar

#: What is sent where there is no key: without one the client would send the token of the Hub.
NO_KEY = "none"
#: Tokens of an answer, at most, when no `max_new_tokens` are given.
ANSWER_TOKENS = 96
#: Settings of a search that a server knows.
SENT = {"do_sample", "max_new_tokens", "temperature", "top_p"}
#: Requests at a time, and seconds that an answer may take (as in the client of OpenAI: a small server answers one at a time).
CONCURRENCY, TIMEOUT = 8, 600.0
#: Statuses that are of one request and not of the server: the others go on.
OF_ONE_REQUEST = {400, 413, 422}
#: What the client raises over a response that it does not expect: no chat completion, or a refusal in a list.
UNEXPECTED = (ValueError, TypeError, AttributeError, LookupError)
#: Characters of a server's reason, at most.
REASON = 200


class Endpoint(Proposer):
    """Asks the model of a server.

    Attributes:
        prompt: how it is asked.
        url: of the server, without a key.
        model: name of the model.
    """

    def __init__(self, url: str, model: str, prompt: Prompt):
        """Nothing is asked yet; `url` is the base of the server's paths, such as http://localhost:8000/v1."""
        super().__init__("prompt", prompt.outlets, prompt.outlets, ("headline", "article"))
        self.url, self.model, self.prompt = check_url(url), model, prompt
        self._key = os.environ.get(KEY) or NO_KEY
        # The client would add /v1 to a path that has another version in it.
        versioned = re.search(r"/v\d\w*(/|$)", self.url) and not self.url.endswith("/chat/completions")
        path = f"{self.url}/chat/completions" if versioned else self.url
        self._client = InferenceClient(base_url=path, api_key=self._key, timeout=TIMEOUT)
        self._named: set[str] = set()

    @property
    def names(self) -> list[str]:
        """How the server names the model that answered; a folder of its machine by the last name alone."""
        names = self._named or {self.model}
        return sorted(name.rpartition("/")[2] if name.startswith("/") else name for name in names)

    def kept_together(self, search: Search) -> int:
        """As many as are asked about at a time: answers cost."""
        return CONCURRENCY

    def _propose(
        self, items: Sequence[Question], search: Search, batch_size: int | None, progress: bool
    ) -> list[list[Candidate]]:
        """A request for each candidate: greedy for the first, drawn for the others."""
        unique = dict.fromkeys(item for item in items if any(item[:2]))
        asked = [(item, number) for item in unique for number in range(search.candidates)]
        texts: dict[Question, list[str]] = {item: [] for item in items}
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            answers = pool.map(lambda one: self._ask(one[0], one[1], search), asked)
            shown = bar("asking", len(asked), items=answers, shown=progress)
            for (item, _), (text, fault) in zip(asked, shown, strict=True):
                if search.all_draws or (text and text not in texts[item]):
                    texts[item].append(text)
                if not text:
                    self.faults.setdefault(item, fault)
        return [[Candidate(text, 0.0) for text in texts[item]] for item in items]

    def _ask(self, item: Question, number: int, search: Search) -> tuple[str, str]:
        """A candidate, or why there is none; what is wrong with the server and not with the request ends the run."""
        decoding = search.decoding
        settings: dict[str, Any] = {"temperature": 0.0}
        if search.is_drawn or number:
            temperature = 1.0 if decoding.temperature is None else decoding.temperature
            top_p = 0.95 if decoding.top_p is None else decoding.top_p
            settings = {"temperature": temperature, "top_p": top_p, "seed": search.seed + number}
        try:
            completion = self._client.chat_completion(
                [{"role": "user", "content": self.prompt.text(item)}],
                model=self.model,
                max_tokens=decoding.max_new_tokens or ANSWER_TOKENS,
                **settings,
            )
            if refusal := getattr(completion, "error", None):
                return "", f"refused: {self._reason(refusal)}"
            self._named.add(" ".join(str(completion.model or "").split()) or self.model)
            text, fault = _read(completion)
        except errors.InferenceTimeoutError:
            return "", "timeout"
        except errors.OfflineModeIsEnabled as error:
            raise InputError("HF_HUB_OFFLINE forbids every request: unset it to ask a server") from error
        except (errors.HTTPError, *UNEXPECTED) as error:
            response = getattr(error, "response", None) or getattr(error.__context__, "response", None)
            if response is not None:
                return "", self._refused(response)
            if not isinstance(error, errors.HTTPError):
                return "", "refused: the answer is no chat completion"
            raise InputError(
                f"{self.url} cannot be reached ({type(error).__name__}): start the server, or give another --endpoint"
            ) from error
        if text and self.prompt.is_example(text, item[2]):
            return "", "the headline of an example in the prompt"
        return text, fault

    def _refused(self, response: Any) -> str:
        """Why there is no headline, where the server refuses this request alone."""
        try:
            reason = self._reason(response.json())
        except ValueError:
            reason = ""
        detail = f"status {response.status_code}" + (f" ({reason})" if reason else "")
        if response.status_code in OF_ONE_REQUEST:
            return f"refused: {detail}"
        raise InputError(
            f"{self.url} answers with {detail}: mend that and call the command again, it goes on where it stopped"
        ) from None  # the error may show the key

    def _reason(self, body: Any) -> str:
        """What a server says of a refusal, without the key."""
        while isinstance(body, list | dict):
            fields = map(body.get, ("error", "message", "detail")) if isinstance(body, dict) else body
            body = next(filter(None, fields), "")
        return " ".join(str(body or "").replace(self._key, "…").split())[:REASON]


def _read(completion: Any) -> tuple[str, str]:
    """The headline of a chat completion, or why there is none."""
    choice = completion.choices[0]
    if getattr(choice.message, "refusal", None) or choice.finish_reason == "content_filter":
        return "", "refused by the model"
    text = headline_of(choice.message.content or "", ended=choice.finish_reason != "length")
    return text, "" if text else f"empty answer ({choice.finish_reason})"
