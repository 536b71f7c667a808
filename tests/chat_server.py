"""A small server that answers chat completions as OpenAI-compatible ones do."""

import json
from contextlib import contextmanager
from threading import Lock

from processes import Handler, listening


class ChatServer:
    """Answers with `reply(prompt, number)`: a text, a status, a status and a body and perhaps headers, or a dict that is merged into the answer."""

    def __init__(self):
        self.requests, self.headers, self.at_work, self.most_at_work = [], [], 0, 0
        self.reply = lambda prompt, number: f"Titolo {number}"
        self.models, self.lock = [], Lock()


@contextmanager
def serve():
    """A server on loopback; `url` is its address."""
    state = ChatServer()

    class Answers(Handler):
        def do_GET(self):  # noqa: N802 (a name that http.server looks for)
            self.answer(200, json.dumps({"data": [{"id": name} for name in state.models]}).encode(), {})

        def do_POST(self):  # noqa: N802 (a name that http.server looks for)
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                state.requests.append({**request, "path": self.path})
                state.headers.append(dict(self.headers))
                number = len(state.requests)
                state.at_work += 1
                state.most_at_work = max(state.most_at_work, state.at_work)
            try:
                reply = state.reply(request["messages"][-1]["content"], number)
            finally:
                with state.lock:
                    state.at_work -= 1
            if isinstance(reply, tuple):
                status, body, headers = (*reply, {})[:3]
            else:
                status, body = (reply, b"") if isinstance(reply, int) else (200, completion(reply))
                headers = {}
            self.answer(status, body, headers)

        def answer(self, status, body, headers):
            try:
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except OSError:  # the client has given up
                pass

    with listening(Answers) as url:
        state.url = f"{url}/v1"
        yield state


def completion(reply):
    """The body of an answer."""
    if isinstance(reply, bytes):
        return reply
    changes = reply if isinstance(reply, dict) else {"content": reply}
    choice = {
        "index": 0,
        "finish_reason": changes.get("finish_reason", "stop"),
        "logprobs": changes.get("logprobs"),
        "message": {
            "role": "assistant",
            "content": changes.get("content"),
            "refusal": changes.get("refusal"),
        },
    }
    usage = {"prompt_tokens": 4000, "completion_tokens": 10, "total_tokens": 4010}
    answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "tiny-2026", "choices": [choice]}
    return json.dumps({**answer, "usage": usage}).encode()
