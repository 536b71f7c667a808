"""`extract`: a baseline without a trained generator, which adds no word of its own.

A candidate is parts of the original headline and clauses of the article's lead, in the target outlet's quotation marks, joints and
case. Candidates are ranked by how typical of the target they are and how much of headline and article is in them.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from rich.progress import track
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from change_it.corpus.loading import read_outlets, read_table
from change_it.errors import InputError
from change_it.generators.formats import Candidate, Decoding
from change_it.generators.transfer import Proposer
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
#: What another candidate from the same parts costs.
REPEATED = 0.25
#: A case is tried where this share of the target's headlines is in it.
TRIED = 0.15

_QUOTED = re.compile(r"«[^»]*»|“[^”]*”|„[^“”]*[“”]|\"[^\"]*\"|(?<!\w)‘[^‘]*?’(?!\w)|(?<!\w)'[^']*'(?!\w)")
_JOINT = re.compile(r"(?:[,;:.?!…|]+|\s[-–—|])\s+")
_ABBREVIATION = re.compile(r"(?:\b[^\W\d_a-z]\w{0,2}|\.\w)\Z")  # Sen. U.S.
_TOKEN = re.compile(r"\w+|\.{2,}|[^\w\s]")
_WORD = re.compile(r"[^\W\d_]+")
_INSIDE = re.compile(r"(?:(?<=[\w,] )|(?<=\w['’]))[^\W\d_]+")  # neither first, nor behind a colon or full stop


class Piece(NamedTuple):
    """A part of a headline between two joints; `joint` is what follows it, with its space, or the empty string."""

    text: str
    joint: str


def pieces(text: str) -> list[Piece]:
    """Cut a headline or sentence at its punctuation, but not inside quotations; `?`, `!` and `…` stay with their piece.

    Example:
        >>> [tuple(piece) for piece in pieces('Neve: "Chiuso, tutto chiuso", sindaci in piazza. E ora? Si vedrà')]
        [('Neve', ': '), ('"Chiuso, tutto chiuso"', ', '), ('sindaci in piazza', '. '), ('E ora?', ' '), ('Si vedrà', '')]
    """
    quotations = [match.span() for match in _QUOTED.finditer(text)]
    found, start = [], 0
    for joint in _JOINT.finditer(text):
        marks = joint.group().strip()
        quoted = any(first < joint.start() < end - 1 for first, end in quotations)
        if quoted or (marks == "." and _ABBREVIATION.search(text, 0, joint.start())):
            continue
        kept = any(mark in "?!…" for mark in marks) or marks.startswith("..")
        part = text[start : joint.start() + len(marks) * kept].strip()
        found.append(Piece(part, " " if kept else joint.group()))
        start = joint.end()
    return [part for part in [*found, Piece(text[start:].strip(), "")] if words(part.text)]


def titled(text: str) -> bool:
    """Whether a headline is in title case: three in four of its words of four letters or more have a capital.

    Example:
        >>> titled("Council Votes Down the New Harbour"), titled("Council votes down the new Harbour")
        (True, False)
    """
    long = [word for word in _WORD.findall(text)[1:] if len(word) >= 4]
    return len(long) >= 2 and sum(word[0].isupper() for word in long) > 0.75 * len(long)


def features(text: str) -> list[str]:
    """What the style model sees: words and marks, cased, alone and in twos; length; title case.

    Example:
        >>> features("Ecco: neve")
        ['Ecco', ':', 'neve', '^ Ecco', 'Ecco :', ': neve', 'neve $', '#3']
    """
    tokens = _TOKEN.findall(text)
    names = [*tokens, *map(" ".join, zip(["^", *tokens], [*tokens, "$"], strict=True))]
    return [*names, f"#{min(len(tokens) // 3 * 3, 30)}", *["#title case"] * titled(text)]


@dataclass(frozen=True)
class StyleProfile:
    """Punctuation, case and length of an outlet's headlines.

    Attributes:
        length: words of a long headline (quantile .9).
        quotes: the commonest quotation marks.
        colon: share of headlines whose first joint is a colon.
        title_case: share in title case.
    """

    length: int
    quotes: tuple[str, str]
    colon: float
    title_case: float

    @classmethod
    def learn(cls, headlines: Sequence[str]) -> "StyleProfile":
        """Count in an outlet's headlines, at least one."""
        quotes = Counter((match[0][0], match[0][-1]) for text in headlines for match in _QUOTED.finditer(text))
        return cls(
            length=sorted(len(text.split()) for text in headlines)[len(headlines) * 9 // 10],
            quotes=quotes.most_common(1)[0][0] if quotes else ('"', '"'),
            colon=sum(pieces(text)[0].joint[:1] == ":" for text in headlines) / len(headlines),
            title_case=sum(map(titled, headlines)) / len(headlines),
        )


class Extract(Proposer):
    """Proposes parts of headline and lead in another outlet's punctuation and case; learnt once, deterministic.

    Attributes:
        profiles: outlet to its style profile.
    """

    needs = ("headline", "article")

    def __init__(
        self, headlines: Mapping[str, Sequence[str]], outlets: tuple[str, str], *, cache_size: int = 0
    ):
        """Learn the style of both outlets.

        Args:
            headlines: outlet to its training headlines.
            outlets: short names of A and B.
            cache_size: how many items' candidates are kept.

        Raises:
            InputError: an outlet has no headlines with words.
        """
        super().__init__("extract", outlets, outlets, cache_size)
        sides = [
            [" ".join(text.split()) for text in headlines.get(outlet, ()) if words(text)]
            for outlet in outlets
        ]
        if missing := [outlet for outlet, side in zip(outlets, sides, strict=True) if not side]:
            raise InputError(
                f"there are no training headlines of {missing[0]} to learn its style from: build the corpus from more articles"
            )
        self.profiles = {
            outlet: StyleProfile.learn(side) for outlet, side in zip(outlets, sides, strict=True)
        }
        both = sides[0] + sides[1]
        vectors = CountVectorizer(analyzer=features, binary=True, min_df=1 + (min(map(len, sides)) >= 200))
        model = LogisticRegression(C=0.3, solver="liblinear", class_weight="balanced", random_state=1)
        self._style = make_pipeline(vectors, model).fit(both, [0] * len(sides[0]) + [1] * len(sides[1]))
        idf = TfidfVectorizer(analyzer=words).fit(both)
        self._idf = dict(zip(idf.get_feature_names_out().tolist(), idf.idf_.tolist(), strict=True))
        cased = Counter(word for text in both if not titled(text) for word in _INSIDE.findall(text))
        # Lower-cased words to how most headlines write them within a sentence.
        self._forms = {word.lower(): word for word in sorted(cased, key=lambda word: (cased[word], word))}

    @classmethod
    def from_corpus(cls, corpus: str, *, cache_size: int = 0) -> "Extract":
        """Learn from all training headlines of a corpus folder or data set on the Hub.

        Raises:
            InputError: no such corpus, or no headlines of an outlet.
        """
        articles, outlets = read_table(corpus, "articles", "train", ["label", "headline"]), read_outlets(corpus)
        headlines = {outlet: articles.filter(label=outlet)["headline"].to_list() for outlet in outlets}
        return cls(headlines, outlets, cache_size=cache_size)

    def _propose(
        self, items: Sequence[Question], decoding: Decoding, batch_size: int | None, progress: bool
    ) -> list[list[Candidate]]:
        shown = track(items, "extract", disable=not progress)
        return [self._candidates(*item, decoding.candidates) for item in shown]

    def _candidates(self, headline: str, article: str, to: str, count: int) -> list[Candidate]:
        """The candidates of one item, best first; another one from the same parts costs something."""
        lead = article[:LEAD_CHARACTERS]
        orders: dict[str, int] = {}
        for number, parts in enumerate(self._orders(headline, lead)):
            for text in self._written(parts, self.profiles[to], frozenset(_WORD.findall(lead))):
                orders.setdefault(text, number)
        if len(orders) > 1:
            orders.pop(" ".join(headline.split()), None)
        scores = self._scores(list(orders), headline, to)
        chosen: list[Candidate] = []
        used: Counter[int] = Counter()
        while orders and len(chosen) < count:
            best = min(orders, key=lambda text: (REPEATED * used[orders[text]] - scores[text], text))
            used[orders.pop(best)] += 1
            chosen.append(Candidate(best, scores[best]))
        return sorted(chosen, key=lambda candidate: -candidate.score)

    def _orders(self, headline: str, lead: str) -> Iterator[list[Piece]]:
        """Parts of the headline and clauses of the lead in the orders that newspapers use."""
        parts, told = pieces(headline), [pieces(text) for text in sentences(lead)[:LEAD_SENTENCES]]
        first, rest, own = parts[:1], parts[1:], set(words(headline))

        def relevance(clause: Piece) -> float:
            return self._weight(own.intersection(words(clause.text))) / math.sqrt(len(words(clause.text)))

        clauses = [Piece(part.text.rstrip(".;:,"), "") for sentence in told for part in sentence]
        new = [part for part in clauses if 2 < len(known := words(part.text)) and NEW_CLAUSE > _share(known, own)]
        clause = sorted(new, key=relevance, reverse=True)[:1]
        quotations = [[Piece(match[0], "")] for match in _QUOTED.finditer(lead) if 2 <= len(match[0].split()) < 10]
        orders = [parts, first, rest, parts[:-1], rest + first, clause, *told[:2]]
        orders += [order for added in (clause, *quotations[:2]) for order in (first + added, added + first, parts + added)]
        yield from filter(None, orders)

    def _written(self, parts: list[Piece], profile: StyleProfile, known: frozenset[str]) -> Iterator[str]:
        """The first parts that are no longer than the target's headlines, in its marks, joints and cases."""
        lengths = np.cumsum([len(part.text.split()) for part in parts])
        kept = parts[: max(1, int((lengths <= profile.length).sum()))]
        if lengths[0] > profile.length:
            kept = [Piece(" ".join(parts[0].text.split()[: profile.length]), "")]
        joint = ": " if profile.colon > TRIED else ", "
        swapped = [Piece(kept[0].text, joint), *kept[1:]]
        for title, share in ((False, 1 - profile.title_case), (True, profile.title_case)):
            if share > TRIED:
                yield self._render(kept, title, profile, known)
                if kept[0].joint in (": ", ", ", "") and not any(":" in part.joint for part in kept[1:]):
                    yield self._render(swapped, title, profile, known)

    def _render(self, parts: list[Piece], title: bool, profile: StyleProfile, known: frozenset[str]) -> str:
        """The parts as one headline; words that stand elsewhere now have the case that headlines or lead give them."""

        def usual(word: str) -> str:
            return word.lower() if word.lower() in known else self._forms.get(word.lower(), word)

        text, begins = "", True
        for part, joint in parts:
            plain = _WORD.sub(lambda match: usual(match[0]), part) if titled(part) and not title else part
            if match := _WORD.match(plain):
                word = usual(match[0]) if match[0][0].isupper() else match[0]
                plain = (_capital(word) if begins else word) + plain[match.end() :]
            begins = joint == ". " or plain[-1] in "?!…."
            text += plain + (joint or (" " if begins else ", "))
        open_, close = profile.quotes
        text = _QUOTED.sub(lambda match: open_ + match[0][1:-1].strip(" .,") + close, text.strip(" ,;:-–—."))
        return _WORD.sub(lambda match: _capital(match[0], match.start()), text) if title else text

    def _scores(self, texts: list[str], headline: str, to: str) -> dict[str, float]:
        """Log-probability of the style plus logarithm of the original headline's information that is kept, at most 0."""
        if not texts:
            return {}
        logits = self._style.decision_function(texts) / (TEMPERATURE if to == self.outlets[1] else -TEMPERATURE)
        own = set(words(headline))
        whole = self._weight(own) or 1.0
        kept = [self._weight(own.intersection(words(text))) / whole if own else 1.0 for text in texts]
        content = np.log(np.minimum(1.0, (np.array(kept) + 0.05) / ENOUGH))
        return dict(zip(texts, (content - np.logaddexp(0, -logits)).tolist(), strict=True))

    def _weight(self, some: Collection[str]) -> float:
        """Sum of the words' inverse document frequencies."""
        return sum(self._idf.get(word, self._rarest) for word in some)
