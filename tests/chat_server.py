"""A small server that answers chat completions as OpenAI-compatible ones do."""

import json
from contextlib import contextmanager
from itertools import count

from processes import Handler, listening


class ChatServer:
    """Answers with `reply(prompt, number)`: a text, a status, a status and a body and perhaps headers, or a
    dict that is merged into the answer; "drop" closes the connection.
    """

    def __init__(self):
        self.requests, self.headers, self.numbers = [], [], count(1)
        self.models = []
        self.reply = lambda prompt, number: f"Titolo {number}"


@contextmanager
def serve():
    """A server on loopback; `url` is its address."""
    state = ChatServer()

    class Answers(Handler):
        def do_GET(self):
            self.answer(200, json.dumps({"data": [{"id": name} for name in state.models]}).encode(), {})

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append({**request, "path": self.path})
            state.headers.append(dict(self.headers))
            reply = state.reply(request["messages"][-1]["content"], next(state.numbers))
            if reply == "drop":
                self.close_connection = True
                self.connection.close()
                return
            if isinstance(reply, int):
                reply = reply, b""
            status, body, headers = (
                (*reply, {})[:3] if isinstance(reply, tuple) else (200, completion(reply), {})
            )
            self.answer(status, body, headers)

        def answer(self, status, body, headers):
            try:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = self.close_connection or "Content-Length" in headers  # half of a body
            except OSError:  # the client has given up
                pass

    with listening(Answers) as url:
        state.url = f"{url}/v1"
        yield state


def completion(reply):
    """The body of an answer."""
    if isinstance(reply, bytes):
        return reply
    fields = reply if isinstance(reply, dict) else {"content": reply}
    message = {"role": "assistant", "content": fields.get("content"), "refusal": fields.get("refusal")}
    choice = {"index": 0, "finish_reason": fields.get("finish_reason", "stop"), "message": message}
    usage = {"prompt_tokens": 4000, "completion_tokens": 10} | fields.get("usage", {})
    return json.dumps({"model": "tiny-2026", "choices": [choice], "usage": usage}).encode()
