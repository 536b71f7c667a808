"""Files of systems' headlines: their names on the command line, and the headline of each id."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from change_it.errors import InputError
from change_it.files.rows import read_text
from change_it.files.texts import counted, length_fault, listed

_NAME = re.compile(r"\w[\w.+-]*")


def named_files(
    specs: Sequence[str], *, option: str, example: str, taken: Iterable[str] = (), repeated: bool = False
) -> Iterator[tuple[str, Path]]:
    """Names and files of `NAME=FILE` arguments; names differ in more than case, since each becomes a file's name.

    A name may come again, with another file, where it may be `repeated`.
    """
    used = dict.fromkeys((name.lower() for name in taken), "")
    files: set[tuple[str, Path]] = set()
    for spec in specs:
        name, equals, file = spec.partition("=")
        if not equals or not file or not _NAME.fullmatch(name):
            raise InputError(
                f"{option} {spec!r} is not NAME=FILE: write {option} {example} (letters, digits, . + - _)"
            )
        is_taken = name.lower() in used and not (repeated and used[name.lower()] == name)
        if is_taken or (name, Path(file).resolve()) in files:
            raise InputError(f"{option} {spec!r}: the name {name} is taken, choose another")
        used[name.lower()] = name
        files.add((name, Path(file).resolve()))
        yield name, Path(file)


def text_lines(file: Path) -> list[str]:
    """The lines of a text file, one headline in each."""
    lines = re.sub("\r\n?", "\n", read_text(file)).removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if fault := length_fault("headline", line):
            raise InputError(f"{file}, line {number}: {fault}")
    return lines


def headlines_of(rows: Iterable[Mapping[str, str]], clean: Callable[[str], str]) -> list[str]:
    """The headlines of rows with the columns headline and perhaps error; empty where there is an error."""
    return ["" if row.get("error") else clean(row["headline"]) for row in rows]


@dataclass(frozen=True)
class Predictions:
    """The headlines of a file by id."""

    headlines: dict[str, str]  # id → headline, in the order of the ids that are wanted
    missing: list[str]  # ids that are wanted and have no headline
    unknown_ids: list[str]  # ids that are not wanted
    duplicate_ids: list[str]  # ids of several rows

    @classmethod
    def match(cls, ids: Sequence[str], headlines: Sequence[str], wanted: Collection[str]) -> "Predictions":
        """Match n headlines, each with its id, to the ids that are wanted."""
        by_id, wanted_ids = dict(zip(ids, headlines, strict=True)), set(wanted)
        return cls(
            {id_: by_id[id_] for id_ in wanted if id_ in by_id},
            [id_ for id_ in wanted if id_ not in by_id],
            [id_ for id_ in by_id if id_ not in wanted_ids],
            [id_ for id_, count in Counter(ids).items() if count > 1],
        )

    def problems(self, unknown: str, others: Mapping[str, Iterable[str]] = {}) -> str:
        """The problems and their ids, as `2 ids missing: a, b; 1 id duplicate: c`; empty without any. Ids that are not wanted are called `unknown`."""
        ids_by_fault = {
            "missing": self.missing,
            unknown: self.unknown_ids,
            "duplicate": self.duplicate_ids,
            **others,
        }
        distinct = {fault: [*dict.fromkeys(ids)] for fault, ids in ids_by_fault.items()}
        return "; ".join(
            f"{counted(len(ids), 'id')} {fault}: {listed(ids)}" for fault, ids in distinct.items() if ids
        )
