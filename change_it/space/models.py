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

#: Characters that a headline has at most.
MAX_HEADLINE_CHARACTERS = 300
#: Characters that an article has at most.
MAX_ARTICLE_CHARACTERS = 20_000
#: Examples that the page offers.
EXAMPLES = 4


@dataclass(frozen=True)
class Models:
    """The judges and systems of the page.

    Attributes:
        judges: what answers on headlines.
        systems: what writes headlines, by name. Without any, headlines are judged and none is written.
        language: language of the headlines, such as `it`; `none` where it is unknown.
        audit: how far to rely on the judges.
        sample: whether the judges were trained on the embedded sample.
        examples: items of the corpus that the page offers; empty without a corpus.

    Raises:
        InputError: a system is for other outlets than the judges.
    """

    judges: Judges
    systems: "Mapping[str, HeadlineSystem]"
    language: str = "it"
    audit: Summary = NO_AUDIT
    sample: bool = False
    examples: Sequence[Item] = ()

    def __post_init__(self) -> None:
        for name, system in self.systems.items():
            if system.outlets != self.judges.outlets:
                judged = " and ".join(self.judges.outlets)
                written = " and ".join(system.outlets)
                fault = f"the judges are for {judged}, the system {name} is for {written}"
                raise InputError(f"{fault}: take those of one corpus")

    @property
    def directions(self) -> dict[str, tuple[str, str]]:
        """Map `{from}2{to}` to the two outlets, the direction from A first."""
        first, second = self.judges.outlets
        return {f"{first}2{second}": (first, second), f"{second}2{first}": (second, first)}

    @classmethod
    def from_run(cls, folder: Path, judges: str) -> "Models":
        """Load judges, and the models of a run: a system for each recipe of its generators."""
        generators = []
        for file in sorted(folder.glob(f"generators/*/{GENERATOR_FILE}")):
            recipe = GeneratorInfo.load(file.parent).recipe
            generators.append((recipe, file.parent))
        corpus = folder / "corpus"
        return cls._load(judges, generators, str(corpus) if corpus.is_dir() else "")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Models":
        """Load the models that environment variables name, as on Spaces.

        `spaces/headline_transfer/README.md` explains the variables.

        Raises:
            InputError: no variable names judges, or a model cannot be loaded.
        """
        judges = environment.get("CHANGE_IT_JUDGES", "").strip()
        generators = environment.get("CHANGE_IT_GENERATORS", "")
        corpus = environment.get("CHANGE_IT_CORPUS", "").strip()
        if not judges:
            fault = "the page requires judges: name them by CHANGE_IT_JUDGES"
            raise InputError(f"{fault}, and generators, if there are any, by CHANGE_IT_GENERATORS")
        entries = [entry.strip() for entry in generators.split(",") if entry.strip()]
        folders = named_files(entries, option="CHANGE_IT_GENERATORS", example="sum=owner/sum", repeated=True)
        return cls._load(judges, folders, corpus)

    @classmethod
    def _load(cls, name: str, folders: Iterable[tuple[str, Path]], corpus: str) -> "Models":
        """Load judges, systems by name and folder, and the examples of a corpus where one is named."""
        systems = _load_systems(list(folders))
        judges = Judges.from_pretrained(name)
        return cls(
            judges,
            systems,
            language=judges.main.corpus.language or "none",
            audit=read_summary(judges.by_task, local_folder(name, command=COMMAND)),
            sample=is_sample_corpus(judges.outlets),
            examples=corpus_examples(corpus),
        )


def _load_systems(folders: Sequence[tuple[str, Path]]) -> "dict[str, HeadlineSystem]":
    """Load systems by name and folder; folders of one name become one system.

    torch is loaded only where there is a system.
    """
    if not folders:
        return {}
    from change_it.generators.transfer import HeadlineTransfer

    generators_by_name: dict[str, list[Any]] = {}
    for name, folder in folders:
        generators = generators_by_name.setdefault(name, [])
        for generator in HeadlineTransfer.from_pretrained(str(folder)).generators.values():
            # A generator of both directions comes twice.
            if not any(generator is known for known in generators):
                generators.append(generator)
    systems: dict[str, HeadlineSystem] = {}
    for name, generators in generators_by_name.items():
        systems[name] = HeadlineTransfer(generators)
    return systems


def corpus_examples(corpus: str) -> tuple[Item, ...]:
    """Choose examples of a corpus' test set (folder or Hub id), always the same.

    Their prediction is the other newspaper's headline. A corpus that cannot be read has no examples.
    """
    try:
        test_items, _ = read_items(corpus)
    except InputError:
        return ()
    examples = []
    for item in directions_in_turn(test_items, seed=1):
        longest_headline = max(len(item.source), len(item.reference))
        fits = longest_headline <= MAX_HEADLINE_CHARACTERS and len(item.article) <= MAX_ARTICLE_CHARACTERS
        if fits and words(item.reference):
            examples.append(replace(item, prediction=item.reference))
    return tuple(examples[:EXAMPLES])
