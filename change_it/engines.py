"""Where independent pieces of work run: in threads of this process, or on the machines of a Ray cluster.

`map_ordered` maps a function over items whatever engine is in use; functions that need loaded models are mapped by the
`workers` of a cluster, or with `map_threads`. Results come in the order of the items, and what a lost machine had is done again.
"""

import os
import re
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import starmap
from threading import Barrier
from typing import Any, Generic, Literal, TypeVar

from change_it.errors import InputError

Result = TypeVar("Result")
State = TypeVar("State")
Value = TypeVar("Value")

#: Threads of the local engine; each holds a piece of work, so the number bounds the memory.
THREADS = min(4, os.cpu_count() or 1)

#: Pieces of work that are handed out at a time, for each that can be at work.
AHEAD = 2

#: A cluster has to answer within so many seconds.
SECONDS = 5

#: Seconds between looks for a signal such as Ctrl-C.
SIGNALS = 0.5

#: How often a worker is started again elsewhere when its machine or its process is lost.
RESTARTS = 10

#: What the workers of a cluster that is running already take over.
ENVIRONMENT = ("HF_HUB_OFFLINE", "HF_ENDPOINT", "HF_HOME", "TOKENIZERS_PARALLELISM")


@dataclass(kw_only=True)
class EngineOptions:
    """Where the work is done."""

    engine: Literal["local", "ray"] = "local"
    """local: this machine; ray: the machines of a Ray cluster, with the same result (extra: ray)."""
    address: str | None = None
    """Of a running cluster, with --engine ray: host:port, or auto; a cluster of this machine alone is started when not given."""

    def check_engine(self) -> None:
        """Refuse Ray where it is not installed, and an address without Ray."""
        if self.engine == "ray" and find_spec("ray") is None:
            raise InputError("--engine ray needs Ray: pip install ray")
        if self.engine != "ray" and self.address:
            raise InputError("--address is of a Ray cluster: add --engine ray, or leave it out")


class Threads(ThreadPoolExecutor):
    """Threads of this process, in each of which torch computes with one thread."""

    def __init__(self, width: int):
        self.width = width  # pieces that are at work at a time
        super().__init__(width, initializer=_begin_thread)
        started = Barrier(width + 1)
        for _ in range(width):
            self.submit(started.wait)
        torch = sys.modules.get("torch")
        threads = torch.get_num_threads() if torch else 0
        started.wait()
        if torch:
            torch.set_num_threads(threads)  # of this thread, and of those that others start

    def __exit__(self, *_: object) -> None:
        self.shutdown(cancel_futures=True)

    @staticmethod
    def result(call: "Future[Result]") -> Result:
        """What a call gives, or what it has raised."""
        while not wait([call], SIGNALS).done:  # a signal that another thread takes is seen too
            pass
        return call.result()


class Ray:
    """Tasks of a Ray cluster; those of a lost machine are done again elsewhere."""

    def __init__(self, ray: Any):
        self._ray = ray
        self._call = ray.remote(max_retries=-1)(_call)

    @property
    def width(self) -> int:
        """Cores of the cluster as it is now."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, function: Any, *arguments: object) -> Any:
        """Queue a task."""
        return self._call.remote(function, *arguments)

    def result(self, call: Any) -> Any:
        """What a task gives; what it has raised is raised as it was there."""
        try:
            return self._ray.get(call)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error

    def workers(self, load: Callable[[], State]) -> "Workers[State]":
        """One process on each GPU or core, which loads its models once."""
        return Workers(self._ray, self, load)

    def share(self, value: object) -> Any:
        """A reference to the value, which tasks take for the value."""
        return self._ray.put(value)


class Workers(Generic[State]):
    """Processes of a Ray cluster that each load something, say models, once, and go on without those that are lost."""

    def __init__(self, ray: Any, engine: Ray, load: Callable[[], State]):
        self._ray, self._engine = ray, engine
        free = ray.available_resources()
        count, wanted = (
            (free["GPU"], {"num_gpus": 1})
            if free.get("GPU", 0) >= 1
            # they hold no core, so that tasks run beside them, and one that is lost finds a place elsewhere
            else (
                free.get("CPU", 1),
                {"scheduling_strategy": "SPREAD", "max_restarts": RESTARTS, "max_task_retries": RESTARTS},
            )
        )
        worker = ray.remote(**wanted)(_Worker)
        self._workers = [worker.remote(load) for _ in range(max(1, int(count)))]

    def map_ordered(
        self, function: Callable[..., Result], items: Iterable[Sequence[object]]
    ) -> Iterator[Result]:
        """`function(state, *item)` for each item, in their order, where the state is what a worker has loaded."""
        shared, pieces = self._engine.share(function), enumerate(items)
        free, again = deque(self._workers), deque[tuple[int, Sequence[object]]]()
        calls: dict[Any, tuple[Any, tuple[int, Sequence[object]]]] = {}
        done: dict[int, Result] = {}
        returned = 0
        while True:
            while free and (piece := again.popleft() if again else next(pieces, None)):
                worker = free.popleft()
                calls[worker.call.remote(shared, *piece[1])] = worker, piece
            if not calls:
                return
            call = self._ray.wait(list(calls))[0][0]
            worker, piece = calls.pop(call)
            try:
                done[piece[0]] = self._engine.result(call)
                free.append(worker)
            except (self._ray.exceptions.RayActorError, self._ray.exceptions.ObjectLostError):
                self._workers.remove(worker)
                if not self._workers:
                    raise
                again.append(piece)
            while returned in done:
                yield done.pop(returned)
                returned += 1


class _Worker:
    def __init__(self, load: Callable[[], object]):
        self._load = load
        self._state: object = None

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        if self._state is None:  # here what is raised comes back as it is
            self._state = self._load()
        return function(self._state, *arguments)


_engine: ContextVar[Ray | None] = ContextVar("engine", default=None)


@contextmanager
def use_engine(options: EngineOptions) -> Iterator[None]:
    """Run what is mapped inside on this engine; a Ray that was not running is stopped at the end."""
    options.check_engine()
    if options.engine == "local":
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    running = ray.is_initialized()
    if not running:
        _start(ray, options.address)
    token = _engine.set(Ray(ray))
    try:
        yield
    finally:
        _engine.reset(token)
        if not running:
            ray.shutdown()


def map_ordered(
    function: Callable[..., Result], items: Iterable[Sequence[object]], *, threads: int | None = None
) -> Iterator[Result]:
    """`function(*item)` for each item, in their order; some are taken ahead of the one that is asked for.

    The function is without side effects; what it holds is sent to each machine once. `THREADS` of the local engine when None.
    """
    engine = _engine.get()
    if engine is not None:
        yield from _results(engine, engine.share(function), items)
    else:
        yield from map_threads(function, items, THREADS if threads is None else threads)


def map_threads(
    function: Callable[..., Result], items: Iterable[Sequence[object]], threads: int
) -> Iterator[Result]:
    """As `map_ordered`, in threads of this process whatever engine is in use; with one thread, one call after the other."""
    if threads == 1:
        yield from starmap(function, items)
        return
    with Threads(threads) as pool:
        yield from _results(pool, function, items)


def workers(load: Callable[[], State]) -> "Workers[State] | None":
    """One on each free GPU of the cluster, on each free core where there is no GPU; None on the local engine. Each calls `load` first."""
    engine = _engine.get()
    return None if engine is None else engine.workers(load)


def share(value: Value) -> Value:
    """An argument of several calls, which a cluster keeps once on each machine; the calls get the value."""
    engine = _engine.get()
    shared: Value = value if engine is None else engine.share(value)
    return shared


def _results(engine: Ray | Threads, function: Any, items: Iterable[Sequence[object]]) -> Iterator[Any]:
    calls = deque[Any]()
    for item in items:
        if len(calls) >= AHEAD * engine.width:
            yield engine.result(calls.popleft())
        calls.append(engine.submit(function, *item))
    while calls:
        yield engine.result(calls.popleft())


def _call(function: Callable[..., Result], *arguments: object) -> Result:
    return function(*arguments)


def _begin_thread() -> None:
    if torch := sys.modules.get("torch"):
        torch.get_num_threads()  # takes over the number of the process, which would undo the next line later
        torch.set_num_threads(1)


def _start(ray: Any, address: str | None) -> None:
    """Connect to a cluster, or start one on this machine, without a word."""
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    cluster = address or os.environ.get("RAY_ADDRESS")
    try:
        if cluster and re.fullmatch(r"[^/]+:\d+", cluster):  # Ray itself would wait for minutes
            host, _, port = cluster.rpartition(":")
            socket.create_connection((host, int(port)), timeout=SECONDS).close()
        ray.init(
            address=cluster,
            log_to_driver=False,
            logging_level="ERROR",
            runtime_env={"env_vars": environment},
            **({} if cluster else {"include_dashboard": False}),
        )
    except (OSError, OverflowError, ValueError) as error:
        raise InputError(
            f"no Ray cluster answers at {cluster}: start one with ray start --head, or leave --address out"
        ) from error
