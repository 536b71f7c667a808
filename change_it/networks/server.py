"""An OpenAI-compatible server: vLLM, llama.cpp, Ollama, `transformers serve`, a provider."""

import json
import os
import re
from collections.abc import Mapping
from itertools import count
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

from huggingface_hub import ChatCompletionOutput, errors, get_session

from change_it.errors import InputError
from change_it.io import listed

#: Where the key of a server is read from.
KEY = "CHANGE_IT_API_KEY"
#: What is sent where there is no key.
NO_KEY = "none"
#: Requests at a time, and seconds that an answer may take (as in the client of OpenAI: a small server answers one at a time).
CONCURRENCY, TIMEOUT = 8, 600.0
#: Statuses that are of one request and not of the server: the others go on.
OF_ONE_REQUEST = {400, 413, 422}
#: Statuses of a server that is busy or not ready yet: a request waits as long as it says, or else longer each time, and is
#: sent again, until the server has answered nothing for so many seconds.
BUSY, PATIENCE, LONGEST_WAIT = {429, 503}, 600.0, 60.0
#: What a response raises that is no chat completion, or a refusal in a list.
UNEXPECTED = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
#: Bytes of an answer, at most.
LARGEST = 1_000_000
#: Characters of a server's reason, at most.
REASON = 200


def check_url(url: str) -> str:
    """The address of a server; refused where it is not one or holds a password."""
    parts = urlsplit(url)
    try:
        is_server = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:  # the port is not a number
        is_server = False
    if not is_server:
        raise InputError(f"--endpoint {url} is no address of a server: give one as http://localhost:8000/v1")
    if parts.username or parts.password or parts.query:
        raise InputError(f"--endpoint takes no key in its address: put it into the environment as {KEY}")
    return url.rstrip("/")


class Server:
    """Answers chat prompts; shared by threads."""

    def __init__(self, url: str, model: str):
        """Nothing is sent yet; `url` is the base of the server's paths, such as http://localhost:8000/v1."""
        self.url, self.model = check_url(url), model
        self._key = os.environ.get(KEY) or NO_KEY
        version = "" if re.search(r"/v\d\w*(/|$)", self.url) else "/v1"
        whole = self.url.endswith("/chat/completions")
        self._address = self.url if whole else f"{self.url}{version}/chat/completions"
        # when it last answered, and when the next request may be sent
        self._answered = self._free = monotonic()

    def only_model(self) -> str:
        """The name of the server's one model; refused where it has none or several."""
        address = f"{self._address.removesuffix('/chat/completions')}/models"
        try:
            answer = get_session().get(
                address, headers={"authorization": f"Bearer {self._key}"}, timeout=TIMEOUT
            )
            names = [str(model["id"]) for model in answer.json()["data"]]
        except (errors.OfflineModeIsEnabled, errors.HTTPError, *UNEXPECTED):
            names = []
        if len(names) != 1:
            raise InputError(f"{self.url} names {listed(names, 5) or 'no model'}: give one with --model")
        return names[0]

    def complete(self, prompt: str, **settings: Any) -> tuple[Any, str]:
        """The first choice of a completion, with the `model` that the server says it is; or None and why there is none.

        A server that is busy is waited for. What is wrong with the server and not with the request ends the run.
        """
        for attempt in count():
            sleep(max(0.0, self._free - monotonic()))
            try:
                status, headers, body = self._post(
                    {"messages": [{"role": "user", "content": prompt}], **settings}
                )
            except errors.OfflineModeIsEnabled as error:
                raise InputError("HF_HUB_OFFLINE forbids every request: unset it to ask a server") from error
            except (errors.HTTPError, TimeoutError) as error:
                if type(error).__name__.endswith(("Timeout", "TimeoutError")):
                    return None, "server timeout"
                raise InputError(
                    f"{self.url} cannot be reached ({type(error).__name__}): start the server, or give another --endpoint"
                ) from error
            if status in BUSY:
                self._wait(status, headers, body, attempt)
                continue
            self._answered = monotonic()
            if status >= 300:
                return None, self._refused(status, headers, body)
            if len(body) > LARGEST:
                return None, f"server refused: the answer has more than {LARGEST:,} bytes"
            try:
                answer = json.loads(body)
                if not answer.get("choices") and (fault := answer.get("error")):
                    reason = fault.get("message", fault) if isinstance(fault, dict) else fault
                    return None, f"server refused: {self._line(str(reason))}"
                completion = ChatCompletionOutput.parse_obj_as_instance(answer)
                choice = completion.choices[0]
                content = choice.message.content
                break
            except UNEXPECTED:
                return None, "server refused: the answer is no chat completion"
        choice.model = " ".join(str(completion.model or "").split()) or self.model
        choice.message.content = content if isinstance(content, str) else ""
        if getattr(choice.message, "refusal", None) or choice.finish_reason == "content_filter":
            return None, "refused by the model"
        return choice, ""

    def _post(self, request: dict[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of an answer, no more than is taken; no redirect, which may lead elsewhere, is followed."""
        until = monotonic() + TIMEOUT
        body = bytearray()
        with get_session().stream(
            "POST",
            self._address,
            json={"model": self.model, "stream": False, **request},
            headers={"authorization": f"Bearer {self._key}", "Accept-Encoding": "identity"},
            timeout=TIMEOUT,
            follow_redirects=False,
        ) as response:
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST:
                    break
                if monotonic() > until:
                    raise TimeoutError
        return response.status_code, response.headers, bytes(body)

    def _wait(self, status: int, headers: Mapping[str, str], body: bytes, attempt: int) -> None:
        """Let all requests wait for a busy server; ends the run where that would take too long."""
        named = headers.get("retry-after", "")
        wait = float(named) if named.isdecimal() else min(2.0**attempt, LONGEST_WAIT)
        if monotonic() + wait - self._answered > PATIENCE:
            raise InputError(
                f"{self.url} answers with {self._detail(status, headers, body)} and is to be asked again after {wait:.0f} s: "
                "call the command again then"
            )
        self._free = max(self._free, monotonic() + wait)

    def _detail(self, status: int, headers: Mapping[str, str], body: bytes) -> str:
        """The status of a refusal and what the server says, or where it leads, without the key."""
        reason = self._line(headers.get("location", "") or body.decode(errors="replace"))
        return f"status {status}" + (f" ({reason})" if reason else "")

    def _line(self, reason: str) -> str:
        """What a server says in one line, without the key."""
        return " ".join(reason.replace(self._key, "…").split())[:REASON]

    def _refused(self, status: int, headers: Mapping[str, str], body: bytes) -> str:
        """Why there is no answer, where the server refuses this request alone."""
        detail = self._detail(status, headers, body)
        if status in OF_ONE_REQUEST:
            return f"server refused: {detail}"
        raise InputError(f"{self.url} answers with {detail}: mend that and call the command again")
