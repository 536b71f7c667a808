"""`extract`: headlines without a trained generator, from the original headline, the article's lead and counted habits.

Each candidate is a body (parts of the original headline and clauses of the lead, in some order) in the dress of the
target newspaper (its openings, closings, quotation marks, joints and capitals). The candidates are ranked by how typical
of the target they are and how much of the original headline and of the article is in them.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it.corpus.loading import read_outlets, read_table
from change_it.errors import InputError
from change_it.generators.bodies import Source, bodies, shortened
from change_it.generators.dressing import Dresser
from change_it.generators.formats import Candidate, Decoding
from change_it.generators.habits import Habits, Headlines, Phrase, Piece, Style, synonyms, titled
from change_it.text.tokens import words

#: Characters of an article that are its lead.
LEAD_CHARACTERS = 1500
#: Bodies of an item that are dressed: the best when bare.
BODIES = 7
#: Logits of the style model are divided by this: a clearly typical headline is typical enough.
TEMPERATURE = 2.0
#: Share of the original headline's information that is enough.
ENOUGH = 0.6
#: How much the logarithms of content kept and of support by the article count beside that of style.
KEPT, SUPPORTED = 1.0, 1.0
#: Openings and closings that are tried: those that fit best.
OPENINGS, CLOSINGS = 2, 3
#: Log-odds beyond which a phrase is habit enough, and how much its fit to the item counts beside them.
CLEAR, FIT = 3.0, 4.0
#: What another candidate with a body or dress that was chosen before costs.
AGAIN = 0.25
#: Words that are too frequent to end a headline.
COMMON_WORDS = 60

_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class _Text:
    """A candidate: the number of its body, the name of its dress, and the score."""

    text: str
    body: int
    dress: str
    score: float


class Extract:
    """Proposes headlines in another outlet's dress; learnt once, deterministic.

    Attributes:
        outlets: short names of A and B.
        habits: by outlet.
        replacements: by target outlet, words that it puts for the other outlet's.
    """

    def __init__(self, outlets: tuple[str, str], counted: tuple[Headlines, Headlines]):
        """See `learn`."""
        first, second = counted
        self.outlets = outlets
        self.habits = dict(
            zip(outlets, (Habits.learn(first, second), Habits.learn(second, first)), strict=True)
        )
        self.replacements: dict[str, dict[str, str]] = {outlet: {} for outlet in outlets}
        self._style = Style.learn(first.texts, second.texts)
        self._vectors = TfidfVectorizer(analyzer=words, dtype=np.float32).fit(first.texts + second.texts)
        self._weights: dict[str, float] = dict(
            zip(self._vectors.get_feature_names_out().tolist(), self._vectors.idf_.tolist(), strict=True)
        )
        self._rare = max(self._weights.values())
        self._dresser = Dresser(first.texts + second.texts)
        counts = Counter(
            word for text in first.texts + second.texts for word in text.split()[1:] if word.islower()
        )
        self._common = frozenset(word for word, _ in counts.most_common(COMMON_WORDS))
        # What is taken off for a target: the other outlet's phrases, but nobody's name.
        self._foreign = {to: self._dress(outlets[1 - at]) for at, to in enumerate(outlets)}
        self._near = {
            outlet: (self._contexts(habits.openings, side), self._contexts(habits.closings, side))
            for (outlet, habits), side in zip(self.habits.items(), counted, strict=True)
        }

    @classmethod
    def learn(
        cls,
        headlines: Mapping[str, Sequence[str]],
        outlets: tuple[str, str],
        pairs: Sequence[tuple[str, str]] = (),
    ) -> "Extract":
        """Learn the habits of both outlets.

        Args:
            headlines: outlet to its training headlines.
            outlets: short names of A and B.
            pairs: headlines of A and B about the same event, for synonyms; may be empty.

        Returns:
            The system, for both directions.

        Raises:
            InputError: an outlet has no headlines with words.
        """
        counted = tuple(Headlines(headlines.get(outlet, ())) for outlet in outlets)
        for outlet, side in zip(outlets, counted, strict=True):
            if not any(map(words, side.texts)):
                raise InputError(
                    f"there are no training headlines of {outlet} to learn its habits from: "
                    "build the corpus from more articles"
                )
        learnt = cls(outlets, (counted[0], counted[1]))
        learnt.replacements = {
            outlets[1]: synonyms(pairs),
            outlets[0]: synonyms([(second, first) for first, second in pairs]),
        }
        return learnt

    @classmethod
    def from_corpus(cls, corpus: str) -> "Extract":
        """Learn from the training side of a corpus: all its headlines, and its pairs.

        Args:
            corpus: folder written by `change-it corpus build`, or a data set id on the Hub.

        Raises:
            InputError: no such corpus, or no headlines of an outlet.
        """
        articles = read_table(corpus, "articles", "train", ["label", "headline"])
        pairs = read_table(corpus, "pairs", "train", ["a_headline", "b_headline"])
        outlets = read_outlets(corpus)
        headlines = {outlet: articles.filter(label=outlet)["headline"].to_list() for outlet in outlets}
        return cls.learn(headlines, outlets, list(pairs.iter_rows()))

    def propose(
        self,
        headlines: Sequence[str],
        articles: Sequence[str],
        to: str | Sequence[str],
        decoding: Decoding | None = None,
        batch_size: int | None = None,
        progress: bool = False,
    ) -> list[list[Candidate]]:
        """Candidates for every headline.

        Args:
            headlines: n original headlines.
            articles: n articles.
            to: the outlet aimed at, or one for each headline.
            decoding: how many `candidates`; the rest is for generators.
            batch_size: for generators; not looked at.
            progress: show a progress bar.

        Returns:
            n lists of at most `candidates` distinct headlines, best first; an empty list only where headline and
            article have no words. Scores are log-probabilities of sorts, at most 0.

        Raises:
            InputError: an unknown outlet.
            ValueError: the numbers of headlines, articles and targets differ.
        """
        count = (decoding or Decoding()).candidates
        targets = [to] * len(headlines) if isinstance(to, str) else list(to)
        if unknown := sorted(set(targets) - set(self.outlets)):
            raise InputError(f"there is no outlet {unknown[0]!r}: choose {' or '.join(self.outlets)}")
        rows = list(zip(headlines, articles, targets, strict=True))
        shown: Iterable[Any] = track(rows, "extract", disable=not progress)
        return [self._candidates(headline, article, target, count) for headline, article, target in shown]

    def _candidates(self, headline: str, article: str, to: str, count: int) -> list[Candidate]:
        """The candidates of one item."""
        source = self._source(headline, article)
        target = self.habits[to]
        found: dict[str, _Text] = {}
        bare: list[tuple[_Text, list[Piece]]] = []
        said = bodies(source, target, self._foreign[to], self.replacements[to], self._common)
        for number, body in enumerate(said):
            body = shortened(body, target.lengths[2])
            text = self._dresser.render(body, target, source)
            if text and text not in found:
                found[text] = self._scored(text, number, "", source, to)
                bare.append((found[text], body))
        bare.sort(key=lambda entry: -entry[0].score)
        near = self._near[to]
        openings = self._fitting(target.openings, near[0], source, OPENINGS)
        closings = self._fitting(target.closings, near[1], source, CLOSINGS)
        for undressed, body in bare[:BODIES]:
            for dress, text in self._dresser.dresses(body, openings, closings, source, target):
                if text and text not in found:
                    found[text] = self._scored(text, undressed.body, dress, source, to)
        if len(found) > 1:
            found.pop(source.headline, None)
        return _varied(found.values(), count)

    def _dress(self, outlet: str) -> frozenset[str]:
        """Phrases without names and last marks that are an outlet's habit."""
        habits = self.habits[outlet]
        phrases = (phrase.text for phrase in (*habits.openings, *habits.closings))
        return frozenset(text for text in phrases if not self._dresser.names(text)) | set(habits.endings)

    def _source(self, headline: str, article: str) -> Source:
        headline, lead = " ".join(headline.split()), " ".join(article[:LEAD_CHARACTERS].split())
        own = words(headline)
        return Source(
            headline,
            lead,
            {word: self._weights.get(word, self._rare) for word in own},
            frozenset(own) | frozenset(words(lead)),
            frozenset(_WORD.findall(lead)),
            titled(headline),
        )

    def _contexts(self, phrases: tuple[Phrase, ...], side: Headlines) -> NDArray[np.float32]:
        """(phrases, words) mean direction of the headlines that each phrase stands in."""
        around = np.zeros((len(phrases), len(self._weights)), dtype=np.float32)
        for row, phrase in enumerate(phrases):
            texts = [side.texts[where] for where in phrase.rows]
            around[row] = np.asarray(self._vectors.transform(texts).sum(axis=0))[0]
        return around / np.maximum(np.linalg.norm(around, axis=1, keepdims=True), 1e-9)

    def _fitting(
        self, phrases: tuple[Phrase, ...], contexts: NDArray[np.float32], source: Source, count: int
    ) -> list[Phrase]:
        """The phrases that are a strong habit in headlines about the like, best first; none with unheard-of names."""
        columns = [self._vectors.vocabulary_[word] for word in source.known if word in self._weights]
        fit = contexts[:, sorted(columns)].sum(axis=1) / math.sqrt(len(columns) or 1)
        values = [
            min(phrase.odds, CLEAR) / CLEAR + FIT * near for phrase, near in zip(phrases, fit, strict=True)
        ]
        best = (phrases[row] for row in np.argsort(values, kind="stable")[::-1])
        known = (phrase for phrase in best if self._dresser.names(phrase.text) <= source.known)
        return list(islice(known, count))

    def _scored(self, text: str, body: int, dress: str, source: Source, to: str) -> _Text:
        """Log-probability of the style, and logarithms of content kept and of what headline and lead support."""
        logit = self._style.logit(text) / TEMPERATURE
        style = -math.log1p(math.exp(-logit if to == self.outlets[1] else logit))
        weights = {word: self._weights.get(word, self._rare) for word in words(text)}
        kept = _share(source.kept, weights) if source.kept else 1.0
        supported = _share(weights, source.known)
        content = KEPT * math.log(min(1.0, (kept + 0.05) / ENOUGH)) + SUPPORTED * math.log(supported + 1e-3)
        return _Text(text, body, dress, min(0.0, style + content))


def _share(weights: Mapping[str, float], found: Collection[str]) -> float:
    """Share of the weight that lies on words which are found; 1 of nothing."""
    whole = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in found) / whole if whole else 1.0


def _varied(texts: Iterable[_Text], count: int) -> list[Candidate]:
    """The best candidates; each time that a body or dress was chosen before costs something."""
    left = sorted(texts, key=lambda text: (-text.score, text.text))
    used: Counter[int | str] = Counter()
    chosen: list[Candidate] = []
    while left and len(chosen) < count:
        best = max(left, key=lambda text: text.score - AGAIN * (used[text.body] + used[text.dress]))
        left.remove(best)
        used.update((best.body, best.dress))
        chosen.append(Candidate(best.text, best.score))
    return sorted(chosen, key=lambda candidate: -candidate.score)
