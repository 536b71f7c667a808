"""Declare the options of `change-it corpus sample | build`: one dataclass a command."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from change_it.errors import InputError

#: Days after which two articles above the strict cosine report two events (docs/decisions.md).
GUARD = 3
#: Number of pairs below which the share of one event among them is not estimated.
LEAST_PAIRS = 20


@dataclass(kw_only=True)
class ReadingOptions:
    """Options for reading articles."""

    files: tyro.conf.Positional[tuple[str, ...]]
    """CSV, TSV, JSON or parquet files, packed or not, globs of them, or a data set id as
    hf://datasets/owner/name. Write OUTLET=FILE where a file is of one outlet."""
    columns: str = ""
    """Column map, ours=theirs, as in headline=title,article=body; date= leaves a column unread. When not
    given, our names or those of CHANGE-IT's files."""
    labels: str = ""
    """The two outlets, A then B: left,right or R:rep,G:gio. When not given, those of OUTLET=FILE in their
    order, or the two labels found, sorted."""
    other_outlets: bool = False
    """Keep the articles of further labels than the two of --labels; hh, ah and fluency learn from them
    too."""
    dayfirst: tyro.conf.FlagConversionOff[bool | None] = None
    """--dayfirst True reads 06/03/2024 as 6 March, --dayfirst False as June 3. When not given, each file's
    own dates decide, and a file that leaves it open is refused."""
    mend: bool = False
    """Remove site names, repeated headlines and boilerplate, decode escapes and what was encoded twice; print
    what was removed."""


#: This machine, or the machines of a Ray cluster.
Engine = Literal["local", "ray"]


@dataclass(kw_only=True)
class BuildOptions(ReadingOptions):
    """Read raw articles, align them, split them, and write a corpus folder for `load_dataset`.

    Examples:
        change-it corpus build runs/quickstart/sample.csv --out runs/mine/corpus
        change-it corpus build colle=a.csv faro=b.csv --out runs/mine/corpus
        change-it corpus build news.parquet --labels left,right --language en --out runs/news/corpus
        change-it corpus build news.parquet --columns label=outlet --labels Post:post,Herald:herald
            --other-outlets --out runs/news/corpus
        change-it corpus build change-it/*.csv --out runs/changeit/corpus
        change-it corpus build archive/*.parquet --engine ray --address auto --out runs/archive/corpus
    """

    out: Path
    """Folder to write: parquet files, README.md (data set card), rejected.csv, alignment.json."""
    language: str | None = None
    """Language of the articles: it or en, whose stop words the alignment ignores, the code of another one, or
    none. When not given, it is guessed."""
    window_days: int | Literal["none"] = 0
    """Days between the two articles of a pair, at most: 0 is the same date. none compares everything, as
    where no article has a date."""
    strict: float = 0.5
    """Cosine above which a pair is strictly aligned (A1 and A2)."""
    loose: float = 0.185
    """Cosine above which a pair is loosely aligned (A3)."""
    sizes: str = ""
    """Fixed numbers of pairs by rank, as in A1=5000,A2=5000,A3=10000. When not given, the thresholds
    decide."""
    test_articles: int | None = None
    """Articles of each outlet without a partner that are kept for the test, out of all training. When not
    given, as many as make 300 test articles of each, at most a tenth; none with --sizes or the input's own
    splits."""
    seed: int = 1
    """Seed of every random choice."""
    engine: Engine = "local"
    """local: this machine; ray: the machines of a Ray cluster, with the same result (extra: ray)."""
    address: str | None = None
    """Address of a running Ray cluster, host:port or auto. When not given, one is started on this machine."""

    @property
    def window(self) -> int | None:
        """Return `window_days`; None where everything is compared."""
        if self.window_days == "none":
            return None
        return self.window_days

    @property
    def guard(self) -> int | None:
        """Return the days around a test article in which no training article may be above the strict cosine.

        None stands for all days.
        """
        if self.window is None:
            return None
        return max(GUARD, self.window)


def check_language(language: str | None) -> None:
    """Refuse what is no code of a language."""
    if language and not re.fullmatch(r"[a-z]{2,3}|none", language):
        raise InputError(
            f"--language {language} is no code of a language: write it, en, de or another one, or none"
        )


def parse_sizes(text: str) -> dict[str, int] | None:
    """Return the wanted numbers of pairs of A1, A2 and A3 from `A1=5000,A2=5000,A3=10000`, in any order.

    A3 may be missing and is 0 then. Empty text gives None.

    Raises:
        InputError: the text is of another form, or A1 or A2 is missing or 0.
    """
    if not text.strip():
        return None
    sizes = {"A1": 0, "A2": 0, "A3": 0}
    given = set()
    parts = text.split(",")
    for part in parts:
        match = re.fullmatch(r"\s*(A[123])\s*=\s*(\d+)\s*", part)
        if match:
            given.add(match[1])
            sizes[match[1]] = int(match[2])
    if len(given) != len(parts) or not sizes["A1"] or not sizes["A2"]:
        raise InputError(f"--sizes {text!r} is not understood: write --sizes A1=5000,A2=5000,A3=10000")
    return sizes
