"""Independent work, by joblib: in threads of this process or on a Ray cluster."""

import os
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from secrets import token_hex
from typing import Any, Literal, TypeVar

from change_it.errors import InputError

Result = TypeVar("Result")

#: Threads of the local engine; each holds a piece of work, so the number bounds the memory.
THREADS = min(4, os.cpu_count() or 1)
#: Pieces of work for each process of a cluster that are handed out together.
AHEAD = 4
#: What the processes of a cluster that is running already take over.
ENVIRONMENT = ("HF_HUB_OFFLINE", "HF_ENDPOINT", "HF_HOME", "TOKENIZERS_PARALLELISM")

#: joblib's pool of the cluster that is in use.
_pool: ContextVar[Any] = ContextVar("pool", default=None)


@dataclass(kw_only=True)
class EngineOptions:
    """The options --engine and --address."""

    engine: Literal["local", "ray"] = "local"
    """local: this machine; ray: the machines of a Ray cluster, with the same result (extra: ray)."""
    address: str | None = None
    """Address of a running Ray cluster, host:port or auto; a cluster of this machine is started when not given."""

    def check_engine(self) -> None:
        """Refuse Ray where it is not installed, and an address without Ray."""
        if self.engine == "ray" and find_spec("ray") is None:
            raise InputError("--engine ray requires Ray: pip install ray")
        if self.engine != "ray" and self.address:
            raise InputError("--address requires --engine ray")


@contextmanager
def use_engine(options: EngineOptions, *, models: bool = False) -> Iterator[None]:
    """Run what is mapped inside on this engine: in a process for each free core, or with `models` each free GPU if there is any."""
    options.check_engine()
    if options.engine == "local":
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    address = options.address or os.environ.get("RAY_ADDRESS")
    settings: dict[str, Any] = {
        "address": address or "local",
        "log_to_driver": False,
        "logging_level": "ERROR",
    }
    if not address:  # Ray listens on all interfaces, and runs what it is sent
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", token_hex(32))
        settings["include_dashboard"] = False
    import ray
    from joblib import Parallel, parallel_config
    from ray.util.joblib import register_ray

    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    try:
        if re.fullmatch(r"[^/]+:\d+", address or ""):  # Ray itself would wait for minutes
            host, _, port = str(address).rpartition(":")
            socket.create_connection((host, int(port)), timeout=5).close()
        ray.init(**settings, runtime_env={"env_vars": environment})
    except (OSError, OverflowError, ValueError) as error:
        fault = f"no Ray cluster answers at {address} with this RAY_AUTH_TOKEN"
        raise InputError(f"{fault}: start one with ray start --head, or omit --address") from error
    register_ray()
    free = ray.available_resources()
    gpus = int(free.get("GPU", 0)) if models else 0
    processes = max(2, gpus or int(free.get("CPU", 0)))  # joblib takes one for none
    with parallel_config("ray", ray_remote_args={"num_gpus": gpus / processes}):
        token = _pool.set(Parallel(processes, batch_size=1, pre_dispatch="all").__enter__())
    try:
        yield
    except ray.exceptions.RayActorError as error:
        raise InputError("a machine of the Ray cluster was lost: call the command again") from error
    finally:
        _pool.reset(token)
        ray.shutdown()  # ends the pool, of whose end Ray would print a line a process


def is_cluster() -> bool:
    """Whether what is mapped runs on a cluster."""
    return _pool.get() is not None


def map_ordered(function: Callable[..., Result], items: Iterable[Sequence[object]]) -> Iterator[Result]:
    """`function(*item)` for each item, in their order."""
    from joblib import Parallel, delayed

    calls, pool = (delayed(function)(*item) for item in items), _pool.get()
    if pool is None:
        yield from Parallel(THREADS, backend="threading", return_as="generator")(calls)
        return
    while batch := list(islice(calls, AHEAD * pool.n_jobs)):  # joblib has no generator for Ray
        yield from pool(batch)
