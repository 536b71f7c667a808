"""`HeadlineTransfer`: trained generators as a function from headlines and articles to new headlines."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

from transformers import GenerationConfig

from change_it.corpus.article import outlet_names
from change_it.errors import InputError
from change_it.generators.folder import COMMAND, choose_generators
from change_it.generators.generator import Generator, load_generator
from change_it.generators.generator_options import CANDIDATES, Recipe
from change_it.generators.recipes import source_of
from change_it.generators.rerank import JudgedCandidate, judge_candidates
from change_it.generators.search import LARGEST_BATCH, Candidate, Search, write
from change_it.io import listed, refuse_empty, refuse_lengths, texts_of
from change_it.networks.pretrained import batches_at_once, local_folder
from change_it.scoring.item import Item
from change_it.scoring.judges import Judges
from change_it.scoring.signature import Writer
from change_it.training.training_options import Arithmetic

#: Outlets aimed at, by name or number.
Aims = str | int | Iterable[str] | Iterable[int] | None


class SearchOptions(TypedDict, total=False):
    """How headlines are searched for; see `HeadlineTransfer.__call__`."""

    decoding: GenerationConfig | None
    seed: int
    batch_size: int | None
    progress: bool


class CandidateOptions(SearchOptions, total=False):
    """What `HeadlineTransfer.candidates` takes, too."""

    article: Iterable[str] | None
    to: Aims
    num_candidates: int


class HeadlineSystem(ABC):
    """A system that offers candidates for headlines; it can be shared by threads."""

    #: Headlines, all candidates counted, that a run that can be interrupted keeps at once.
    kept_together = LARGEST_BATCH
    #: Models that it runs here.
    models: Sequence[Any] = ()

    def __init__(
        self,
        name: str,
        outlets: tuple[str, str],
        targets: tuple[str, ...],
        needs: tuple[str, ...],
    ):
        self.name = name  # the recipe, or `prompt`
        self.outlets = outlets  # short names of A and B
        self.targets = targets  # outlets that it writes for, in the order of `outlets`
        self.needs = needs  # what it reads: `headline`, `article` or both
        self.faults: dict[Item, str] = {}  # why there is no headline, where that is known

    @abstractmethod
    def propose(
        self, items: Sequence[Item], search: Search, batch_size: int | None = None, progress: bool = False
    ) -> list[list[Candidate]]:
        """For every item, which aims at one of `targets`, its candidates as `search` wants them; none where there is nothing to read."""

    @abstractmethod
    def writer(self, target: str) -> Writer:
        """What writes for an outlet."""

    def batches_at_once(self, search: Search) -> int:
        """As many batches as its largest model answers; one where headlines are drawn, since torch has one random state."""
        return 1 if search.is_drawn else min(map(batches_at_once, self.models), default=1)


class HeadlineTransfer(HeadlineSystem):
    """Rewrites headlines for another outlet.

    Attributes:
        outlets: short names of A and B.
        targets: outlets that it writes for, in the order of `outlets`.
        recipe: what the generators learnt from.
        reads: what they are given: `article`, the original `headline`, or `both`.
        generators: outlet to the generator that writes for it.
    """

    def __init__(self, generators: Sequence[Generator]):
        """Transfer with loaded generators: one, or one for each outlet, of one recipe and one pair of outlets."""
        infos = [generator.info for generator in generators]
        if len({(info.recipe, info.outlets) for info in infos}) != 1:
            of = listed([f"{info.recipe} of {' and '.join(info.outlets)}" for info in infos])
            raise InputError(f"generators of one recipe and one corpus are needed, these are {of}")
        outlets, self.recipe, self.reads = infos[0].outlets, infos[0].recipe, infos[0].reads
        self._judges = cache(Judges.from_pretrained)  # those that calls have named
        self.generators = {
            outlet: generator
            for outlet in outlets
            for generator in generators
            if generator.info.to in (None, outlet)
        }
        self.models = [generator.model for generator in generators]
        super().__init__(self.recipe, outlets, tuple(self.generators), infos[0].needs)

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path,
        *,
        recipe: Recipe | None = None,
        to: str | None = None,
        precision: Arithmetic = "float32",
        device: str = "auto",
    ) -> "HeadlineTransfer":
        """Load a generator, or the generators of both directions.

        Args:
            name: folder written by `change-it train generator`, or a folder of such folders; or a Hub id of either.
            recipe: which ones of several.
            to: load the generator for this outlet alone.
            precision: bf16 leaves weights in bfloat16 around which adapters were trained so; they are float32 otherwise.
            device: auto, cpu, cuda, cuda:1, mps.

        Raises:
            InputError: no such folder or id, no generator of that recipe or outlet in it, several recipes and none
                chosen, no such device.
        """
        folder = local_folder(name, command=COMMAND)
        chosen = choose_generators(folder, recipe, to, name=str(name))
        return cls([load_generator(path, precision=precision, device=device) for path in chosen])

    @overload
    def __call__(  # type: ignore[overload-overlap]  # a str is an iterable of str, too
        self, headline: str, *, article: str | None = None, to: Aims = None, **options: Unpack[SearchOptions]
    ) -> str: ...

    @overload
    def __call__(
        self,
        headline: Iterable[str],
        *,
        article: Iterable[str] | None = None,
        to: Aims = None,
        **options: Unpack[SearchOptions],
    ) -> list[str]: ...

    def __call__(
        self,
        headline: str | Iterable[str],
        *,
        article: str | Iterable[str] | None = None,
        to: Aims = None,
        **options: Unpack[SearchOptions],
    ) -> str | list[str]:
        """Rewrite one headline, or many.

        Args:
            headline: an original headline, or a list, a column of a data set or frame.
            article: its article, or as many; may be left out where headlines are read.
            to: the outlet aimed at, or one for each headline; may be left out where there is no choice.
            **options: `decoding`, settings of transformers, five beams when None; `seed` of headlines that are drawn at random
                (`do_sample`); `batch_size`, its own choice when None; `progress`, whether a bar is shown.

        Returns:
            One text for one headline, a list of n texts for a list.

        Raises:
            InputError: an article or outlet is missing, a text that is read is empty, an outlet is unknown or not served, or
                numbers differ.
        """
        single = isinstance(headline, str)
        if article is not None and single != isinstance(article, str):
            raise InputError("headline and article must both be texts, or both lists of texts")
        texts = [None if text is None else [text] if single else text for text in (headline, article)]
        _, offered = self._offered(texts[0], self.needs, article=texts[1], to=to, num_candidates=1, **options)
        new = [candidates[0].text if candidates else "" for candidates in offered]
        return new[0] if single else new

    @overload
    def candidates(
        self, headlines: Iterable[str], *, judges: None = None, **options: Unpack[CandidateOptions]
    ) -> list[list[Candidate]]: ...

    @overload
    def candidates(
        self, headlines: Iterable[str], *, judges: str | Path | Judges, **options: Unpack[CandidateOptions]
    ) -> list[list[JudgedCandidate]]: ...

    def candidates(
        self,
        headlines: Iterable[str],
        *,
        judges: str | Path | Judges | None = None,
        **options: Unpack[CandidateOptions],
    ) -> list[list[Candidate]] | list[list[JudgedCandidate]]:
        """Offer candidates for many headlines, perhaps as judges see them.

        Args:
            headlines: original headlines: a list, a column of a data set or frame.
            judges: folder or Hub id of judges, loaded once, or loaded ones.
            **options: `num_candidates`, distinct ones of a headline, at most 10 when not given; and as of `__call__`: `article`, which
                judges require, `to`, `decoding`, `seed`, `batch_size`, `progress`.

        Returns:
            For each headline its candidates, best first; with judges `rerank.JudgedCandidate`s in the order of `rerank.order`.

        Raises:
            InputError: as of `__call__`; judges that cannot be loaded, or of other outlets.
        """
        if judges is None:
            return self._offered(headlines, self.needs, **options)[1]
        loaded = self._judges(str(judges)) if isinstance(judges, str | Path) else Judges.of(judges)
        loaded.check_outlets(self.outlets, f"behind the {self.name} generators")
        items, offered = self._offered(headlines, ("headline", "article"), **options)
        return judge_candidates(loaded, offered, items, progress=options.get("progress", False))

    def _offered(
        self,
        headlines: object,
        needs: Sequence[str],
        *,
        article: object = None,
        to: Aims = None,
        num_candidates: int = CANDIDATES,
        decoding: GenerationConfig | None = None,
        seed: int = 1,
        batch_size: int | None = None,
        progress: bool = False,
    ) -> tuple[list[Item], list[list[Candidate]]]:
        """The items of a call, whose needed texts are not empty, and their candidates."""
        texts = {"headline": texts_of("headline", headlines)}
        if article is None and "article" in needs:
            raise InputError(f"what reads {' and '.join(needs)} requires article=")
        count = len(texts["headline"])
        texts["article"] = [""] * count if article is None else texts_of("article", article)
        if to is None and len(self.targets) > 1 and self.recipe != "agnostic":
            raise InputError(
                f"choose the outlet to write for: to={self.targets[0]!r} or to={self.targets[1]!r}"
            )
        for name in needs:
            refuse_empty(name, texts[name])
        aims = outlet_names("to", self.targets[0] if to is None else to, self.outlets, count)
        refuse_lengths(**texts)
        if missing := sorted(set(aims) - set(self.targets)):
            raise InputError(
                f"there is no {self.name} generator for {missing[0]}: this writes for {self.targets[0]}"
            )
        items = [Item("", "", *of_item) for of_item in zip(aims, *texts.values(), strict=True)]
        search = Search(decoding or GenerationConfig(), num_candidates, seed)
        return items, self.propose(items, search, batch_size, progress)

    def propose(
        self, items: Sequence[Item], search: Search, batch_size: int | None = None, progress: bool = False
    ) -> list[list[Candidate]]:
        """See `HeadlineSystem`."""
        sources = [source_of(self.reads, item.source, item.article, item.target) for item in items]
        answers: list[list[Candidate]] = [[] for _ in items]
        for generator in {id(each): each for each in self.generators.values()}.values():
            rows = [
                row
                for row, item in enumerate(items)
                if sources[row].strip() and self.generators[item.target] is generator
            ]
            written = write(
                generator.model,
                generator.format,
                [sources[row] for row in rows],
                search,
                generator.info.no_repeat_ngram_size,
                batch_size=batch_size,
                shown=f"{self.recipe} generator" if progress else "",
            )
            for row, candidates in zip(rows, written, strict=True):
                answers[row] = candidates
        return answers

    def writer(self, target: str) -> Writer:
        """See `HeadlineSystem`."""
        generator = self.generators[target]
        return Writer(generator.weights_hash, generator.info.pretrained)
