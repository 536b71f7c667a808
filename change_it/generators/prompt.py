"""Prompts for models that were not trained for the task: an instruction in the language of the corpus, examples, the item."""

import hashlib
import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it.corpus.folder import read_outlets, read_table
from change_it.errors import InputError
from change_it.generators.folder import corpus_language, read_prompts
from change_it.io import LONGEST
from change_it.scoring.item import Item
from change_it.text.cleaning import visible
from change_it.text.typography import BULLET, LABEL

#: Characters of the article of an item, and of one in an example.
ARTICLE, EXAMPLE_ARTICLE = 1200, 400

_QUOTED = re.compile(r'"([^"]*)"|“([^”]*)”|«([^»]*)»|„([^“”]*)[“”]|\'([^\']*)\'|‘([^‘’]*)’')
#: Thoughts before an answer, and the marks around a block of text.
_THINK = "(?:think|thinking|thought|reasoning)[>▷]"
_THOUGHTS = re.compile(
    rf"\A.*[<◁]/{_THINK}|[<◁]{_THINK}.*\Z|\A.*<\|channel\|>final(?:<\|message\|>)?|\Aanalysis.*assistantfinal",
    re.DOTALL | re.IGNORECASE,
)
#: Tokens of chat templates, tags, and \boxed{}; what refuses, asks back or says who it is; and a remark behind a headline.
_TOKENS = re.compile(
    r"<\|[^|<>]{1,40}\|>|\[/?INST\]|</?[a-z]\w{0,15}>|</?s>|\\boxed\{([^{}]*)\}", re.IGNORECASE
)
_REFUSED = re.compile(
    r"\A(?:mi dispiace|spiacente|i['’]?m sorry|sorry,|i can(?:not|['’]t)|i am unable|as an ai\b|come (?:modello|assistente|intelligenza)\b).*"
    r"\b(?:posso|riesco|vedo|can(?:not|['’]t)|unable|incollare|fornire|provide|paste)\b",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\s*[(\[](?:nota|note|n\.?b\.?)\b[^()\[\]]*[)\]]?\Z", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
#: Marks around a line.
_MARKDOWN = " \t*_`"


class Example(NamedTuple):
    """An article with its headline, and what the other outlet printed about the same event."""

    headline: str
    article: str
    answer: str


class Examples:
    """Pairs of the training set, as examples of the headlines of one outlet."""

    def __init__(self, pairs: Sequence[Example]):
        self.pairs = pairs
        self.headlines = {text for pair in pairs for text in (pair.headline, pair.answer)}
        self.vectorizer = TfidfVectorizer(sublinear_tf=True)
        texts = (f"{pair.headline} {pair.article}" for pair in pairs)
        self.vectors = self.vectorizer.fit_transform(texts)

    def choose(self, headline: str, article: str, count: int) -> list[Example]:
        """The examples for an item by tf-idf, the nearest last."""
        query = self.vectorizer.transform([f"{headline} {article[:EXAMPLE_ARTICLE]}"])
        scores = (self.vectors @ query.T).toarray()[:, 0]
        nearest = np.argsort(-scores, kind="stable")[:count]
        return [self.pairs[row] for row in reversed(nearest)]


@dataclass(frozen=True)
class Prompt:
    """A prompt for headlines of two outlets."""

    outlets: tuple[str, str]
    language: str
    instruction: str
    example: str
    shots: int = 0
    examples: dict[str, Examples] | None = None  # outlet aimed at to its pairs; None without examples

    @classmethod
    def of_corpus(cls, corpus: str, *, shots: int = 0) -> "Prompt":
        """The prompt of a corpus, with examples from its training pairs where there are `shots`."""
        outlets = read_outlets(corpus)
        language = corpus_language(corpus)
        prompted, examples = read_prompts(language)["prompted"], None
        if shots:
            pairs = _pairs(corpus)
            if not 0 <= shots <= len(pairs):
                raise InputError(
                    f"--shots {shots} is out of range: give --shots from 0 to {len(pairs)}, the training pairs of {corpus}"
                )
            examples = {
                to: Examples([_example(pair, here, there) for pair in pairs.iter_rows(named=True)])
                for to, here, there in ((outlets[1], "a", "b"), (outlets[0], "b", "a"))
            }
        return cls(outlets, language, **prompted, shots=shots, examples=examples)

    def text(self, item: Item) -> str:
        """The prompt for an original headline with its article."""
        headline, article, to = item.source, item.article, item.target
        names = {"{to}": to, "{from}": self.outlets[to == self.outlets[0]]}
        chosen = self.examples[to].choose(headline, article, self.shots) if self.examples else []
        parts = [_filled(self.instruction, names)]
        for each in (*chosen, Example(headline, cut(article, ARTICLE), "")):
            fields = {"{headline}": each.headline, "{article}": each.article, "{answer}": each.answer}
            parts.append(_filled(self.example, names | fields))
        return "".join(parts).strip()

    def is_example(self, headline: str, to: str) -> bool:
        """Whether a headline is one of other articles, which examples show, or begins one, for it may have been cut off, or is four words of one."""
        shown = self.examples[to].headlines if self.examples and headline else ()
        long = len(headline.split()) > 3
        return any(each.startswith(headline) or (long and headline in each) for each in shown)

    @property
    def signature(self) -> str:
        """Language and six digits of the wording's hash, and which examples: `prompt:it+1a2b3c|shots:3+nearest`."""
        wording = hashlib.sha256(f"{self.instruction}\0{self.example}".encode()).hexdigest()
        shown = f"{self.shots}+nearest" if self.shots else "0"
        return f"prompt:{self.language}+{wording[:6]}|shots:{shown}"


def cut(text: str, characters: int) -> str:
    """The beginning of a text, on one line, up to a whole word."""
    text = " ".join(text.split())
    return text if len(text) <= characters else text[:characters].rpartition(" ")[0]


def headline_of(answer: str, *, ended: bool = True, outlets: Sequence[str] = ()) -> str:
    """The headline in an answer: its first line that introduces no other, without thoughts before it, label, tokens and marks around it.

    Empty where there is none, where it has no letter, refuses or is too long, or where the answer was too long and has not `ended` in that line. The names of `outlets` are
    labels, too.
    """
    plain = html.unescape(_FENCE.sub("", _THOUGHTS.sub("", answer)))
    plain = _TOKENS.sub(lambda found: found[1] or "", _of_object(plain) or plain)
    lines = [line for line in (visible(line).strip(_MARKDOWN) for line in plain.splitlines()) if line]
    if labelled := [at for at, line in enumerate(lines) if LABEL.match(line) and LABEL.sub("", line)]:
        del lines[: labelled[0]]
    while len(lines) > 1 and lines[0].endswith(":"):
        lines.pop(0)
    if not lines or (not ended and len(lines) == 1):
        return ""
    text = LABEL.sub("", BULLET.sub("", " ".join(lines[0].split()))).strip(_MARKDOWN)
    if names := "|".join(map(re.escape, outlets)):
        text = re.sub(rf"\A(?:(?:in|su) )?(?:{names})[*_ ]*:[*_ ]+", "", text, flags=re.IGNORECASE)
    quoted = _QUOTED.fullmatch(text)
    text = next(part for part in quoted.groups() if part is not None).strip() if quoted else text
    text = _REMARK.sub("", text)
    is_one = len(text) <= LONGEST["headline"] and any(map(str.isalnum, text)) and not _REFUSED.match(text)
    return text if is_one else ""


def _of_object(answer: str) -> str:
    """The one text in a JSON object, as some models answer; empty where it is none."""
    try:
        read = json.loads(answer)
    except ValueError:
        return ""
    texts = [value for value in read.values() if isinstance(value, str)] if isinstance(read, dict) else []
    return texts[0] if len(texts) == 1 else ""


def _pairs(corpus: str) -> pl.DataFrame:
    """Training pairs with all texts and with no article of the test set."""
    sides = [f"{side}_{column}" for side in "ab" for column in ("id", "headline", "article")]
    pairs = read_table(corpus, "pairs", "train", [*sides, "alignment"])
    test = read_table(corpus, "articles", "test", ["id"])["id"]
    filled = (pl.col(name).str.strip_chars().str.len_chars() > 0 for name in sides)
    outside = (~pl.col(f"{side}_id").is_in(test.implode()) for side in "ab")
    return pairs.filter(pl.col("alignment") != "A2", *filled, *outside)


def _example(pair: dict[str, str], here: str, there: str) -> Example:
    article = cut(pair[f"{here}_article"], EXAMPLE_ARTICLE)
    return Example(pair[f"{here}_headline"], article, pair[f"{there}_headline"])


def _filled(template: str, fields: dict[str, str]) -> str:
    """The template with its fields; braces of texts stay."""
    return re.sub(r"\{\w+\}", lambda field: fields.get(field.group(), field.group()), template)
