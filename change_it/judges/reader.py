"""The reader (ours): do the sources of a headline tell what it says?

A language model that reads the sources and writes headlines gives log p of a headline and of its smallest edits
(`text.edits`): another name or number of the sources, two names exchanged, a verb negated. The headline is believed
where no edit fits the sources better, but for a margin. Its absolute probability says little, because headlines differ
in difficulty; beside its own edits it says which of them the sources tell. A content word of which no source has a form
is asked about alone: is it probable at all, in its place and after these sources?
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedTokenizerBase

from change_it.corpus.rewriting import rewriting_source
from change_it.engines import map_threads
from change_it.errors import InputError
from change_it.io import GENERATOR_CARD
from change_it.judges.judge_options import SCRATCH, read_about
from change_it.networks.pointer_generator import WordGenerator
from change_it.networks.pointer_transformer import PointerTransformerForConditionalGeneration
from change_it.networks.pretrained import (
    arithmetic,
    batches_at_once,
    hash_of_model,
    hash_of_weights,
    load_errors,
    load_weights,
    local_folder,
    pick_device,
    quiet,
    read_config,
    read_tokenizer,
    reading_errors,
)
from change_it.networks.tokenizer import IGNORED, padded
from change_it.progress import ProgressOption, progress_of
from change_it.stats import Floats
from change_it.text.edits import Edit, FactKind, Mentions, edits, new_words
from change_it.text.names import Casing, Headline

COMMAND = "change-it train judge --task facts"
#: Headlines whose edits are made together, and those of them, of like many edits, that are read at once.
TOGETHER, AT_ONCE = 64, 8
#: Sequences of a large vocabulary whose logits are made at once.
ROWS = 16
#: Tokens of a headline, at most.
LONGEST = 64
#: Least log p of a token: one that cannot be written, such as a name of no source, weighs this much.
LEAST = -25.0
#: Texts whose names and numbers are kept.
KEPT = 256
#: Kinds of edits, and the steps in which their margins are looked for.
KINDS: tuple[FactKind, ...] = ("name", "number", "negation")
#: The kind that has no edits.
WORD: FactKind = "word"
HALVINGS = 12
#: How much more often foreign words have to be refused than printed ones.
TELLING = 3.0
#: What a language model without an encoder reads before and after the sources.
PROMPTS = {
    "it": ("Articolo: ", "\nTitolo:"),
    "en": ("Article: ", "\nHeadline:"),
}


@dataclass(frozen=True)
class HeadlineReading:
    """What a reader makes of a headline."""

    # of each kind of edit, log p of the headline less that of the best edit, in nats, by the source that is
    # kindest to it for each edit. Where the original and its article are kind enough, the partner's article is
    # not asked. Of words log p of the least probable that no source has.
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
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

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
        self.gaps(texts, [["Una prova", "Due"], ["Tre", "Due"]], target)
        if not self._causal:
            return
        source, group = "Una prova: uno, due. " * self.max_tokens, ["Uno o due", "Uno o tre", "Tre"]
        prompt, rows = self._pieces(source, group)
        window = getattr(self.model.config.get_text_config(), "sliding_window", None) or np.inf
        alone = []
        for row in rows:
            ids = torch.cat([prompt, torch.tensor([row[:-1]]).to(prompt)], dim=1)
            logits = self.model(input_ids=ids, logits_to_keep=len(row)).logits[0].float()
            alone.append(logits.log_softmax(-1)[range(len(row)), row].clamp(min=LEAST).sum().item())
        [(gaps, _)] = self._of_causal([source], [group])
        if prompt.shape[1] + LONGEST > window or not np.allclose(
            gaps, alone[0] - np.array(alone[1:]), rtol=1e-2, atol=1e-2
        ):
            raise ValueError(
                "its attention cannot read several headlines behind one source: take another model"
            )

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

    @property
    def _causal(self) -> bool:
        return not self.model.config.is_encoder_decoder

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
            at_once = TOGETHER if self._causal else AT_ONCE
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
        answers = map_threads(answer, ((batch,) for batch in batches), batches_at_once(self.model))
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
        counts = iter(self._counts([text for both in ends for text in both]))
        return [[(next(counts), next(counts)) for _ in words] for _, words in headlines]

    def _counts(self, texts: list[str]) -> list[int]:
        """Pieces of each of the texts that headlines begin with."""
        with self._lock, reading_errors(self.tokenizer):
            if isinstance(self.model, PointerTransformerForConditionalGeneration):
                labels = self.tokenizer.targets(texts, None, max_tokens=LONGEST)
                return [count - 1 for count in (labels != IGNORED).sum(1).tolist()]
            if self._causal:
                texts = [f" {text}" if text else "" for text in texts]
                return list(map(len, self.tokenizer(texts, add_special_tokens=False)["input_ids"]))
            end = [self.tokenizer.eos_token_id]
            return [len(row) - (row[-1:] == end) for row in self.tokenizer(text_target=texts)["input_ids"]]

    def gaps(
        self, sources: Sequence[tuple[str, str]], groups: Sequence[Sequence[str]], target: str
    ) -> list[Floats]:
        """For each original headline (or none) with its article, log p of a headline of `target` less that of each of its edits, in nats, float64."""
        return [gaps for gaps, _ in self.compare(sources, groups, target)]

    @torch.no_grad()
    def compare(
        self, sources: Sequence[tuple[str, str]], groups: Sequence[Sequence[str]], target: str
    ) -> list[tuple[Floats, Floats]]:
        """As `gaps`, and log p of each piece of the headline."""
        with arithmetic(self.model.device, self.precision):
            if isinstance(self.model, PointerTransformerForConditionalGeneration):
                return self._of_words([rewriting_source(*texts, target) for texts in sources], groups)
            plain = [". ".join(filter(None, texts)) for texts in sources]
            if not self._causal:
                return self._of_encoder_decoder(plain, groups)
            return self._of_causal(plain, groups)

    def _of_words(
        self, sources: Sequence[str], groups: Sequence[Sequence[str]]
    ) -> list[tuple[Floats, Floats]]:
        """As `gaps`, of our own network: the headlines of a source, padded to the same number, share its states; the words before an edit are not projected."""
        most = max(map(len, groups))
        filled = [[*group, *[""] * (most - len(group))] for group in groups]
        with self._lock:
            batch, unknown = self.tokenizer.sources(sources, max_tokens=self.settings.max_tokens)
            headlines = [headline for group in filled for headline in group]
            words = [some for some in unknown for _ in range(most)]
            labels = self.tokenizer.targets(headlines, words, max_tokens=LONGEST).to(self.model.device)
        encoded = self.model.encoder(**{name: tensor.to(labels.device) for name, tensor in batch.items()})
        tables = labels.view(len(groups), most, -1)
        counted = torch.zeros_like(tables, dtype=torch.bool)
        for row, (table, group) in enumerate(zip(tables, groups, strict=True)):
            counted[row, : len(group)] = _changed(table[: len(group)])
        values = self.model.log_likelihood(encoded, labels, counted.view_as(labels)).view_as(tables)
        return [
            _differences(value[: len(group)], table[: len(group)])
            for value, table, group in zip(values, tables, groups, strict=True)
        ]

    def _of_encoder_decoder(
        self, sources: Sequence[str], groups: Sequence[Sequence[str]]
    ) -> list[tuple[Floats, Floats]]:
        rows = [row for row, group in enumerate(groups) for _ in group]
        with self._lock, reading_errors(self.tokenizer):
            batch = self.tokenizer(
                list(sources),
                truncation=True,
                max_length=self.settings.max_tokens,
                padding=True,
                return_tensors="pt",
            ).to(self.model.device)
            headlines = [headline for group in groups for headline in group]
            ids = self.tokenizer(text_target=headlines, truncation=True, max_length=LONGEST)["input_ids"]
        labels = padded(ids, IGNORED).to(self.model.device)
        states = self.model.get_encoder()(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]
        ).last_hidden_state
        parts = []
        for some in torch.arange(len(rows)).split(ROWS):
            of = torch.tensor(rows)[some]
            logits = self.model(
                encoder_outputs=(states[of],),
                attention_mask=batch["attention_mask"][of],
                labels=labels[some].clamp(min=0),
            ).logits
            parts.append(_gathered(logits, labels[some]))
        sizes = [len(group) for group in groups]
        return list(map(_differences, torch.cat(parts).split(sizes), labels.split(sizes)))

    def _of_causal(
        self, sources: Sequence[str], groups: Sequence[Sequence[str]]
    ) -> list[tuple[Floats, Floats]]:
        """As `gaps`, of a causal model: each source is read once for all its headlines, and what edits begin with alike is read once too."""
        rows_of: dict[str, list[int]] = {}
        for index, source in enumerate(sources):
            rows_of.setdefault(source, []).append(index)
        differences: dict[int, tuple[Floats, Floats]] = {}
        for source, indices in rows_of.items():
            with self._lock, reading_errors(self.tokenizer):
                prompt, headlines = self._pieces(
                    source, [text for index in indices for text in groups[index]]
                )
            rest = iter(headlines)
            cache = DynamicCache()
            self.model(input_ids=prompt[:, :-1], past_key_values=cache, use_cache=True, logits_to_keep=1)
            for index in indices:
                rows = [next(rest) for _ in groups[index]]
                labels = padded(rows, IGNORED)
                values = self._log_p(prompt, cache, rows, _changed(labels))
                differences[index] = _differences(values, labels)
        return [differences[index] for index in range(len(sources))]

    def _pieces(self, source: str, headlines: Sequence[str]) -> tuple[Tensor, list[list[int]]]:
        """What a causal model reads before a headline, (1, n), and what it is asked to write."""
        before, after = PROMPTS.get(self.settings.language, PROMPTS["en"])
        begin = self.tokenizer(before)["input_ids"]
        read = self.tokenizer(source, add_special_tokens=False)["input_ids"][: self.settings.max_tokens]
        prompt = [*begin, *read, *self.tokenizer(after, add_special_tokens=False)["input_ids"]]
        texts = [f" {headline}\n" for headline in headlines]
        rows = [row[:LONGEST] for row in self.tokenizer(texts, add_special_tokens=False)["input_ids"]]
        return torch.tensor([prompt], device=self.model.device), rows

    def _log_p(
        self, prompt: Tensor, cache: DynamicCache, rows: Sequence[Sequence[int]], counted: Tensor
    ) -> Tensor:
        """(n, t) log p of texts behind a prompt of which all but the last piece is in the cache; 0 where it does not count."""
        values = torch.zeros(counted.shape)
        for some in torch.arange(len(rows)).split(ROWS):
            part = [rows[row] for row in some.tolist()]
            wanted = counted[some, : max(map(len, part))]
            if not wanted.any():
                continue
            ids, parents, nodes = _tree(part)
            seen = np.eye(len(parents), dtype=bool)
            for node, parent in enumerate(parents[1:], start=1):
                seen[node] |= seen[parent]
            ids[0], before = int(prompt[0, -1]), prompt.shape[1] - 1
            visible = np.concatenate([np.ones((len(ids), before), dtype=bool), seen], axis=1)
            mask = torch.zeros(visible.shape, dtype=self.model.dtype)
            mask[torch.from_numpy(~visible)] = torch.finfo(mask.dtype).min
            read, at = padded(nodes, 0)[wanted].unique(return_inverse=True)
            logits = self.model(
                input_ids=torch.tensor([ids]).to(prompt),
                attention_mask=mask[None, None].to(prompt.device),
                position_ids=torch.from_numpy(before + seen.sum(1) - 1)[None].to(prompt),
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=read.to(prompt.device),
            ).logits[0]
            cache.crop(-len(ids))
            total = torch.stack([row.float().logsumexp(-1) for row in logits])
            labels = padded(part, 0)[wanted]
            log_p = (logits[at, labels].float() - total[at]).cpu()
            values[some, : wanted.shape[1]] = torch.zeros(wanted.shape).masked_scatter(wanted, log_p)
        return values


def _gathered(logits: Tensor, labels: Tensor) -> Tensor:
    """(n, t) log p of the labels, of (n, t, vocabulary) logits."""
    wanted = labels.clamp(min=0).unsqueeze(-1)
    of_labels = logits.gather(-1, wanted).squeeze(-1).float()
    return of_labels - torch.stack([row.float().logsumexp(-1) for row in logits])


def _tree(rows: Sequence[Sequence[int]]) -> tuple[list[int], list[int], list[list[int]]]:
    """Texts as the branches of a tree, in which what several begin with stands once.

    The pieces of its nodes, the root first, which is what all stand behind; the node before each; and for each piece of each
    text the node before it. Last pieces have no node.
    """
    nodes: dict[tuple[int, int], int] = {}
    paths = []
    for row in rows:
        path = [0]
        for piece in row[:-1]:
            path.append(nodes.setdefault((path[-1], piece), len(nodes) + 1))
        paths.append(path)
    return [0, *(piece for _, piece in nodes)], [0, *(parent for parent, _ in nodes)], paths


def _changed(labels: Tensor) -> Tensor:
    """Bool (n, t): from the first word on in which an edit differs from the headline, row 0, all of which counts."""
    differs = (labels != labels[:1]).cumsum(1) > 0
    differs[0] = True
    return differs & (labels != IGNORED)


def _differences(values: Tensor, labels: Tensor) -> tuple[Floats, Floats]:
    """(n - 1,) log p of row 0 less that of each other row, of (n, t) log p, none below `LEAST`, from where they differ; and log p of row 0."""
    values = values.float().clamp(min=LEAST).masked_fill(labels == IGNORED, 0.0).double()
    differs = (labels[1:] != labels[:1]).cumsum(1) > 0
    values = values.cpu()
    return ((values[:1] - values[1:]) * differs.cpu()).sum(1).numpy(), values[0].numpy()


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


def calibrated(readings: Sequence[HeadlineReading], share: float) -> dict[FactKind, float]:
    """The margins in nats, 0 or more, that let a share of the printed headlines with edits through; of each kind they refuse about as many."""
    gaps = np.array(
        [
            [reading.gaps.get(kind, np.inf) for kind in KINDS]
            for reading in readings
            if reading.gaps.keys() & set(KINDS)
        ]
    )
    if not len(gaps):
        return dict.fromkeys(KINDS, 0.0)
    least, most = 0.0, 1.0 - share
    margins = _margins(gaps, least)
    for _ in range(HALVINGS):
        refused = (least + most) / 2
        some = _margins(gaps, refused)
        if (gaps >= [-some[kind] for kind in KINDS]).all(axis=1).mean() >= share:
            least, margins = refused, some
        else:
            most = refused
    return margins


def word_margin(
    printed: Sequence[HeadlineReading], foreign: Sequence[HeadlineReading], share: float
) -> float | None:
    """The margin of words, which lets a share of the printed headlines through; None where it tells next to nothing.

    `foreign` are readings of printed headlines with one word of another headline: fewer than `TELLING` times as many of
    them as of the printed would be refused.
    """
    log_p, of_foreign = (
        np.array([reading.gaps.get(WORD, np.inf) for reading in readings]) for readings in (printed, foreign)
    )
    if not np.isfinite(log_p).any() or not len(of_foreign):
        return None
    margin = -float(np.quantile(log_p, 1.0 - share, method="lower"))
    if not np.isfinite(margin) or (of_foreign < -margin).mean() < TELLING * (1.0 - share):
        return None
    return max(margin, 0.0)


def _margins(gaps: Floats, refused: float) -> dict[FactKind, float]:
    """The margins that refuse this share of the headlines with edits of a kind, from (n, kinds) gaps, infinite where there are none."""
    of_kinds = {kind: column[np.isfinite(column)] for kind, column in zip(KINDS, gaps.T, strict=True)}
    return {
        kind: max(0.0, -float(np.quantile(of_kind, refused))) if len(of_kind) else 0.0
        for kind, of_kind in of_kinds.items()
    }
