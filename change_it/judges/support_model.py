"""Facts, judged by a model that is asked: do the sources support the headline?

A chat model says P(Yes) over Yes and No; an entailment classifier says P(entailment). Of an article the model reads the
opening and the part that shares most words with the headline, a classifier each sentence, and the best of them counts.
Where there are two articles on the event the log odds of both are averaged: on the labels of `benchmarks/labels` that tells
right headlines from wrong ones better than the better of both.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from os import environ
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from scipy.special import expit, logit
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from change_it.errors import InputError
from change_it.io import read_json, write_json
from change_it.judges.support_backends import (
    PART_WORDS,
    PROMPTS,
    Answers,
    ChatModel,
    ChatServer,
    Claim,
    NLIModel,
    parts_of,
)
from change_it.networks.pretrained import hash_of_weights, load_errors, local_folder, quiet, read_config
from change_it.progress import ProgressOption, progress_of
from change_it.stats import Bools, Floats
from change_it.text.sentences import sentences

COMMAND = "change-it train judge --task support --encoder MODEL"
Kind = Literal["asked", "classifier", "endpoint"]
#: The least that the lower end of the 95% interval of the AUC on labelled headlines must be.
VALIDATED = 0.70
#: Characters of a headline, at most.
HEADLINE = 1000
#: Folder of the answers, in the environment; ~/.cache/change_it without it.
CACHE = "CHANGE_IT_CACHE"


@dataclass(frozen=True)
class SupportSettings:
    """Settings of a judge of support, as `config.json` has them under `change_it`; the last three are of the labels that set the threshold."""

    model: str  # Hub id or folder, or its name on a server
    kind: Kind
    threshold: float = 0.5  # the least P(supported) that is accepted
    url: str = ""  # of a server
    outlets: tuple[str, str] | None = None
    language: str = ""
    validated: Mapping[str, Any] = field(default_factory=dict)  # see `support_training.train_support`


class SupportModel:
    """A judge of support.

    Attributes:
        settings: the model and its threshold.
        weights_hash: SHA-256 of its weights; empty of a server.
        asked_hash: SHA-256 of them and of how they are asked, which its threshold is of.
        model_hash: SHA-256 of all that its verdicts depend on.
    """

    def __init__(
        self, settings: SupportSettings, asker: ChatModel | ChatServer | NLIModel, weights_hash: str = ""
    ):
        """A judge that asks `asker`, whose answers are kept under the hash of its weights and prompts."""
        self.settings, self.weights_hash, self._asker = settings, weights_hash, asker
        asked = weights_hash or f"{settings.url} {settings.model}"
        prompts = json.dumps(PROMPTS, sort_keys=True)
        self.asked_hash = _sha(asked, settings.kind, prompts, asker.asked_by)
        self._answers_of = _sha(self.asked_hash, asker.precision)
        self.model_hash = _sha(self._answers_of, str(settings.threshold), str(PART_WORDS))

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path,
        *,
        endpoint: str | None = None,
        precision: str = "float32",
        device: str = "auto",
    ) -> "SupportModel":
        """Load a judge of support.

        `name` is a folder that `change-it train judge --task support` has written; or a causal language model or an entailment
        classifier, by Hub id or folder, whose threshold is .5; or, with an endpoint, the server's name of a model.
        """
        if endpoint is not None:
            return cls._load(SupportSettings(str(name), "endpoint", url=endpoint), precision, device)
        if (record := read_json(Path(name) / "config.json")) and "change_it" in record:
            model = cls._load(_read_settings(record["change_it"], name), precision, device)
            if model.settings.validated.get("asked", model.asked_hash) != model.asked_hash:
                raise InputError(
                    f"labels have set the threshold in {name} for another model than {model.settings.model} is now, or another question: set it again with {COMMAND} --labels FILE --out {name}"
                )
            return model
        return cls._load(SupportSettings(str(name), "asked"), precision, device)

    @classmethod
    def _load(cls, settings: SupportSettings, precision: str, device: str) -> "SupportModel":
        if settings.kind == "endpoint":
            return cls(settings, ChatServer(settings.url, settings.model))
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
            asker = (NLIModel if is_classifier else ChatModel)(folder, precision, device)
        found = replace(settings, kind="classifier" if is_classifier else "asked")
        return cls(found, asker, hash_of_weights(folder, command=COMMAND))

    def probabilities(
        self,
        headlines: Sequence[str],
        sources: Sequence[Sequence[str]],
        *,
        language: str,
        progress: ProgressOption = False,
    ) -> Floats:
        """Ask whether the sources of n headlines support them.

        Args:
            headlines: n headlines.
            sources: of each the texts it was made from: the original headline first, then articles; empty ones are left out.
            language: of the question: it, or any other for English.
            progress: True shows a bar; a function is called with the number of headlines that are done.

        Returns:
            (n,) P(supported); 0 of an empty headline, and of one of more than 1,000 characters, which is none.
        """
        claims = self._claims(headlines, sources, language)
        every = list(dict.fromkeys(claim for articles in claims for parts in articles for claim in parts))
        with progress_of(progress, "support", len(headlines)) as report, _answers(self._answers_of) as known:
            answers = known.get(every)
            missing = [claim for claim in every if claim not in answers]
            for batch, probabilities in self._ask(missing):
                found = dict(zip(batch, probabilities, strict=True))
                answers |= found
                known.put(found)
                report(len(headlines) * len(answers) // len(every))
        return np.array([_mean([max(map(answers.__getitem__, parts)) for parts in of]) for of in claims])

    def _ask(self, claims: Sequence[Claim]) -> Answers:
        with load_errors(f"{self.settings.model} cannot be asked"):
            yield from self._asker.ask(claims)

    def _claims(
        self, headlines: Sequence[str], sources: Sequence[Sequence[str]], language: str
    ) -> list[list[list[Claim]]]:
        """For each headline and article the claims that the model judges: the headline with each part that is read."""
        claims: list[list[list[Claim]]] = []
        read = cache(self._read)  # articles that several headlines have
        for headline, (original, *articles) in zip(headlines, sources, strict=True):
            claims.append([])
            texts = tuple(text for text in articles if text.strip()) or ("",)
            split, vectorizer, vectors = read(texts)
            for number, parts in enumerate(split if 0 < len(headline.strip()) <= HEADLINE else ()):
                if vectorizer:
                    near = (vectors[number] @ vectorizer.transform([headline]).T).toarray()[:, 0]
                    parts = [parts[place] for place in sorted({0, int(near.argmax())})]
                if number == 0:  # the original is the headline of the first article
                    apart = self.settings.kind == "classifier"
                    parts = [original, *parts] if apart else [f"{original}. {part}" for part in parts]
                claims[-1].append([Claim(part, headline, language) for part in parts])
        return claims

    def _read(self, articles: Sequence[str]) -> tuple[list[list[str]], Any, list[Any]]:
        """The parts of the articles on an event, and their tf-idf where the nearest one is asked for."""
        is_classifier = self.settings.kind == "classifier"
        split = [
            (sentences(text) if is_classifier else parts_of(text, PART_WORDS)) or [""] for text in articles
        ]
        if is_classifier or max(map(len, split)) < 2:
            return split, None, []
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\w+")
        vectorizer.fit(part for parts in split for part in parts)
        return split, vectorizer, [vectorizer.transform(parts) for parts in split]

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
        """Its kind, six digits of its hash and its threshold: `asked+1a2b3c+.62`."""
        return f"{self.settings.kind}+{self.model_hash[:6]}+{self.settings.threshold:.2f}"

    def with_threshold(self, threshold: float, **changes: Any) -> "SupportModel":
        """The same judge with another threshold, and other settings; what validates it names what was asked."""
        if "validated" in changes:
            changes["validated"] = {**changes["validated"], "asked": self.asked_hash}
        settings = replace(self.settings, threshold=threshold, **changes)
        return SupportModel(settings, self._asker, self.weights_hash)

    def save(self, folder: Path) -> None:
        """Write `config.json`; the weights stay where they are."""
        record = {"change_it": {"task": "support", **asdict(self.settings)}}
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / "config.json", record)


def _read_settings(record: Any, name: str | Path) -> SupportSettings:
    try:
        found = SupportSettings(**{each.name: record[each.name] for each in fields(SupportSettings)})
        texts = (found.model, found.url, found.language)
        whole = isinstance(found.validated, dict) and all(isinstance(text, str) for text in texts)
        threshold = float(found.threshold)
        if (
            whole and record["task"] == "support" and found.kind in get_args(Kind) and 0 < threshold <= 1
        ):  # no NaN
            a, b = found.outlets or ("", "")
            return replace(found, threshold=threshold, outlets=(a, b) if found.outlets else None)
    except (KeyError, TypeError, ValueError):
        pass
    raise InputError(
        f"{name} holds no judge of support of this version: make one with {COMMAND} --out {name}"
    )


def _mean(probabilities: Sequence[float]) -> float:
    """The probability of the mean log odds; 0 of none."""
    if not probabilities:
        return 0.0
    return float(expit(logit(np.clip(probabilities, 1e-9, 1 - 1e-9)).mean()))


def _sha(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


class _Answers:
    """Answers that a model has given, in a file that all runs share."""

    def __init__(self, connection: sqlite3.Connection, model: str):
        self.connection, self.model = connection, model

    def get(self, claims: Iterable[Claim]) -> dict[Claim, float]:
        """Those that are known."""
        found = {}
        for claim in claims:
            row = self.connection.execute("SELECT p FROM answers WHERE id = ?", [self._id(claim)]).fetchone()
            if row and isinstance(row[0], float):
                found[claim] = row[0]
        return found

    def put(self, answers: Mapping[Claim, float]) -> None:
        """Keep answers at once, so that a run that is interrupted goes on where it stopped."""
        rows = [(self._id(claim), p) for claim, p in answers.items()]
        with self.connection:
            self.connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)

    def _id(self, claim: Claim) -> str:
        return _sha(self.model, *claim)


@contextmanager
def _answers(model: str) -> Iterator[_Answers]:
    """The answers on disk."""
    file = Path(environ.get(CACHE) or Path.home() / ".cache" / "change_it") / "support.sqlite"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(file, timeout=60)) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS answers (id TEXT PRIMARY KEY, p REAL)")
            yield _Answers(connection, model)
    except (OSError, sqlite3.Error) as error:
        raise InputError(
            f"answers cannot be kept in {file} ({error}): free the disk, delete the file, or name another folder in {CACHE}"
        ) from error
