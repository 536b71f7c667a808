"""How a process that computes waits for its threads, and what it does with memory that is free again."""

import ctypes
import gc
import os

WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
ALLOCATING = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")
#: Parameters of glibc's `mallopt`, and the bytes from which free memory goes back to the system.
TRIM_THRESHOLD, MMAP_THRESHOLD, KEPT = -1, -3, 1 << 30


def wait_passively() -> None:
    """Let the threads of OpenMP sleep where they wait, unless the user set how they do: before torch is loaded.

    Spinning threads and another busy process would take each other's time.
    """
    if not any(name in os.environ for name in WAITING):
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"


def keep_memory() -> None:
    """Let glibc, where it is the C library, keep large blocks that are freed, unless the user set it: each training step asks for them anew."""
    mallopt = getattr(_c_library(), "mallopt", None)
    if mallopt and not any(name in os.environ for name in ALLOCATING):
        mallopt(TRIM_THRESHOLD, KEPT)
        mallopt(MMAP_THRESHOLD, KEPT)


def release_memory() -> None:
    """Give what is free back to the system, where glibc is the C library: what was trained here leaves gigabytes to the process beside."""
    gc.collect()
    if malloc_trim := getattr(_c_library(), "malloc_trim", None):
        malloc_trim(0)


def _c_library() -> ctypes.CDLL | None:
    return ctypes.CDLL(None) if os.name == "posix" else None
