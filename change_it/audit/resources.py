"""What systems that must fail take from a corpus."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from change_it.hevas.baseline_systems import baseline
from change_it.judges.negatives import name_pool
from change_it.text.edits import Mentions, by_ending
from change_it.text.folding import fold
from change_it.text.material import Material, Split
from change_it.text.names import Casing, Headline
from change_it.text.typography import Typography

#: Words of a list of key words.
KEYWORDS = 8
#: Headlines that names and words to swap are taken from, at most.
NAMED = 1000


@dataclass
class Resources:
    """What the systems take from a corpus."""

    material: Material  # for damage
    casing: Casing  # how its articles write words
    training_headlines: Mapping[str, Sequence[str]]  # of each outlet
    articles: Sequence[str]  # of the test set

    @property
    def language(self) -> str:
        """`it`, `en` or `none`."""
        return self.material.language

    @cached_property
    def headlines(self) -> list[Headline]:
        """Those that names and words to swap are taken from."""
        headlines = self.material.headlines
        return [self.read(headline) for headline in headlines[:: max(1, len(headlines) // NAMED)]]

    @cached_property
    def names(self) -> list[str]:
        """Names of people and places in headlines."""
        return name_pool(self.headlines, self.casing)

    @cached_property
    def words(self) -> dict[str, list[str]]:
        """Content words of headlines, by their endings."""
        return by_ending(self.headlines, self.casing)

    @cached_property
    def typography(self) -> dict[str, Typography]:
        """How each outlet sets its headlines."""
        return {outlet: Typography.of(headlines) for outlet, headlines in self.training_headlines.items()}

    @cached_property
    def keywords(self) -> dict[str, list[str]]:
        """Article to its words of highest tf-idf."""
        distinct = list(dict.fromkeys(self.articles))
        keywords = baseline("tfidf", distinct, n_words=KEYWORDS, language=self.language)
        return {article: text.split() for article, text in zip(distinct, keywords, strict=True)}

    @cached_property
    def cues(self) -> dict[str, list[str]]:
        """For each outlet the words that the other one's headlines have least, by how much more often it uses them."""
        counts = {
            outlet: Counter(word for h in headlines for word in set(Split.of(h).words))
            for outlet, headlines in self.training_headlines.items()
        }
        sizes = {outlet: max(1, len(headlines)) for outlet, headlines in self.training_headlines.items()}
        a, b = counts
        gaps = {
            word: counts[a][word] / sizes[a] - counts[b][word] / sizes[b] for word in counts[a] | counts[b]
        }
        ranked = sorted(gaps, key=lambda word: (-gaps[word], word))
        return {a: ranked[:10], b: ranked[::-1][:10]}

    def read(self, headline: str) -> Headline:
        """The pieces of a headline."""
        return Headline(headline, self.language)

    def mentions(self, article: str) -> Mentions:
        """Names and numbers of an article's beginning."""
        return Mentions.of([article], self.language, self.casing)

    def is_name(self, word: str) -> bool:
        """Whether a lower-cased word has a capital in most articles."""
        return (self.casing.share(fold(word)) or 0.0) >= 0.5
