"""The reader (ours): do the sources of a headline tell what it says?

A language model that reads the sources and writes headlines gives log p of a headline and of its smallest edits
(`text.edits`): another name or number of the sources, two names exchanged, a verb negated. The headline is believed
where no edit fits the sources better, but for a margin. Its absolute probability says little, because headlines differ
in difficulty; beside its own edits it says which of them the sources tell. A content word of which no source has a form
is asked about alone: is it probable at all, in its place and after these sources?
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from change_it.errors import InputError
from change_it.io import GENERATOR_CARD
from change_it.judges.causal_likelihood import CausalLikelihood
from change_it.judges.judge_options import SCRATCH, read_about
from change_it.judges.likelihood import EncoderDecoderLikelihood, Likelihood, PointerLikelihood
from change_it.networks.pointer_transformer import PointerTransformerForConditionalGeneration
from change_it.networks.pretrained import (
    arithmetic,
    batches_at_once,
    hash_of_model,
    hash_of_weights,
    load_errors,
    load_weights,
    local_folder,
    map_threads,
    pick_device,
    quiet,
    read_config,
    read_tokenizer,
)
from change_it.networks.word_generator import WordGenerator
from change_it.progress import ProgressOption, progress_of
from change_it.stats import Floats
from change_it.text.edits import Edit, FactKind, Mentions, edits, new_words
from change_it.text.names import Casing, Headline

COMMAND = "change-it train judge --task facts"
#: Headlines whose edits are made together.
TOGETHER = 64
#: Texts whose names and numbers are kept.
KEPT = 256
#: Kinds of edits.
KINDS: tuple[FactKind, ...] = ("name", "number", "negation")
#: The kind that has no edits.
WORD: FactKind = "word"


@dataclass(frozen=True)
class HeadlineReading:
    """What a reader makes of a headline."""

    # of each kind of edit, log p of the headline less that of the best edit, in nats, by the source that
    # favours it most for each edit. Where the original and its article favour it enough, the partner's article is
    # not read. Of words log p of the least probable that no source has.
    gaps: Mapping[FactKind, float] = field(default_factory=dict)
    edits: Mapping[FactKind, Edit] = field(default_factory=dict)  # the best edit of each kind


@dataclass(frozen=True)
class ReaderSettings:
    """What the configuration of a reader keeps, under `change_it`."""

    outlets: tuple[str, str]
    fold: str
    # nats that an edit of each kind may fit better, and that a word may weigh; what is missing is not asked
    margins: Mapping[FactKind, float]
    max_tokens: int  # of the sources
    language: str  # of the prompt
    task: str = "facts"
    base: str = ""  # the pre-trained model that it is; empty from scratch


@dataclass(eq=False)
class Reader:
    """A language model that judges facts; safe in many threads."""

    model: Any  # in `eval` mode: one of ours over words, an encoder-decoder, or a causal language model
    tokenizer: PreTrainedTokenizerBase
    settings: ReaderSettings
    weights_hash: str = ""  # SHA-256 of its weights
    precision: str = "float32"  # float32, or bf16
    model_hash: str = ""  # SHA-256 of weights, margins and other settings, and tokenizer
    likelihood: Likelihood = field(init=False, repr=False)

    def __post_init__(self) -> None:
        kind: type[Likelihood] = CausalLikelihood
        if isinstance(self.model, PointerTransformerForConditionalGeneration):
            kind = PointerLikelihood
        elif self.model.config.is_encoder_decoder:
            kind = EncoderDecoderLikelihood
        self.likelihood = kind(self.model, self.tokenizer, self.max_tokens, self.settings.language)

    @classmethod
    def from_pretrained(
        cls, name: str | Path, *, precision: str = "float32", device: str = "auto"
    ) -> "Reader":
        """Load a reader.

        Args:
            name: folder written by `change-it train judge --task facts`, or a Hub id.
            precision: float32, or bf16.
            device: auto, cpu, cuda, cuda:1, mps.

        Raises:
            InputError: no such folder or id, or not a reader.
        """
        where, folder = pick_device(device), local_folder(name, command=COMMAND)
        with load_errors(f"{name} cannot be loaded as a reader: train it again with {COMMAND}"), quiet():
            model = load_model(folder, use="saved")
            settings, weights_hash = read_settings(model.config), hash_of_weights(folder, command=COMMAND)
            reader = cls(
                model.to(where).eval(),
                read_tokenizer(folder),
                settings,
                weights_hash,
                precision,
                hash_of_model(folder, weights_hash),
            )
            reader.try_out()
        return reader

    @torch.no_grad()
    def try_out(self) -> None:
        """Read something.

        Raises:
            ValueError: a causal model that gives other answers where several headlines stand behind one source.
        """
        texts, target = [("Una prova", "Una prova: uno, due."), ("", "Tre")], self.settings.outlets[0]
        self.compare(texts, [["Una prova", "Due"], ["Tre", "Due"]], target)
        self.likelihood.check()

    @property
    def task(self) -> str:
        """What it judges: facts."""
        return self.settings.task

    @property
    def max_tokens(self) -> int:
        """Tokens of the sources that it reads."""
        return self.settings.max_tokens

    @property
    def outlets(self) -> tuple[str, str]:
        """Short names of A and B."""
        return self.settings.outlets

    @property
    def fold(self) -> str:
        """The fold it was trained on."""
        return self.settings.fold

    def objection(self, reading: HeadlineReading) -> Edit | None:
        """The edit that fits the sources better than the headline, by more than the margin of its kind; None without one."""
        over = {kind: gap + self.settings.margins[kind] for kind, gap in reading.gaps.items()}
        worst = min(over, key=lambda kind: over[kind], default=None)
        return reading.edits[worst] if worst is not None and over[worst] < 0 else None

    def read(
        self,
        headlines: Sequence[str],
        *,
        sources: Sequence[str],
        articles: Sequence[str],
        reference_articles: Sequence[str],
        targets: Sequence[str],
        language: str,
        casing: Casing | None = None,
        progress: ProgressOption = False,
    ) -> list[HeadlineReading]:
        """Hold n headlines of the outlets `targets` against their edits, in the light of the same texts as `FactChecker.check`."""
        items = list(zip(headlines, sources, articles, reference_articles, targets, strict=True))
        order = sorted(
            range(len(items)), key=lambda index: (items[index][4], len(items[index][2]), items[index][2])
        )
        batches = [order[start : start + TOGETHER] for start in range(0, len(order), TOGETHER)]
        mentions = lru_cache(KEPT)(lambda texts: Mentions.of(texts, language, casing))

        def answer(batch: list[int]) -> list[HeadlineReading]:
            some = [items[index] for index in batch]
            read = [
                (Headline(headline, language), mentions((source, article, reference)), casing)
                for headline, source, article, reference, _ in some
            ]
            changed = [edits(*of_item) for of_item in read]
            words = [new_words(*of_item) if WORD in self.settings.margins else [] for of_item in read]
            by_number = sorted(range(len(some)), key=lambda index: len(changed[index]))
            readings: dict[int, HeadlineReading] = {}
            at_once = self.likelihood.together
            for start in range(0, len(some), at_once):
                rows = by_number[start : start + at_once]
                readings |= zip(
                    rows,
                    self._compare(
                        [some[row] for row in rows],
                        [changed[row] for row in rows],
                        [words[row] for row in rows],
                    ),
                    strict=True,
                )
            return [readings[row] for row in range(len(some))]

        results = [HeadlineReading()] * len(items)
        done = 0
        answers = map_threads(answer, batches, batches_at_once(self.model))
        with progress_of(progress, "facts judge", len(items)) as report:
            for batch, readings in zip(batches, answers, strict=True):
                for index, reading in zip(batch, readings, strict=True):
                    results[index] = reading
                done += len(batch)
                report(done)
        return results

    def _compare(
        self,
        items: Sequence[tuple[str, ...]],
        changed: Sequence[list[Edit]],
        words: Sequence[list[tuple[int, int]]],
    ) -> list[HeadlineReading]:
        """The readings of headlines; a partner's article is asked about what the original and its article doubt."""
        readings = [HeadlineReading()] * len(items)
        margins = self.settings.margins
        asked = [row for row in range(len(items)) if changed[row] or words[row]]
        gaps: dict[int, Floats] = {}
        log_p: dict[int, Floats] = {}
        for target in dict.fromkeys(items[row][4] for row in asked):
            rows = [row for row in asked if items[row][4] == target]
            pieces = dict(
                zip(rows, self._pieces_of([(items[row][0], words[row]) for row in rows]), strict=True)
            )
            texts = [[items[row][0], *(edit.text for edit in changed[row])] for row in rows]
            answers = self.compare([(items[row][1], items[row][2]) for row in rows], texts, target)
            doubted = {}
            for row, (gap, own) in zip(rows, answers, strict=True):
                gaps[row], log_p[row] = gap, _of_spans(own, pieces[row])
                which = np.flatnonzero(gap < [-margins[edit.kind] for edit in changed[row]])
                unlikely = len(log_p[row]) and log_p[row].min() < -margins[WORD]
                if items[row][3] and (len(which) or unlikely):
                    doubted[row] = which
            if not doubted:
                continue
            texts = [
                [items[row][0], *(changed[row][n].text for n in which)] for row, which in doubted.items()
            ]
            partners = self.compare([("", items[row][3]) for row in doubted], texts, target)
            for (row, which), (gap, own) in zip(doubted.items(), partners, strict=True):
                gaps[row][which] = np.maximum(gaps[row][which], gap)
                log_p[row] = np.maximum(log_p[row], _of_spans(own, pieces[row]))
        for row, gap in gaps.items():
            # the last of a kind stays: the edit with the least gap
            best = {changed[row][n].kind: n for n in np.argsort(-gap, kind="stable").tolist()}
            of_kinds = {kind: float(gap[n]) for kind, n in best.items()}
            least = {kind: changed[row][n] for kind, n in best.items()}
            if len(log_p[row]):
                start, end = words[row][int(log_p[row].argmin())]
                of_kinds[WORD] = float(log_p[row].min())
                least[WORD] = Edit(items[row][0], WORD, start, end, "")
            readings[row] = HeadlineReading(of_kinds, least)
        return readings

    def _pieces_of(
        self, headlines: Sequence[tuple[str, list[tuple[int, int]]]]
    ) -> list[list[tuple[int, int]]]:
        """For the characters of words in headlines the pieces that they are for the model: the first, and the one after the last."""
        if not any(words for _, words in headlines):
            return [[] for _ in headlines]
        ends = [(text[:start].rstrip(), text[:end]) for text, words in headlines for start, end in words]
        counts = iter(self.likelihood.count_pieces([text for both in ends for text in both]))
        return [[(next(counts), next(counts)) for _ in words] for _, words in headlines]

    @torch.no_grad()
    def compare(
        self, sources: Sequence[tuple[str, str]], groups: Sequence[Sequence[str]], target: str
    ) -> list[tuple[Floats, Floats]]:
        """See `Likelihood.compare`."""
        with arithmetic(self.model.device, self.precision):
            return self.likelihood.compare(sources, groups, target)


def _of_spans(log_p: Floats, spans: Sequence[tuple[int, int]]) -> Floats:
    """(n,) log p of what n words are made of; 0 of one that was cut."""
    return np.array([log_p[min(start, end - 1) : end].sum() for start, end in spans])


def load_model(name: str | Path, *, use: Any = "base") -> Any:
    """A language model: an encoder-decoder, one of ours among them, or a causal one.

    Raises:
        InputError: it is neither.
    """
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    import change_it.auto  # noqa: F401 (registers our models)

    config = read_config(name)
    classes = config.architectures or ["CausalLM"]
    if not config.is_encoder_decoder and not any(
        each.endswith(("CausalLM", "LMHeadModel")) for each in classes
    ):
        raise InputError(
            f"{name} writes no texts, so it cannot judge facts: give --encoder scratch, or a language model"
        )
    auto = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    model = load_weights(auto, name, use=use)
    ours = isinstance(model, WordGenerator) and not (use == "saved" and hasattr(model, "log_likelihood"))
    if ours or (Path(name) / GENERATOR_CARD).exists():
        raise InputError(
            f"{name} is a generator of ours, which would judge its own hand: give --encoder scratch, or the model that it was trained from"
        )
    return model


def read_settings(config: object) -> ReaderSettings:
    """The settings in a model's configuration.

    Raises:
        ValueError: there are none of ours.
    """
    record = getattr(config, "change_it", None)
    about = read_about(record)
    if about is None or about.task != "facts" or about.max_tokens < 2:
        raise ValueError(
            "config.json is of no reader: it does not say for which outlets and length it was trained"
        )
    match record:
        case {"margins": dict(margins), "language": str(language)} if set(margins) - {WORD} == set(KINDS):
            encoder = str((record or {}).get("encoder", SCRATCH))
            base = "" if encoder == SCRATCH else encoder
            if all(isinstance(value, int | float) and 0 <= value < np.inf for value in margins.values()):
                return ReaderSettings(
                    about.outlets, about.fold, margins, about.max_tokens, language, base=base
                )
    raise ValueError("config.json does not say with which margins and language it was trained")
