"""Linear judges: their features, their trees and their answers.

`hub/test_round_trip.py` opens them by transformers alone.
"""

from unicodedata import normalize

import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor
from threadpoolctl import threadpool_info, threadpool_limits
from transformers import ByT5Tokenizer

from change_it.judges import linear_features
from change_it.judges.data import Examples
from change_it.judges.linear_features import (
    COUNT_COLUMNS,
    MONOTONICITY,
    WORD_COLUMNS,
    WordCodes,
    Words,
    sum_leaves,
)
from change_it.judges.linear_training import LEARNING_RATE, _boost, fit_main, fit_pairs

HEADLINES = ["Crolla il ponte: «Due morti»", "ECCO perché cade", "Derby sospeso, 3 feriti", "Non cade più"]
ARTICLES = ["Il ponte è crollato, due morti.", "Il governo cade.", "Il derby è sospeso: 3 feriti.", "Cade."]
LABELS = np.array([0, 1, 0, 1])


def main_judge():
    return fit_main(Examples(HEADLINES, None, LABELS), seed=1)


def pair_judge():
    texts = HEADLINES * 20
    pairs = ARTICLES * 10 + ARTICLES[::-1] * 10
    labels = np.repeat([1, 0], 40)
    return fit_pairs("ah", Examples(texts, pairs, labels), HEADLINES + ARTICLES, seed=1)


@pytest.mark.parametrize(("judge", "pairs"), [(main_judge, None), (pair_judge, ARTICLES)])
def test_answers_are_the_same_of_bytes_alone_and_in_any_normal_form(judge, pairs):
    judge = judge()

    together = judge.predict_proba(HEADLINES, pairs)
    assert (together.sum(axis=1) == 1).all()

    of_bytes = ByT5Tokenizer()(HEADLINES, pairs, padding=True, return_tensors="pt")
    logits = judge(**of_bytes).logits
    assert torch.softmax(logits.double(), -1).numpy() == pytest.approx(together, abs=1e-6)

    for row, headline in enumerate(HEADLINES):
        alone = judge.predict_proba([headline], pairs and [pairs[row]])[0]
        assert alone == pytest.approx(together[row], abs=1e-6)

    decomposed = [[normalize("NFD", text) for text in side] for side in (HEADLINES, pairs) if side]
    assert (judge.predict_proba(*decomposed) == together).all()

    assert judge.predict_proba([], pairs and []).shape == (0, 2)


def test_a_class_with_few_headlines_counts_as_much_as_the_other():
    """The same headline in both classes, five times as often in one: it tells nothing."""
    labels = np.array([0, 0, 0, 0, 0, 1] * 4)
    judge = fit_main(Examples([HEADLINES[0]] * 24, None, labels), seed=1)
    assert judge.predict_proba([HEADLINES[0]])[0] == pytest.approx([0.5, 0.5], abs=1e-3)


def test_fits_are_on_one_thread(monkeypatch):
    threads = []
    fit = LogisticRegression.fit

    def counted(*given, **options):
        threads.extend(pool["num_threads"] for pool in threadpool_info())
        return fit(*given, **options)

    monkeypatch.setattr(LogisticRegression, "fit", counted)
    with threadpool_limits(2):
        main_judge()
    assert {*threads} == {1}


def test_ngrams_are_scikit_learns():
    """Products of headlines are those of a vectorizer with a vocabulary, without n-grams of one headline."""
    texts = [*HEADLINES, "Crolla il governo: «Non cade»", "Il derby cade"]
    vectorizer = TfidfVectorizer(
        token_pattern=r"\w+|[^\w\s]", ngram_range=(1, 2), lowercase=False, min_df=2, sublinear_tf=True
    )
    expected = vectorizer.fit_transform(texts)
    counts = linear_features.ngrams(texts)
    found = linear_features.tfidf(counts, linear_features.inverse_frequency(counts, 2))
    assert (found @ found.T).toarray() == pytest.approx((expected @ expected.T).toarray(), abs=1e-6)
    assert linear_features.inverse_frequency(counts).max() == pytest.approx(
        1 + np.log(len(texts) + 1)
    )  # of unseen ones
    assert linear_features.ngrams([""]).nnz == 0


def test_hashed_ngrams_and_their_tfidf_are_scikit_learns_to_the_last_bit():
    random = np.random.default_rng(1)
    strange = ["".join(map(chr, random.integers(1, 0xD800, length))) for length in range(60)]
    texts = [*HEADLINES, *ARTICLES, "पुल टूटा: «no»", "x" * 1001, "", *strange]
    token = rf"\w+(?:[{linear_features.COMBINING}]+\w*)*|[^\w\s]"
    vectorizer = HashingVectorizer(
        n_features=WORD_COLUMNS,
        token_pattern=token,
        ngram_range=(1, 2),
        lowercase=False,
        norm=None,
        alternate_sign=False,
        dtype=np.float32,
    )
    expected = vectorizer.transform(texts)
    counts = linear_features.ngrams(texts)
    assert same_matrix(counts, expected)

    idf = linear_features.inverse_frequency(counts, 2)
    transformer = TfidfTransformer(sublinear_tf=True)
    transformer.idf_ = idf
    assert same_matrix(linear_features.tfidf(counts, idf), transformer.transform(expected))


def same_matrix(one, other):
    """Whether two sparse matrices are stored in the same bytes."""
    return all(
        getattr(one, name).tobytes() == getattr(other, name).tobytes()
        for name in ("data", "indices", "indptr")
    )


def test_combining_marks_belong_to_words():
    words = Words(["पुल टूटा", "पल टट"], WordCodes(frozenset()))
    assert words.matrix().sum(axis=1).A1.tolist() == [2, 2]
    assert words.matrix()[0].multiply(words.matrix()[1]).nnz == 0
    assert linear_features.split_pieces("पुल टूटा!") == ["पुल", "टूटा", "!"]


def test_features_of_two_texts_by_hand():
    ones = {"idf": np.ones(WORD_COLUMNS, np.float32), "name": np.ones(WORD_COLUMNS, np.float32)}
    codes = WordCodes(frozenset(["non"]))
    [row] = linear_features.features_of_pairs(["2 morti non Roma"], ["2 morti a Bari"], codes, ones)
    cosine = row[0]
    words = row[1:9]
    numbers = row[17:25]
    negations = row[25:]
    assert cosine == pytest.approx(2 / 4)
    assert words.tolist() == pytest.approx([2, 2, 2, 3 / 5, 3 / 5, 1, 1, 1])
    assert numbers.tolist() == pytest.approx([1, 0, 0, 1, 1, 1, 0, 0])
    assert negations.tolist() == pytest.approx([0, 1, 0, 1 / 2, 1, 0, 1, 0])
    assert len(row) == len(MONOTONICITY)
    assert Words(["", "a"], WordCodes(frozenset())).matrix().sum() == 1


def test_a_missing_name_never_makes_a_better_match():
    judge = pair_judge()
    plain = judge.predict_proba(HEADLINES, ARTICLES)[:, 1]
    longer = judge.predict_proba([f"{text} Zanzibar" for text in HEADLINES], ARTICLES)[:, 1]
    assert (longer <= plain + 1e-9).all()


def test_trees_answer_as_scikit_learn_does():
    random = np.random.default_rng(1)
    features = random.integers(0, 9, (500, 4)).astype(np.float32) / np.float32(7)
    labels = (features[:, 0] * features[:, 1] > features[:, 2]).astype(int)
    settings = {"leaves": 8, "feature_share": 1.0, "seed": 1}
    even = np.where(labels == 1, 1 / labels.mean(), 1 / (1 - labels.mean()))
    model = DecisionTreeRegressor(max_leaf_nodes=8, min_samples_leaf=20, random_state=1)
    model.fit(features, 4 * labels - 2, sample_weight=even)
    first = sum_leaves(features, _boost(features, labels, rounds=1, **settings))
    assert first == pytest.approx(LEARNING_RATE * model.predict(features), abs=1e-6)
    assert (
        (sum_leaves(features, _boost(features, labels, rounds=60, **settings)) > 0) == labels
    ).mean() > 0.95


def pieces_of(texts, clusters, frequent=frozenset()):
    return linear_features.Pieces(texts, linear_features.PieceCodes(frequent, clusters))


def counts_of(pieces):
    return np.array([pieces.count(number) for number in range(linear_features.LETTERS + 1)])


def test_fluency_sees_what_was_never_joined_and_what_is_repeated():
    frequent = frozenset(["il"])
    clusters = np.zeros((2, COUNT_COLUMNS), np.uint8)
    headlines = ["il ponte cade", "ponte il cade", "il ponte il ponte cade"]
    texts = pieces_of(headlines, clusters, frequent)
    counts = counts_of(pieces_of(["il ponte cade"] * 9, clusters, frequent))
    printed, broken, looped = linear_features.fluency_features(texts, counts)
    letters = texts.rarest(counts[-1])
    assert letters[:6].tolist() == [1000, 1000, 9, 9, 9, 1000]  # two beginnings, three words, an end
    assert pieces_of(["pomte"], clusters, frequent).rarest(counts[-1])[2] == 0
    assert printed[-4:].tolist() == [0, 0, 0, 0]
    assert looped[-4:] == pytest.approx([2 / 5, 1 / 4, 1, 1])
    assert printed[-5] == 0 < broken[-5]  # the share of pairs that were never seen
    assert np.isfinite(linear_features.fluency_features(pieces_of(["", "…"], clusters), counts)).all()


def test_features_of_fluency_do_not_depend_on_the_headline_before():
    clusters = np.zeros((2, COUNT_COLUMNS), np.int64)
    counts = counts_of(pieces_of(HEADLINES, clusters))
    every = linear_features.fluency_features(pieces_of(HEADLINES, clusters), counts)
    alone = [linear_features.fluency_features(pieces_of([text], clusters), counts)[0] for text in HEADLINES]
    assert every == pytest.approx(np.array(alone), abs=1e-6)


def test_pieces_have_the_same_counts_whatever_was_numbered_before():
    clusters = np.zeros((2, COUNT_COLUMNS), np.uint8)
    codes = linear_features.PieceCodes(frozenset(["il"]), clusters)
    linear_features.Pieces(["Derby sospeso, 3 feriti"], codes)
    after_others = linear_features.Pieces(HEADLINES, codes)
    alone = pieces_of(HEADLINES, clusters, frozenset(["il"]))
    assert (counts_of(after_others) == counts_of(alone)).all()
    assert (after_others.rarest(counts_of(alone)[-1]) == alone.rarest(counts_of(alone)[-1])).all()
