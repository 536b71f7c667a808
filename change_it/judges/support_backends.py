"""Models that say whether a source supports a headline: a chat model, here or on a server, or an entailment classifier."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from math import exp, isnan, nan
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification

from change_it.errors import InputError
from change_it.networks.pretrained import Use, load_weights, pick_device, read_tokenizer
from change_it.networks.server import CONCURRENCY, Server
from change_it.text.tokens import words

#: Language to `source`, `question`, and the answers `yes` and `no`.
PROMPTS: dict[str, dict[str, str]] = {
    language: tomllib.loads(
        (files("change_it.judges") / "prompts" / f"{language}.toml").read_text(encoding="utf-8")
    )
    for language in ("en", "it")
}
#: Pieces that a model reads at once, at most.
WINDOW = 4096
#: Prompts that a chat model reads at once; pairs that a classifier reads at once, and answers of a server of which one has to be yes or no.
PROMPTS_AT_ONCE, BATCH = 8, 32
#: Likeliest first pieces that a server is to give.
TOP = 10
#: Names of the class that says that a source supports a headline, of the others, and of classes that have no name.
SUPPORTS = re.compile(r"entail|support|consistent|factual|faithful|accurate|correct|yes|true", re.IGNORECASE)
REFUTES = re.compile(
    r"(?<![^\W_])(no|in|un|counter)|n't|contra|neutral|refut|partial|error|false", re.IGNORECASE
)
UNNAMED = re.compile(r"(LABEL_)?\d+", re.IGNORECASE)


class Claim(NamedTuple):
    """A headline and a part of a source that may support it."""

    source: str
    headline: str
    language: str

    @property
    def words(self) -> dict[str, str]:
        """The entry of `PROMPTS` in its language; English where there is none."""
        return PROMPTS.get(self.language, PROMPTS["en"])

    @property
    def prompt(self) -> tuple[str, str]:
        """What a chat model reads: the source, and the question."""
        return (
            self.words["source"].replace("{source}", self.source),
            self.words["question"].replace("{headline}", self.headline),
        )


Answers = Iterator[tuple[Sequence[Claim], Sequence[float]]]


def _batches(claims: Sequence[Claim], size: int) -> Iterator[Sequence[Claim]]:
    return (claims[start : start + size] for start in range(0, len(claims), size))


def _load(auto: Any, folder: Path, precision: str, device: str, use: Use = "saved") -> tuple[Any, Any]:
    """A model that answers, and its tokenizer."""
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    model = load_weights(auto, folder, use=use, dtype=dtype)
    return model.to(pick_device(device)).eval(), read_tokenizer(folder)


def _window(model: Any) -> int:
    """Pieces that a model reads at once."""
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    return min(WINDOW, positions or WINDOW)


class ChatModel:
    """A causal language model, by its logits of Yes and No; special tokens in a headline or a source are text."""

    def __init__(self, folder: Path, precision: str, device: str):
        self.precision = precision
        self.model, self.tokenizer = _load(AutoModelForCausalLM, folder, precision, device, use="base")
        self.variant = str(self.tokenizer.chat_template or "")
        self._before, self._after = self._frame()

    def answer(self, claims: Sequence[Claim]) -> Answers:
        """P(Yes) of claims."""
        rows = {claim: self._row(claim) for claim in claims}
        for batch in _batches(sorted(claims, key=lambda claim: len(rows[claim])), PROMPTS_AT_ONCE):
            yield batch, self._yes([rows[claim] for claim in batch], self._pieces(batch[0].words))

    def _frame(self) -> tuple[list[int], list[int]]:
        """Pieces before the source, and after the question."""
        if not self.tokenizer.chat_template:
            return self.tokenizer("")["input_ids"], []
        turns = [{"role": "user", "content": "\0"}]
        options = {"add_generation_prompt": True, "enable_thinking": False}
        text = str(self.tokenizer.apply_chat_template(turns, tokenize=False, **options))
        before, mark, after = text.partition("\0")
        if not mark:
            raise ValueError("its chat template leaves out the prompt")
        return self._ids(before, special=True), self._ids(after, special=True)

    def _row(self, claim: Claim) -> list[int]:
        """The pieces of a prompt; of a source as many as the window has room for."""
        source, question = map(self._ids, claim.prompt)
        window = _window(self.model)
        after = [*question, *self._after][-window // 2 :]
        return [*self._before, *source][: window - len(after)] + after

    def _ids(self, text: str, *, special: bool = False) -> list[int]:
        options = {"add_special_tokens": False, "split_special_tokens": not special}
        return list(self.tokenizer(text, **options)["input_ids"])

    def _pieces(self, prompt: dict[str, str]) -> tuple[int, int]:
        """The first pieces of yes and no."""
        for space in ("",) if self.tokenizer.chat_template else (" ", ""):
            yes, no = (self._ids(f"{space}{prompt[answer]}")[:1] for answer in ("yes", "no"))
            if yes and no and yes != no and self.tokenizer.unk_token_id not in yes + no:
                return yes[0], no[0]
        raise InputError(
            f"{self.tokenizer.name_or_path} begins {prompt['yes']} and {prompt['no']} alike or does not know them, so it cannot answer: give another model"
        )

    @torch.inference_mode()
    def _yes(self, rows: Sequence[list[int]], pieces: tuple[int, int]) -> list[float]:
        """P(Yes) behind each of some rows."""
        longest, places = max(map(len, rows)), range(len(rows))
        # Attention is causal: what fills a row behind its end changes nothing before it.
        ids = torch.tensor([row + row[-1:] * (longest - len(row)) for row in rows], device=self.model.device)
        ends = torch.tensor([len(row) - 1 for row in rows], device=self.model.device)
        logits = self.model(input_ids=ids, use_cache=False, logits_to_keep=ends).logits[places, places]
        yes, no = pieces
        return torch.sigmoid((logits[:, yes] - logits[:, no]).float()).tolist()


class EntailmentModel:
    """A classifier of pairs of a source and a claim, as of natural language inference; it reads sources sentence by sentence."""

    def __init__(self, folder: Path, precision: str, device: str):
        self.precision = precision
        self.model, self.tokenizer = _load(AutoModelForSequenceClassification, folder, precision, device)
        names = self.model.config.id2label
        supporting = [n for n, name in names.items() if SUPPORTS.search(name) and not REFUTES.search(name)]
        if len(names) < 3 and all(map(UNNAMED.fullmatch, names.values())):
            supporting = [len(names) - 1]  # as MiniCheck and cross-encoders have it
        if len(supporting) != 1:
            raise InputError(
                f"{'several' if supporting else 'none'} of the classes of {folder} says that a source supports a claim ({', '.join(names.values())}): give a model of entailment, or name that class entailment in its config.json"
            )
        self.supports = supporting[0]
        self.variant = f"class {self.supports}"

    @torch.inference_mode()
    def answer(self, claims: Sequence[Claim]) -> Answers:
        """P of the class that says so; of a model with one logit its sigmoid."""
        length = min(self.tokenizer.model_max_length, _window(self.model) - 2)  # RoBERTa has two more
        for batch in _batches(sorted(claims, key=lambda claim: len(claim.source)), BATCH):
            texts = [claim.source for claim in batch], [claim.headline for claim in batch]
            cut = {"truncation": True, "max_length": length, "padding": True}
            inputs = self.tokenizer(*texts, **cut, split_special_tokens=True, return_tensors="pt")
            logits = self.model(**inputs.to(self.model.device)).logits.float()
            p = logits.sigmoid() if logits.shape[-1] == 1 else logits.softmax(-1)
            yield batch, p[:, self.supports].tolist()


class ChatServer:
    """The model of an OpenAI-compatible server, by the probabilities of its first piece, or by its answer where it gives none."""

    precision = variant = ""

    def __init__(self, url: str, model: str):
        self.server, self.latest = Server(url, model, "--support-endpoint"), ""

    def answer(self, claims: Sequence[Claim]) -> Answers:
        """P(Yes) of claims, several at a time; 0 where it says neither, which not all of the first ones may have."""
        answered, waiting = False, list[tuple[Claim, float]]()
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            for claim, p in zip(claims, pool.map(self._yes, claims), strict=True):
                waiting.append((claim, p))
                answered |= not isnan(p)
                if not answered and len(waiting) < min(BATCH, len(claims)):
                    continue
                if not answered:
                    yes, no = (claim.words[answer] for answer in ("yes", "no"))
                    raise InputError(
                        f"{self.server.url} answers neither {yes} nor {no} (“{self.latest[:40]}”): give another model, or turn its thinking off"
                    )
                yield [each for each, _ in waiting], [0.0 if isnan(p) else p for _, p in waiting]
                waiting = []

    def _yes(self, claim: Claim) -> float:
        """P(Yes) of a claim; nan where it says neither yes nor no."""
        answers = [claim.words[answer].casefold() for answer in ("yes", "no")]
        try:
            choice = self._complete(claim, logprobs=True, top_logprobs=TOP)
        except InputError as error:  # some servers refuse to give any
            if "logprob" not in str(error):
                raise
            choice = self._complete(claim)
        given = _first_piece(choice, answers)
        if not any(given):
            self.latest = choice.message.content
            given = [float(words(self.latest)[:1] == [answer]) for answer in answers]
        return given[0] / sum(given) if any(given) else nan

    def _complete(self, claim: Claim, **settings: Any) -> Any:
        choice, fault = self.server.complete("".join(claim.prompt), temperature=0.0, max_tokens=8, **settings)
        if choice is None:
            raise InputError(
                f"{self.server.url} does not say whether “{claim.headline}” is supported ({fault}): mend that and call the command again, it goes on where it stopped"
            )
        return choice


def _first_piece(choice: Any, answers: Sequence[str]) -> list[float]:
    """Probabilities of answers by the first piece of a completion; 0 where the server gives none, or no numbers."""
    try:
        pieces = [
            (piece.token.strip().casefold(), exp(min(piece.logprob, 0)))
            for piece in choice.logprobs.content[0].top_logprobs
        ]
    except (AttributeError, LookupError, TypeError):
        return [0.0] * len(answers)
    return [sum(p for text, p in pieces if text and answer.startswith(text)) for answer in answers]
