"""`HeadlineTransfer`: trained generators as a function from headlines and articles to new headlines."""

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from transformers import GenerationConfig

from change_it.corpus.article import outlet_names
from change_it.errors import InputError
from change_it.generators.folder import COMMAND, choose_generators
from change_it.generators.generator import Generator, load_generator
from change_it.generators.generator_options import CANDIDATES, Recipe
from change_it.generators.recipes import source_of
from change_it.generators.rerank import judge_candidates
from change_it.generators.search import LARGEST_BATCH, Candidate, Search
from change_it.io import listed, refuse_empty, refuse_lengths, texts_of
from change_it.networks.pretrained import batches_at_once, local_folder, map_threads
from change_it.progress import bar
from change_it.scoring.item import Item
from change_it.scoring.judges import Judges
from change_it.scoring.signature import Writer
from change_it.training.training_options import Arithmetic

#: Outlets aimed at, by name or number.
Aims = str | int | Iterable[str] | Iterable[int] | None


class HeadlineSystem(ABC):
    """A system that offers candidates for headlines; it can be shared by threads."""

    #: Headlines, all candidates counted, that a run that can be interrupted keeps at once.
    kept_together = LARGEST_BATCH
    #: Models that it runs here.
    models: Sequence[Any] = ()

    def __init__(self, name: str, outlets: tuple[str, str], targets: tuple[str, ...], needs: tuple[str, ...]):
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
        pairs = ((outlet, one) for outlet in outlets for one in generators)
        self.generators = {outlet: one for outlet, one in pairs if one.info.to in (None, outlet)}
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

    def __call__(
        self,
        headline: Any,
        *,
        article: Any = None,
        to: Aims = None,
        decoding: GenerationConfig | None = None,
        seed: int = 1,
        batch_size: int | None = None,
        progress: bool = False,
    ) -> Any:
        """Rewrite one headline, or many.

        Args:
            headline: an original headline, or a list, a column of a data set or frame.
            article: its article, or as many; may be left out where headlines are read.
            to: the outlet aimed at, or one for each headline; may be left out where there is no choice.
            decoding: settings of transformers, five beams when None.
            seed: of headlines that are drawn at random (`do_sample`).
            batch_size: sources that a generator reads at once; its own choice when None.
            progress: whether a bar is shown.

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
        items = self._items(texts[0], texts[1], to, self.needs)
        search = Search(decoding or GenerationConfig(), 1, seed)
        offered = self.propose(items, search, batch_size, progress)
        new = [candidates[0].text if candidates else "" for candidates in offered]
        return new[0] if single else new

    def candidates(
        self,
        headlines: Iterable[str],
        *,
        article: Iterable[str] | None = None,
        to: Aims = None,
        judges: Any = None,
        num_candidates: int = CANDIDATES,
        decoding: GenerationConfig | None = None,
        seed: int = 1,
        batch_size: int | None = None,
        progress: bool = False,
    ) -> list[list[Any]]:
        """Offer candidates for many headlines, at most `num_candidates` distinct ones of each, perhaps as judges see them.

        `judges`, which require articles, are a folder or Hub id, loaded once, or loaded ones. The other arguments are those of a call.

        Returns:
            For each headline its `Candidate`s, best first; with judges `rerank.JudgedCandidate`s in the order of `rerank.order`.

        Raises:
            InputError: as of a call; judges that cannot be loaded, or of other outlets.
        """
        loaded = self._judges(str(judges)) if isinstance(judges, str | Path) else judges
        if loaded is not None:
            loaded = Judges.of(loaded)
            loaded.check_outlets(self.outlets, f"behind the {self.name} generators")
        items = self._items(headlines, article, to, ("headline", "article") if loaded else self.needs)
        search = Search(decoding or GenerationConfig(), num_candidates, seed)
        offered = self.propose(items, search, batch_size, progress)
        return judge_candidates(loaded, offered, items, progress=progress) if loaded else offered

    def _items(self, headlines: object, article: object, to: Aims, needs: Sequence[str]) -> list[Item]:
        """The items of a call, whose needed texts are not empty."""
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
        return [Item("", "", *of_item) for of_item in zip(aims, *texts.values(), strict=True)]

    def propose(
        self, items: Sequence[Item], search: Search, batch_size: int | None = None, progress: bool = False
    ) -> list[list[Candidate]]:
        """See `HeadlineSystem`; sources of like length share a batch."""
        sources = [source_of(self.reads, item.source, item.article, item.target) for item in items]
        batches, calls = [], []
        for generator in {id(each): each for each in self.generators.values()}.values():
            rows = [row for row, item in enumerate(items) if self.generators[item.target] is generator]
            rows = sorted(filter(lambda row: sources[row].strip(), rows), key=lambda row: -len(sources[row]))
            size = batch_size or search.batch_size(generator.model, generator.format)
            for start in range(0, len(rows), size):
                batches.append(rows[start : start + size])
                calls.append(partial(generator.write, [sources[row] for row in batches[-1]], search))
        answers: list[list[Candidate]] = [[] for _ in items]
        with bar(f"{self.recipe} generator", sum(map(len, batches)), shown=progress) as done_bar:
            written = map_threads(operator.call, calls, self.batches_at_once(search))
            for batch, several in zip(batches, written, strict=True):
                for row, candidates in zip(batch, several, strict=True):
                    answers[row] = candidates
                done_bar.update(len(batch))
        return answers

    def writer(self, target: str) -> Writer:
        """See `HeadlineSystem`."""
        generator = self.generators[target]
        return Writer(generator.weights_hash, generator.info.pretrained)
