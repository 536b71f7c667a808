"""`HeadlineTransfer`: trained generators as a function from headlines and articles to new headlines."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformers import GenerationConfig

from change_it.corpus.article import outlet_names
from change_it.errors import InputError
from change_it.generators.folder import COMMAND, choose_generators, usual_name
from change_it.generators.generator import Generator, load_generator
from change_it.generators.generator_options import CANDIDATES, Recipe
from change_it.generators.recipes import source_of
from change_it.generators.search import Candidate, Search, generate
from change_it.io import refuse_empty, texts_of
from change_it.networks.formats import Format
from change_it.networks.pretrained import batches_at_once, local_folder, map_threads
from change_it.progress import bar
from change_it.scoring.item import Item
from change_it.training.training_options import Arithmetic

if TYPE_CHECKING:
    from change_it.scoring.judges import Judges

#: A batch has at most so many sources, source tokens, headlines that are searched at once, and scores of their tokens (1 GiB).
LARGEST_BATCH, BATCH_TOKENS, BATCH_HEADLINES, BATCH_SCORES = 64, 16_384, 640, 1 << 28

#: Original headline, article and outlet aimed at; a text that the system does not read is empty.
TransferInput = tuple[str, str, str]


class HeadlineSystem(ABC):
    """A system that offers candidates for headlines; it can be shared by threads."""

    #: Headlines, draws counted, that a run that can be interrupted keeps at once.
    kept_together = LARGEST_BATCH

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
        self.faults: dict[TransferInput, str] = {}  # why there is no headline, where that is known

    def propose(
        self,
        headlines: Sequence[str],
        articles: Sequence[str],
        to: str | Sequence[str],
        *,
        candidates: int = 1,
        decoding: GenerationConfig | None = None,
        seed: int = 1,
        batch_size: int | None = None,
        progress: bool = False,
        all_draws: bool = False,
    ) -> list[list[Candidate]]:
        """For every headline its distinct candidates, at most so many, best first; none where there is nothing to read.

        With `all_draws` as many as were drawn, in that order, empty and equal ones too. The other arguments are those of a call of
        `HeadlineTransfer`.
        """
        search = Search(decoding or GenerationConfig(), candidates, seed, all_draws)
        headlines, articles = texts_of("headlines", headlines), texts_of("articles", articles)
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
        return self._propose(items, search, batch_size, progress)

    def batches_at_once(self, search: Search) -> int:
        """The number of batches that it answers at once."""
        return 1

    @abstractmethod
    def _propose(
        self, items: Sequence[TransferInput], search: Search, batch_size: int | None, progress: bool
    ) -> list[list[Candidate]]:
        """The candidates of `propose` for checked items."""


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
        self.generators = {
            outlet: generator
            for outlet in outlets
            for generator in generators
            if generator.info.to in (None, outlet)
        }
        self._judges: dict[str, Judges] = {}  # those that were given as a folder or id
        needs = ("headline", "article") if self.reads == "both" else (self.reads,)
        super().__init__(self.recipe, outlets, tuple(self.generators), needs)

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
        judges: "str | Path | Judges | None" = None,
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
            language: of the texts, for facts: it, en or any other; guessed from the articles when None.
            decoding: how headlines are searched for: settings of transformers; five beams when None.
            seed: of headlines that are drawn at random (`do_sample`).
            batch_size: sources a batch; its own choice when None.
            progress: show a progress bar.

        Returns:
            One text for one headline, a list of n texts for a list; with `num_candidates` a list of candidates,
            best first, instead of each text; with `judges` a list of `rerank.JudgedCandidate`, in the order in which the
            judges would choose for strict compliancy.

        Raises:
            InputError: an article or outlet is missing, a text that is read is empty, an outlet is unknown or not served, or
                numbers differ; judges that cannot be loaded, or of other outlets.

        Examples:
            >>> transfer = HeadlineTransfer.from_pretrained("runs/quickstart/generators")  # doctest: +SKIP
            >>> [best, *others] = transfer(  # doctest: +SKIP
            ...     "Crolla il ponte sulla statale", article="Il ponte sulla statale ...", to="faro", judges="runs/quickstart/judges"
            ... )
            >>> best.text, best.strict, best.marks, best.probabilities, best.unsupported  # doctest: +SKIP
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
        loaded = None if judges is None else self._loaded(judges)
        count = num_candidates or (1 if loaded is None else CANDIDATES)
        candidates: Sequence[Sequence[Candidate]] = self.propose(
            headlines,
            articles,
            aims,
            candidates=count,
            decoding=decoding,
            seed=seed,
            batch_size=batch_size,
            progress=progress,
        )
        if loaded is not None:
            from change_it.generators.rerank import judge_candidates

            items = [Item("", "", *texts) for texts in zip(aims, headlines, articles, strict=True)]
            candidates = judge_candidates(loaded, candidates, items, language=language, progress=progress)
        if num_candidates is not None or loaded is not None:
            return candidates[0] if single else candidates
        texts = [offered[0].text if offered else "" for offered in candidates]
        return texts[0] if single else texts

    def _loaded(self, judges: "str | Path | Judges") -> "Judges":
        """The judges, loaded once, if they are of the same outlets."""
        from change_it.generators.rerank import Judges

        key = str(judges) if isinstance(judges, str | Path) else ""
        loaded = self._judges.get(key) or Judges.of(judges)
        if key:
            self._judges[key] = loaded
        loaded.check_outlets(self.outlets, f"behind the {self.name} generators")
        return loaded

    def _propose(
        self, items: Sequence[TransferInput], search: Search, batch_size: int | None, progress: bool
    ) -> list[list[Candidate]]:
        """The candidates of `propose`; sources of like length share a batch."""
        sources = [source_of(self.reads, *item) for item in items]
        rows = [row for row, (headline, article, _) in enumerate(items) if (headline + article).strip()]
        answers: list[list[Candidate]] = [[] for _ in items]
        with bar(f"{self.recipe} generator", len(rows), shown=progress) as done_bar:
            for generator in {id(each): each for each in self.generators.values()}.values():
                of_its_rows = [row for row in rows if self.generators[items[row][2]] is generator]
                size = batch_size or default_batch_size(generator.model, generator.format, search)
                of_generator = [sources[row] for row in of_its_rows]
                threads, blocked = self.batches_at_once(search), generator.info.no_repeat_ngram_size
                for indices, several in write(
                    generator.model, generator.format, of_generator, search, blocked, size, threads
                ):
                    for index, candidates in zip(indices, several, strict=True):
                        answers[of_its_rows[index]] = candidates
                    done_bar.update(len(indices))
        return answers

    def batches_at_once(self, search: Search) -> int:
        """As many batches as its largest model answers; one where headlines are drawn, since torch has one random state."""
        return 1 if search.is_drawn else min(batches_at_once(each.model) for each in self.generators.values())


def write(
    model: Any,
    format_: Format,
    sources: Sequence[str],
    search: Search,
    no_repeat_ngram_size: int,
    batch_size: int,
    threads: int,
) -> Iterator[tuple[list[int], list[list[Candidate]]]]:
    """Candidates of one batch of sources after the other, each with their places; sources of like length share a batch."""
    lengths = format_.lengths(sources, [""] * len(sources))
    order = sorted(range(len(sources)), key=lambda index: -lengths[index])
    batches = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    texts = ([sources[index] for index in batch] for batch in batches)

    def answer(batch: list[str]) -> list[list[Candidate]]:
        return generate(model, format_, batch, search, no_repeat_ngram_size)

    yield from zip(batches, map_threads(answer, texts, threads), strict=True)


def default_batch_size(model: Any, format_: Format, search: Search) -> int:
    """The number of sources in a batch where none is given, at least 1."""
    width = search.width
    vocabulary = model.config.get_text_config().vocab_size
    limits = (
        BATCH_TOKENS // format_.max_source_tokens,
        BATCH_HEADLINES // width,
        BATCH_SCORES
        // (width * format_.max_target_tokens * vocabulary),  # `generate` keeps those of every step
    )
    return max(1, min(LARGEST_BATCH, *limits))
