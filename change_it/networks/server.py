"""An OpenAI-compatible server: vLLM, llama.cpp, Ollama, `transformers serve`, a provider."""

import os
import re
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
#: What the client raises over a response that it does not expect: no chat completion, or a refusal in a list.
UNEXPECTED = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
#: Characters of a server's reason, at most.
REASON = 200


def check_url(url: str, option: str = "--endpoint") -> str:
    """The address of a server; refused where it is none or holds a password."""
    parts = urlsplit(url)
    try:
        is_server = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:  # the port is none
        is_server = False
    if not is_server:
        raise InputError(f"{option} {url} is no address of a server: give one as http://localhost:8000/v1")
    if parts.username or parts.password or parts.query:
        raise InputError(f"{option} takes no key in its address: put it into the environment as {KEY}")
    return url.rstrip("/")


class Server:
    """Answers chat prompts; shared by threads."""

    def __init__(self, url: str, model: str, option: str = "--endpoint"):
        """Nothing is asked yet; `url` is the base of the server's paths, such as http://localhost:8000/v1."""
        self.url, self.model, self.option = check_url(url, option), model, option
        self._key = os.environ.get(KEY) or NO_KEY
        # The client would add /v1 to a path that has another version in it.
        versioned = re.search(r"/v\d\w*(/|$)", self.url) and not self.url.endswith("/chat/completions")
        path = f"{self.url}/chat/completions" if versioned else self.url
        self._client = InferenceClient(base_url=path, api_key=self._key, timeout=TIMEOUT)

    def complete(self, prompt: str, **settings: Any) -> tuple[Any, str]:
        """The first choice of a completion, with the `model` that the server says it is; or None and why there is none.

        What is wrong with the server and not with the request ends the run.
        """
        try:
            completion = self._client.chat_completion(
                [{"role": "user", "content": prompt}], model=self.model, **settings
            )
            if refusal := getattr(completion, "error", None):
                return None, f"refused: {self._reason(refusal)}"
            choice = completion.choices[0]
            choice.model = " ".join(str(completion.model or "").split()) or self.model
            choice.message.content = _text_of(choice.message.content)
        except errors.InferenceTimeoutError:
            return None, "timeout"
        except errors.OfflineModeIsEnabled as error:
            raise InputError("HF_HUB_OFFLINE forbids every request: unset it to ask a server") from error
        except (errors.HTTPError, *UNEXPECTED) as error:
            response = getattr(error, "response", None) or getattr(error.__context__, "response", None)
            if response is not None:
                return None, self._refused(response)
            if not isinstance(error, errors.HTTPError):
                return None, "refused: the answer is no chat completion"
            raise InputError(
                f"{self.url} cannot be reached ({type(error).__name__}): start the server, or give another {self.option}"
            ) from error
        if getattr(choice.message, "refusal", None) or choice.finish_reason == "content_filter":
            return None, "refused by the model"
        return choice, ""

    def _refused(self, response: Any) -> str:
        """Why there is no answer, where the server refuses this request alone."""
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
        """The server's message of a refusal, without the key."""
        while isinstance(body, list | dict):
            fields = map(body.get, ("error", "message", "detail")) if isinstance(body, dict) else body
            body = next(filter(None, fields), "")
        return " ".join(str(body or "").replace(self._key, "…").split())[:REASON]


def _text_of(content: Any) -> str:
    """The text of an answer, of one in parts that of its parts."""
    parts = content if isinstance(content, list) else [content]
    return "".join(part if isinstance(part, str) else str(part.get("text") or "") for part in parts if part)
