"""An OpenAI-compatible server: vLLM, llama.cpp, Ollama, `transformers serve`, a provider."""

import os
import re
from itertools import count
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

from huggingface_hub import InferenceClient, errors

from change_it.errors import InputError

#: Where the key of a server is read from.
KEY = "CHANGE_IT_API_KEY"
#: What is sent where there is no key: without one the client would send the token of the Hub.
NO_KEY = "none"
#: Requests at a time, and seconds that an answer may take (as in the client of OpenAI: a small server answers one at a time).
CONCURRENCY, TIMEOUT = 8, 600.0
#: Statuses that are of one request and not of the server: the others go on.
OF_ONE_REQUEST = {400, 413, 422}
#: Statuses of a server that is busy or not ready yet: a request waits as long as it says, or else longer each time, and is
#: sent again, until the server has answered nothing for so many seconds.
BUSY, PATIENCE, LONGEST_WAIT = {429, 503}, 600.0, 60.0
#: What the client raises over a response that it does not expect: no chat completion, or a refusal in a list.
UNEXPECTED = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
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
        # The client would add /v1 to a path that has another version in it.
        versioned = re.search(r"/v\d\w*(/|$)", self.url) and not self.url.endswith("/chat/completions")
        path = f"{self.url}/chat/completions" if versioned else self.url
        self._client = InferenceClient(base_url=path, api_key=self._key, timeout=TIMEOUT)
        # when it last answered, and when the next request may be sent
        self._answered = self._free = monotonic()

    def complete(self, prompt: str, **settings: Any) -> tuple[Any, str]:
        """The first choice of a completion, with the `model` that the server says it is; or None and why there is none.

        A server that is busy is waited for. What is wrong with the server and not with the request ends the run.
        """
        for attempt in count():
            sleep(max(0.0, self._free - monotonic()))
            try:
                completion = self._client.chat_completion(
                    [{"role": "user", "content": prompt}], model=self.model, **settings
                )
                self._answered = monotonic()
                if not completion.choices and (fault := completion.get("error")):
                    reason = fault.get("message", fault) if isinstance(fault, dict) else fault
                    return None, f"server refused: {self._line(str(reason))}"
                choice = completion.choices[0]
                content = choice.message.content
                break
            except errors.InferenceTimeoutError:
                return None, "server timeout"
            except errors.OfflineModeIsEnabled as error:
                raise InputError("HF_HUB_OFFLINE forbids every request: unset it to ask a server") from error
            except (errors.HTTPError, *UNEXPECTED) as error:
                response = getattr(error, "response", None) or getattr(error.__context__, "response", None)
                if response is None and not isinstance(error, errors.HTTPError):
                    return None, "server refused: the answer is no chat completion"
                if response is None:
                    raise InputError(
                        f"{self.url} cannot be reached ({type(error).__name__}): start the server, or give another --endpoint"
                    ) from error
                if response.status_code not in BUSY:
                    self._answered = monotonic()
                    return None, self._refused(response)
                self._wait(response, attempt)
        choice.model = " ".join(str(completion.model or "").split()) or self.model
        choice.message.content = content if isinstance(content, str) else ""
        if getattr(choice.message, "refusal", None) or choice.finish_reason == "content_filter":
            return None, "refused by the model"
        return choice, ""

    def _wait(self, response: Any, attempt: int) -> None:
        """Let all requests wait for a busy server; ends the run where that would take too long."""
        named = response.headers.get("retry-after", "")
        wait = float(named) if named.isdecimal() else min(2.0**attempt, LONGEST_WAIT)
        if monotonic() + wait - self._answered > PATIENCE:
            raise InputError(
                f"{self.url} answers with {self._detail(response)} and is to be asked again after {wait:.0f} s: "
                "call the command again then"
            ) from None  # the error may show the key
        self._free = max(self._free, monotonic() + wait)

    def _detail(self, response: Any) -> str:
        """The status of a refusal and what the server says, without the key."""
        reason = self._line(response.text)
        return f"status {response.status_code}" + (f" ({reason})" if reason else "")

    def _line(self, reason: str) -> str:
        """What a server says in one line, without the key."""
        return " ".join(reason.replace(self._key, "…").split())[:REASON]

    def _refused(self, response: Any) -> str:
        """Why there is no answer, where the server refuses this request alone."""
        detail = self._detail(response)
        if response.status_code in OF_ONE_REQUEST:
            return f"server refused: {detail}"
        raise InputError(
            f"{self.url} answers with {detail}: mend that and call the command again"
        ) from None  # the error may show the key
