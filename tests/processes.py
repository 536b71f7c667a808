"""Run programs in processes of their own, and servers in this one."""

import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


def run_program(command, *, check=False, **options):
    """Run a program to its end, and return its exit code and what it wrote, as text."""
    return subprocess.run(command, capture_output=True, text=True, check=check, **options)


def run_python(*arguments, **options):
    """Run this Python on `-c`, code and its arguments, or on `-m` and a module."""
    return run_program([sys.executable, *arguments], **options)


class Handler(BaseHTTPRequestHandler):
    """Answers requests without a log, and keeps connections open."""

    protocol_version = "HTTP/1.1"
    # It holds a body back for 40 ms, until the client has acknowledged its headers.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass


@contextmanager
def listening(handler):
    """Serve on loopback, and provide the address; the server ends within a hundredth of a second."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
