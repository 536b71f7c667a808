"""A model behind an OpenAI-compatible server that is asked for headlines: vLLM, llama.cpp, Ollama, `transformers serve`, a provider."""

import hashlib
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from huggingface_hub import InferenceClient, errors

from change_it import __version__
from change_it.engines import map_threads, pause
from change_it.errors import InputError
from change_it.generators.decoding import Candidate, Decoding
from change_it.generators.generator_options import check_url, read_key
from change_it.generators.headline_transfer import Proposer, Question
from change_it.generators.journal import Journal
from change_it.generators.prompt import Prompt, headline_of
from change_it.progress import ProgressBar

#: What is sent where there is no key: without one the client would send the token of the Hub.
NO_KEY = "none"
#: Why there is no headline where no answer came in time.
TIMEOUT = "timeout"
#: Where it was too long, since the model thought first.
CUT = "empty answer (length)"
#: And where the answer is of another article.
EXAMPLE = "the headline of an example in the prompt"
#: Tokens of an answer, at most, when no number is given.
ANSWER_TOKENS = 96
#: How often a request is sent again, and seconds before that: doubled each time, within the second number.
RETRIES, WAIT = 5, (1.0, 30.0)
#: Statuses of a server that may answer later, and of one that will not answer anybody who asks so.
LATER = {408, 409, 425, 429, 500, 502, 503, 504}
#: What the client raises over a response.
FAULTS = (errors.HfHubHTTPError, ValueError, TypeError, AttributeError, LookupError)
#: Characters of a server's reason, at most.
REASON = 200
#: How models that think name `max_tokens`, since thoughts count too.
OTHER_NAME = "max_completion_tokens"
WRONG = {
    401: "refuses the key",
    402: "wants to be paid",
    403: "refuses the key",
    404: "does not know the path or the model",
}


@dataclass(frozen=True)
class Answer:
    """What came of a request: a text, or why there is none."""

    text: str
    error: str
    model: str  # as the server names it
    read: int  # tokens of the prompt, as the server counts them
    written: int


class Endpoint(Proposer):
    """Asks the model of a server; an answer that was paid for is kept in a journal at once.

    Attributes:
        prompt: how it is asked.
        url: of the server, without a key.
        model: name of the model.
    """

    def __init__(
        self,
        url: str,
        model: str,
        prompt: Prompt,
        *,
        concurrency: int = 8,
        timeout: float = 60.0,
        answer_tokens: int | None = None,
        journal: Path | None = None,
    ):
        """Nothing is asked yet.

        Args:
            url: base of the server's paths, such as http://localhost:8000/v1.
            model: name of the model there.
            prompt: how it is asked.
            concurrency: requests at a time.
            timeout: seconds that an answer may take.
            answer_tokens: tokens of an answer, at most, thoughts among them; 96 when None.
            journal: file of the answers of an unfinished run, which is taken up or begun; None keeps none.
        """
        super().__init__("prompt", prompt.outlets, prompt.outlets, ("headline", "article"))
        self.url, self.model, self.prompt = check_url(url), model, prompt
        self.concurrency, self.answer_tokens = concurrency, answer_tokens or ANSWER_TOKENS
        self._key = read_key() or NO_KEY
        self._client = InferenceClient(base_url=_path(self.url), api_key=self._key, timeout=timeout)
        self._not_taken: set[str] = set()  # arguments that the model has refused
        self._lock, self._answers = Lock(), dict[str, Answer]()
        self._journal = None
        if journal is not None:
            self._journal = Journal(journal, {"endpoint": self.url, "model": model, "version": __version__})
            try:
                self._answers = {key: Answer(**kept) for key, kept in self._journal.entries.items()}
            except TypeError as error:
                raise InputError(f"{journal} holds no answers of ours: choose another --out") from error

    @property
    def answers(self) -> list[Answer]:
        """All that were paid for, those of an interrupted run among them."""
        return list(self._answers.values())

    @property
    def names(self) -> list[str]:
        """How the server names the model that answered; a folder of its machine by the last name alone."""
        names = {answer.model for answer in self._answers.values()} - {""} or {self.model}
        return sorted(name.rpartition("/")[2] if name.startswith("/") else name for name in names)

    @property
    def cut(self) -> int:
        """Items without a headline whose answer was cut off before it."""
        return sum(fault == CUT for fault in self.faults.values())

    @property
    def late(self) -> int:
        """Items without a headline whose answer did not come in time."""
        return sum(fault == TIMEOUT for fault in self.faults.values())

    def finish(self) -> None:
        """Drop the journal of a finished run, unless it is called again for answers that did not come in time."""
        if self._journal is not None and not self.late:
            self._journal.remove()

    def _propose(
        self, items: Sequence[Question], decoding: Decoding, batch_size: int | None, progress: bool
    ) -> list[list[Candidate]]:
        """A request for each candidate: greedy for the first, drawn for the others."""
        unique = dict.fromkeys(item for item in items if any(item[:2]))
        asked = [(item, number) for item in unique for number in range(decoding.candidates)]
        answers: dict[Question, list[Answer]] = {item: [] for item in items}
        with ProgressBar(shown=progress) as bar:
            task = bar.add_task("asking", total=len(asked))
            calls = ((item, number, decoding) for item, number in asked)
            for (item, _), answer in zip(
                asked, map_threads(self._answer, calls, min(self.concurrency, len(asked)) or 1), strict=True
            ):
                if answer.text and self.prompt.is_example(answer.text, item[2]):
                    answer = replace(answer, text="", error=EXAMPLE)
                answers[item].append(answer)
                bar.advance(task)
        silent = (several for several in answers.items() if not any(answer.text for answer in several[1]))
        self.faults |= {item: several[0].error for item, several in silent if several}
        return [
            [Candidate(text, 0.0) for text in dict.fromkeys(a.text for a in answers[item] if a.text)]
            for item in items
        ]

    def _answer(self, item: Question, number: int, decoding: Decoding) -> Answer:
        """The answer to one request, from the journal if it was paid for before."""
        drawn = decoding.sample or number > 0
        request = {
            "model": self.model,
            "messages": [{"role": "user", "content": self.prompt.text(item)}],
            "max_tokens": self.answer_tokens,
            "temperature": decoding.temperature if drawn else 0.0,
            **({"top_p": decoding.top_p, "seed": decoding.seed + number} if drawn else {}),
        }
        name = hashlib.sha256(json.dumps([request, number], sort_keys=True).encode()).hexdigest()
        with self._lock:
            if (kept := self._answers.get(name)) is not None:
                return kept
        answer = self._ask(request)
        if answer.error != TIMEOUT:  # a run that is called again asks anew
            with self._lock:
                self._answers[name] = answer
            if self._journal is not None:
                self._journal.add(name, vars(answer))
        return answer

    def _ask(self, request: dict[str, Any]) -> Answer:
        """Send a request, again where the server may answer later."""
        for attempt in range(RETRIES + 1):
            status = 0
            wait = min(WAIT[1], WAIT[0] * 2**attempt) * random.uniform(0.5, 1.0)
            sent = self._taken(request)
            try:
                completion = self._client.chat_completion(**sent)
                if not (refusal := getattr(completion, "error", None)):
                    return _read(completion)
                code = refusal.get("code") if isinstance(refusal, dict) else None
                status, headers = code if isinstance(code, int) and code > 1 else 200, {}
            except errors.InferenceTimeoutError:
                fault, last = TIMEOUT, Answer("", TIMEOUT, "", 0, 0)
            except errors.OfflineModeIsEnabled as error:
                raise InputError("HF_HUB_OFFLINE forbids every request: unset it to ask a server") from error
            except FAULTS as error:
                if (response := _response(error)) is None:
                    return Answer("", "refused: the answer is no chat completion", "", 0, 0)
                status, headers, refusal = response.status_code, response.headers, _body(response)
            except errors.HTTPError as error:
                fault, last = f"cannot be reached ({type(error).__name__})", None
                if type(error).__name__ == "ConnectError" and not self._answers:  # it may not be there at all
                    raise InputError(
                        f"{self.url} {fault}: start the server, or give another --endpoint"
                    ) from error
            if status:
                reason = self._reason(refusal)
                fault, last = f"answers with status {status}", None
                if status in WRONG:
                    detail = f": {reason}" if reason else ""
                    raise InputError(f"{self.url} {WRONG[status]} (status {status}{detail})")
                if status == 400 and (named := _arguments_in(reason) & sent.keys()):
                    self._not_taken |= named
                    continue
                if status not in LATER:
                    detail = f" ({reason})" if reason else ""
                    return Answer("", f"refused: status {status}{detail}", "", 0, 0)
                wait = max(wait, _seconds(headers.get("retry-after", "")))
            if attempt == RETRIES or not pause(wait):
                break
        if last is not None:
            return last
        raise InputError(
            f"{self.url} {fault}, {attempt + 1} times in a row: call the command again when it answers, it goes on where it stopped"
        )

    def _taken(self, request: dict[str, Any]) -> dict[str, Any]:
        """The request as the model takes it: those that think know another name of `max_tokens`, and no temperature."""
        taken = {name: value for name, value in request.items() if name not in self._not_taken}
        if "max_tokens" in self._not_taken:
            taken["extra_body"] = {OTHER_NAME: request["max_tokens"]}
        return taken

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


def _arguments_in(reason: str) -> set[str]:
    """Arguments of a request that a refusal names."""
    names = {"max_tokens": OTHER_NAME, "temperature": "'temperature'", "top_p": "'top_p'", "seed": "'seed'"}
    return {name for name, wording in names.items() if wording in reason}


def _path(url: str) -> str:
    """Where a server is asked; the client would add /v1 to a path that has another version in it."""
    versioned = re.search(r"/v\d\w*(/|$)", url) and not url.endswith("/chat/completions")
    return f"{url}/chat/completions" if versioned else url


def _response(error: BaseException) -> Any:
    """The response behind an error; the client fails over bodies of refusals that it does not expect."""
    response = getattr(error, "response", None)
    return getattr(error.__context__, "response", None) if response is None else response


def _read(completion: Any) -> Answer:
    """Text, name and tokens of a chat completion."""
    choice, usage = completion.choices[0], completion.usage
    counts = (getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens"))
    read, written = (count if isinstance(count, int) else 0 for count in counts)
    text = headline_of(choice.message.content or "", ended=choice.finish_reason != "length")
    refused = getattr(choice.message, "refusal", None) or choice.finish_reason == "content_filter"
    text = "" if refused else text
    error = "" if text else "refused by the model" if refused else f"empty answer ({choice.finish_reason})"
    return Answer(text, error, " ".join(str(completion.model or "").split()), read, written)


def _seconds(text: str) -> float:
    """Seconds of a `Retry-After`, at most a minute; 0 for a date."""
    try:
        return min(60.0, max(0.0, float(text)))
    except ValueError:
        return 0.0
