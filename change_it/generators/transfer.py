"""Write headlines for another outlet: the systems that write, and the settings of their search.

`HeadlineTransfer` is trained generators as a function from headlines and articles to new headlines.
"""

import threading
import warnings
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any, ClassVar, Self

import torch
from transformers import GenerationConfig

from change_it.corpus.reading.article import outlet_names
from change_it.corpus.test_set import Item
from change_it.errors import InputError, add_versions
from change_it.files.atomic import replace_folder
from change_it.files.model_folders import HubSource
from change_it.files.texts import join_truncated, refuse_empty, refuse_lengths, texts_of
from change_it.generators.examples import source_of
from change_it.generators.folder import COMMAND, choose_generators
from change_it.generators.generator import BEAMS, Generator, load_generator, write_generator
from change_it.generators.networks.headline_pipeline import Candidate, search_headlines
from change_it.generators.options import CANDIDATES
from change_it.generators.recipes import RECIPES, RecipeName
from change_it.models.pretrained import batches_at_once, map_threads, pick_device, reading_errors
from change_it.models.saved import local_folder, read_device
from change_it.models.saving import Pushable, PushedModel
from change_it.progress import bar
from change_it.text.stopwords import is_foreign
from change_it.training.training_options import read_arithmetic, setting_of

#: Settings of `GenerationConfig` that are set here: the number of candidates, the ends of texts, the output.
_OWN_SETTINGS = {
    "num_return_sequences",
    "pad_token_id",
    "eos_token_id",
    "return_dict_in_generate",
    "output_scores",
    "transformers_version",
}
#: Settings of a search that can be given.
SETTINGS = vars(GenerationConfig()).keys() - _OWN_SETTINGS
#: Settings that take a word; any other one is a number, true or false, or a list.
TEXT_SETTINGS = {
    "early_stopping",
    "stop_strings",
    "cache_implementation",
    "num_assistant_tokens_schedule",
    "speculation_type",
}
#: Sources of a batch, at most.
BATCH_SOURCES = 64
#: Candidates that a batch offers, at most.
BATCH_CANDIDATES = 128
#: Candidates that a batch offers, at most, where they are drawn at random: they depend on their batch.
BATCH_DRAWN = 64
#: Tokens of the sources of a batch, at most.
BATCH_TOKENS = 16_384
#: Headlines that a batch searches at once, at most.
BATCH_HEADLINES = 640
#: Scores of tokens that a batch keeps, at most. With 4 bytes each they take 1 GiB.
BATCH_SCORES = 1 << 28
#: Characters of a text that a warning shows.
SHOWN = 60
#: Held while headlines are drawn: torch has one random state for all threads.
_DRAWING = threading.Lock()
#: Outlets aimed at, by name or number.
Aims = str | int | Iterable[str] | Iterable[int] | None


@dataclass(frozen=True, kw_only=True)
class Search:
    """Settings of decoding.

    Attributes:
        decoding: settings of transformers. `num_beams` is 5 when None, and `no_repeat_ngram_size` what the
            generator was trained for.
        candidates: distinct headlines of a source, at most.
        seed: seed of headlines that are drawn (`do_sample`). They depend on it and on the batch alone.
        batch_size: sources that a generator reads at once; None for its own choice.
    """

    decoding: GenerationConfig = field(default_factory=GenerationConfig)
    candidates: int = 1
    seed: int = 1
    batch_size: int | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings of `decoding` that are not None, by name, and the number of beams.

        Raises:
            InputError: there is no beam, which transformers would take for one.
        """
        settings = {"num_beams": BEAMS, **self.decoding.to_diff_dict()}
        check_beams(settings["num_beams"])
        return {name: value for name, value in settings.items() if name in SETTINGS}

    @property
    def is_drawn(self) -> bool:
        """Tell whether headlines are drawn at random."""
        return bool(self.decoding.do_sample)

    def sources_at_once(self, generator: Generator) -> int:
        """Return the number of sources in a batch of a generator, at least 1."""
        if self.batch_size:
            return self.batch_size
        vocabulary = generator.model.config.get_text_config().vocab_size
        searched = self.candidates
        offered = BATCH_DRAWN
        if not self.is_drawn:
            searched = max(self.settings["num_beams"], self.candidates)
            offered = BATCH_CANDIDATES
        # `generate` keeps the scores of every step, unless a search with beams forgets them
        scores = searched * generator.format.max_target_tokens * vocabulary
        sources = min(
            BATCH_SOURCES,
            offered // self.candidates,
            BATCH_TOKENS // generator.format.max_source_tokens,
            BATCH_HEADLINES // searched,
            BATCH_SCORES // scores,
        )
        return max(1, sources)

    @contextmanager
    def drawing(self, sources: Sequence[str]) -> Iterator[None]:
        """Set the random state for a batch whose headlines are drawn, and restore it afterwards.

        It is a function of the seed and of the sources in the batch alone.
        """
        if not self.is_drawn:
            yield
            return
        text = "\0".join([str(self.seed), *sources]).encode("utf-8", "replace")
        with _DRAWING, torch.random.fork_rng():
            torch.manual_seed(zlib.crc32(text))
            yield


def check_beams(beams: object) -> None:
    """Refuse a number of beams that is no whole number, or below 1."""
    if not isinstance(beams, int) or beams < 1:
        raise InputError(
            f"num_beams={beams} is out of range: give a whole number from 1 on; 1 is greedy search"
        )


def read_decoding(settings: Sequence[str], *, num_beams: int | None = None) -> GenerationConfig:
    """Read settings `NAME=VALUE` of transformers' `GenerationConfig`.

    Args:
        settings: they win over `num_beams`.
        num_beams: number of beams; None leaves it open.

    Raises:
        InputError: a setting is unknown, is set by this package, or has a value that transformers refuses.
    """
    values: dict[str, Any] = {}
    if num_beams is not None:
        values["num_beams"] = num_beams
    for setting in settings:
        name, values[name] = setting_of(setting, "--generation", "GenerationConfig")
        if name not in SETTINGS:
            raise InputError(
                f"--generation {setting}: it is no setting of transformers' GenerationConfig, or is set here"
            )
        if isinstance(values[name], str) and name not in TEXT_SETTINGS:
            raise InputError(f"--generation {setting}: give {name} a number, or true or false")
    try:
        decoding = GenerationConfig(**values)
        decoding.validate(strict=True)
    except (ValueError, TypeError) as error:
        raise InputError(f"--generation {' '.join(settings)}: {' '.join(str(error).split())}") from error
    if decoding.num_beams is not None:
        check_beams(decoding.num_beams)
    return decoding


class HeadlineSystem(ABC):
    """A system that offers candidates for headlines; it can be shared by threads.

    Attributes:
        name: the recipe, or `prompt`.
        outlets: short names of A and B.
        targets: outlets that it writes for, in the order of `outlets`.
        needs: what it reads: `headline`, `article` or both.
        faults: why an item has no headline, where that is known.
    """

    def __init__(self, name: str, outlets: tuple[str, str], targets: tuple[str, ...], needs: tuple[str, ...]):
        self.name = name
        self.outlets = outlets
        self.targets = targets
        self.needs = needs
        self.faults: dict[Item, str] = {}

    @abstractmethod
    def write(self, items: Sequence[Item], search: Search) -> list[list[Candidate]]:
        """Return the candidates of each item of a batch, as `search` wants them."""

    @abstractmethod
    def signature(self, target: str) -> str:
        """Return what the column `generator` says of headlines for an outlet.

        It is the hash of the weights and the pre-trained model; or `endpoint`, the model and the prompt.
        """

    def batches(self, items: Sequence[Item], search: Search) -> list[list[int]]:
        """Return batches for `write`, as positions of items: here each item is a batch of its own.

        Items without any text to read are left out.
        """
        batches = []
        for position, item in enumerate(items):
            if (item.source + item.article).strip():
                batches.append([position])
        return batches

    def batches_at_once(self, search: Search) -> int:
        """Return the number of batches that are written in parallel."""
        return 1

    def propose(self, items: Sequence[Item], search: Search, progress: bool = False) -> list[list[Candidate]]:
        """Return the candidates of each item as `search` wants them.

        An item without any text to read has none.
        """
        batches = self.batches(items, search)
        count = sum(len(batch) for batch in batches)
        candidates: list[list[Candidate]] = [[] for _ in items]

        def write_batch(batch: list[int]) -> list[list[Candidate]]:
            return self.write([items[position] for position in batch], search)

        with bar(f"{self.name} generator", count, shown=progress) as done:
            written = map_threads(write_batch, batches, self.batches_at_once(search))
            for batch, groups in zip(batches, written, strict=True):
                for position, group in zip(batch, groups, strict=True):
                    candidates[position] = group
                done.update(len(batch))
        return candidates


class HeadlineTransfer(HeadlineSystem, Pushable):
    """Rewrites headlines for another outlet.

    Attributes:
        outlets: short names of A and B.
        targets: outlets that it writes for, in the order of `outlets`.
        recipe: recipe of the generators, which says what they learnt from.
        reads: what they are given: `article`, the original `headline`, or `both`.
        generators: outlet to the generator that writes for it.
    """

    push_kind: ClassVar[PushedModel] = "generator"

    def __init__(self, generators: Sequence[Generator]):
        """Transfer with loaded generators, one or one for each outlet.

        Raises:
            InputError: they are of several recipes, or of several pairs of outlets.
        """
        info = generators[0].info
        kinds = {(generator.info.recipe, generator.info.outlets) for generator in generators}
        if len(kinds) != 1:
            names = join_truncated(
                [f"{one.info.recipe} of {' and '.join(one.info.outlets)}" for one in generators]
            )
            raise InputError(f"generators of one recipe and one corpus are needed, these are {names}")
        self.recipe = info.recipe
        self.reads = info.reads
        self.generators: dict[str, Generator] = {}
        for outlet in info.outlets:
            for generator in generators:
                if generator.info.to in (None, outlet):
                    self.generators[outlet] = generator
        self._has_warned = False
        super().__init__(info.recipe, info.outlets, tuple(self.generators), info.needs)

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path,
        *,
        recipe: RecipeName | None = None,
        to: str | None = None,
        dtype: str | torch.dtype | None = None,
        device_map: Any = None,
        revision: str | None = None,
        token: str | bool | None = None,
        cache_dir: str | Path | None = None,
        local_files_only: bool = False,
        subfolder: str = "",
        precision: str = "float32",
        device: str | torch.device = "auto",
    ) -> "HeadlineTransfer":
        """Load a generator, or the generators of both directions.

        Args:
            name: folder written by `change-it train generator`, or a folder of such folders; or a Hub id of
                either.
            recipe: recipe of the generators, where there are several.
            to: load the generator for this outlet alone.
            dtype: with bfloat16, weights around which adapters were trained in bfloat16 stay in it. All
                others are float32.
            device_map: one device as transformers names it: auto, cpu, cuda:1, a number, a device of torch.
            revision: branch, tag or commit of a Hub id.
            token: token of the Hub.
            cache_dir: folder of downloads.
            local_files_only: whether only what has been downloaded before is read.
            subfolder: folder in `name` that holds the generators.
            precision: older name of `dtype`: float32 or bf16.
            device: older name of `device_map`: auto, cpu, cuda, cuda:1, mps.

        Raises:
            InputError: there is no such folder, id or revision, no generator of that recipe or outlet in it,
                no such type or device; or there are several recipes and none is chosen.
        """
        arithmetic = read_arithmetic(precision, dtype)
        place = str(pick_device(read_device(device, device_map)))
        source = HubSource(
            revision=revision,
            token=token,
            cache_dir=cache_dir,
            local_files_only=local_files_only,
            subfolder=subfolder,
        )
        folder = local_folder(name, command=COMMAND, source=source)
        chosen = choose_generators(folder, recipe, to, name=str(name))
        return cls([load_generator(path, precision=arithmetic, device=place) for path in chosen])

    @property
    def distinct(self) -> list[Generator]:
        """Return the generators, each once, also where one writes for both outlets."""
        return list({id(generator): generator for generator in self.generators.values()}.values())

    def save_pretrained(self, save_directory: str | Path) -> None:
        """Save in a new or empty folder, as training saved it.

        One generator is saved in the folder itself, several in a folder each.
        """
        generators = self.distinct
        with replace_folder(Path(save_directory)) as partial:
            for generator in generators:
                folder = partial
                if len(generators) > 1:
                    folder = partial / f"{self.recipe}-{generator.info.to}"
                write_generator(folder, generator)

    def push_to_hub(self, repo_id: str, **how: Any) -> str:
        """Push one generator; see `Pushable.push_to_hub`.

        Raises:
            InputError: there are two, and a repository is one model.
        """
        if len(self.distinct) > 1:
            fault = f"these are generators for {' and '.join(self.targets)}, and a repository is one model"
            raise InputError(f"{fault}: load one with to={self.targets[0]!r} and push it")
        return super().push_to_hub(repo_id, **how)

    def to(self, device: str | torch.device) -> Self:
        """Move the generators to a device (auto, cpu, cuda:1, mps), and return this."""
        for generator in self.distinct:
            generator.model.to(pick_device(str(device)))
        return self

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
            seed: seed of headlines that are drawn at random (`do_sample`).
            batch_size: sources that a generator reads at once; its own choice when None.
            progress: whether a bar is shown.

        Returns:
            One text for one headline, a list of n texts for a list. Where `num_return_sequences` of
            `decoding` is above 1, each text is a list of so many distinct texts, best first. It has fewer
            where no more are found.

        Raises:
            InputError: an article or outlet is missing, a text that is read is empty, an outlet is unknown or
                not served, or numbers differ.
        """
        is_single = isinstance(headline, str)
        if article is not None and is_single != isinstance(article, str):
            raise InputError("headline and article must both be texts, or both lists of texts")
        headlines = [headline] if is_single else headline
        articles = [article] if is_single and article is not None else article
        decoding = decoding or GenerationConfig()
        count = decoding.num_return_sequences or 1
        search = Search(decoding=decoding, candidates=count, seed=seed, batch_size=batch_size)
        answers: list[Any] = []
        for candidates in self.propose(self._items(headlines, articles, to), search, progress):
            texts = [candidate.text for candidate in candidates]
            if count > 1:
                answers.append(texts)
            elif texts:
                answers.append(texts[0])
            else:
                answers.append("")
        return answers[0] if is_single else answers

    def candidates(
        self,
        headlines: Iterable[str],
        *,
        article: Iterable[str] | None = None,
        to: Aims = None,
        num_candidates: int = CANDIDATES,
        decoding: GenerationConfig | None = None,
        seed: int = 1,
        batch_size: int | None = None,
        progress: bool = False,
    ) -> list[list[Candidate]]:
        """Offer at most `num_candidates` distinct headlines for each of many, best first.

        The other arguments, and the errors, are those of a call.
        """
        search = Search(
            decoding=decoding or GenerationConfig(),
            candidates=num_candidates,
            seed=seed,
            batch_size=batch_size,
        )
        return self.propose(self._items(headlines, article, to), search, progress)

    def _items(self, headlines: object, article: object, to: Aims) -> list[Item]:
        """Return the items of a call.

        Raises:
            InputError: see `__call__`.
        """
        sources = texts_of("headline", headlines)
        if article is None:
            if "article" in self.needs:
                raise InputError(f"what reads {' and '.join(self.needs)} requires article=")
            articles = [""] * len(sources)
        else:
            articles = texts_of("article", article)
        must_choose = len(self.targets) > 1 and RECIPES[self.recipe].writes_for != "both"
        if to is None:
            if must_choose:
                raise InputError(
                    f"choose the outlet to write for: to={self.targets[0]!r} or to={self.targets[1]!r}"
                )
            to = self.targets[0]
        texts = {"headline": sources, "article": articles}
        for name in self.needs:
            refuse_empty(name, texts[name])
        aims = outlet_names("to", to, self.outlets, len(sources))
        refuse_lengths(headline=sources, article=articles)
        missing = sorted(set(aims) - set(self.targets))
        if missing:
            raise InputError(
                f"there is no {self.name} generator for {missing[0]}: this writes for {self.targets[0]}"
            )
        items = []
        for target, source, text in zip(aims, sources, articles, strict=True):
            items.append(Item(id="", label="", target=target, source=source, article=text))
        self._warn_of_language(items)
        return items

    def _warn_of_language(self, items: Sequence[Item]) -> None:
        """Warn of the first item in another language than the one that its generator learnt.

        There is one warning for these generators, however often they are called.
        """
        if self._has_warned:
            return
        for item in items:
            language = self.generators[item.target].info.language
            if is_foreign(f"{item.source}. {item.article}", language):
                self._has_warned = True
                text = shorten(item.source or item.article, SHOWN, placeholder=" …")
                message = (
                    f"{text!r} is not in the language of the generator ({language}): "
                    "do not rely on its headline"
                )
                # The caller's line: this function, `_items`, and the method that is called.
                warnings.warn(message, stacklevel=4)
                return

    def batches(self, items: Sequence[Item], search: Search) -> list[list[int]]:
        """Return batches for `write`, as positions of items.

        A batch has sources of like length for one generator; of each generator the longest come first. Items
        without any text to read are left out.
        """
        lengths = [len(self._source(item).strip()) for item in items]
        batches = []
        for generator in self.distinct:
            positions = []
            for position, item in enumerate(items):
                if lengths[position] and self.generators[item.target] is generator:
                    positions.append(position)
            positions.sort(key=lambda position: -lengths[position])
            size = search.sources_at_once(generator)
            for start in range(0, len(positions), size):
                batches.append(positions[start : start + size])
        return batches

    def write(self, items: Sequence[Item], search: Search) -> list[list[Candidate]]:
        """Return the candidates of each item of a batch; see `HeadlineSystem`. All aim at one outlet."""
        generator = self.generators[items[0].target]
        sources = [self._source(item) for item in items]
        with reading_errors(generator.format.tokenizer), generator.format.lock:
            inputs = generator.format.inputs(sources)
        settings = search.settings
        try:
            with search.drawing(sources):
                return search_headlines(
                    generator.model,
                    generator.format,
                    inputs,
                    settings,
                    candidates=search.candidates,
                    rule=generator.info.no_repeat_ngram_size,
                )
        except Exception as error:
            add_versions(error)
            raise

    def _source(self, item: Item) -> str:
        """Return what the generators read of an item."""
        return source_of(self.reads, item.source, item.article, item.target)

    def signature(self, target: str) -> str:
        """Return what the column `generator` says of headlines for an outlet.

        It is the hash of the weights, and the name of the pre-trained model where there is one.
        """
        generator = self.generators[target]
        parts = [generator.weights_hash]
        if generator.info.pretrained:
            parts.append(generator.info.pretrained.replace("|", "_"))
        return "|".join(parts)

    def batches_at_once(self, search: Search) -> int:
        """Return how many batches are written in parallel: as many as its largest model answers at once.

        Where headlines are drawn it is one, since torch has one random state for all threads.
        """
        if search.is_drawn:
            return 1
        return min(batches_at_once(generator.model) for generator in self.generators.values())
