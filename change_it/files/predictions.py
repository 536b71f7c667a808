"""Read systems' headlines: names of files on the command line, and the headline of each id."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from change_it.errors import InputError
from change_it.files.rows import read_text
from change_it.files.texts import join_truncated, length_fault, pluralise

_NAME = re.compile(r"\w[\w.+-]*")


def named_files(
    specs: Sequence[str], *, option: str, example: str, taken: Iterable[str] = (), repeated: bool = False
) -> Iterator[tuple[str, Path]]:
    """Yield the names and files of `NAME=FILE` arguments.

    Names differ in more than case, since each becomes a file's name.

    Args:
        specs: the arguments.
        option: what they were given to, for messages.
        example: a right argument, for messages.
        taken: names that cannot be given.
        repeated: whether a name may come again, with another file.

    Raises:
        InputError: an argument is not NAME=FILE, or its name is taken.
    """
    used = {name.lower(): "" for name in taken}
    files: set[tuple[str, Path]] = set()
    for spec in specs:
        name, equals, file = spec.partition("=")
        if not equals or not file or not _NAME.fullmatch(name):
            raise InputError(
                f"{option} {spec!r} is not NAME=FILE: write {option} {example} (letters, digits, . + - _)"
            )
        place = (name, Path(file).resolve())
        folded = name.lower()
        may_come_again = repeated and used.get(folded) == name
        is_taken = folded in used and not may_come_again
        if is_taken or place in files:
            raise InputError(f"{option} {spec!r}: the name {name} is taken, choose another")
        used[folded] = name
        files.add(place)
        yield name, Path(file)


def text_lines(file: Path) -> list[str]:
    """Return the lines of a text file, one headline in each."""
    text = re.sub("\r\n?", "\n", read_text(file))
    lines = text.removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        fault = length_fault("headline", line)
        if fault:
            raise InputError(f"{file}, line {number}: {fault}")
    return lines


def headlines_of(rows: Iterable[Mapping[str, str]], clean: Callable[[str], str]) -> list[str]:
    """Return the headlines of rows with columns headline and perhaps error; empty where there is an error."""
    headlines = []
    for row in rows:
        headline = ""
        if not row.get("error"):
            headline = clean(row["headline"])
        headlines.append(headline)
    return headlines


@dataclass(frozen=True)
class Predictions:
    """The headlines of a file by id.

    Attributes:
        headlines: id to headline, in the order of the ids that are wanted.
        missing: ids that are wanted and have no headline.
        unknown_ids: ids that are not wanted.
        duplicate_ids: ids of several rows.
    """

    headlines: dict[str, str]
    missing: list[str]
    unknown_ids: list[str]
    duplicate_ids: list[str]

    @classmethod
    def match(cls, ids: Sequence[str], headlines: Sequence[str], wanted: Collection[str]) -> "Predictions":
        """Match n headlines, each with its id, to the ids that are wanted.

        Of several headlines of one id, the last counts.
        """
        by_id = dict(zip(ids, headlines, strict=True))
        matched = {}
        missing = []
        for id_ in wanted:
            if id_ in by_id:
                matched[id_] = by_id[id_]
            else:
                missing.append(id_)
        wanted_ids = set(wanted)
        return cls(
            headlines=matched,
            missing=missing,
            unknown_ids=[id_ for id_ in by_id if id_ not in wanted_ids],
            duplicate_ids=[id_ for id_, count in Counter(ids).items() if count > 1],
        )

    def problems(self, unknown: str, others: Mapping[str, Iterable[str]] | None = None) -> str:
        """Return the problems and their ids, as `2 ids missing: a, b; 1 id duplicate: c`; empty without any.

        Args:
            unknown: what ids that are not wanted are called.
            others: further problems with their ids.
        """
        ids_by_problem: dict[str, Iterable[str]] = {
            "missing": self.missing,
            unknown: self.unknown_ids,
            "duplicate": self.duplicate_ids,
            **(others or {}),
        }
        problems = []
        for problem, ids in ids_by_problem.items():
            distinct = list(dict.fromkeys(ids))
            if distinct:
                problems.append(f"{pluralise(len(distinct), 'id')} {problem}: {join_truncated(distinct)}")
        return "; ".join(problems)
