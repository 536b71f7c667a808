"""An OpenAI-compatible server: vLLM, llama.cpp, Ollama, `transformers serve`, a provider."""

import json
import os
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from huggingface_hub import errors, get_session
from huggingface_hub.utils import http_stream_backoff

from change_it.errors import InputError

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
        if parts.username or parts.password or parts.query:
            raise InputError(f"--endpoint takes no key in its address: put it into the environment as {KEY}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                f"--endpoint {url} is no address of a server: give one as http://localhost:8000/v1"
            )
        self.url, self.model = url.rstrip("/"), model
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
        """The answer to a prompt, or None and why there is none; what is wrong with the server ends the run."""
        messages = [{"role": "user", "content": prompt}]
        try:
            status, body = self._post(
                {"model": self.model, "stream": False, "messages": messages, **settings}
            )
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
        reason = " ".join(body.replace(self._key, "…").split())[:REASON]
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

    def _post(self, request: dict[str, Any]) -> tuple[int, str]:
        """Status and body of an answer, or where it leads, no more than is taken; no redirect, which may lead elsewhere, is followed."""
        until, body = monotonic() + TIMEOUT, bytearray()
        options: dict[str, Any] = {"headers": self._headers, "timeout": TIMEOUT, "follow_redirects": False}
        options |= {"retry_on_exceptions": (), "retry_on_status_codes": BUSY, "max_retries": RETRIES}
        options |= {"base_wait_time": WAIT, "max_wait_time": LONGEST_WAIT}
        with http_stream_backoff("POST", f"{self.url}/chat/completions", json=request, **options) as response:
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST:
                    break
                if monotonic() > until:
                    raise TimeoutError
        return response.status_code, response.headers.get("location", "") or body.decode(errors="replace")
