"""The judges, systems and examples behind the page."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from change_it.audit.measure import read_corpus
from change_it.audit.perturbations import PERTURBATIONS, perturbed
from change_it.audit.verdicts import NO_AUDIT, Summary, read_summary
from change_it.corpus.folder import REPORT, read_language, read_report
from change_it.corpus.sample import is_sample_corpus
from change_it.errors import InputError
from change_it.generators.folder import GENERATOR_FILE, GeneratorInfo
from change_it.generators.generator import Generator
from change_it.generators.headline_transfer import HeadlineSystem, HeadlineTransfer
from change_it.io import named_files
from change_it.judges.judge_options import COMMAND
from change_it.networks.pretrained import local_folder
from change_it.scoring.item import Item, directions_in_turn
from change_it.scoring.judges import Judges
from change_it.text.tokens import words

#: Characters of a headline and of an article.
HEADLINE, ARTICLE = 300, 20_000


@dataclass(frozen=True)
class Models:
    """The judges and systems of the page.

    Raises:
        InputError: a system is of other outlets than the judges.
    """

    judges: Judges
    systems: Mapping[str, HeadlineSystem]  # by name; without any, headlines are judged and none is written
    language: str = "it"  # of the headlines, `it`, `en` or `none`: taggers and syllables
    audit: Summary = NO_AUDIT  # how far to rely on the judges
    sample: bool = False  # whether they were trained on the embedded sample
    corpus_examples: Sequence[Item] = ()  # examples of the corpus, if there is one

    def __post_init__(self) -> None:
        for name, system in self.systems.items():
            if system.outlets != self.outlets:
                ours, theirs = " and ".join(self.outlets), " and ".join(system.outlets)
                raise InputError(
                    f"the judges are for {ours}, the system {name} is for {theirs}: take those of one corpus"
                )

    @property
    def outlets(self) -> tuple[str, str]:
        """Short names of A and B."""
        return self.judges.outlets

    @cached_property
    def examples(self) -> Sequence[Item]:
        """The examples of the page: of the corpus, or invented ones, in Italian where its language has none."""
        source = files("change_it.space") / "texts" / "examples.toml"
        record = tomllib.loads(source.read_text(encoding="utf-8"))
        invented = record.get(self.language, record["it"])
        sides = [(self.outlets[text["outlet"]], self.outlets[1 - text["outlet"]]) for text in invented]
        return self.corpus_examples or [
            Item("", *side, text["headline"], text["article"])
            for side, text in zip(sides, invented, strict=True)
        ]

    @property
    def directions(self) -> dict[str, tuple[str, str]]:
        """`{from}2{to}` to the two outlets, that of A first."""
        first, second = self.outlets
        return {f"{first}2{second}": (first, second), f"{second}2{first}": (second, first)}

    @classmethod
    def from_run(cls, folder: str | Path, judges: str = "") -> "Models":
        """Load the models of a run `runs/<name>`: its judges, or others, and a system for each recipe of its generators."""
        run, generators = Path(folder), Path(folder) / "generators"
        infos = [GeneratorInfo.load(path.parent) for path in sorted(generators.glob(f"*/{GENERATOR_FILE}"))]
        systems: dict[str, HeadlineTransfer] = {
            recipe: HeadlineTransfer.from_pretrained(generators, recipe=recipe)
            for recipe in dict.fromkeys(info.recipe for info in infos)
        }
        corpus = str(run / "corpus") if (run / "corpus").is_dir() else ""
        return cls._of(judges or str(run / "judges"), systems, corpus)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Models":
        """Load the models that environment variables name, as on Spaces.

        Args:
            environment: CHANGE_IT_JUDGES, a folder or Hub id; CHANGE_IT_GENERATORS, comma separated NAME=ID, twice
                the same name for one generator of each direction; CHANGE_IT_CORPUS, for examples.

        Raises:
            InputError: no judges are named, or something is not written as above or cannot be loaded.
        """
        judges = environment.get("CHANGE_IT_JUDGES", "").strip()
        if not judges:
            raise InputError(
                "the page requires judges: name them by CHANGE_IT_JUDGES, and generators, if there are any, by CHANGE_IT_GENERATORS"
            )
        entries = [*filter(None, map(str.strip, environment.get("CHANGE_IT_GENERATORS", "").split(",")))]
        how = {"option": "CHANGE_IT_GENERATORS", "example": "sum=owner/sum"}
        loaded: dict[str, dict[int, Generator]] = {}
        for name, folder in named_files(entries, repeated=True, **how):
            generators = HeadlineTransfer.from_pretrained(str(folder)).generators.values()
            loaded.setdefault(name, {}).update({id(generator): generator for generator in generators})
        systems = {name: HeadlineTransfer(list(distinct.values())) for name, distinct in loaded.items()}
        return cls._of(judges, systems, environment.get("CHANGE_IT_CORPUS", "").strip())

    @classmethod
    def _of(cls, name: str, systems: Mapping[str, HeadlineTransfer], corpus: str) -> "Models":
        """Load judges, and examples where there is a corpus."""
        languages = [each.info.language for of in systems.values() for each in of.generators.values()]
        judges, report = Judges.from_pretrained(name), None
        language: str = languages[-1] if languages else judges.main.corpus.get("language") or "it"
        if corpus:
            language = read_language(corpus) or language
            if (Path(corpus) / REPORT).is_file():
                report = read_report(Path(corpus))
        return cls(
            judges,
            systems,
            language,
            read_summary(judges, local_folder(name, command=COMMAND)),
            is_sample_corpus(judges.outlets, report),
            corpus_examples(corpus, language) if corpus else (),
        )


def corpus_examples(corpus: str, language: str) -> tuple[Item, ...]:
    """Choose examples of a corpus (folder or Hub id), always the same.

    Each has a new headline, and its id says what that is: two are printed by the target outlet, one has another number.
    """
    try:
        audited = read_corpus(corpus, language)
    except InputError:
        return ()
    items = [
        item
        for item in directions_in_turn(audited.test.items, 1)
        if words(item.reference)
        and max(len(item.source), len(item.reference)) <= HEADLINE
        and len(item.article) <= ARTICLE
    ]
    printed = [replace(each, id=f"Printed by {each.target}", prediction=each.reference) for each in items[:2]]
    changed = perturbed(items[2:], PERTURBATIONS["number_changed"], audited, seed=1, at_most=1)
    shows = "A number changed on purpose"
    return (*printed, *(replace(items[2:][at], id=shows, prediction=text) for at, text in changed))
