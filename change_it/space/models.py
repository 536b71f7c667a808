"""The judges and systems behind the page, safe to use from many threads, the latest answers cached."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from change_it.errors import InputError
from change_it.generators.options import EXTRACT
from change_it.generators.transfer import Proposer
from change_it.judges.judge import Judges
from change_it.space.limits import LIMITS

#: Answers that are kept of each judge and each system.
CACHE_SIZE = 4096


@dataclass(frozen=True)
class Models:
    """Everything that the page asks.

    Attributes:
        outlets: short names of A and B.
        systems: name to system; those with a trained generator first, `extract` last.
        judges: the three judges.
        language: of the headlines, `it` or `en`: taggers and syllables.
    """

    outlets: tuple[str, str]
    systems: Mapping[str, Proposer]
    judges: Judges
    language: str

    @classmethod
    def of(cls, judges: Judges, systems: Mapping[str, Proposer], language: str = "it") -> "Models":
        """Models of loaded judges and systems.

        Args:
            judges: the three judges.
            systems: name to a `HeadlineTransfer` or `Extract`.
            language: of the headlines.

        Raises:
            InputError: there is no system, or one is of other outlets than the judges.
        """
        outlets = (judges.outlets[0], judges.outlets[1])
        if not systems:
            raise InputError(
                "there is no system to transfer headlines with: train a generator or give a corpus"
            )
        for name, system in systems.items():
            if system.outlets != outlets:
                ours, theirs = " and ".join(outlets), " and ".join(system.outlets)
                raise InputError(
                    f"the judges are for {ours}, the system {name} is for {theirs}: take those of one corpus"
                )
        return cls(outlets, systems, judges, language)

    @classmethod
    def from_run(cls, folder: str | Path) -> "Models":
        """The models of a run: its judges, a system for each recipe of its generators, and extract on its corpus.

        Args:
            folder: `runs/<name>` with `judges`, and `generators` or `corpus` or both.

        Raises:
            InputError: the judges or every system are missing, or something cannot be loaded.
        """
        from change_it.generators.generator import CARD, GeneratorCard

        run = Path(folder)
        if not (run / "judges").is_dir():
            raise InputError(f"{run} holds no judges: run change-it demo --run {run}, or train them there")
        cards = sorted((run / "generators").glob(f"*/{CARD}"))
        recipes = dict.fromkeys(GeneratorCard.load(path.parent).recipe for path in cards)
        generators = {recipe: (str(run / "generators"), recipe) for recipe in recipes}
        corpus = str(run / "corpus") if (run / "corpus").is_dir() else None
        return cls._load(str(run / "judges"), {name: [place] for name, place in generators.items()}, corpus)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Models | None":
        """The models that environment variables name, as on Spaces.

        Args:
            environment: CHANGE_IT_JUDGES, a folder or Hub id; CHANGE_IT_GENERATORS, comma separated NAME=ID, twice
                the same name for one generator of each direction; CHANGE_IT_CORPUS, for extract.

        Returns:
            None where no judges are named: the page then offers what needs none.

        Raises:
            InputError: something is not written as above or cannot be loaded.
        """
        judges = environment.get("CHANGE_IT_JUDGES", "").strip()
        if not judges:
            return None
        generators: dict[str, list[tuple[str, Any]]] = {}
        for entry in filter(None, map(str.strip, environment.get("CHANGE_IT_GENERATORS", "").split(","))):
            name, equals, place = (part.strip() for part in entry.partition("="))
            if not (name and equals and place):
                raise InputError(f"CHANGE_IT_GENERATORS has {entry!r}: write NAME=ID, separated by commas")
            generators.setdefault(name, []).append((place, None))
        return cls._load(judges, generators, environment.get("CHANGE_IT_CORPUS", "").strip() or None)

    def warm(self) -> None:
        """Ask everything once, so that the first reader does not wait for what is set up on first use.

        The cores are shared out among the requests that are worked on at once: threads of several requests that
        compete for the same cores wait for one another.
        """
        import torch

        from change_it.generators.formats import Decoding

        torch.set_num_threads(max(1, (os.cpu_count() or 1) // LIMITS.at_once))
        text = "una prova"
        for system in self.systems.values():
            system.propose(
                [text] * len(system.targets), [text] * len(system.targets), system.targets, Decoding()
            )
        self.judges.main.probabilities([text])
        for judge in (self.judges.hh, self.judges.ah):
            judge.probabilities([text], [text])

    @classmethod
    def _load(
        cls, judges: str, generators: Mapping[str, Sequence[tuple[str, Any]]], corpus: str | None
    ) -> "Models":
        """Load judges, for each name its generators as (folder or id, recipe), and extract where there is a corpus."""
        from change_it.generators.extract import Extract
        from change_it.generators.transfer import HeadlineTransfer

        systems: dict[str, Proposer] = {}
        language = "it"
        for name, places in generators.items():
            loaded = [HeadlineTransfer.from_pretrained(place, recipe=recipe) for place, recipe in places]
            distinct = {id(one): one for system in loaded for one in system.generators.values()}
            systems[name] = HeadlineTransfer(list(distinct.values()), cache_size=CACHE_SIZE)
            language = next(iter(distinct.values())).card.language
        if corpus:
            systems[EXTRACT] = Extract.from_corpus(corpus, cache_size=CACHE_SIZE)
        return cls.of(Judges.from_pretrained(judges, cache_size=CACHE_SIZE), systems, language)
