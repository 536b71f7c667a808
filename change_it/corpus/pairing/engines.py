"""Do independent work by joblib: in threads of this process or on a Ray cluster."""

import os
import re
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from itertools import chain, islice
from secrets import token_hex
from typing import Any, TypeVar

from change_it.corpus.reading.options import Engine
from change_it.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Threads of the local engine; each holds a piece of work, so the number bounds the memory.
THREADS = min(4, os.cpu_count() or 1)
#: Seconds that a cluster has to answer.
_CONNECT_SECONDS = 5

#: joblib's pool of the cluster that is in use.
_pool: ContextVar[Any] = ContextVar("pool", default=None)


@contextmanager
def use_engine(engine: Engine, address: str | None = None) -> Iterator[None]:
    """Run the calls of `map_ordered` inside on this engine; a cluster gives each free core a process.

    Args:
        engine: `local` or `ray`.
        address: address of a running Ray cluster; without it one of this machine is started.

    Raises:
        InputError: the engine does not fit the address, Ray is not installed, or the cluster is lost.
    """
    if engine == "local":
        if address:
            raise InputError("--address requires --engine ray")
        yield
        return
    if find_spec("ray") is None:
        raise InputError("--engine ray requires Ray: pip install '.[ray]'")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    settings = _ray_settings(address or os.environ.get("RAY_ADDRESS") or "local")
    import ray
    from joblib import Parallel, parallel_config
    from ray.util.joblib import register_ray

    _connect(settings)
    register_ray()
    # one process is no pool to joblib
    processes = max(2, int(ray.available_resources().get("CPU", 0)))
    with parallel_config("ray"):
        token = _pool.set(Parallel(processes, batch_size=1).__enter__())
    try:
        yield
    except ray.exceptions.RayActorError as error:
        raise InputError("a machine of the Ray cluster was lost: call the command again") from error
    finally:
        _pool.reset(token)
        # ends the pool, too: ended by itself it makes Ray print a line for each process
        ray.shutdown()


def _ray_settings(address: str) -> dict[str, Any]:
    """Return the arguments of `ray.init`, and set the environment that Ray reads when it is imported.

    The address is `host:port`, `auto`, or `local` for a new cluster of this machine.
    """
    settings: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "ERROR"}
    if address == "local":
        # Ray listens on all interfaces, and runs what it is sent
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", token_hex(32))
        settings["include_dashboard"] = False
    return settings


def _connect(settings: dict[str, Any]) -> None:
    """Connect to a Ray cluster, or start one, by the arguments of `ray.init`."""
    import ray

    address = settings["address"]
    try:
        if re.fullmatch(r"[^/]+:\d+", address):
            # Ray itself would wait for minutes
            host, _, port = address.rpartition(":")
            socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
        ray.init(**settings)
    except (OSError, OverflowError, ValueError) as error:
        fault = f"no Ray cluster answers at {address} with this RAY_AUTH_TOKEN"
        raise InputError(f"{fault}: start one with ray start --head, or omit --address") from error


def map_ordered(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Return the results of a function for all items, in their order.

    A single item needs no thread, for which joblib would wait ten milliseconds.
    """
    pool = _pool.get()
    if pool is None:
        rest = iter(items)
        first_two = list(islice(rest, 2))
        if len(first_two) < 2:
            return [function(item) for item in first_two]
        items = chain(first_two, rest)
    from joblib import Parallel, delayed

    pool = pool or Parallel(THREADS, backend="threading")
    results: list[Result] = pool(delayed(function)(item) for item in items)
    return results
