"""The judges and systems behind the page."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from change_it.audit.verdicts import NO_AUDIT, Summary, read_summary
from change_it.corpus.folder import REPORT, read_language, read_report
from change_it.corpus.sample import is_sample_corpus
from change_it.errors import InputError
from change_it.generators.folder import GENERATOR_FILE, GeneratorInfo
from change_it.generators.headline_transfer import HeadlineSystem, HeadlineTransfer
from change_it.generators.rerank import JudgedCandidate, judge_candidates
from change_it.generators.search import Candidate, Search
from change_it.io import named_files
from change_it.judges.judge_options import COMMAND
from change_it.networks.pretrained import local_folder
from change_it.scoring.item import Item
from change_it.scoring.judges import Judges
from change_it.space.examples import corpus_examples, invented_examples
from change_it.space.parts import CANDIDATES
from change_it.text.folding import fold
from change_it.text.tokens import words

#: Two headlines are nearly the same if they share more than this share of the shorter one's words.
NEAR = 0.75
#: System of a headline that the reader wrote.
OWN = "own"


@dataclass(frozen=True)
class Question:
    """A question of one person."""

    item: Item  # the original, and the outlet aimed at; with a headline that the reader wrote
    system: str = ""  # that offers new headlines in its place; none where empty
    count: int = 1  # new headlines that are shown


@dataclass(frozen=True)
class Models:
    """The judges and systems of the page.

    Raises:
        InputError: a system is of other outlets than the judges.
    """

    judges: Judges
    systems: Mapping[
        str, HeadlineSystem
    ]  # name to system; without any, headlines are judged and none is written
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
        return self.judges.outlets[0], self.judges.outlets[1]

    @property
    def examples(self) -> Sequence[Item]:
        """The examples of the page: of the corpus, or invented ones."""
        return self.corpus_examples or invented_examples(self.outlets, self.language)

    @property
    def directions(self) -> dict[str, tuple[str, str]]:
        """`{from}2{to}` to the two outlets, that of A first."""
        first, second = self.outlets
        return {f"{first}2{second}": (first, second), f"{second}2{first}": (second, first)}

    @classmethod
    def from_run(cls, folder: str | Path, judges: str = "") -> "Models":
        """Load the models of a run `runs/<name>`: its judges, or others, and a system for each recipe of its generators."""
        run = Path(folder)
        generators = run / "generators"
        recipes = dict.fromkeys(
            GeneratorInfo.load(path.parent).recipe for path in sorted(generators.glob(f"*/{GENERATOR_FILE}"))
        )
        systems: dict[str, HeadlineTransfer] = {
            recipe: HeadlineTransfer.from_pretrained(generators, recipe=recipe) for recipe in recipes
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
        named: dict[str, list[str]] = {}
        entries = filter(None, map(str.strip, environment.get("CHANGE_IT_GENERATORS", "").split(",")))
        for name, folder in named_files(
            list(entries), option="CHANGE_IT_GENERATORS", example="sum=owner/sum", repeated=True
        ):
            named.setdefault(name, []).append(str(folder))
        systems = {name: _system(folders) for name, folders in named.items()}
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

    def answer(self, question: Question) -> tuple[list[JudgedCandidate], int]:
        """Judge the distinct new headlines with words, best first, without near copies of a better one; and how many these were."""
        offered = [question.item.prediction]
        if question.system:
            [proposed] = self.systems[question.system].propose([question.item], Search(candidates=CANDIDATES))
            texts = (candidate.text for candidate in proposed)
            offered = list(dict.fromkeys(" ".join(text.split()) for text in texts if words(text)))
        candidates = [Candidate(text, 0.0) for text in offered]
        [judged] = judge_candidates(self.judges, [candidates], [question.item])
        kept = without_near(judged)
        return kept, len(judged) - len(kept)


def without_near(judged: Sequence[JudgedCandidate]) -> list[JudgedCandidate]:
    """Drop each candidate that shares nearly all words of the shorter headline with a better one: often the same, cut elsewhere."""
    kept: dict[frozenset[str], JudgedCandidate] = {}
    for one in judged:
        own = frozenset(words(fold(one.text).lower()))
        if all(len(own & other) <= NEAR * min(len(own), len(other)) for other in kept):
            kept[own] = one
    return list(kept.values())


def _system(folders: Sequence[str]) -> HeadlineTransfer:
    """Combine the generators of several folders into one system."""
    loaded = [HeadlineTransfer.from_pretrained(folder) for folder in folders]
    distinct = {id(generator): generator for system in loaded for generator in system.generators.values()}
    return HeadlineTransfer(list(distinct.values()))
