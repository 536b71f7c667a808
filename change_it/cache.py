"""A least-recently-used cache of batched functions."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LRUCache(Generic[Key, Value]):
    """Results of a function over lists; safe in many threads."""

    def __init__(self, size: int):
        """Keep the `size` latest results; 0 keeps none."""
        self.size = size
        self._results: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, keys: Sequence[Key], compute: Callable[[list[Key]], Sequence[Value]]) -> list[Value]:
        """The results in the order of the keys; `compute` gets the distinct keys that are not cached."""
        with self._lock:
            results = {key: self._results[key] for key in keys if key in self._results}
        missing = [key for key in dict.fromkeys(keys) if key not in results]
        if missing:
            results.update(zip(missing, compute(missing), strict=True))
        if self.size:
            with self._lock:
                for key in dict.fromkeys(keys):
                    self._results[key] = results[key]
                    self._results.move_to_end(key)
                while len(self._results) > self.size:
                    self._results.popitem(last=False)
        return [results[key] for key in keys]
