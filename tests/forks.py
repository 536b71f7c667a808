"""Programs in processes that part from one in which the large libraries are loaded: each is a process of its own.

python tests/forks.py serve SOCKET               from this package, with all that it imports
python tests/forks.py serve-bare SOCKET          from libraries alone, none of which knows the Hub
python tests/forks.py run SOCKET [ARGUMENT …]    what `change-it ARGUMENT …` would do
python tests/forks.py python SOCKET CODE [ARGUMENT …]    what `python -c CODE ARGUMENT …` would do
"""

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

#: The program `change-it`.
CHANGE_IT = "import sys; from change_it.cli import main; sys.exit(main())"

#: Most of the time that transformers needs to be loaded; the libraries of the Hub read the environment when they are imported.
BARE = (
    "torch._dynamo",
    "matplotlib.pyplot",
    "pandas",
    "polars",
    "pyarrow.parquet",
    "scipy.optimize",
    "scipy.stats",
)
BARE += ("sklearn.linear_model", "tyro")


class Forks:
    """The process from which others part; a context manager. Those of a bare one import this package themselves."""

    def __init__(self, folder: Path, *, bare: bool = False):
        self.socket = folder / "socket"
        self._server = subprocess.Popen(
            [sys.executable, __file__, "serve-bare" if bare else "serve", str(self.socket)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == b"ready\n"

    def __enter__(self) -> "Forks":
        return self

    def __exit__(self, *_):
        self._server.communicate(b"")  # it ends with its input

    def run(self, code: str, *arguments: str, environment: dict[str, str] | None = None):
        """What `python -c CODE ARGUMENT …` would give, as `subprocess.run` returns it."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            files = [os.open(os.devnull, os.O_RDONLY), out.fileno(), err.fileno()]
            status = ask(self.socket, files, code, arguments, environment or dict(os.environ))
            os.close(files[0])
            shown = []
            for file in (out, err):
                file.seek(0)
                shown.append(file.read().decode())
        return subprocess.CompletedProcess(["python", "-c", code, *arguments], status, *shown)

    def command(self, code: str, *arguments: str) -> list[str]:
        """A short command that has the server run code, with its own environment, folder, input and outputs."""
        return [sys.executable, "-IS", __file__, "python", str(self.socket), code, *arguments]

    def program(self, folder: Path) -> Path:
        """A folder for PATH, in which `change-it` is run by the server."""
        folder.mkdir()
        script = f'#!/bin/sh\nexec {sys.executable} -IS {__file__} run {self.socket} "$@"\n'
        (folder / "change-it").write_text(script)
        (folder / "change-it").chmod(0o755)
        return folder


def ask(place, files, code, arguments, environment) -> int:
    """Have the server run code with these files as its input and outputs; its exit code, negative for a signal."""
    asked = {"code": code, "arguments": arguments, "environment": environment, "folder": os.getcwd()}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(place))
        socket.send_fds(connection, [b"!"], files)
        connection.sendall(json.dumps(asked).encode())
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile() as answer:
            return int(answer.read())


def of_this_package() -> list[str]:
    """Its modules, without those that load Gradio."""
    import change_it  # not where only a client starts

    names = [module.name for module in walk_packages(change_it.__path__, "change_it.")]
    return [name for name in names if not name.startswith("change_it.space")]


def serve(place: str, modules: Iterable[str]) -> str:
    """Answer until the input ends; in a process that has parted, the code that it is to run."""
    for name in modules:
        import_module(name)
    server = socket.socket(socket.AF_UNIX)
    server.bind(place)
    server.listen()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()  # no collection copies what all share
    print("ready", flush=True)
    while server in select.select([server, sys.stdin], [], [])[0]:
        connection, _ = server.accept()
        if os.fork() == 0:
            server.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return asked_of(connection)
        connection.close()
    os._exit(0)


def asked_of(connection) -> str:
    """Part once more; the first waits and answers with the exit code, the second becomes the process that was asked for."""
    _, files, *_ = socket.recv_fds(connection, 1, 3)
    with connection.makefile() as lines:
        asked = json.loads(lines.read())
    if (child := os.fork()) != 0:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        connection.sendall(str(status).encode())
        os._exit(0)
    connection.close()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.path[0] = ""
    sys.argv = ["-c", *asked["arguments"]]
    return asked["code"]


def execute(code: str) -> int:
    """Run a program to its end; its exit code. What was loaded is not taken apart, which would need two seconds."""
    status: object = 0
    try:
        exec(compile(code, "<program>", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
        status = 1
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join()
    atexit._run_exitfuncs()
    if not isinstance(status, int):
        print(status, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    return status if isinstance(status, int) else 1


if __name__ == "__main__":
    task, at, *given = sys.argv[1:]
    if task in ("run", "python"):
        program = CHANGE_IT if task == "run" else given.pop(0)
        code = ask(at, [0, 1, 2], program, given, dict(os.environ))
        sys.exit(code if code >= 0 else 128 - code)
    os._exit(execute(serve(at, BARE if task == "serve-bare" else of_this_package())))
