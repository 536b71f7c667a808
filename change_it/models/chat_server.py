"""Ask an OpenAI-compatible server: vLLM, llama.cpp, Ollama, `transformers serve`, a provider."""

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf
from threading import Event
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from huggingface_hub import errors, get_session

from change_it.errors import InputError
from change_it.progress import note

#: The environment variable that holds the key of a server.
KEY = "CHANGE_IT_API_KEY"
#: What is sent where there is no key, so that no token of the Hub is.
_NO_KEY = "none"
#: Seconds that an answer may take (as in the client of OpenAI: a small server answers one at a time).
TIMEOUT_SECONDS = 600.0
#: Bytes that an answer has at most.
MAX_ANSWER_BYTES = 1_000_000
#: Statuses of a fault in one request and not of the server: the other requests go on.
_STATUSES_OF_ONE_REQUEST = {400, 413, 422}
#: Statuses of a server that is busy or not ready yet.
_BUSY_STATUSES = {429, 503, 529}
#: How often a request is sent again to a busy server.
_BUSY_RETRIES = 12
#: Statuses of a fault that is likely to pass.
_PASSING_STATUSES = {408, 500, 502, 504, 520, 521, 522, 523, 524}
#: How often a request is sent again after a passing status or a connection that was dropped.
_PASSING_RETRIES = 4
#: Seconds before a request is sent again where the server does not say; they double each time.
FIRST_WAIT_SECONDS = 1.0
#: Seconds that this wait has at most.
_LONGEST_WAIT_SECONDS = 60.0
#: Seconds that a server may ask to wait: a longer wait ends the run, whose rows are kept.
_LONGEST_ASKED_WAIT_SECONDS = 300.0
#: Seconds from which a wait is told.
_NOTED_WAIT_SECONDS = 10.0
#: Characters that a server's reason has at most.
_MAX_REASON_CHARACTERS = 200


class Answer(NamedTuple):
    """A server's answer to a prompt.

    Attributes:
        text: what it says.
        finish_reason: the server's word for why it ends; `length` where it was cut off.
        model: the model, as the server names it.
    """

    text: str
    finish_reason: str
    model: str


class Server:
    """A server that answers chat prompts; it is shared by threads.

    Attributes:
        url: base of the server's paths.
        model: name of the model that is asked.
    """

    def __init__(self, url: str, model: str):
        """Check the address; nothing is sent yet.

        Args:
            url: the base of the server's paths, such as http://localhost:8000/v1.
            model: name of the model that is asked.

        Raises:
            InputError: the address is none, or has a key in it.
        """
        if "@" in url or "?" in url:
            raise InputError(f"--endpoint takes no key in its address: put it into the environment as {KEY}")
        if not _is_address(url):
            raise InputError(
                f"--endpoint {url} is no address of a server: give one as http://localhost:8000/v1"
            )
        self.url = url.rstrip("/")
        self.model = model
        self._has_answered = False
        # A run that ends does not wait for the server any more.
        self._has_ended = Event()
        #: The fault that ended the run.
        self._ended_by = ""
        self._key = os.environ.get(KEY) or _NO_KEY
        self._headers = {"authorization": f"Bearer {self._key}", "Accept-Encoding": "identity"}

    def only_model(self) -> str:
        """Return the name of the server's one model.

        Raises:
            InputError: it has none or several, or cannot be reached.
        """
        try:
            response = get_session().get(f"{self.url}/models", headers=self._headers, timeout=TIMEOUT_SECONDS)
            names = [str(model["id"]) for model in response.json()["data"]]
            [name] = names
        except (errors.OfflineModeIsEnabled, errors.HTTPError, ValueError, TypeError, LookupError) as error:
            raise InputError(f"{self.url} does not name one model alone: give one with --model") from error
        return name

    def complete(self, prompt: str, **settings: Any) -> tuple[Answer | None, str]:
        """Return the answer to a prompt and no fault, or None and why there is none.

        Args:
            prompt: what the user says.
            settings: further entries of the request, such as `max_tokens`.

        Raises:
            InputError: something is wrong with the server; the other threads then end as well.
        """
        try:
            return self._complete(prompt, settings)
        except InputError as error:
            self._ended_by = self._ended_by or str(error)
            self._has_ended.set()
            raise

    def _complete(self, prompt: str, settings: dict[str, Any]) -> tuple[Answer | None, str]:
        """Do what `complete` does, but for ending the other threads."""
        request = {
            "model": self.model,
            "stream": False,
            "messages": [{"role": "user", "content": prompt}],
            **settings,
        }
        try:
            status, body = self._ask(request)
        except errors.OfflineModeIsEnabled as error:
            raise InputError("HF_HUB_OFFLINE forbids every request: unset it to ask a server") from error
        except (errors.HTTPError, TimeoutError) as error:
            if _is_timeout(error):
                return None, "server timeout"
            raise InputError(
                f"{self.url} cannot be reached ({type(error).__name__}):"
                " start the server, or give another --endpoint"
            ) from error
        reason = self._reason(body)
        fault = f"status {status} ({reason})" if reason else f"status {status}"
        if status in _STATUSES_OF_ONE_REQUEST:
            return None, f"server refused: {fault}"
        if status >= 300:
            raise InputError(f"{self.url} answers with {fault}: mend that and call the command again")
        if len(body) > MAX_ANSWER_BYTES:
            return None, f"server refused: the answer has more than {MAX_ANSWER_BYTES:,} bytes"
        try:
            return self._read_answer(json.loads(body), prompt, settings)
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
            # Some servers say with status 200 why they refuse.
            return None, f"server refused: {reason or 'the answer is empty'}"

    def _read_answer(
        self, record: Any, prompt: str, settings: Mapping[str, Any]
    ) -> tuple[Answer | None, str]:
        """Return the answer in the JSON object that a server sent, or None and why there is none.

        Raises:
            ValueError, TypeError, AttributeError or LookupError: it is not as servers send it.
        """
        choice = record["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        if isinstance(text, list):
            text = "".join(part["text"] for part in text if part.get("type") == "text")
        finish_reason = str(choice.get("finish_reason"))
        usage = record.get("usage") or {}
        # Some servers say `stop` of an answer that was cut off.
        most_tokens = settings.get("max_tokens", inf)
        if finish_reason == "stop" and usage.get("completion_tokens", 0) >= most_tokens:
            finish_reason = "length"
        read_tokens = usage.get("prompt_tokens", 0)
        if 0 < read_tokens < len(prompt.split()):
            fault = f"the server read {read_tokens} tokens, and the prompt has more words"
            return None, f"{fault}: give it a longer context"
        if message.get("refusal") or finish_reason == "content_filter":
            return None, "refused by the model"
        model = " ".join(str(record.get("model") or "").split())
        return Answer(text.strip(), finish_reason, model or self.model), ""

    def _reason(self, body: str) -> str:
        """Return a server's reason in a line, without the key."""
        return " ".join(body.replace(self._key, "…").split())[:_MAX_REASON_CHARACTERS]

    def _ask(self, request: dict[str, Any]) -> tuple[int, str]:
        """Return status and body of the answer to a request.

        It is sent again while the server is busy, fails or drops the connection.

        Raises:
            InputError: the server is still so after all tries, or asks to wait longer than
                `_LONGEST_ASKED_WAIT_SECONDS`.
        """
        wait = FIRST_WAIT_SECONDS
        tries = 0
        while True:
            tries += 1
            asked_wait: float | None = None
            try:
                status, body, headers = self._post(request)
            except errors.HTTPError as error:
                if _is_timeout(error) or not (self._has_answered or _was_connected(error)):
                    raise
                fault = f"drops the connection ({type(error).__name__})"
                retries = _PASSING_RETRIES
            else:
                self._has_answered = True
                if status not in _BUSY_STATUSES | _PASSING_STATUSES:
                    return status, body
                reason = self._reason(body)
                fault = f"answers with status {status}"
                if reason:
                    fault += f" ({reason})"
                retries = _BUSY_RETRIES if status in _BUSY_STATUSES else _PASSING_RETRIES
                asked_wait = _retry_after(headers)
            if asked_wait is not None and asked_wait > _LONGEST_ASKED_WAIT_SECONDS:
                minutes = f"{asked_wait / 60:,.0f} minutes"
                raise InputError(
                    f"{self.url} {fault} and asks to wait {minutes}: call the command again then"
                )
            if tries > retries:
                raise InputError(
                    f"{self.url} still {fault} after {tries} tries: call the command again later"
                )
            seconds = wait if asked_wait is None else asked_wait
            if seconds >= _NOTED_WAIT_SECONDS:
                note(f"{self.url} {fault}: the request is sent again in {seconds:.0f} s")
            if self._has_ended.wait(seconds):
                raise InputError(self._ended_by)
            wait = min(2 * wait, _LONGEST_WAIT_SECONDS)

    def _post(self, request: dict[str, Any]) -> tuple[int, str, Mapping[str, str]]:
        """Return status, body and headers of one answer, which is cut where it is too long.

        No redirect, which may lead elsewhere, is followed: where it leads stands for the body.

        Raises:
            TimeoutError: the answer takes too long.
        """
        deadline = monotonic() + TIMEOUT_SECONDS
        body = bytearray()
        with get_session().stream(
            "POST",
            f"{self.url}/chat/completions",
            json=request,
            headers=self._headers,
            timeout=TIMEOUT_SECONDS,
            follow_redirects=False,
        ) as response:
            for part in response.iter_bytes():
                body += part
                if len(body) > MAX_ANSWER_BYTES:
                    break
                if monotonic() > deadline:
                    raise TimeoutError
        text = response.headers.get("location", "") or body.decode(errors="replace")
        return response.status_code, text, response.headers


def _is_address(url: str) -> bool:
    """Return whether a text is the address of a server of HTTP."""
    try:
        parts = urlsplit(url)
        is_http = parts.scheme in ("http", "https") and parts.port != 0
    except ValueError:
        # The port is no number, or a bracket is not closed.
        return False
    is_host = re.fullmatch(r"[\w-]+(\.[\w-]+)*\.?|[0-9a-fA-F:.]+", parts.hostname or "")
    return is_http and is_host is not None


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
        now = datetime.now(until.tzinfo or UTC)
        return max(0.0, (until - now).total_seconds())
    return None
