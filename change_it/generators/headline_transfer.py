"""`HeadlineTransfer`: trained generators as a function from headlines and articles to new headlines."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformers import GenerationConfig

from change_it.corpus.article import outlet_names
from change_it.errors import InputError
from change_it.generators.folder import COMMAND, choose_generators, usual_name
from change_it.generators.generator import Generator, load_generator
from change_it.generators.generator_options import CANDIDATES, Recipe
from change_it.generators.recipes import source_of
from change_it.generators.rerank import judge_candidates
from change_it.generators.search import LARGEST_BATCH, Candidate, Search, write
from change_it.io import refuse_empty, refuse_lengths, texts_of
from change_it.networks.pretrained import batches_at_once, local_folder
from change_it.scoring.item import Item
from change_it.scoring.judges import Judges
from change_it.scoring.signature import Writer
from change_it.training.training_options import Arithmetic


class HeadlineSystem(ABC):
    """A system that offers candidates for headlines; it can be shared by threads."""

    #: Headlines, draws counted, that a run that can be interrupted keeps at once.
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
        if len({info.recipe for info in infos}) != 1 or len({info.outlets for info in infos}) != 1:
            given = (
                ", ".join(f"{usual_name(info)} for {' and '.join(info.outlets)}" for info in infos) or "none"
            )
            raise InputError(f"generators of one recipe and one corpus are needed, these are {given}")
        outlets, self.recipe, self.reads = infos[0].outlets, infos[0].recipe, infos[0].reads
        self._judges: dict[str, Judges] = {}  # those that calls have named, loaded once
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
                Where several are of one recipe and outlet, the one named `<recipe>-<outlet>` is taken.
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
        headline: str | Sequence[str],
        *,
        article: str | Sequence[str] | None = None,
        to: str | int | Sequence[str] | Sequence[int] | None = None,
        num_candidates: int | None = None,
        judges: str | Path | Judges | None = None,
        language: str | None = None,
        decoding: GenerationConfig | None = None,
        seed: int = 1,
        batch_size: int | None = None,
        progress: bool = False,
    ) -> Any:
        """New headlines.

        Args:
            headline: an original headline, or a list, a column of a data set or frame.
            article: its article, or as many; may be left out where headlines are read, but not with judges.
            to: the outlet aimed at, or one for each headline; may be left out where there is no choice.
            num_candidates: candidates with scores instead of the best text, so many at most; 10 with judges when None.
            judges: folder or Hub id of judges, or loaded ones: judged candidates instead of the best text.
            language: of the texts, for a model of support; guessed from the articles when None.
            decoding: how headlines are searched for: settings of transformers; five beams when None.
            seed: of headlines that are drawn at random (`do_sample`).
            batch_size: sources a batch; its own choice when None.
            progress: show a progress bar.

        Returns:
            One text for one headline, a list of n texts for a list; with `num_candidates` a list of candidates,
            best first, instead of each text; with `judges` a list of `rerank.JudgedCandidate`, in the order of
            `rerank.order`.

        Raises:
            InputError: an article or outlet is missing, a text that is read is empty, an outlet is unknown or not served, or
                numbers differ; judges that cannot be loaded, or of other outlets.

        Examples:
            >>> transfer = HeadlineTransfer.from_pretrained("runs/quickstart/generators")  # doctest: +SKIP
            >>> [best, *others] = transfer(  # doctest: +SKIP
            ...     "Crolla il ponte sulla statale", article="Il ponte sulla statale ...", to="faro", judges="runs/quickstart/judges"
            ... )
            >>> best.text, best.joint, best.marks, best.probabilities, best.unsupported  # doctest: +SKIP
        """
        single = isinstance(headline, str)
        headlines = texts_of("headline", [headline] if single else headline)
        if single != isinstance(article, str) and article is not None:
            raise InputError("headline and article must both be texts, or both lists of texts")
        if article is None and "article" in self.needs:
            raise InputError(f"the recipe {self.recipe} requires article=")
        articles = [""] * len(headlines)
        if article is not None:
            articles = texts_of("article", [article] if isinstance(article, str) else article)
        if to is None and len(self.targets) > 1 and self.recipe != "agnostic":
            raise InputError(
                f"choose the outlet to write for: to={self.targets[0]!r} or to={self.targets[1]!r}"
            )
        if judges is not None and article is None:
            raise InputError("judges= requires article=")
        if "headline" in self.needs or judges is not None:
            refuse_empty("headline", headlines)
        if "article" in self.needs or judges is not None:
            refuse_empty("article", articles)
        aims = outlet_names("to", self.targets[0] if to is None else to, self.outlets, len(headlines))
        refuse_lengths(headline=headlines, article=articles)
        if missing := sorted(set(aims) - set(self.targets)):
            raise InputError(
                f"there is no {self.name} generator for {missing[0]}: this writes for {self.targets[0]}"
            )
        items = [Item("", "", *texts) for texts in zip(aims, headlines, articles, strict=True)]
        if isinstance(judges, str | Path):
            name = str(judges)
            if name not in self._judges:
                self._judges[name] = Judges.from_pretrained(name)
            judges = self._judges[name]
        loaded = None if judges is None else Judges.of(judges)
        if loaded is not None:
            loaded.check_outlets(self.outlets, f"behind the {self.name} generators")
        count = num_candidates or (1 if loaded is None else CANDIDATES)
        search = Search(decoding or GenerationConfig(), count, seed)
        candidates: Sequence[Sequence[Candidate]] = self.propose(items, search, batch_size, progress)
        if loaded is not None:
            candidates = judge_candidates(loaded, candidates, items, language=language, progress=progress)
        if num_candidates is not None or loaded is not None:
            return candidates[0] if single else candidates
        texts = [offered[0].text if offered else "" for offered in candidates]
        return texts[0] if single else texts

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
