"""Serve chat completions on loopback as OpenAI-compatible servers do, with answers that a test decides."""

import json
from contextlib import contextmanager
from itertools import count

from processes import Handler, listening

#: A reply by which the server closes the connection without an answer.
DROP = "drop"


class ChatServer:
    """What the server has been asked, and what it answers.

    Attributes:
        url: its address.
        reply: takes a prompt and the number of the request, from 1. It returns the text of the answer, fields
            of the answer (a dict), a body (bytes), a status, a tuple of status and body and perhaps headers,
            or `DROP`.
        models: ids of the models that it lists.
        requests: the JSON of each request so far, with its `path`.
        headers: the headers of each request.
    """

    def __init__(self):
        self.url = ""
        self.reply = lambda prompt, number: f"Titolo {number}"
        self.models = []
        self.requests = []
        self.headers = []


@contextmanager
def serve():
    """Serve on loopback, and provide the server's `ChatServer`."""
    state = ChatServer()
    numbers = count(1)

    class Answers(Handler):
        def do_GET(self):
            models = [{"id": name} for name in state.models]
            self.answer(200, json.dumps({"data": models}).encode(), {})

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append({**request, "path": self.path})
            state.headers.append(dict(self.headers))
            reply = state.reply(request["messages"][-1]["content"], next(numbers))
            if reply == DROP:
                self.close_connection = True
                self.connection.close()
            elif isinstance(reply, int):
                self.answer(reply, b"", {})
            elif isinstance(reply, tuple):
                status, body, *headers = reply
                self.answer(status, body, headers[0] if headers else {})
            else:
                self.answer(200, completion(reply), {})

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
    """Return the body of an answer with this text, or with these fields in the place of the usual ones."""
    if isinstance(reply, bytes):
        return reply
    fields = reply if isinstance(reply, dict) else {"content": reply}
    message = {"role": "assistant", "content": fields.get("content"), "refusal": fields.get("refusal")}
    choice = {"index": 0, "finish_reason": fields.get("finish_reason", "stop"), "message": message}
    usage = {"prompt_tokens": 4000, "completion_tokens": 10} | fields.get("usage", {})
    return json.dumps({"model": "tiny-2026", "choices": [choice], "usage": usage}).encode()
