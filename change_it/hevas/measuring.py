"""Hold what HEvAS' metrics are computed from: a system's headlines, and what is learnt from documents."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Literal

from change_it.errors import InputError
from change_it.hevas.documents import Documents
from change_it.hevas.readability import tag_ratios
from change_it.stats import Floats
from change_it.text.rouge import headline_rouge
from change_it.text.tagging import PerceptronTagger, load_tagger
from change_it.text.tokens import words

if TYPE_CHECKING:  # loads scipy's and scikit-learn's decompositions
    from change_it.hevas.spaces import LatentSemantic, TopicModel, WordEmbeddings

#: The words of several texts.
Words = list[list[str]]
#: Eigenvalues that LSI keeps, as `MetricOptions.lsi` has them.
_LSI = re.compile(r"(?:(?P<name>ratio|threshold):)?(?P<value>\d+(?:\.\d+)?)")


@dataclass(kw_only=True)
class MetricOptions:
    """Options that the values of the metrics depend on.

    Attributes:
        language: Language of documents and headlines: it or en; others, such as de, with --stop-words and
            without PNR, NR and PR.
        stop_words: Words that LSI, LDA and baselines leave out: it, en or none; those of the language when
            not given.
        weights: Word weights of KL and JS; tf-idf learns from the documents.
        lsi: Eigenvalues that LSI keeps: 50 the largest ones, ratio:0.1 this share of them, ratio:1 all,
            threshold:0.1 those of at least this value.
        topics: LDA topics.
        vectors: Word vectors for WE: a word2vec file, with .bin in its name if it is binary, .gz or not;
            trained on the documents when not given, which takes thousands to be worth it.
        seed: Seed of LDA, trained word vectors, the baseline random and bootstrap intervals.
    """

    language: str = "it"
    stop_words: str = ""
    weights: Literal["tf", "tf-idf"] = "tf"
    lsi: str = "ratio:0.1"
    topics: int = 10
    vectors: Path | None = None
    seed: int = 1


class MeasuredDocuments:
    """Documents with their references, and what metrics learn from them.

    Each part is made when it is first asked for.

    Attributes:
        words: the words of each document.
        references: for each document the words of its reference headlines; empty where there are none.
        options: what the values depend on.
        notes: parts of the signature that say how the values were made, in the order in which they were
            needed.
    """

    def __init__(self, documents: Documents, options: MetricOptions) -> None:
        self.words = words_of_all(documents.texts)
        self.references = [words_of_all(several) for several in documents.references or ()]
        self.options = options
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Add a part to the signature, once."""
        if text not in self.notes:
            self.notes.append(text)

    @cached_property
    def tagger(self) -> PerceptronTagger:
        """Return the tagger of the language; a language without one is refused."""
        tagger = load_tagger(self.options.language)
        self.note("tagger:perceptron")
        return tagger

    @cached_property
    def word_embeddings(self) -> "WordEmbeddings":
        """Return the space of the word vectors that were given, else of vectors trained on the documents."""
        from change_it.hevas import spaces

        path = self.options.vectors
        if path:
            vectors = spaces.load_vectors(path)
            size = f"{len(vectors)}x{vectors.vector_size}"
            digest = digest_of(vectors.index_to_key, vectors.vectors.tobytes())
            self.note(f"vectors:{path.name},{size},{digest}")
        else:
            vectors = spaces.train_vectors(self.words, seed=self.options.seed)
            size = f"{len(vectors)}x{vectors.vector_size}"
            self.note(f"vectors:trained,{size}")
        return spaces.WordEmbeddings(self.words, vectors)

    @cached_property
    def word_weights(self) -> Mapping[str, float] | None:
        """Return the inverse document frequencies of words where `weights` is tf-idf; None for tf."""
        from change_it.hevas import spaces

        self.note(f"weights:{self.options.weights}")
        if self.options.weights != "tf-idf":
            return None
        return spaces.inverse_frequencies(self.words)

    @cached_property
    def latent_space(self) -> "LatentSemantic":
        """Return the space of latent semantic indexing."""
        from change_it.hevas import spaces

        name, value = parse_lsi(self.options.lsi)
        space = spaces.LatentSemantic(self.words, keep=(name, value), language=self._stop_words)
        self.note(f"lsi:{name}={value:g},{len(space.eigenvalues)}")
        return space

    @cached_property
    def topics(self) -> "TopicModel":
        """Return the topics of the documents."""
        from change_it.hevas import spaces

        self.note(f"lda:{self.options.topics}")
        return spaces.TopicModel(
            self.words, topics=self.options.topics, seed=self.options.seed, language=self._stop_words
        )

    @property
    def _stop_words(self) -> str:
        """Return the name or file of the list of stop words."""
        return self.options.stop_words or self.options.language


class SystemHeadlines:
    """The headlines of one system, with values that several metrics share.

    Attributes:
        texts: n headlines, as the system wrote them.
        words: the words of each headline.
        documents: the n documents that they were written for.
    """

    def __init__(self, texts: Sequence[str], documents: MeasuredDocuments) -> None:
        self.texts = texts
        self.words = words_of_all(texts)
        self.documents = documents

    @cached_property
    def tag_shares(self) -> Floats:
        """Return the (3, n) shares of proper nouns, common nouns and pronouns."""
        return tag_ratios(self.texts, self.documents.tagger, self.documents.options.language)

    @cached_property
    def ngram_recalls(self) -> dict[str, Floats]:
        """Return (n,) `rouge1` and `rouge2` against the references."""
        return self._rouge("rouge1", "rouge2")

    @cached_property
    def skip_bigram_recalls(self) -> dict[str, Floats]:
        """Return (n,) `rougeSU` and `rougeWSU` against the references."""
        return self._rouge("rougeSU", "rougeWSU")

    @cached_property
    def divergences_from_documents(self) -> tuple[Floats, Floats]:
        """Return (n,) divergences from each headline's document as published, and (n,) similarities.

        The similarities are one less the Jensen-Shannon divergence.
        """
        return self._divergences([[text] for text in self.documents.words])

    @cached_property
    def divergences_from_references(self) -> tuple[Floats, Floats]:
        """Return (n,) divergences from each headline's references as published, and (n,) similarities.

        The similarities are one less the Jensen-Shannon divergence. Of several references the nearest counts.
        """
        return self._divergences(self.documents.references)

    def _rouge(self, *measures: str) -> dict[str, Floats]:
        """Return (n,) values of each measure against the references."""
        self.documents.note("counts:set")
        return headline_rouge(self.words, self.documents.references, measures=measures)

    def _divergences(self, texts: Sequence[Words]) -> tuple[Floats, Floats]:
        """Return the (n,) KL divergences and (n,) JS similarities of n headlines, see `spaces.divergences`.

        Args:
            texts: the words of one text or more for each headline, of which the most similar one counts.
        """
        from change_it.hevas import spaces

        return spaces.divergences(self.words, texts, idf=self.documents.word_weights)


def words_of_all(texts: Sequence[str]) -> Words:
    """Return the words of each text; equal words are one object."""
    return [list(map(intern, words(text))) for text in texts]


def digest_of(*content: object) -> str:
    """Return six hexadecimal digits that tell this content from other content."""
    return hashlib.sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()[:6]


def parse_lsi(text: str) -> tuple[str, float]:
    """Return `number`, `ratio` or `threshold` and its value from an option such as `50` or `ratio:0.1`."""
    match = _LSI.fullmatch(text)
    if match:
        name = match["name"] or "number"
        value = float(match["value"])
        is_number = name == "number" and value.is_integer() and value > 0
        is_ratio = name == "ratio" and 0 < value <= 1
        if is_number or is_ratio or name == "threshold":
            return name, value
    raise InputError(
        f"LSI cannot keep eigenvalues by {text!r}: give a number as 50, a share as ratio:0.1 or a least "
        "value as threshold:0.1"
    )
