"""Finished parts of a long run, in one file beside its output, so that a killed run goes on where it stopped."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from change_it.errors import InputError
from change_it.io import append, file_errors, write_text
from change_it.io.locks import locked

KIND = "change-it transfer"


class Journal:
    """Chunks of new headlines in JSON lines behind the run's settings; a line that was cut off is dropped."""

    def __init__(self, path: Path, settings: Mapping[str, object]):
        """Begin a file, or take up one of a run with the same settings."""
        self.path = path
        self.chunks: dict[int, list[str]] = {}  # empty headlines where there is none
        if not path.exists():
            write_text(path, json.dumps({KIND: dict(settings)}) + "\n")
        with file_errors(f"cannot read {path}"):
            written = path.read_bytes()
            whole = written[: written.rfind(b"\n") + 1]
            self._check(whole, dict(settings))
            with path.open("ab") as file:
                file.truncate(len(whole))

    def add(self, chunk: int, headlines: Sequence[str]) -> None:
        """Keep the new headlines of a finished chunk."""
        with file_errors(f"cannot write {self.path}"), self.path.open("ab") as file:
            append(file, json.dumps([chunk, list(headlines)]).encode() + b"\n")
        self.chunks[chunk] = list(headlines)

    def remove(self) -> None:
        """Drop the file of a finished run, and the lock that a run left which was killed when it had just begun the file."""
        with locked(self.path.resolve(), message=f"{self.path} is being written by another process"):
            self.path.unlink()

    def _check(self, whole: bytes, settings: dict[str, object]) -> None:
        """Read the lines, if they are of this run."""
        try:
            first, *lines = map(json.loads, whole.splitlines())
            before = first[KIND]
            self.chunks = {int(chunk): [str(text) for text in texts] for chunk, texts in lines}
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
