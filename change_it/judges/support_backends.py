"""Models that say whether a source supports a headline: a chat model, here or on a server, or an NLI model."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from copy import deepcopy
from importlib.resources import files
from itertools import chain
from math import exp, isnan, nan
from pathlib import Path
from textwrap import wrap
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
#: Characters of a sentence, at most, and pieces that a model reads at once, at most.
SENTENCE, WINDOW = 4000, 4096
#: Pairs that a classifier reads at once.
BATCH = 32
#: Answers that are drawn where a server gives no probabilities of its pieces; probabilities of so many it gives.
SAMPLES, TOP = 5, 10
#: Claims after which a server that has said neither yes nor no is given up.
SILENT = 32
#: Names of the class that says that a source supports a headline, of the others, and of classes that have no name.
SUPPORTS = re.compile(r"entail|support|consistent|factual|faithful|accurate|correct|yes|true", re.IGNORECASE)
REFUTES = re.compile(
    r"(?<![^\W_])(no|in|un|counter)|n't|contra|neutral|refut|partial|error|false", re.IGNORECASE
)
UNNAMED = re.compile(r"(LABEL_)?\d+", re.IGNORECASE)
#: What a server may take for a special token of its model, which nobody here has seen.
SPECIAL = re.compile(r"<(?=\S[^<>\n]*>)|\[(?=/?[A-Z_]+\])")


class Claim(NamedTuple):
    """A headline and a part of a source that may support it."""

    source: str
    headline: str
    language: str


Answers = Iterator[tuple[Sequence[Claim], Sequence[float]]]


def parts_of(text: str, words: int) -> list[str]:
    """A text in parts of whole sentences, of at most so many words but where a sentence is longer."""
    parts: list[list[str]] = [[]]
    length = 0
    cut = (wrap(each, SENTENCE) if len(each) > SENTENCE else [each] for each in sentences(text))
    for sentence in chain.from_iterable(cut):
        count = max(len(sentence.split()), len(sentence) // 20)  # some scripts have no spaces
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


def _window(model: Any) -> int:
    """Pieces that a model reads at once."""
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    return min(WINDOW, positions or WINDOW)


class ChatModel:
    """A causal language model, by its logits of Yes and No.

    What looks like a special token in a headline or a source is text.
    """

    def __init__(self, folder: Path, precision: str, device: str):
        self.precision = precision
        self.model, self.tokenizer = _load(AutoModelForCausalLM, folder, precision, device, use="base")
        self.asked_by = str(self.tokenizer.chat_template or "")
        self._before, self._after = self._frame()

    def ask(self, claims: Sequence[Claim]) -> Answers:
        """P(Yes) of claims, those of one part together: it is read once."""
        of_part: dict[tuple[str, str], list[Claim]] = {}
        for claim in claims:
            of_part.setdefault((claim_prompt(claim)[0], claim.language), []).append(claim)
        window = _window(self.model)
        for (source, language), behind in of_part.items():
            rows = [(self._ids(claim_prompt(claim)[1]) + self._after)[-window // 2 :] for claim in behind]
            before = [*self._before, *self._ids(source)][: window - max(map(len, rows))]
            with torch.inference_mode():
                cache = DynamicCache(config=self.model.config)
                ids = torch.tensor([before], device=self.model.device)
                self.model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
                for start in range(0, len(behind), TOGETHER):
                    batch = slice(start, start + TOGETHER)
                    yield behind[batch], self._yes(deepcopy(cache), rows[batch], language)

    def _frame(self) -> tuple[list[int], list[int]]:
        """Pieces before the source, and after the question."""
        if not self.tokenizer.chat_template:
            return self.tokenizer("")["input_ids"], []
        turns = [{"role": "user", "content": "\0"}]
        options = {"add_generation_prompt": True, "enable_thinking": False}
        text = str(self.tokenizer.apply_chat_template(turns, tokenize=False, **options))
        before, mark, after = text.partition("\0")
        if not mark:
            raise ValueError("its chat template leaves out what it is asked")
        return self._ids(before, special=True), self._ids(after, special=True)

    def _ids(self, text: str, *, special: bool = False) -> list[int]:
        options = {"add_special_tokens": False, "split_special_tokens": not special}
        return list(self.tokenizer(text, **options)["input_ids"])

    def _answers(self, language: str) -> tuple[int, int]:
        """The first pieces of yes and no."""
        asked = prompt_in(language)
        for space in ("",) if self.tokenizer.chat_template else (" ", ""):
            yes, no = (self._ids(f"{space}{asked[answer]}")[:1] for answer in ("yes", "no"))
            if yes and no and yes != no and self.tokenizer.unk_token_id not in yes + no:
                return yes[0], no[0]
        raise InputError(
            f"{self.tokenizer.name_or_path} begins {asked['yes']} and {asked['no']} alike or does not know them, so it cannot be asked: give another model"
        )

    def _yes(self, cache: Any, rows: Sequence[list[int]], language: str) -> list[float]:
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
        if len(names) < 3 and all(map(UNNAMED.fullmatch, names.values())):
            supporting = [len(names) - 1]  # as MiniCheck and cross-encoders have it
        if len(supporting) != 1:
            raise InputError(
                f"{'several' if supporting else 'none'} of the classes of {folder} says that a source supports a claim ({', '.join(names.values())}): give a model of entailment, or name that class entailment in its config.json"
            )
        self.supports = supporting[0]
        self.asked_by = f"class {self.supports}"

    def ask(self, claims: Sequence[Claim]) -> Answers:
        """P of the class that says so; of a model with one logit its sigmoid."""
        length = min(self.tokenizer.model_max_length, _window(self.model) - 2)  # RoBERTa has two more
        ordered = sorted(claims, key=lambda claim: len(claim.source))
        for start in range(0, len(ordered), BATCH):
            batch = ordered[start : start + BATCH]
            texts = [claim.source for claim in batch], [claim.headline for claim in batch]
            cut = {"truncation": True, "max_length": length, "padding": True}
            inputs = self.tokenizer(*texts, **cut, split_special_tokens=True, return_tensors="pt")
            with torch.inference_mode():
                logits = self.model(**inputs.to(self.model.device)).logits.float()
            p = logits.sigmoid() if logits.shape[-1] == 1 else logits.softmax(-1)
            yield batch, p[:, self.supports].tolist()


def _first_piece(choice: Any, answers: Sequence[str]) -> list[float]:
    """Probabilities of answers by the first piece of a completion; 0 where the server gives none, or no numbers."""
    given = [0.0] * len(answers)
    try:
        for piece in choice.logprobs.content[0].top_logprobs:
            text, p = piece.token.strip().casefold(), exp(min(piece.logprob, 0))
            for place, answer in enumerate(answers):
                given[place] += p if text and answer.startswith(text) else 0
    except (AttributeError, LookupError, TypeError):
        given = []
    return given if given and not isnan(sum(given)) else [0.0] * len(answers)


class ChatServer:
    """The model of an OpenAI-compatible server, by the probabilities of its first piece, or by several answers where it gives none."""

    precision = asked_by = ""

    def __init__(self, url: str, model: str):
        self.server, self.latest = Server(url, model, "--support-endpoint"), ""

    def ask(self, claims: Sequence[Claim]) -> Answers:
        """P(Yes) of claims, several at a time; 0 where it says neither, which not all of the first ones may have."""
        silent: list[Claim] = []
        heard = False
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            asked = {pool.submit(self._ask, claim): claim for claim in claims}
            try:
                for future in as_completed(asked):  # a claim that fails late loses no answer to another
                    if isnan(p := future.result()):
                        silent.append(asked[future])
                    else:
                        heard = True
                        yield [asked[future]], [p]
                    if heard:
                        yield silent, [0.0] * len(silent)
                        silent = []
                    elif len(silent) == SILENT:
                        break
            finally:
                pool.shutdown(cancel_futures=True)
        if silent:
            yes, no = (prompt_in(silent[0].language)[answer] for answer in ("yes", "no"))
            raise InputError(
                f"{self.server.url} answers neither {yes} nor {no} (“{self.latest[:40]}”): give another model, or turn its thinking off"
            )

    def _ask(self, claim: Claim) -> float:
        """P(Yes) of a claim; nan where it says neither yes nor no."""
        plain = {name: SPECIAL.sub(r"\g<0> ", getattr(claim, name)) for name in ("source", "headline")}
        prompt = "".join(claim_prompt(claim._replace(**plain)))
        answers = [prompt_in(claim.language)[answer].casefold() for answer in ("yes", "no")]
        try:
            first = {"temperature": 0.0, "max_tokens": 1, "logprobs": True, "top_logprobs": TOP}
            given = _first_piece(self._complete(claim, prompt, **first), answers)
        except InputError as error:  # some servers refuse to give any
            if "logprob" not in str(error):
                raise
            given = [0.0, 0.0]
        if not any(given):
            for number in range(SAMPLES):
                choice = self._complete(claim, prompt, temperature=1.0, max_tokens=8, seed=number)
                self.latest = str(choice.message.content or "")
                word = (re.findall(r"\w+", self.latest.casefold()) or [""])[0]
                given = [count + (word == answer) for count, answer in zip(given, answers, strict=True)]
        return given[0] / sum(given) if any(given) else nan

    def _complete(self, claim: Claim, prompt: str, **settings: Any) -> Any:
        choice, fault = self.server.complete(prompt, **settings)
        if choice is None:
            raise InputError(
                f"{self.server.url} does not say whether “{claim.headline}” is supported ({fault}): mend that and call the command again, it goes on where it stopped"
            )
        return choice
