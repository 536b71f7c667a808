"""`extract`: a baseline without a trained generator, which adds no word of its own.

A candidate is parts of the original headline and clauses of the article's lead, in the target outlet's quotation marks, joints and
case. Candidates are ranked by how typical of the target they are and how much of the original headline is in them.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from change_it.corpus.folder import read_outlets, read_table
from change_it.errors import InputError
from change_it.generators.decoding import Candidate, Decoding
from change_it.generators.generator_options import EXTRACT
from change_it.generators.headline_transfer import Proposer, Question
from change_it.progress import tracked
from change_it.text.sentences import sentences
from change_it.text.tokens import words

#: Characters of an article, and sentences of them, that are its lead.
LEAD_CHARACTERS, LEAD_SENTENCES = 1500, 6
#: A clause of the lead with a larger share of its words in the headline says nothing new.
NEW_CLAUSE = 0.7
#: Logits of the style model are divided by this: a clearly typical headline is typical enough.
TEMPERATURE = 2.0
#: Share of the original headline's information that is enough.
ENOUGH = 0.6
#: Words of what stands between commas, from which on it is no member of a list.
LISTED = 3
#: Letters of a word that has a capital in a title, unless titles show otherwise.
LONG = 4
#: Taken from the score of what says a word twice or is too short, so that everything else comes before.
LAST = 20.0
#: A case, or a colon as the first joint, is tried where this share of the target's headlines has it.
TRIED = 0.15

_QUOTED = re.compile(r"«[^»]*»|“[^”]*”|„[^“”]*[“”]|\"[^\"]*\"|(?<!\w)‘[^‘]*?’(?!\w)|(?<!\w)'[^']*'(?!\w)")
_JOINT = re.compile(r"(?:[,;:.?!…|]+|\s[-–—|])\s+")
_ABBREVIATION = re.compile(r"(?:\b[^\W\d_a-z]\w{0,2}|\.\w)\Z")  # Sen. U.S.
_TOKEN = re.compile(r"\w+|\.{2,}|[^\w\s]")
_WORD = re.compile(r"[^\W\d_]+")
_FIRST = re.compile(r"\A\W*[^\W\d_]")
_OPENS = re.compile(r"(?:^|[:.?!…] |[«“„\"(]|(?<!\w)[‘'])\Z")  # what a title's first word follows
_INSIDE = re.compile(
    r"(?:(?<=[\w,] )|(?<=\w['’]))[^\W\d_]+"
)  # neither first, nor behind a colon or full stop


class HeadlinePart(NamedTuple):
    """A part of a headline between two joints; `joint` is what follows it, with its space, or the empty string."""

    text: str
    joint: str


def pieces(text: str) -> list[HeadlinePart]:
    """Cut a headline or sentence at its punctuation, but not inside quotations; `?!…` stay."""
    quotations = [match.span() for match in _QUOTED.finditer(text)]
    parts, start = [], 0
    for joint in _JOINT.finditer(text):
        marks = joint.group().strip()
        quoted = any(first < joint.start() < end - 1 for first, end in quotations)
        if quoted or (marks == "." and _ABBREVIATION.search(text, 0, joint.start())):
            continue
        kept = any(mark in "?!…" for mark in marks) or marks.startswith("..")
        part = text[start : joint.start() + len(marks) * kept].strip()
        parts.append(HeadlinePart(part, " " if kept else joint.group()))
        start = joint.end()
    return [part for part in [*parts, HeadlinePart(text[start:].strip(), "")] if words(part.text)]


def titled(text: str) -> bool:
    """Whether a headline is in title case: three in four of its words of four letters or more have a capital."""
    long = [word for word in _WORD.findall(text)[1:] if len(word) >= 4]
    return len(long) >= 2 and sum(word[0].isupper() for word in long) > 0.75 * len(long)


def features(text: str) -> list[str]:
    """What the style model sees: words and marks, cased, alone and in twos; length; title case."""
    tokens = _TOKEN.findall(text)
    names = [*tokens, *map(" ".join, zip(["^", *tokens], [*tokens, "$"], strict=True))]
    return [*names, f"#{min(len(tokens) // 3 * 3, 30)}", *["#title case"] * titled(text)]


def repeats(text: str, original: str) -> bool:
    """Whether a text says a long word more often than once and than the original headline does.

    Examples:
        >>> repeats("Looking Forward, 'Looking Forward'", "I'm looking forward")
        True
    """
    counts, before = (Counter(word for word in words(side) if len(word) > LONG) for side in (text, original))
    return any(count > max(1, before[word]) for word, count in counts.items())


def _listed(parts: Sequence[HeadlinePart]) -> bool:
    """Whether a comma between two parts may be a list's, whose members cannot go alone: one of them is short."""
    if len(parts) != 2 or parts[0].joint[:1] != ",":
        return False
    return min(len(words(part.text)) for part in parts) < LISTED


def _commonest(forms: Iterable[str]) -> dict[str, str]:
    """Lower-cased words to their commonest form."""
    counts = Counter(forms)
    return {word.lower(): word for word in sorted(counts, key=lambda word: (counts[word], word))}


@dataclass(frozen=True)
class StyleProfile:
    """Punctuation, case and length of an outlet's headlines."""

    length: int  # words of a long headline (quantile .9)
    shortest: int  # words of a short headline (quantile .05)
    quotes: tuple[str, str]  # the commonest quotation marks
    colon: float  # share of headlines whose first joint is a colon
    title_case: float  # share in title case

    @classmethod
    def learn(cls, headlines: Sequence[str]) -> "StyleProfile":
        """Count in an outlet's headlines, at least one."""
        quotes = Counter(
            (match[0][0], match[0][-1]) for text in headlines for match in _QUOTED.finditer(text)
        )
        lengths = sorted(len(text.split()) for text in headlines)
        return cls(
            length=lengths[len(lengths) * 9 // 10],
            shortest=lengths[len(lengths) // 20],
            quotes=quotes.most_common(1)[0][0] if quotes else ('"', '"'),
            colon=sum(pieces(text)[0].joint[:1] == ":" for text in headlines) / len(headlines),
            title_case=sum(map(titled, headlines)) / len(headlines),
        )


class Extract(Proposer):
    """Proposes parts of headline and lead in another outlet's punctuation and case; learnt once, deterministic.

    Attributes:
        profiles: outlet to its style profile.
        digest: SHA-256 of the training headlines.
    """

    def __init__(self, headlines: Mapping[str, Sequence[str]], outlets: tuple[str, str]):
        """Learn from each outlet's training headlines, in the order of `outlets`."""
        super().__init__(EXTRACT, outlets, outlets, ("headline", "article"))
        sides = [[" ".join(text.split()) for text in headlines[name] if words(text)] for name in outlets]
        if not all(sides):
            raise InputError(
                f"there are no training headlines of {outlets[bool(sides[0])]} to learn its style from: "
                "build the corpus from more articles"
            )
        first, second = sides
        both = first + second
        self.digest = hashlib.sha256("\n".join([*outlets, *first, "", *second]).encode()).hexdigest()
        self.profiles = dict(zip(outlets, map(StyleProfile.learn, sides), strict=True))
        vectors = CountVectorizer(analyzer=features, binary=True, min_df=1 + (min(map(len, sides)) >= 200))
        model = LogisticRegression(C=0.3, solver="liblinear", class_weight="balanced", random_state=1)
        self._style = make_pipeline(vectors, model).fit(both, [0] * len(first) + [1] * len(second))
        idf = TfidfVectorizer(analyzer=words).fit(both)
        self._idf = dict(zip(idf.get_feature_names_out().tolist(), idf.idf_.tolist(), strict=True))
        self._rarest = max(self._idf.values())
        # Lower-cased words to how most headlines write them within a sentence, and within a title.
        self._forms, self._titles = (
            _commonest(word for text in both if titled(text) is title for word in _INSIDE.findall(text))
            for title in (False, True)
        )

    @classmethod
    def from_corpus(cls, corpus: str) -> "Extract":
        """Learn from all training headlines of a corpus folder or data set on the Hub."""
        articles = read_table(corpus, "articles", "train", ["label", "headline"])
        outlets = read_outlets(corpus)
        headlines = {outlet: articles.filter(label=outlet)["headline"].to_list() for outlet in outlets}
        return cls(headlines, outlets)

    def _propose(
        self, items: Sequence[Question], decoding: Decoding, batch_size: int | None, progress: bool
    ) -> list[list[Candidate]]:
        shown = tracked(items, EXTRACT, shown=progress)
        return [self._candidates(*item)[: decoding.candidates] for item in shown]

    def _candidates(self, headline: str, article: str, to: str) -> list[Candidate]:
        """The candidates of one item, best first; the original headline only where there is nothing else."""
        lead, profile = article[:LEAD_CHARACTERS], self.profiles[to]
        forms = frozenset(_WORD.findall(lead))
        orders = self._orders(headline, lead)
        whole = [order for order in orders if len(order[0].text.split()) <= profile.length]
        orders = whole or orders  # what has to be cut in the middle of a clause is the last resort
        texts = dict.fromkeys(text for order in orders for text in self._written(order, profile, forms))
        if len(texts) > 1:
            texts.pop(" ".join(headline.split()), None)
        scores = self._scores(list(texts), headline, to) if texts else []
        unsound = [repeats(text, headline) or len(text.split()) < profile.shortest for text in texts]
        scores = [score - LAST * last for score, last in zip(scores, unsound, strict=True)]
        return sorted(map(Candidate, texts, scores), key=lambda candidate: (-candidate.score, candidate.text))

    def _orders(self, headline: str, lead: str) -> list[list[HeadlinePart]]:
        """Parts of the headline and clauses of the lead in the orders that newspapers use."""
        parts, headline_words = pieces(headline), set(words(headline))
        lead_parts = [pieces(sentence) for sentence in sentences(lead)[:LEAD_SENTENCES]]
        clauses: dict[str, float] = {}
        for text in (part.text.rstrip(".;:,") for sentence in lead_parts for part in sentence):
            common = headline_words.intersection(clause := words(text))
            if len(clause) > 2 and len(common) <= NEW_CLAUSE * len(clause):
                clauses[text] = self._weight(common) / math.sqrt(len(clause))
        best = sorted(clauses, key=lambda text: -clauses[text])[:1]
        quotations = [match[0] for match in _QUOTED.finditer(lead) if 1 < len(match[0].split()) < 10]
        first, rest = parts[:1], parts[1:]
        orders = [parts, first, *lead_parts[:2]]
        if not _listed(parts[:2]):
            orders += [rest, [*rest, *first]]
        if not _listed(parts[-2:]):
            orders.append(parts[:-1])
        for text in (*best, *quotations[:2]):
            piece = HeadlinePart(text, "")
            orders += [[*first, piece], [piece, *first], [*parts, piece]]
        return [order for order in orders if order]

    def _written(
        self, parts: list[HeadlinePart], profile: StyleProfile, forms: Collection[str]
    ) -> Iterator[str]:
        """The first parts that are no longer than the target's headlines, in its marks, joints and cases."""
        lengths = accumulate(len(part.text.split()) for part in parts)
        parts = parts[: max(1, sum(length <= profile.length for length in lengths))]
        begun = " ".join(parts[0].text.split()[: profile.length])
        spoken = begun[-1] in "?!…"
        joints = {parts[0].joint, parts[0].joint if spoken else ": " if profile.colon > TRIED else ", "}
        for title, share in ((False, 1 - profile.title_case), (True, profile.title_case)):
            for joint in sorted(joints) if share > TRIED else ():
                yield self._render([HeadlinePart(begun, joint), *parts[1:]], title, profile.quotes, forms)

    def _render(
        self, parts: list[HeadlinePart], title: bool, quotes: tuple[str, str], forms: Collection[str]
    ) -> str:
        """The parts as one headline; a word that no longer begins it gets the case that lead or headlines give it."""

        def usual(word: str) -> str:
            return word.lower() if word.lower() in forms else self._forms.get(word.lower(), word)

        text, begins = "", True
        for part, joint in parts:
            plain = _WORD.sub(lambda match: usual(match[0]), part) if titled(part) and not title else part
            if match := _WORD.match(plain):
                word = usual(match[0]) if match[0][0].isupper() else match[0]
                plain = (word[0].upper() + word[1:] if begins else word) + plain[match.end() :]
            begins = joint == ". " or plain[-1] in "?!…."
            text += plain + (joint or (" " if begins else ", "))
        text = _FIRST.sub(lambda match: match[0].upper(), text.strip(" ,;:-–—."))
        text = _QUOTED.sub(lambda match: quotes[0] + match[0][1:-1].strip(" .,") + quotes[1], text)
        return self._as_title(text) if title else text

    def _as_title(self, text: str) -> str:
        """A headline in title case; a short word has the capital that most titles give it."""

        def capital(match: re.Match[str]) -> str:
            word, before = match[0], text[: match.start()]
            if before[-1:] in ("'", "’") and before[-2:-1].isalnum():  # Trump's
                return word
            usual = self._titles.get(word.lower(), word if len(word) < LONG else word.capitalize())
            return word[0].upper() + word[1:] if usual[0].isupper() or _OPENS.search(before) else word

        return _WORD.sub(capital, text)

    def _scores(self, texts: list[str], headline: str, to: str) -> list[float]:
        """Log-probability of the style plus log of the original headline's information that is kept, at most 0."""
        original = set(words(headline))
        whole = self._weight(original)
        kept = [
            self._weight(original.intersection(words(text))) / whole if original else 1.0 for text in texts
        ]
        logits = self._style.decision_function(texts) / TEMPERATURE
        style = -np.logaddexp(0, -logits if to == self.outlets[1] else logits)
        return list(map(float, style + np.log(np.minimum(1.0, (np.array(kept) + 0.05) / ENOUGH))))

    def _weight(self, some: Collection[str]) -> float:
        """Sum of inverse document frequencies."""
        return sum(self._idf.get(word, self._rarest) for word in some)
