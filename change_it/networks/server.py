"""An OpenAI-compatible server: vLLM, llama.cpp, Ollama, `transformers serve`, a provider."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from huggingface_hub import errors, get_session
from huggingface_hub.utils import http_stream_backoff

from change_it.errors import InputError
from change_it.io import listed

#: Where the key of a server is read from, and what is sent where there is none, so that no token of the Hub is.
KEY, NO_KEY = "CHANGE_IT_API_KEY", "none"
#: Seconds that an answer may take (as in the client of OpenAI: a small server answers one at a time), and its bytes, at most.
TIMEOUT, LARGEST = 600.0, 1_000_000
#: Statuses that are of one request and not of the server: the others go on.
OF_ONE_REQUEST = {400, 413, 422}
#: Statuses of a server that is busy or not ready yet, how often a request is sent to it again, and after how many seconds where it does not say.
BUSY, RETRIES, WAIT, LONGEST_WAIT = (429, 503), 12, 1.0, 60.0
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
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                f"--endpoint {url} is no address of a server: give one as http://localhost:8000/v1"
            )
        if parts.username or parts.password or parts.query:
            raise InputError(f"--endpoint takes no key in its address: put it into the environment as {KEY}")
        self.url, self.model = url.rstrip("/"), model
        self._key = os.environ.get(KEY) or NO_KEY
        self._headers = {"authorization": f"Bearer {self._key}", "Accept-Encoding": "identity"}
        base = self.url.removesuffix("/chat/completions")
        self._base = base if re.search(r"/v\d\w*(/|$)", base) else f"{base}/v1"

    def only_model(self) -> str:
        """The name of the server's one model; refused where it has none or several."""
        try:
            answer = get_session().get(f"{self._base}/models", headers=self._headers, timeout=TIMEOUT)
            names = [str(model["id"]) for model in answer.json()["data"]]
        except (errors.OfflineModeIsEnabled, errors.HTTPError, ValueError, TypeError, LookupError):
            names = []
        if len(names) != 1:
            raise InputError(f"{self.url} names {listed(names, 5) or 'no model'}: give one with --model")
        return names[0]

    def complete(
        self, prompt: str | Sequence[Mapping[str, str]], **settings: Any
    ) -> tuple[Answer | None, str]:
        """The answer to a prompt, or to messages, or None and why there is none; what is wrong with the server ends the run."""
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
        request = {"model": self.model, "stream": False, "messages": messages, **settings}
        try:
            status, body = self._post(request)
        except errors.OfflineModeIsEnabled as error:
            raise InputError("HF_HUB_OFFLINE forbids every request: unset it to ask a server") from error
        except errors.HfHubHTTPError as error:
            status = error.response.status_code
            raise InputError(
                f"{self.url} still answers with status {status}: call the command again later"
            ) from error
        except (errors.HTTPError, TimeoutError) as error:
            if "Timeout" in type(error).__name__:
                return None, "server timeout"
            raise InputError(
                f"{self.url} cannot be reached ({type(error).__name__}): start the server, or give another --endpoint"
            ) from error
        if status >= 300:
            detail = f"status {status} ({self._line(body)})" if body else f"status {status}"
            if status not in OF_ONE_REQUEST:
                raise InputError(f"{self.url} answers with {detail}: mend that and call the command again")
            return None, f"server refused: {detail}"
        if len(body) > LARGEST:
            return None, f"server refused: the answer has more than {LARGEST:,} bytes"
        try:
            answer = json.loads(body)
            if not answer.get("choices") and (fault := answer.get("error")):  # with status 200
                reason = fault.get("message", fault) if isinstance(fault, dict) else fault
                return None, f"server refused: {self._line(str(reason))}"
            choice, usage = answer["choices"][0], answer.get("usage") or {}
            message, reason = choice["message"], str(choice.get("finish_reason"))
            text = message.get("content")
            if isinstance(text, list):  # in parts
                text = "".join(part["text"] for part in text if part.get("type") == "text")
            if reason == "stop" and usage.get("completion_tokens", 0) >= settings.get("max_tokens", 1 << 30):
                reason = "length"
            words = sum(len(str(part["content"]).split()) for part in messages)
            if 0 < (tokens := usage.get("prompt_tokens", 0)) < words:
                fault = f"the server read {tokens} tokens, and the prompt has more words"
                return None, f"{fault}: give it a longer context"
            if message.get("refusal") or reason == "content_filter":
                return None, "refused by the model"
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
            return None, "server refused: the answer is no chat completion"
        model = " ".join(str(answer.get("model") or "").split()) or self.model
        return Answer(text if isinstance(text, str) else "", reason, model), ""

    def _post(self, request: dict[str, Any]) -> tuple[int, str]:
        """Status and body of an answer, or where it leads, no more than is taken; no redirect, which may lead elsewhere, is followed."""
        until, body = monotonic() + TIMEOUT, bytearray()
        how: dict[str, Any] = {"retry_on_exceptions": (), "retry_on_status_codes": BUSY}
        how |= {"max_retries": RETRIES, "base_wait_time": WAIT, "max_wait_time": LONGEST_WAIT}
        how |= {"headers": self._headers, "timeout": TIMEOUT, "follow_redirects": False}
        with http_stream_backoff("POST", f"{self._base}/chat/completions", json=request, **how) as response:
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST:
                    break
                if monotonic() > until:
                    raise TimeoutError
        return response.status_code, response.headers.get("location", "") or body.decode(errors="replace")

    def _line(self, reason: str) -> str:
        """What a server says in one line, without the key."""
        return " ".join(reason.replace(self._key, "…").split())[:REASON]
