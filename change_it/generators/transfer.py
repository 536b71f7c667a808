"""`HeadlineTransfer`: trained generators as a function from headlines and articles to new headlines."""

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

#: Settings of a search that can be given; the number of candidates and the ends of texts are set otherwise.
SETTINGS = vars(GenerationConfig()).keys() - {
    *("num_return_sequences", "pad_token_id", "eos_token_id"),
    *("return_dict_in_generate", "output_scores", "transformers_version"),
}
#: Settings that take a word; any other one is a number, true or false, or a list.
TEXT_SETTINGS = {
    *("early_stopping", "stop_strings", "cache_implementation"),
    *("num_assistant_tokens_schedule", "speculation_type"),
}
#: A batch has at most so many sources, source tokens, headlines that are searched at once, and scores of their tokens (1 GiB).
LARGEST_BATCH, BATCH_TOKENS, BATCH_HEADLINES, BATCH_SCORES = 64, 16_384, 640, 1 << 28
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
        decoding: settings of transformers; `num_beams` is 5 when None, and `no_repeat_ngram_size` what the generator was trained for.
        candidates: distinct headlines a source, at most.
        seed: of headlines that are drawn (`do_sample`); they depend on it and on the batch alone.
        batch_size: sources that a generator reads at once; None for its own choice.
    """

    decoding: GenerationConfig = field(default_factory=GenerationConfig)
    candidates: int = 1
    seed: int = 1
    batch_size: int | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of `decoding` that are not None, by name, and the number of beams; without a beam, which transformers takes for one, refused."""
        settings = {"num_beams": BEAMS, **self.decoding.to_diff_dict()}
        check_beams(settings["num_beams"])
        return {name: value for name, value in settings.items() if name in SETTINGS}

    @property
    def is_drawn(self) -> bool:
        """Whether headlines are drawn at random."""
        return bool(self.decoding.do_sample)

    def sources_at_once(self, generator: Generator) -> int:
        """Return the number of sources in a batch of a generator, at least 1."""
        if self.batch_size:
            return self.batch_size
        lengths, vocabulary = generator.format, generator.model.config.get_text_config().vocab_size
        width = self.candidates if self.is_drawn else max(self.settings["num_beams"], self.candidates)
        scores = width * lengths.max_target_tokens * vocabulary  # `generate` keeps those of every step
        limits = BATCH_TOKENS // lengths.max_source_tokens, BATCH_HEADLINES // width, BATCH_SCORES // scores
        return max(1, min(LARGEST_BATCH // self.candidates, *limits))  # so many headlines at once

    @contextmanager
    def drawing(self, sources: Sequence[str]) -> Iterator[None]:
        """Random state of one batch where headlines are drawn: a function of seed and batch alone, restored afterwards."""
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
    """Read settings `NAME=VALUE` of transformers' `GenerationConfig`; they win over `num_beams`, which None leaves open."""
    values: dict[str, Any] = {} if num_beams is None else {"num_beams": num_beams}
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
    """A system that offers candidates for headlines; it can be shared by threads."""

    def __init__(self, name: str, outlets: tuple[str, str], targets: tuple[str, ...], needs: tuple[str, ...]):
        self.name = name  # the recipe, or `prompt`
        self.outlets = outlets  # short names of A and B
        self.targets = targets  # outlets that it writes for, in the order of `outlets`
        self.needs = needs  # what it reads: `headline`, `article` or both
        self.faults: dict[Item, str] = {}  # why there is no headline, where that is known

    @abstractmethod
    def write(self, items: Sequence[Item], search: Search) -> list[list[Candidate]]:
        """The candidates of each item of a batch, as `search` wants them."""

    @abstractmethod
    def signature(self, target: str) -> str:
        """The column `generator` of headlines for an outlet: the hash of weights or `endpoint`, the pre-trained model, the prompt."""

    def batches(self, items: Sequence[Item], search: Search) -> list[list[int]]:
        """The positions of the items that have something to read, in batches for `write`: one item each."""
        return [[row] for row, item in enumerate(items) if (item.source + item.article).strip()]

    def batches_at_once(self, search: Search) -> int:
        """The number of batches that are written in parallel."""
        return 1

    def propose(self, items: Sequence[Item], search: Search, progress: bool = False) -> list[list[Candidate]]:
        """The candidates of each item as `search` wants them; none where there is nothing to read."""
        batches = self.batches(items, search)
        candidates: list[list[Candidate]] = [[] for _ in items]
        with bar(f"{self.name} generator", sum(map(len, batches)), shown=progress) as done:
            parts = ([items[row] for row in batch] for batch in batches)
            written = map_threads(lambda part: self.write(part, search), parts, self.batches_at_once(search))
            for batch, groups in zip(batches, written, strict=True):
                for row, group in zip(batch, groups, strict=True):
                    candidates[row] = group
                done.update(len(batch))
        return candidates


class HeadlineTransfer(HeadlineSystem, Pushable):
    """Rewrites headlines for another outlet.

    Attributes:
        outlets: short names of A and B.
        targets: outlets that it writes for, in the order of `outlets`.
        recipe: what the generators learnt from.
        reads: what they are given: `article`, the original `headline`, or `both`.
        generators: outlet to the generator that writes for it.
    """

    push_kind: ClassVar[PushedModel] = "generator"

    def __init__(self, generators: Sequence[Generator]):
        """Transfer with loaded generators: one, or one for each outlet, of one recipe and one pair of outlets."""
        info = generators[0].info
        if len({(generator.info.recipe, generator.info.outlets) for generator in generators}) != 1:
            names = join_truncated(
                [f"{one.info.recipe} of {' and '.join(one.info.outlets)}" for one in generators]
            )
            raise InputError(f"generators of one recipe and one corpus are needed, these are {names}")
        self.recipe, self.reads = info.recipe, info.reads
        self.generators = {
            outlet: generator
            for outlet in info.outlets
            for generator in generators
            if generator.info.to in (None, outlet)
        }
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
            name: folder written by `change-it train generator`, or a folder of such folders; or a Hub id of either.
            recipe: which ones of several.
            to: load the generator for this outlet alone.
            dtype: bfloat16 leaves weights in bfloat16 around which adapters were trained so; they are float32 otherwise.
            device_map: one device as transformers names it: auto, cpu, cuda:1, a number, a device of torch.
            revision: branch, tag or commit of a Hub id.
            token: of the Hub.
            cache_dir: folder of downloads.
            local_files_only: whether only what has been downloaded before is read.
            subfolder: folder in `name` that holds the generators.
            precision: older name of `dtype`: float32 or bf16.
            device: older name of `device_map`: auto, cpu, cuda, cuda:1, mps.

        Raises:
            InputError: no such folder, id or revision, no generator of that recipe or outlet in it, several recipes and none
                chosen, no such type or device.
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
        return [*{id(one): one for one in self.generators.values()}.values()]

    def save_pretrained(self, save_directory: str | Path) -> None:
        """Save in a new or empty folder, as training saved it: one generator in the folder itself, several in one each."""
        several = len(self.distinct) > 1
        with replace_folder(Path(save_directory)) as partial:
            for generator in self.distinct:
                name = f"{self.recipe}-{generator.info.to}" if several else ""
                write_generator(partial / name, generator)

    def push_to_hub(self, repo_id: str, **how: Any) -> str:
        """Push one generator, see `Pushable.push_to_hub`; two are refused, since a repository is one model."""
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
            seed: of headlines that are drawn at random (`do_sample`).
            batch_size: sources that a generator reads at once; its own choice when None.
            progress: whether a bar is shown.

        Returns:
            One text for one headline, a list of n texts for a list. Where `decoding` has `num_return_sequences` above 1, a list
            of so many distinct texts, best first, takes the place of each text; of fewer where no more are found.

        Raises:
            InputError: an article or outlet is missing, a text that is read is empty, an outlet is unknown or not served, or
                numbers differ.
        """
        single = isinstance(headline, str)
        if article is not None and single != isinstance(article, str):
            raise InputError("headline and article must both be texts, or both lists of texts")
        texts = [[text] if single and text is not None else text for text in (headline, article)]
        decoding = decoding or GenerationConfig()
        count = decoding.num_return_sequences or 1
        search = Search(decoding=decoding, candidates=count, seed=seed, batch_size=batch_size)
        offered = self.propose(self._items(texts[0], texts[1], to), search, progress)
        if count > 1:
            several = [[candidate.text for candidate in candidates] for candidates in offered]
            return several[0] if single else several
        new = [candidates[0].text if candidates else "" for candidates in offered]
        return new[0] if single else new

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
        """Offer at most `num_candidates` distinct headlines for each of many, best first; the other arguments are those of a call."""
        search = Search(
            decoding=decoding or GenerationConfig(),
            candidates=num_candidates,
            seed=seed,
            batch_size=batch_size,
        )
        return self.propose(self._items(headlines, article, to), search, progress)

    def _items(self, headlines: object, article: object, to: Aims) -> list[Item]:
        """The items of a call, whose texts that are read are not empty."""
        texts = {"headline": texts_of("headline", headlines)}
        if article is None and "article" in self.needs:
            raise InputError(f"what reads {' and '.join(self.needs)} requires article=")
        count = len(texts["headline"])
        texts["article"] = [""] * count if article is None else texts_of("article", article)
        must_choose = len(self.targets) > 1 and RECIPES[self.recipe].writes_for != "both"
        if to is None and must_choose:
            raise InputError(
                f"choose the outlet to write for: to={self.targets[0]!r} or to={self.targets[1]!r}"
            )
        for name in self.needs:
            refuse_empty(name, texts[name])
        aims = outlet_names("to", self.targets[0] if to is None else to, self.outlets, count)
        refuse_lengths(**texts)
        if missing := sorted(set(aims) - set(self.targets)):
            raise InputError(
                f"there is no {self.name} generator for {missing[0]}: this writes for {self.targets[0]}"
            )
        items = [Item("", "", *row) for row in zip(aims, *texts.values(), strict=True)]
        self._warn_of_language(items)
        return items

    def _warn_of_language(self, items: Sequence[Item]) -> None:
        """Warn, once for these generators, of the first item in another language than the one that they learnt."""
        if self._has_warned:
            return
        for item in items:
            language = self.generators[item.target].info.language
            if is_foreign(f"{item.source}. {item.article}", language):
                self._has_warned = True
                text = shorten(item.source or item.article, SHOWN, placeholder=" …")
                message = f"{text!r} is not in the language of the generator ({language}): do not rely on its headline"
                # The caller's line: this function, `_items`, and the method that is called.
                warnings.warn(message, stacklevel=4)
                return

    def batches(self, items: Sequence[Item], search: Search) -> list[list[int]]:
        """See `HeadlineSystem`; a batch has sources of like length for one generator."""
        lengths = [len(self._source(item).strip()) for item in items]
        batches = []
        for generator in self.distinct:
            rows = [row for row, item in enumerate(items) if self.generators[item.target] is generator]
            rows = sorted(filter(lengths.__getitem__, rows), key=lambda row: -lengths[row])
            size = search.sources_at_once(generator)
            batches += [rows[start : start + size] for start in range(0, len(rows), size)]
        return batches

    def write(self, items: Sequence[Item], search: Search) -> list[list[Candidate]]:
        """See `HeadlineSystem`."""
        generator, sources = self.generators[items[0].target], [*map(self._source, items)]
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
        return source_of(self.reads, item.source, item.article, item.target)

    def signature(self, target: str) -> str:
        """See `HeadlineSystem`."""
        generator = self.generators[target]
        return "|".join(filter(None, (generator.weights_hash, generator.info.pretrained.replace("|", "_"))))

    def batches_at_once(self, search: Search) -> int:
        """As many batches as its largest model answers; one where headlines are drawn, since torch has one random state."""
        models = (generator.model for generator in self.generators.values())
        return 1 if search.is_drawn else min(map(batches_at_once, models))
