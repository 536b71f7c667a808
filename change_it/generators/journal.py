"""Finished parts of a long run, in one file beside its output, so that a killed run goes on where it stopped."""

import json
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from change_it.errors import InputError
from change_it.io import append, write_text

KIND = "change-it transfer"


class Journal:
    """Entries in JSON lines behind the run's settings; a line that was cut off is dropped. Threads can share it."""

    def __init__(self, path: Path, settings: Mapping[str, object]):
        """Begin a file, or take up one of a run with the same settings."""
        self.path = path
        self.entries: dict[Any, Any] = {}
        self._lock = Lock()
        if not path.exists() or self._is_empty():
            write_text(path, json.dumps({KIND: dict(settings)}) + "\n")
        written = path.read_bytes()
        whole = written[: written.rfind(b"\n") + 1]
        self._check(whole, dict(settings))
        with path.open("ab") as file:
            file.truncate(len(whole))

    def add(self, key: int | str, value: object) -> None:
        """Keep what is finished."""
        line = json.dumps([key, value]).encode() + b"\n"
        with self._lock, self.path.open("ab") as file:
            append(file, line)
            self.entries[key] = value

    def remove(self) -> None:
        """Drop the file of a finished run."""
        self.path.unlink()

    def _is_empty(self) -> bool:
        """Whether it is of a run that ended before its first entry: any other one may begin."""
        written = self.path.read_bytes()
        return written.startswith(json.dumps({KIND: {}}).encode()[:-2]) and written.count(b"\n") == 1

    @staticmethod
    def entry(key: Any, value: Any) -> tuple[Any, Any]:
        """An entry as it is kept, from what was read; a `ValueError` or `TypeError` where it is of another kind."""
        return key, value

    def _check(self, whole: bytes, settings: dict[str, object]) -> None:
        """Read the lines, if they are of this run."""
        try:
            first, *lines = map(json.loads, whole.splitlines())
            before = first[KIND]
            self.entries = dict(self.entry(key, value) for key, value in lines)
        except (ValueError, TypeError, KeyError) as error:
            raise InputError(
                f"{self.path} is there and no unfinished transfer of ours: choose another --out"
            ) from error
        changed = [
            f"{name} was {before.get(name)}, is {settings.get(name)}"
            for name in {**before, **settings}
            if before.get(name) != settings.get(name)
        ]
        if changed:
            raise InputError(
                f"{self.path} is of an unfinished run with other options ({'; '.join(changed)}): "
                "use the same options to finish it, or remove that file to begin again"
            )


class Chunks(Journal):
    """Headlines by the number of their chunk, empty where there is none."""

    @staticmethod
    def entry(key: Any, value: Any) -> tuple[int, list[str]]:
        """A number and texts."""
        return int(key), [str(text) for text in value]
