"""A process of its own that talks to the loopback Hub: imports once, runs pieces of code, returns their `result`."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from forks import Forks

HEADLINES = ["Il ponte crolla sulla statale", "Sciopero generale dei treni"]
ARTICLES = ["Il ponte crolla sulla statale ieri. " * 9, "Lo sciopero generale dei treni continua."]

LOOP = """
import gc, io, json, os, sys, traceback
gc.disable()  # nearly all that it ever holds are libraries
answers, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
os.dup2(2, 1)
if "without" in sys.argv:
    class Blocker:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] == "change_it":
                raise ModuleNotFoundError("No module named 'change_it'", name="change_it")
    sys.meta_path.insert(0, Blocker())
for line in sys.stdin:
    asked = json.loads(line)
    names = {"given": asked["given"], "result": None}
    out, err = io.StringIO(), io.StringIO()
    failure = None
    shown = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        exec(compile(asked["code"], "<test>", "exec"), names)
    except BaseException as error:
        failure = type(error).__name__ + ": " + str(error), traceback.format_exc()
    sys.stdout, sys.stderr = shown
    answer = {"result": names["result"], "failure": failure, "out": out.getvalue(), "err": err.getvalue()}
    print(json.dumps(answer, default=str), file=answers, flush=True)
"""


class ClientError(AssertionError):
    """The code raised."""


class Client:
    """A Python process whose libraries take the loopback Hub for the Hub; a context manager.

    Attributes:
        out: what the last piece of code printed.
        err: what it wrote to stderr.
    """

    def __init__(
        self, forks: Forks, environment: dict[str, str], folder: Path, *, without_change_it: bool = False
    ):
        self.out = self.err = ""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        self._process = subprocess.Popen(
            forks.command(LOOP, *(["without"] if without_change_it else [])),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=inherited | environment,
            cwd=folder,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_):
        assert self._process.stdin is not None
        self._process.stdin.close()  # it ends with its input
        self._process.wait()

    def run(self, code: str, **given: Any) -> Any:
        """What the code calls `result`; it finds what it is given under `given["name"]`.

        Raises:
            ClientError: with the code's traceback.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"code": code, "given": given}, default=str) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the client's process died"
        answer = json.loads(line)
        self.out, self.err = answer["out"], answer["err"]
        if answer["failure"]:
            raise ClientError("\n".join([*answer["failure"], self.err]))
        return answer["result"]


def sentence(err):
    """The only line on stderr that is of the program itself."""
    (line,) = (line for line in err.splitlines() if line.startswith("change-it: "))
    return line


def tree(folder):
    """Path to content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def pushed(repo, revision="main"):
    return {path: repo.at(revision).files[path].content for path in repo.paths(revision)}


def texts_of(repo):
    """Regular files, which people read."""
    return "".join(file.content.decode() for file in repo.head.files.values() if not file.lfs)
