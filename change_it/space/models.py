"""The judges, systems and examples behind the page."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from change_it.audit.record import NO_AUDIT, Summary, read_summary
from change_it.corpus.reading.sample import is_sample_corpus
from change_it.corpus.test_set import Item, directions_in_turn, read_items
from change_it.errors import InputError
from change_it.files.predictions import named_files
from change_it.generators.folder import GENERATOR_FILE, GeneratorInfo
from change_it.judges.options import COMMAND
from change_it.models.saved import local_folder
from change_it.scoring.panel import Judges
from change_it.text.tokens import words

if TYPE_CHECKING:  # loads torch
    from change_it.generators.transfer import HeadlineSystem

#: Characters of a headline and of an article.
HEADLINE, ARTICLE = 300, 20_000
#: Examples on the page.
EXAMPLES = 4


@dataclass(frozen=True)
class Models:
    """The judges and systems of the page; a system of other outlets than the judges is refused."""

    judges: Judges
    systems: "Mapping[str, HeadlineSystem]"  # by name; without any, headlines are judged and none is written
    language: str = "it"  # of the headlines, such as `it`; `none` where it is unknown
    audit: Summary = NO_AUDIT  # how far to rely on the judges
    sample: bool = False  # whether they were trained on the embedded sample
    examples: Sequence[Item] = ()  # of the corpus, if there is one

    def __post_init__(self) -> None:
        for name, system in self.systems.items():
            if system.outlets != self.judges.outlets:
                outlets = f"{' and '.join(self.judges.outlets)}, the system {name} is for {' and '.join(system.outlets)}"
                raise InputError(f"the judges are for {outlets}: take those of one corpus")

    @property
    def directions(self) -> dict[str, tuple[str, str]]:
        """`{from}2{to}` to the two outlets, that of A first."""
        first, second = self.judges.outlets
        return {f"{first}2{second}": (first, second), f"{second}2{first}": (second, first)}

    @classmethod
    def from_run(cls, folder: Path, judges: str) -> "Models":
        """Load judges, and the models of a run: a system for each recipe of its generators."""
        folders = [path.parent for path in sorted(folder.glob(f"generators/*/{GENERATOR_FILE}"))]
        corpus = str(folder / "corpus") if (folder / "corpus").is_dir() else ""
        return cls._load(judges, [(GeneratorInfo.load(path).recipe, path) for path in folders], corpus)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Models":
        """Load the models that environment variables name, as on Spaces; `spaces/headline_transfer/README.md` explains them."""
        judges, generators, corpus = (
            environment.get(f"CHANGE_IT_{name}", "").strip() for name in ("JUDGES", "GENERATORS", "CORPUS")
        )
        if not judges:
            fault = "the page requires judges: name them by CHANGE_IT_JUDGES"
            raise InputError(f"{fault}, and generators, if there are any, by CHANGE_IT_GENERATORS")
        entries = [*filter(None, map(str.strip, generators.split(",")))]
        folders = named_files(entries, option="CHANGE_IT_GENERATORS", example="sum=owner/sum", repeated=True)
        return cls._load(judges, folders, corpus)

    @classmethod
    def _load(cls, name: str, folders: Iterable[tuple[str, Path]], corpus: str) -> "Models":
        """Load judges, systems by name and folder, one of each direction under the same name, and examples where there is a corpus."""
        systems = _load_systems([*folders])
        judges = Judges.from_pretrained(name)
        language = judges.main.corpus.language or "none"
        audit = read_summary(judges.by_task, local_folder(name, command=COMMAND))
        is_sample = is_sample_corpus(judges.outlets)
        return cls(judges, systems, language, audit, is_sample, corpus_examples(corpus))


def _load_systems(folders: Sequence[tuple[str, Path]]) -> "dict[str, HeadlineSystem]":
    """Load systems by name and folder, one of each direction under the same name; torch only where there is one."""
    if not folders:
        return {}
    from change_it.generators.transfer import HeadlineTransfer

    by_name: dict[str, dict[int, Any]] = {}
    for system, folder in folders:
        generators = HeadlineTransfer.from_pretrained(str(folder)).generators.values()
        by_name.setdefault(system, {}).update({id(generator): generator for generator in generators})
    return {system: HeadlineTransfer([*generators.values()]) for system, generators in by_name.items()}


def corpus_examples(corpus: str) -> tuple[Item, ...]:
    """Items of a corpus' test set (folder or Hub id), always the same, with the other newspaper's headlines; none without a corpus."""
    try:
        of_corpus, _ = read_items(corpus)
    except InputError:
        return ()
    items = directions_in_turn(of_corpus, 1)
    fitting = [item for item in items if words(item.reference) and len(item.article) <= ARTICLE]
    fitting = [item for item in fitting if max(len(item.source), len(item.reference)) <= HEADLINE]
    return tuple(replace(item, prediction=item.reference) for item in fitting[:EXAMPLES])
