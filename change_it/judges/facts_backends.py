"""Models that say whether a source supports a headline: a chat model, here or on a server, or an NLI model."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from importlib.resources import files
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, DynamicCache

from change_it.errors import InputError
from change_it.networks.pretrained import Use, load_weights, pick_device, read_tokenizer
from change_it.networks.server import CONCURRENCY, Server
from change_it.text.sentences import sentences

#: Language to `source`, `question`, and the answers `yes` and `no`.
PROMPTS: dict[str, dict[str, str]] = {
    language: tomllib.loads(
        (files("change_it.judges") / "prompts" / f"{language}.toml").read_text(encoding="utf-8")
    )
    for language in ("en", "it")
}
#: Words of a part of a source, and headlines that are read behind one part at once.
PART_WORDS, TOGETHER = 220, 8
#: Pairs that a classifier reads at once.
BATCH = 32
#: Answers that are drawn where a server gives no probabilities of its pieces; probabilities of so many it gives.
SAMPLES, TOP = 5, 10
#: Names of the class that says that a source supports a headline.
SUPPORTS = re.compile(r"entail|support|consistent|factual|correct|yes|true", re.IGNORECASE)
REFUTES = re.compile(r"^(not|non|in|un)|contra|neutral|refut", re.IGNORECASE)


class Claim(NamedTuple):
    """A headline and a part of a source that may support it."""

    source: str
    headline: str
    language: str


Answers = Iterator[tuple[Sequence[Claim], Sequence[float]]]


def _batches(claims: Sequence[Claim], size: int) -> Iterator[Sequence[Claim]]:
    return (claims[start : start + size] for start in range(0, len(claims), size))


def parts_of(text: str, words: int) -> list[str]:
    """A text in parts of whole sentences, of at most so many words but where a sentence is longer."""
    parts: list[list[str]] = [[]]
    length = 0
    for sentence in sentences(text):
        count = len(sentence.split())
        if parts[-1] and length + count > words:
            parts.append([])
            length = 0
        parts[-1].append(sentence)
        length += count
    return [" ".join(part) for part in parts if part]


def prompt_in(language: str) -> dict[str, str]:
    """The entry of `PROMPTS` for a language; English where it has none."""
    return PROMPTS.get(language, PROMPTS["en"])


def claim_prompt(claim: Claim) -> tuple[str, str]:
    """The source, and the question that follows it: several headlines are read behind one source."""
    asked = prompt_in(claim.language)
    return (
        asked["source"].replace("{source}", claim.source),
        asked["question"].replace("{headline}", claim.headline),
    )


def _load(auto: Any, folder: Path, precision: str, device: str, use: Use = "saved") -> tuple[Any, Any]:
    """A model that answers, and its tokenizer."""
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    model = load_weights(auto, folder, use=use, dtype=dtype)
    return model.to(pick_device(device)).eval(), read_tokenizer(folder)


class ChatModel:
    """A causal language model, by its logits of Yes and No."""

    def __init__(self, folder: Path, precision: str, device: str):
        self.precision = precision
        self.model, self.tokenizer = _load(AutoModelForCausalLM, folder, precision, device, use="base")

    def ask(self, claims: Sequence[Claim]) -> Answers:
        """P(Yes) of claims, those of one part together: it is read once."""
        of_part: dict[tuple[str, str], list[Claim]] = {}
        for claim in claims:
            of_part.setdefault((claim_prompt(claim)[0], claim.language), []).append(claim)
        for (source, language), behind in of_part.items():
            before, after = self._turns(source)
            with torch.inference_mode():
                cache = DynamicCache(config=self.model.config)
                ids = torch.tensor([before], device=self.model.device)
                self.model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
                for batch in _batches(behind, TOGETHER):
                    rows = [self._ids(claim_prompt(claim)[1]) + after for claim in batch]
                    yield batch, self._yes(deepcopy(cache), rows, language)

    def _turns(self, source: str) -> tuple[list[int], list[int]]:
        """Pieces up to the end of the source, and after the question."""
        if not self.tokenizer.chat_template:
            return self.tokenizer(source)["input_ids"], []
        turns = [{"role": "user", "content": f"{source}\0"}]
        options = {"add_generation_prompt": True, "enable_thinking": False}
        text = str(self.tokenizer.apply_chat_template(turns, tokenize=False, **options))
        before, _, after = text.partition("\0")
        return self._ids(before), self._ids(after)

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _answers(self, language: str) -> tuple[int, int]:
        """The first pieces of yes and no."""
        asked = prompt_in(language)
        for space in ("",) if self.tokenizer.chat_template else (" ", ""):
            yes, no = (self._ids(f"{space}{asked[answer]}")[0] for answer in ("yes", "no"))
            if yes != no:
                return yes, no
        raise InputError(
            f"{self.tokenizer.name_or_path} begins {asked['yes']} and {asked['no']} alike, so it cannot be asked: give another model"
        )

    def _yes(self, cache: Any, rows: list[list[int]], language: str) -> list[float]:
        """P(Yes) behind what is in the cache and each of some rows."""
        longest = max(map(len, rows))
        ids = torch.tensor([row + [row[-1]] * (longest - len(row)) for row in rows], device=self.model.device)
        cache.batch_repeat_interleave(len(rows))
        last = torch.tensor([len(row) - 1 for row in rows])
        kept, place = last.unique(return_inverse=True)
        # What stands behind the end of a row is not looked at: attention is causal.
        logits = self.model(
            input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=kept.to(ids.device)
        ).logits[range(len(rows)), place]
        yes, no = self._answers(language)
        return torch.sigmoid((logits[:, yes] - logits[:, no]).float()).tolist()


class NLIModel:
    """A model that classifies pairs of a source and a claim, as of natural language inference; sources are read sentence by sentence."""

    def __init__(self, folder: Path, precision: str, device: str):
        self.precision = precision
        self.model, self.tokenizer = _load(AutoModelForSequenceClassification, folder, precision, device)
        names = self.model.config.id2label
        supporting = [n for n, name in names.items() if SUPPORTS.search(name) and not REFUTES.search(name)]
        if not supporting and len(names) == 2:
            supporting = [1]
        if len(supporting) != 1:
            raise InputError(
                f"none of the classes of {folder} says that a source supports a claim ({', '.join(names.values())}): give a model of entailment"
            )
        self.supports = supporting[0]

    def ask(self, claims: Sequence[Claim]) -> Answers:
        """P of the class that says so."""
        for batch in _batches(sorted(claims, key=lambda claim: len(claim.source)), BATCH):
            texts = [claim.source for claim in batch], [claim.headline for claim in batch]
            inputs = self.tokenizer(*texts, truncation=True, padding=True, return_tensors="pt")
            with torch.inference_mode():
                logits = self.model(**inputs.to(self.model.device)).logits
            yield batch, logits.float().softmax(-1)[:, self.supports].tolist()


class ChatServer:
    """The model of an OpenAI-compatible server, by the probabilities of its first piece, or by several answers where it gives none."""

    precision = ""

    def __init__(self, url: str, model: str):
        self.server = Server(url, model, "--facts-endpoint")

    def ask(self, claims: Sequence[Claim]) -> Answers:
        """P(Yes) of claims, several at a time."""
        for batch in _batches(claims, 4 * CONCURRENCY):
            with ThreadPoolExecutor(CONCURRENCY) as pool:
                yield batch, list(pool.map(self._ask, batch))

    def _ask(self, claim: Claim) -> float:
        prompt = "".join(claim_prompt(claim))
        answers = prompt_in(claim.language)
        choice = self._complete(claim, prompt, temperature=0.0, max_tokens=1, logprobs=True, top_logprobs=TOP)
        if (pieces := getattr(choice.logprobs, "content", None)) and pieces[0].top_logprobs:
            given = {"yes": 0.0, "no": 0.0}
            for piece in pieces[0].top_logprobs:
                for name in given:
                    text = piece.token.strip().casefold()
                    if text and answers[name].casefold().startswith(text):
                        given[name] += exp(piece.logprob)
            if any(given.values()):
                return given["yes"] / sum(given.values())
        said = [
            (self._complete(claim, prompt, temperature=1.0, max_tokens=8, seed=number).message.content or "")
            for number in range(SAMPLES)
        ]
        return sum(text.strip().casefold().startswith(answers["yes"].casefold()) for text in said) / SAMPLES

    def _complete(self, claim: Claim, prompt: str, **settings: Any) -> Any:
        choice, fault = self.server.complete(prompt, **settings)
        if choice is None:
            raise InputError(
                f"{self.server.url} does not say whether “{claim.headline}” is supported ({fault}): mend that and call the command again, it goes on where it stopped"
            )
        return choice
