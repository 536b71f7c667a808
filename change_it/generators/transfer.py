"""`HeadlineTransfer`: trained generators as a function from headlines and articles to new headlines."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from change_it.cache import LRUCache
from change_it.engines import map_threads
from change_it.errors import InputError
from change_it.generators.arguments import CANDIDATES, Recipe
from change_it.generators.card import COMMAND, choose_generators, usual_name
from change_it.generators.decoding import Candidate, Decoding
from change_it.generators.generator import Generator, load_generator
from change_it.generators.recipes import source_of
from change_it.networks.pretrained import batches_at_once, local_folder
from change_it.progress import ProgressBar

if TYPE_CHECKING:
    from change_it.judges.judge import Judges

#: A batch has at most so many sources, source tokens, and headlines that are searched at once.
LARGEST_BATCH, BATCH_TOKENS, BATCH_HEADLINES = 64, 16_384, 640
#: Headlines of a batch that are streamed together.
STREAMED = 8

#: Original headline, article and outlet aimed at; a text that the system does not read is empty.
Question = tuple[str, str, str]


class Proposer(ABC):
    """A system that offers candidates for headlines; it can be shared by threads."""

    def __init__(
        self,
        name: str,
        outlets: tuple[str, str],
        targets: tuple[str, ...],
        needs: tuple[str, ...],
        cache_size: int,
    ):
        self.name = name  # the recipe, or `extract`
        self.outlets = outlets  # short names of A and B
        self.targets = targets  # outlets that it writes for, in the order of `outlets`
        self.needs = needs  # what it reads: `headline`, `article` or both
        self._cache: LRUCache[tuple[Question, Decoding], list[Candidate]] = LRUCache(cache_size)

    def propose(
        self,
        headlines: Sequence[str],
        articles: Sequence[str],
        to: str | Sequence[str],
        decoding: Decoding | None = None,
        batch_size: int | None = None,
        progress: bool = False,
    ) -> list[list[Candidate]]:
        """Candidates for every headline.

        Args:
            headlines: n original headlines.
            articles: n articles.
            to: the outlet aimed at, or one for each headline.
            decoding: how headlines are searched for, and how many are kept; `Extract` looks at the number alone.
            batch_size: sources a batch; None takes what the length of sources and the width of the search allow.
            progress: show a progress bar.

        Returns:
            n lists of distinct candidates, best first; an empty list where there is nothing to read.

        Raises:
            InputError: an unknown outlet or one that is not served, or numbers differ.
        """
        search = decoding or Decoding()
        targets = [to] * len(headlines) if isinstance(to, str) else list(to)
        if not len(headlines) == len(articles) == len(targets):
            raise InputError(
                f"{len(headlines)} headlines, {len(articles)} articles and {len(targets)} outlets: give one of each an item"
            )
        if missing := sorted(set(targets) - set(self.targets)):
            raise InputError(
                f"there is no {self.name} generator for {missing[0]}: these write for {' and '.join(self.targets)}"
            )
        reads = {name: name in self.needs for name in ("headline", "article")}
        items = [
            (headline if reads["headline"] else "", article if reads["article"] else "", target)
            for headline, article, target in zip(headlines, articles, targets, strict=True)
        ]

        def compute(missing: list[tuple[Question, Decoding]]) -> list[list[Candidate]]:
            return self._propose([item for item, _ in missing], search, batch_size, progress)

        asked = [(item, search) for item in items]
        return self._cache.get(asked, compute) if self._cache.size else compute(asked)

    def batches_at_once(self, decoding: Decoding) -> int:
        """How many batches it answers side by side."""
        return 1

    @abstractmethod
    def _propose(
        self, items: Sequence[Question], decoding: Decoding, batch_size: int | None, progress: bool
    ) -> list[list[Candidate]]:
        """As `propose`, of items that are checked."""


class HeadlineTransfer(Proposer):
    """Rewrites headlines for another outlet.

    Attributes:
        outlets: short names of A and B.
        targets: outlets that it writes for, in the order of `outlets`.
        recipe: what the generators learnt from.
        reads: what they are given: `article`, the original `headline`, or `both`.
        generators: outlet to the generator that writes for it.
    """

    def __init__(self, generators: Sequence[Generator], *, cache_size: int = 0):
        """Transfer with loaded generators.

        Args:
            generators: one, or one for each outlet; of one recipe and one pair of outlets. A newspaper-agnostic
                one serves both, and so does one of the recipe rewrite.
            cache_size: how many of the latest answers are kept; 0 keeps none.

        Raises:
            InputError: they do not belong together.
        """
        cards = [generator.card for generator in generators]
        if len({card.recipe for card in cards}) != 1 or len({card.outlets for card in cards}) != 1:
            given = (
                ", ".join(f"{usual_name(card)} for {' and '.join(card.outlets)}" for card in cards) or "none"
            )
            raise InputError(f"generators of one recipe and one corpus are needed, these are {given}")
        outlets, self.recipe, self.reads = cards[0].outlets, cards[0].recipe, cards[0].reads
        self.generators = {
            outlet: generator
            for outlet in outlets
            for generator in generators
            if generator.card.to in (None, outlet)
        }
        self._judges: dict[str, Judges] = {}  # those that were given as a folder or id
        needs = ("headline", "article") if self.reads == "both" else (self.reads,)
        super().__init__(self.recipe, outlets, tuple(self.generators), needs, cache_size)

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path,
        *,
        recipe: Recipe | None = None,
        to: str | None = None,
        device: str = "auto",
        cache_size: int = 0,
    ) -> "HeadlineTransfer":
        """Load a generator, or the generators of both directions.

        Args:
            name: folder written by `change-it train generator`, or a folder of such folders; or a Hub id of either.
                Where several are of one recipe and outlet, the one named `<recipe>-<outlet>` is taken.
            recipe: which ones of several.
            to: load the generator for this outlet alone.
            device: auto, cpu, cuda, cuda:1, mps.
            cache_size: how many of the latest answers are kept; 0 keeps none.

        Raises:
            InputError: no such folder or id, no generator of that recipe or outlet in it, several recipes and none
                chosen, no such device.
        """
        folder = local_folder(name, command=COMMAND)
        chosen = choose_generators(folder, recipe, to, name=str(name))
        return cls([load_generator(path, device=device) for path in chosen], cache_size=cache_size)

    def __call__(
        self,
        headline: str | Sequence[str],
        *,
        article: str | Sequence[str] | None = None,
        to: str | Sequence[str] | None = None,
        num_candidates: int | None = None,
        judges: "str | Path | Judges | None" = None,
        language: str | None = None,
        decoding: Decoding | None = None,
        batch_size: int | None = None,
        progress: bool = False,
    ) -> Any:
        """New headlines.

        Args:
            headline: an original headline, or a list.
            article: its article, or a list; may be left out where headlines are read, but not with judges.
            to: the outlet aimed at, or one for each headline; may be left out where there is no choice.
            num_candidates: candidates with scores instead of the best text, so many at most; 10 with judges when None.
            judges: folder or Hub id of judges, or loaded ones: judged candidates instead of the best text.
            language: of the texts, for facts: it, en or any other; guessed from the articles when None.
            decoding: how headlines are searched for.
            batch_size: sources a batch; its own choice when None.
            progress: show a progress bar.

        Returns:
            One text for one headline, a list of n texts for a list; with `num_candidates` a list of candidates,
            best first, instead of each text; with `judges` a list of `rerank.JudgedCandidate`, in the order in which the
            judges would choose for strict compliancy. Where there is nothing to read the text is empty, the list too.

        Raises:
            InputError: an article or outlet is missing, an outlet is unknown or not served, or numbers differ; judges
                that cannot be loaded, or of other outlets.

        Examples:
            >>> transfer = HeadlineTransfer.from_pretrained("runs/quickstart/generators")  # doctest: +SKIP
            >>> [best, *others] = transfer(  # doctest: +SKIP
            ...     "Crolla il ponte sulla statale", article="Il ponte sulla statale ...", to="faro", judges="runs/quickstart/judges"
            ... )
            >>> best.text, best.strict, best.marks, best.probabilities, best.unsupported  # doctest: +SKIP
        """
        single = isinstance(headline, str)
        headlines = [headline] if isinstance(headline, str) else list(headline)
        if single != isinstance(article, str) and article is not None:
            raise InputError("headline and article must both be texts, or both lists of texts")
        if article is None and "article" in self.needs:
            raise InputError(
                f"generators of the recipe {self.recipe} read articles: give article= beside the headline"
            )
        articles = [article] if isinstance(article, str) else article
        if articles is None:
            articles = [""] * len(headlines)
        if to is None and len(self.targets) > 1 and self.recipe != "agnostic":
            raise InputError(
                f"choose the outlet to write for: to={self.targets[0]!r} or to={self.targets[1]!r}"
            )
        if judges is not None and article is None:
            raise InputError("judges read articles: give article= beside the headline")
        loaded = None if judges is None else self._loaded(judges)
        count = num_candidates or (1 if loaded is None else CANDIDATES)
        to = to or self.targets[0]
        search = replace(decoding or Decoding(), candidates=count)
        candidates: Sequence[Sequence[Candidate]] = self.propose(
            headlines, articles, to, search, batch_size, progress
        )
        if loaded is not None:
            from change_it.generators.rerank import judge_candidates

            aims = [to] * len(candidates) if isinstance(to, str) else to
            candidates = judge_candidates(
                loaded, candidates, headlines, articles, aims, language=language, progress=progress
            )
        if num_candidates is not None or loaded is not None:
            return candidates[0] if single else candidates
        texts = [some[0].text if some else "" for some in candidates]
        return texts[0] if single else texts

    def stream(
        self,
        headline: Iterable[str],
        *,
        article: Iterable[str] | None = None,
        to: str | Iterable[str] | None = None,
        batch_size: int = STREAMED,
        **options: Any,
    ) -> Iterator[Any]:
        """New headlines one after the other, each as soon as its batch is written.

        Args:
            headline: original headlines, of any length: a list, a column of a data set, a generator.
            article: their articles; may be left out where headlines are read.
            to: the outlet aimed at, or one for each headline; may be left out where there is no choice.
            batch_size: headlines that are read, written and judged at once.
            **options: others of a call: `num_candidates`, `judges`, `language`, `decoding`.

        Yields:
            In the order of the headlines what a call returns for one of them.

        Raises:
            InputError: as a call does; headlines before the one at fault are yielded.

        Examples:
            >>> for some in transfer.stream(headlines, article=articles, to="faro", judges=judges):  # doctest: +SKIP
            ...     print(some[0].text, some[0].marks)
        """
        texts = iter(headline)
        articles = None if article is None else iter(article)
        aims = repeat(to) if isinstance(to, str) else iter(to or ())
        while some := list(islice(texts, batch_size)):
            yield from self(
                some,
                article=None if articles is None else list(islice(articles, len(some))),
                to=None if to is None else list(islice(aims, len(some))),
                batch_size=batch_size,
                **options,
            )

    def _loaded(self, judges: "str | Path | Judges") -> "Judges":
        """The judges, loaded once, if they are of the same outlets."""
        if isinstance(judges, str | Path):
            from change_it.generators.rerank import Judges

            name = str(judges)
            if name not in self._judges:
                self._judges[name] = Judges.from_pretrained(name)
            judges = self._judges[name]
        judges.check_outlets(self.outlets, f"behind the {self.name} generators")
        return judges

    def _propose(
        self, items: Sequence[Question], decoding: Decoding, batch_size: int | None, progress: bool
    ) -> list[list[Candidate]]:
        """Sources of like length share a batch."""
        sources = [source_of(self.reads, *item) for item in items]
        rows = [row for row, (headline, article, _) in enumerate(items) if (headline + article).strip()]
        answers: list[list[Candidate]] = [[] for _ in items]
        with ProgressBar(shown=progress) as bar:
            task = bar.add_task(f"{self.recipe} generator", total=len(rows))
            for generator in {id(each): each for each in self.generators.values()}.values():
                asked = [row for row in rows if self.generators[items[row][2]] is generator]
                lengths = generator.format.lengths([sources[row] for row in asked], [""] * len(asked))
                order = [
                    row for _, row in sorted(zip(lengths, asked, strict=True), key=lambda pair: -pair[0])
                ]
                size = batch_size or default_batch_size(generator, decoding)
                batches = [order[start : start + size] for start in range(0, len(order), size)]
                if (blocked := decoding.no_repeat_ngram_size) is None:
                    blocked = generator.card.no_repeat_ngram_size
                search = replace(decoding, no_repeat_ngram_size=blocked)
                given = map_threads(
                    generator.format.generate,
                    ((generator.model, [sources[row] for row in batch], search) for batch in batches),
                    self.batches_at_once(decoding),
                )
                for batch, several in zip(batches, given, strict=True):
                    for row, candidates in zip(batch, several, strict=True):
                        answers[row] = candidates
                    bar.advance(task, len(batch))
        return answers

    def batches_at_once(self, decoding: Decoding) -> int:
        """As many as its largest model answers; one where headlines are drawn, from the one random state there is."""
        return 1 if decoding.sample else min(batches_at_once(each.model) for each in self.generators.values())


def default_batch_size(generator: Generator, decoding: Decoding) -> int:
    """Sources a batch where no number is given, at least 1."""
    width = decoding.candidates if decoding.sample else max(decoding.beams, decoding.candidates)
    return max(1, min(LARGEST_BATCH, BATCH_TOKENS // generator.card.source_tokens, BATCH_HEADLINES // width))
