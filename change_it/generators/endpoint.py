"""A model behind an OpenAI-compatible server that is asked for headlines: vLLM, llama.cpp, Ollama, `transformers serve`, a provider."""

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
#: Why there is no headline where the answer is of another article.
EXAMPLE = "the headline of an example in the prompt"
#: Tokens of an answer, at most, when no `max_new_tokens` are given.
ANSWER_TOKENS = 96
#: Settings of a search that a server knows.
SENT = {"do_sample", "max_new_tokens", "temperature", "top_p"}
#: Requests at a time, and seconds that an answer may take.
CONCURRENCY, TIMEOUT = 8, 60.0
#: Statuses that are of one request and not of the server: the others go on.
OF_ONE_REQUEST = {400, 413, 422}
#: What the client raises over a response that is no chat completion.
NO_COMPLETION = (ValueError, TypeError, AttributeError, LookupError)
#: Characters of a server's reason, at most.
REASON = 200


@dataclass(frozen=True)
class Answer:
    """What came of a request: a text, or why there is none."""

    text: str
    error: str = ""


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
        self._client = InferenceClient(base_url=_path(self.url), api_key=self._key, timeout=TIMEOUT)
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
        answers: dict[Question, list[Answer]] = {item: [] for item in items}
        requests = [self._request(item, number, search) for item, number in asked]
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            found = bar("asking", len(asked), items=pool.map(self._ask, requests), shown=progress)
            for (item, _), answer in zip(asked, found, strict=True):
                is_example = answer.text and self.prompt.is_example(answer.text, item[2])
                answers[item].append(Answer("", EXAMPLE) if is_example else answer)
        silent = (several for several in answers.items() if not any(answer.text for answer in several[1]))
        self.faults |= {item: several[0].error for item, several in silent if several}
        return [
            [Candidate(text, 0.0) for text in dict.fromkeys(a.text for a in answers[item] if a.text)]
            for item in items
        ]

    def _request(self, item: Question, number: int, search: Search) -> dict[str, Any]:
        """What is sent for a candidate of an item."""
        decoding, is_drawn = search.decoding, search.is_drawn or number > 0
        temperature = 1.0 if decoding.temperature is None else decoding.temperature
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": self.prompt.text(item)}],
            "max_tokens": decoding.max_new_tokens or ANSWER_TOKENS,
            "temperature": temperature if is_drawn else 0.0,
        }
        top_p = 0.95 if decoding.top_p is None else decoding.top_p
        return {**request, "top_p": top_p, "seed": search.seed + number} if is_drawn else request

    def _ask(self, request: dict[str, Any]) -> Answer:
        """Send a request; what is wrong with the server and not with the request ends the run."""
        try:
            completion = self._client.chat_completion(**request)
            if refusal := getattr(completion, "error", None):
                return Answer("", f"refused: {self._reason(refusal)}")
            self._named.add(" ".join(str(completion.model or "").split()) or self.model)
            return _read(completion)
        except errors.InferenceTimeoutError:
            return Answer("", "timeout")
        except errors.OfflineModeIsEnabled as error:
            raise InputError("HF_HUB_OFFLINE forbids every request: unset it to ask a server") from error
        except (errors.HfHubHTTPError, *NO_COMPLETION) as error:
            if (response := _response(error)) is None:
                return Answer("", "refused: the answer is no chat completion")
            status, reason = response.status_code, self._reason(_body(response))
            detail = f"status {status}" + (f" ({reason})" if reason else "")
            if status in OF_ONE_REQUEST:
                return Answer("", f"refused: {detail}")
            raise InputError(
                f"{self.url} answers with {detail}: mend that and call the command again, it goes on where it stopped"
            ) from None  # the error may show the key
        except errors.HTTPError as error:
            raise InputError(
                f"{self.url} cannot be reached ({type(error).__name__}): start the server, or give another --endpoint"
            ) from error

    def _reason(self, refusal: Any) -> str:
        """What the server says of a refusal, without the key."""
        refusal = refusal[0] if isinstance(refusal, list) and refusal else refusal
        error = refusal.get("error", refusal) if isinstance(refusal, dict) else refusal
        text = error.get("message", error.get("detail")) if isinstance(error, dict) else error
        return " ".join(text.replace(self._key, "…").split())[:REASON] if isinstance(text, str) else ""


def _body(response: Any) -> Any:
    """What a response holds; nothing where that is no JSON."""
    try:
        return response.json()
    except ValueError:
        return None


def _path(url: str) -> str:
    """Where a server is asked; the client would add /v1 to a path that has another version in it."""
    versioned = re.search(r"/v\d\w*(/|$)", url) and not url.endswith("/chat/completions")
    return f"{url}/chat/completions" if versioned else url


def _response(error: BaseException) -> Any:
    """The response behind an error; the client fails over bodies of refusals that it does not expect."""
    response = getattr(error, "response", None)
    return getattr(error.__context__, "response", None) if response is None else response


def _read(completion: Any) -> Answer:
    """The headline of a chat completion."""
    choice = completion.choices[0]
    text = headline_of(choice.message.content or "", ended=choice.finish_reason != "length")
    if getattr(choice.message, "refusal", None) or choice.finish_reason == "content_filter":
        return Answer("", "refused by the model")
    return Answer(text, "" if text else f"empty answer ({choice.finish_reason})")
