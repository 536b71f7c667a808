"""An OpenAI-compatible server: vLLM, llama.cpp, Ollama, `transformers serve`, a provider."""

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Event
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from huggingface_hub import errors, get_session

from change_it.errors import InputError
from change_it.progress import note

#: Where the key of a server is read from.
KEY = "CHANGE_IT_API_KEY"
#: What is sent where there is no key, so that no token of the Hub is.
NO_KEY = "none"
#: Seconds that an answer may take (as in the client of OpenAI: a small server answers one at a time).
TIMEOUT = 600.0
#: Bytes of an answer, at most.
LARGEST = 1_000_000
#: Statuses that are of one request and not of the server: the others go on.
OF_ONE_REQUEST = {400, 413, 422}
#: Statuses of a server that is busy or not ready yet, and how often a request is sent to it again.
BUSY = {429, 503, 529}
RETRIES = 12
#: Statuses that pass, and how often a request is sent again after one of them or a connection that was dropped.
PASSING = {408, 500, 502, 504, 520, 521, 522, 523, 524}
FEW_RETRIES = 4
#: Seconds before a request is sent again where the server does not say; they double, up to the longest.
WAIT = 1.0
LONGEST_WAIT = 60.0
#: Seconds that a server may ask to wait: a longer wait ends the run, whose rows are kept.
PATIENCE = 300.0
#: Seconds from which a wait is told.
NOTED_WAIT = 10.0
#: Characters of a server's reason, at most.
REASON = 200


class Answer(NamedTuple):
    """A server's answer to a prompt."""

    text: str
    finish_reason: str  # `length` where it was cut off
    model: str  # as the server names it


class Server:
    """Answers chat prompts; shared by threads."""

    def __init__(self, url: str, model: str):
        """Nothing is sent yet; `url` is the base of the server's paths, such as http://localhost:8000/v1."""
        if "@" in url or "?" in url:
            raise InputError(f"--endpoint takes no key in its address: put it into the environment as {KEY}")
        if not _is_address(url):
            raise InputError(
                f"--endpoint {url} is no address of a server: give one as http://localhost:8000/v1"
            )
        self.url, self.model = url.rstrip("/"), model
        self._has_answered = False
        self._has_ended = Event()  # a run that ends does not wait for the server any more
        self._ended_by = ""  # the fault that ended it
        self._key = os.environ.get(KEY) or NO_KEY
        self._headers = {"authorization": f"Bearer {self._key}", "Accept-Encoding": "identity"}

    def only_model(self) -> str:
        """The name of the server's one model; refused where it has none or several."""
        try:
            answer = get_session().get(f"{self.url}/models", headers=self._headers, timeout=TIMEOUT)
            [name] = [str(model["id"]) for model in answer.json()["data"]]
        except (errors.OfflineModeIsEnabled, errors.HTTPError, ValueError, TypeError, LookupError) as error:
            raise InputError(f"{self.url} does not name one model alone: give one with --model") from error
        return name

    def complete(self, prompt: str, **settings: Any) -> tuple[Answer | None, str]:
        """Return the answer to a prompt, or None and why there is none; what is wrong with the server ends the run."""
        try:
            return self._complete(prompt, settings)
        except InputError as error:
            self._ended_by = self._ended_by or str(error)
            self._has_ended.set()
            raise

    def _complete(self, prompt: str, settings: dict[str, Any]) -> tuple[Answer | None, str]:
        """See `complete`."""
        messages = [{"role": "user", "content": prompt}]
        request = {"model": self.model, "stream": False, "messages": messages, **settings}
        try:
            status, body = self._ask(request)
        except errors.OfflineModeIsEnabled as error:
            raise InputError("HF_HUB_OFFLINE forbids every request: unset it to ask a server") from error
        except (errors.HTTPError, TimeoutError) as error:
            if _is_timeout(error):
                return None, "server timeout"
            raise InputError(
                f"{self.url} cannot be reached ({type(error).__name__}): start the server, or give another --endpoint"
            ) from error
        reason = self._reason(body)
        fault = f"status {status} ({reason})" if reason else f"status {status}"
        if status in OF_ONE_REQUEST:
            return None, f"server refused: {fault}"
        if status >= 300:
            raise InputError(f"{self.url} answers with {fault}: mend that and call the command again")
        if len(body) > LARGEST:
            return None, f"server refused: the answer has more than {LARGEST:,} bytes"
        try:
            answer = json.loads(body)
            choice, usage = answer["choices"][0], answer.get("usage") or {}
            message, finish_reason = choice["message"], str(choice.get("finish_reason"))
            text = message.get("content") or ""
            if isinstance(text, list):  # in parts
                text = "".join(part["text"] for part in text if part.get("type") == "text")
            written, read = (usage.get(f"{name}_tokens", 0) for name in ("completion", "prompt"))
            if finish_reason == "stop" and written >= settings.get("max_tokens", 1 << 30):
                finish_reason = "length"
            if 0 < read < len(prompt.split()):
                fault = f"the server read {read} tokens, and the prompt has more words"
                return None, f"{fault}: give it a longer context"
            if message.get("refusal") or finish_reason == "content_filter":
                return None, "refused by the model"
            model = " ".join(str(answer.get("model") or "").split()) or self.model
            return Answer(text.strip(), finish_reason, model), ""
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
            return None, f"server refused: {reason or 'the answer is empty'}"  # some say so with status 200

    def _reason(self, body: str) -> str:
        """Return a server's reason in a line, without the key."""
        return " ".join(body.replace(self._key, "…").split())[:REASON]

    def _ask(self, request: dict[str, Any]) -> tuple[int, str]:
        """Return status and body of the answer to a request.

        It is sent again while the server is busy, fails or drops the connection. InputError where it goes on so, or asks to wait longer than `PATIENCE`.
        """
        wait = WAIT
        tries = 0
        while True:
            tries += 1
            asked_wait: float | None = None
            try:
                status, body, headers = self._post(request)
            except errors.HTTPError as error:
                if _is_timeout(error) or not (self._has_answered or _was_connected(error)):
                    raise
                happened = f"drops the connection ({type(error).__name__})"
                retries = FEW_RETRIES
            else:
                self._has_answered = True
                if status not in BUSY | PASSING:
                    return status, body
                reason = self._reason(body)
                happened = f"answers with status {status}" + (f" ({reason})" if reason else "")
                retries = RETRIES if status in BUSY else FEW_RETRIES
                asked_wait = _retry_after(headers)
            if asked_wait is not None and asked_wait > PATIENCE:
                minutes = f"{asked_wait / 60:,.0f} minutes"
                raise InputError(
                    f"{self.url} {happened} and asks to wait {minutes}: call the command again then"
                )
            if tries > retries:
                raise InputError(
                    f"{self.url} still {happened} after {tries} tries: call the command again later"
                )
            seconds = wait if asked_wait is None else asked_wait
            if seconds >= NOTED_WAIT:
                note(f"{self.url} {happened}: the request is sent again in {seconds:.0f} s")
            if self._has_ended.wait(seconds):
                raise InputError(self._ended_by)
            wait = min(2 * wait, LONGEST_WAIT)

    def _post(self, request: dict[str, Any]) -> tuple[int, str, Mapping[str, str]]:
        """Return status, body and headers of one answer, at most the bytes that are taken.

        No redirect, which may lead elsewhere, is followed: where it leads stands for the body.
        """
        until = monotonic() + TIMEOUT
        body = bytearray()
        options: dict[str, Any] = {"headers": self._headers, "timeout": TIMEOUT, "follow_redirects": False}
        with get_session().stream(
            "POST", f"{self.url}/chat/completions", json=request, **options
        ) as response:
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST:
                    break
                if monotonic() > until:
                    raise TimeoutError
        text = response.headers.get("location", "") or body.decode(errors="replace")
        return response.status_code, text, response.headers


def _is_address(url: str) -> bool:
    """Return whether a text is the address of a server of HTTP."""
    try:
        parts = urlsplit(url)
        is_http = parts.scheme in ("http", "https") and parts.port != 0
    except ValueError:  # a port that is no number, a bracket that is not closed
        return False
    return is_http and bool(re.fullmatch(r"[\w-]+(\.[\w-]+)*\.?|[0-9a-fA-F:.]+", parts.hostname or ""))


def _is_timeout(error: Exception) -> bool:
    """Return whether an answer took too long; a server that cannot be connected to is another fault."""
    name = type(error).__name__
    return "Timeout" in name and name != "ConnectTimeout"


def _was_connected(error: Exception) -> bool:
    """Return whether a connection was there before it failed."""
    return type(error).__name__ not in ("ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that Retry-After asks to wait, a number or a date; None without it."""
    text = headers.get("retry-after", "").strip()
    with suppress(ValueError):
        return max(0.0, float(text))
    with suppress(ValueError, TypeError):
        until = parsedate_to_datetime(text)
        return max(0.0, (until - datetime.now(until.tzinfo or UTC)).total_seconds())
    return None
