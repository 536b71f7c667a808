"""Support, judged by a chat model or by an entailment classifier: do the sources support the headline?

A chat model gives P(Yes) over Yes and No, a classifier P(entailment). Of each article the chat model reads the opening and
the part that shares most words with the headline, the classifier each sentence; the best of all counts.
"""

import hashlib
import json
import re
import sqlite3
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from importlib.resources import files
from os import environ
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from change_it.errors import InputError
from change_it.io import LONGEST, read_json, write_json
from change_it.networks.pretrained import (
    Use,
    hash_of_weights,
    load_errors,
    load_weights,
    local_folder,
    pick_device,
    quiet,
    read_config,
    read_tokenizer,
)
from change_it.progress import ProgressOption, progress_of
from change_it.stats import Bools, Floats
from change_it.text.sentences import sentences
from change_it.text.tokens import words

COMMAND = "change-it train judge --task support --encoder MODEL"
#: Folder of the answers, in the environment; ~/.cache/change_it without it.
CACHE = "CHANGE_IT_CACHE"
Kind = Literal["chat", "classifier"]
#: The least that the lower end of the 95% interval of the AUC on labelled headlines must be.
VALIDATED = 0.70
#: Words of a part of an article.
PART_WORDS = 220
#: Language to `source`, `question`, and the answers `yes` and `no`.
PROMPTS: dict[str, dict[str, str]] = {
    language: tomllib.loads(
        (files("change_it.judges") / "prompts" / f"{language}.toml").read_text(encoding="utf-8")
    )
    for language in ("en", "it")
}
#: Tokens that a model reads at once, at most.
WINDOW = 4096
#: Names of the class of a classifier that says that a source supports a headline.
SUPPORTS = {"consistent", "correct", "entail", "entailed", "entailment", "entails", "factual", "faithful", "support", "supported", "supports", "true", "yes"}  # fmt: skip


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
    def prompt(self) -> str:
        """What a chat model reads: the source, and the question."""
        source = self.words["source"].replace("{source}", self.source)
        return source + self.words["question"].replace("{headline}", self.headline)


def _load(auto: Any, folder: Path, precision: str, device: str, use: Use = "saved") -> tuple[Any, Any, int]:
    """A model that answers, its tokenizer, and the tokens that it reads at once."""
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    model = load_weights(auto, folder, use=use, dtype=dtype).to(pick_device(device)).eval()
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    return model, read_tokenizer(folder), min(WINDOW, positions or WINDOW)


class ChatModel:
    """A causal language model, by its logits of Yes and No; special tokens in a headline or a source are left out."""

    batch = 8

    def __init__(self, folder: Path, precision: str, device: str):
        self.precision = precision
        self.model, self.tokenizer, self.window = _load(
            AutoModelForCausalLM, folder, precision, device, use="base"
        )
        self.variant = str(self.tokenizer.chat_template or "")
        self.tokenizer.padding_side, self.tokenizer.truncation_side = "right", "left"
        self.tokenizer.pad_token = self.tokenizer.pad_token or self.tokenizer.eos_token
        special = [token.content for token in self.tokenizer.added_tokens_decoder.values() if token.special]
        self._special = re.compile("|".join(map(re.escape, special)) or "(?!)")
        if "\1" not in self.text("\1"):
            raise ValueError("its chat template leaves out the prompt")

    def text(self, prompt: str) -> str:
        """The text that is read: a turn of a user, where there is a chat template."""
        prompt = self._special.sub(" ", prompt)
        if not self.variant:
            return prompt
        turns = [{"role": "user", "content": prompt}]
        options = {"add_generation_prompt": True, "enable_thinking": False}
        return str(self.tokenizer.apply_chat_template(turns, tokenize=False, **options))

    def _first_tokens(self, claim: Claim) -> list[int]:
        """The first tokens of yes and no."""
        for space in ("",) if self.variant else (" ", ""):
            texts = [space + claim.words[answer] for answer in ("yes", "no")]
            found = [self.tokenizer(text, add_special_tokens=False)["input_ids"][:1] for text in texts]
            if all(found) and found[0] != found[1] and [self.tokenizer.unk_token_id] not in found:
                return [first for (first,) in found]
        raise InputError(
            f"{self.tokenizer.name_or_path} begins {claim.words['yes']} and {claim.words['no']} alike or does not know them, so it cannot answer: give another model"
        )

    @torch.inference_mode()
    def answer(self, claims: Sequence[Claim]) -> list[float]:
        """P(Yes) of claims of one language."""
        yes, no = self._first_tokens(claims[0])
        inputs = self.tokenizer(
            [self.text(claim.prompt) for claim in claims],
            add_special_tokens=not self.variant,
            padding=True,
            truncation=True,
            max_length=self.window,
            return_tensors="pt",
        ).to(self.model.device)
        # Attention is causal: what fills a row behind its end changes nothing before it.
        ids, ends = inputs["input_ids"], inputs["attention_mask"].sum(1) - 1
        places = range(len(claims))
        logits = self.model(input_ids=ids, use_cache=False, logits_to_keep=ends).logits[places, places]
        return torch.sigmoid((logits[:, yes] - logits[:, no]).float()).tolist()


class EntailmentModel:
    """A classifier of pairs of a source and a claim, as of natural language inference."""

    batch = 32

    def __init__(self, folder: Path, precision: str, device: str):
        self.precision = precision
        self.model, self.tokenizer, window = _load(
            AutoModelForSequenceClassification, folder, precision, device
        )
        self.length = min(self.tokenizer.model_max_length, window - 2)  # RoBERTa has two more
        names = self.model.config.id2label
        supporting = [n for n, name in names.items() if name.casefold() in SUPPORTS]
        if len(names) < 3 and all(re.fullmatch(r"(LABEL_)?\d+", name) for name in names.values()):
            supporting = [len(names) - 1]  # as MiniCheck and cross-encoders have it
        if len(supporting) != 1:
            raise InputError(
                f"{'several' if supporting else 'none'} of the classes of {folder} says that a source supports a claim ({', '.join(names.values())}): give a model of entailment, or name that class entailment in its config.json"
            )
        self.supports = supporting[0]
        self.variant = f"class {self.supports}"

    @torch.inference_mode()
    def answer(self, claims: Sequence[Claim]) -> list[float]:
        """P of the class that says so; of a model with one logit its sigmoid."""
        inputs = self.tokenizer(
            [claim.source for claim in claims],
            [claim.headline for claim in claims],
            padding=True,
            truncation=True,
            max_length=self.length,
            split_special_tokens=True,
            return_tensors="pt",
        )
        logits = self.model(**inputs.to(self.model.device)).logits.float()
        p = logits.sigmoid() if logits.shape[-1] == 1 else logits.softmax(-1)
        return p[:, self.supports].tolist()


@dataclass(frozen=True)
class SupportSettings:
    """Settings of a judge of support, as `config.json` has them under `change_it`; the last three are of the labels that set the threshold."""

    model: str  # Hub id or folder
    kind: Kind
    threshold: float = 0.5  # the least P(supported) that is accepted
    outlets: Sequence[str] = ()
    language: str = ""
    validated: Mapping[str, Any] = field(default_factory=dict)  # see `support_training.train_support`


class SupportModel:
    """A judge of support.

    Attributes:
        settings: the model and its threshold.
        weights_hash: SHA-256 of its weights.
        prompt_hash: SHA-256 of them and of the prompts, which its threshold is of.
        model_hash: SHA-256 of all that its verdicts depend on.
    """

    def __init__(
        self,
        settings: SupportSettings,
        backend: ChatModel | EntailmentModel,
        weights_hash: str,
    ):
        """A judge by the answers of `backend`."""
        self.settings, self.weights_hash, self._backend = settings, weights_hash, backend
        self.prompt_hash = _sha(
            weights_hash, settings.kind, json.dumps(PROMPTS, sort_keys=True), backend.variant
        )
        self.model_hash = _sha(self.prompt_hash, backend.precision, str(settings.threshold), str(PART_WORDS))

    @classmethod
    def from_pretrained(
        cls, name: str | Path, *, precision: str = "float32", device: str = "auto"
    ) -> "SupportModel":
        """Load a judge of support.

        `name` is a folder that `change-it train judge --task support` has written; or a causal language model or an entailment
        classifier, by Hub id or folder, whose threshold is .5.
        """
        if (record := read_json(Path(name) / "config.json")) and "change_it" in record:
            model = cls._load(_read_settings(record["change_it"], name), precision, device)
            if model.settings.validated.get("prompt", model.prompt_hash) != model.prompt_hash:
                raise InputError(
                    f"labels have set the threshold in {name} for another model than {model.settings.model} is now, or another prompt: set it again with {COMMAND} --labels FILE"
                )
            return model
        return cls._load(SupportSettings(str(name), "chat"), precision, device)

    @classmethod
    def _load(cls, settings: SupportSettings, precision: str, device: str) -> "SupportModel":
        folder = local_folder(settings.model, command="change-it train judge")
        with load_errors(f"{settings.model} cannot be loaded as a judge of support"), quiet():
            config = read_config(folder)
            is_classifier = any("ForSequenceClassification" in name for name in config.architectures or ())
            is_decoder = getattr(config, "is_decoder", False)
            is_encoder = config.model_type in MODEL_FOR_MASKED_LM_MAPPING_NAMES and not is_decoder
            if not is_classifier and (is_encoder or config.is_encoder_decoder):
                raise InputError(
                    f"{settings.model} ({config.model_type}) is neither a chat model nor an entailment classifier: give one of these"
                )
            backend = (EntailmentModel if is_classifier else ChatModel)(folder, precision, device)
        found = replace(settings, kind="classifier" if is_classifier else "chat")
        return cls(found, backend, hash_of_weights(folder, command=COMMAND))

    def probabilities(
        self,
        headlines: Sequence[str],
        sources: Sequence[Sequence[str]],
        *,
        language: str,
        progress: ProgressOption = False,
    ) -> Floats:
        """Judge whether the sources of n headlines support them.

        Args:
            headlines: n headlines.
            sources: of each the texts it was made from: the original headline first, then articles; empty ones are left out.
            language: of the prompt: it, or any other for English.
            progress: True shows a bar; a function is called with the number of headlines that are done.

        Returns:
            (n,) P(supported); 0 of an empty headline, and of one of more than 1,000 characters, which is not a headline.
        """
        of_each = [self._claims(*pair, language) for pair in zip(headlines, sources, strict=True)]
        claims = sorted(
            {claim for found in of_each for claim in found}, key=lambda claim: (-len(claim.source), claim)
        )
        ids = {claim: _sha(self.prompt_hash, self._backend.precision, *claim) for claim in claims}
        size = self._backend.batch
        with (
            progress_of(progress, "support", len(headlines)) as report,
            _kept_answers() as file,
            load_errors(f"{self.settings.model} cannot answer"),
        ):
            known = "SELECT p FROM answers WHERE id = ? AND typeof(p) = 'real'"
            answers = {claim: p for claim in claims for (p,) in file.execute(known, [ids[claim]])}
            left = [claim for claim in claims if claim not in answers]
            for batch in (left[start : start + size] for start in range(0, len(left), size)):
                found = dict(zip(batch, self._backend.answer(batch), strict=True))
                with file:  # kept at once: a run that is interrupted goes on where it stopped
                    rows = [(ids[claim], p) for claim, p in found.items()]
                    file.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)
                answers |= found
                report(len(headlines) * len(answers) // len(claims))
        return np.array([max((answers[claim] for claim in found), default=0.0) for found in of_each])

    def _claims(self, headline: str, sources: Sequence[str], language: str) -> list[Claim]:
        """The headline with each part of its sources that is read; none of what is no headline."""
        if not 0 < len(headline.strip()) <= LONGEST["headline"]:
            return []
        original, *articles = sources
        texts = [text for text in articles if text.strip()] or [""]
        if self.settings.kind == "classifier":
            read = [original, *(sentence for text in texts for sentence in sentences(text))]
        else:
            own = set(words(headline))
            split = [parts_of(text, PART_WORDS) for text in texts]
            nearest = [max(parts, key=lambda part: len(own & set(words(part)))) for parts in split]
            chosen = [part for parts, near in zip(split, nearest, strict=True) for part in (parts[0], near)]
            read = [f"{original}. {part}" for part in chosen]
        return [Claim(part, headline, language) for part in dict.fromkeys(read)]

    def accepts(self, probabilities: Floats) -> Bools:
        """Whether headlines with these probabilities count as supported."""
        return np.asarray(probabilities >= self.settings.threshold)

    def is_validated(self, language: str) -> bool:
        """Whether labels of that language validate it: headlines that models of other families wrote, on the events that did not choose the threshold."""
        auc = self.settings.validated.get("auc") or []
        return self.settings.language == language and len(auc) == 3 and auc[1] >= VALIDATED

    @property
    def base(self) -> str:
        """Name of the pre-trained model, which no system should have."""
        return self.settings.model.rstrip("/").rpartition("/")[2]

    @property
    def signature(self) -> str:
        """Its kind, six digits of its hash and its threshold: `chat+1a2b3c+.62`."""
        return f"{self.settings.kind}+{self.model_hash[:6]}+{self.settings.threshold:.2f}"

    def with_threshold(self, threshold: float, **changes: Any) -> "SupportModel":
        """The same judge with another threshold, and other settings; what validates it names its prompt."""
        if "validated" in changes:
            changes["validated"] = {**changes["validated"], "prompt": self.prompt_hash}
        settings = replace(self.settings, threshold=threshold, **changes)
        return SupportModel(settings, self._backend, self.weights_hash)

    def save(self, folder: Path) -> None:
        """Write `config.json`; the weights stay where they are."""
        record = {"change_it": {"task": "support", **asdict(self.settings)}}
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / "config.json", record)


def parts_of(text: str, words: int) -> list[str]:
    """A text in parts of whole sentences, of at most so many words but where a sentence is longer; one empty part of an empty text.

    Examples:
        >>> parts_of("One two three. Four five. Six seven.", 5)
        ['One two three. Four five.', 'Six seven.']
    """
    parts = [""]
    for sentence in sentences(text):
        joined = f"{parts[-1]} {sentence}".strip()
        if parts[-1] and len(joined.split()) > words:
            parts.append(sentence)
        else:
            parts[-1] = joined
    return parts


def _read_settings(record: Any, name: str | Path) -> SupportSettings:
    with suppress(KeyError, TypeError):
        found = SupportSettings(**{each.name: record[each.name] for each in fields(SupportSettings)})
        if record["task"] == "support" and found.kind in get_args(Kind) and 0 < found.threshold <= 1:
            return found
    raise InputError(f"{name} holds no judge of support of this version: make one with {COMMAND}")


def _sha(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@contextmanager
def _kept_answers() -> Iterator[sqlite3.Connection]:
    """The answers that models have given, in a file that all runs share."""
    file = Path(environ.get(CACHE) or Path.home() / ".cache" / "change_it") / "support.sqlite"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(file, timeout=60)) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS answers (id TEXT PRIMARY KEY, p REAL)")
            yield connection
    except (OSError, sqlite3.Error) as error:
        raise InputError(
            f"answers cannot be kept in {file} ({error}): free the disk, delete the file, or name another folder in {CACHE}"
        ) from error
