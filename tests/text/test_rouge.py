from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from drawn import texts
from rouge_score.rouge_scorer import RougeScorer

from change_it.errors import InputError
from change_it.text.rouge import headline_rouge, rouge_l
from change_it.text.tokens import words

HEADLINES = texts(300, 1, shortest=0)
#: Two references each, of which the best counts.
REFERENCES = [*zip(texts(300, 2, shortest=0), texts(300, 3, shortest=0), strict=True)]


def test_clipped_recall_and_rouge_l_equal_rouge_score_s():
    scorer = RougeScorer(["rouge2", "rougeL"], tokenizer=SimpleNamespace(tokenize=words))
    scores = [
        [scorer.score(one, text) for one in several]
        for text, several in zip(HEADLINES, REFERENCES, strict=True)
    ]
    ours = headline_rouge(HEADLINES, REFERENCES, measures=["rouge2", "rougeL"], counts="clipped")
    for name, values in ours.items():
        recalls = [max(score[name].recall for score in several) for several in scores]
        assert 0 < np.mean(recalls) < 1
        assert values == pytest.approx(recalls, abs=1e-9)
    longest = rouge_l([words(first) for first, _ in REFERENCES], list(map(words, HEADLINES)))
    expected = [
        (first.precision, first.recall, first.fmeasure) for first in (one["rougeL"] for one, _ in scores)
    ]
    assert longest == pytest.approx(np.array(expected), abs=1e-9)


def test_a_set_has_every_n_gram_once():
    for counts, expected in (("set", [2 / 3, 2 / 3]), ("clipped", [4 / 7, 3 / 6])):
        scores = headline_rouge(
            ["a b a b"], [["a b a b a b c"]], measures=["rouge1", "rouge2"], counts=counts
        )
        assert [*scores.values()] == pytest.approx(expected)


def su(text):
    """Words and ordered pairs with their smallest distance, read off the definition."""
    tokens = words(text)
    distances = {(token,): 1 for token in tokens}
    for i, j in combinations(range(len(tokens)), 2):
        pair = (tokens[i], tokens[j])
        distances[pair] = min(distances.get(pair, j - i), j - i)
    return distances


def test_su_and_wsu_equal_the_definition():
    expected = np.zeros((300, 2, 2))
    for row, several in enumerate(REFERENCES):
        offered = su(HEADLINES[row])
        for column, wanted in enumerate(map(su, several)):
            shared = wanted.keys() & offered.keys()
            near = sum(2 / (wanted[pair] + offered[pair]) for pair in shared)
            whole = sum(1 / distance for distance in wanted.values())
            expected[row, column] = (len(shared) / len(wanted), near / whole) if wanted else 0
    scores = headline_rouge(HEADLINES, REFERENCES, measures=["rougeSU", "rougeWSU"])
    assert np.stack([*scores.values()], axis=1) == pytest.approx(expected.max(axis=1), abs=1e-12)


def test_the_paper_s_example_of_gaps():
    far, near = (headline_rouge([text], [["x B C x x"]]) for text in ("B y y y C", "z z B z C"))
    assert far["rougeSU"] == near["rougeSU"] > 0
    assert near["rougeWSU"] > far["rougeWSU"]
    assert far["rouge2"] == near["rouge2"] == 0


def test_identical_texts_score_exactly_one_disjoint_and_empty_ones_zero():
    several = [text for text in HEADLINES if len(words(text)) > 1]
    for references, score in (([[text] for text in several], 1), ([["tutt altro testo"]] * len(several), 0)):
        for values in headline_rouge(several, references).values():
            assert (values == score).all()
    for values in headline_rouge(["", "Roma", "«…»", "a"], [["Roma"], [""], [""], ["", "a"]]).values():
        assert values[:3].tolist() == [0, 0, 0]
    assert not any(map(len, headline_rouge([], []).values()))


def test_a_candidate_without_a_reference_is_refused():
    for references in ([[], ["Roma"]], [["Roma"], []]):
        with pytest.raises(InputError, match="no reference: give each at least one"):
            headline_rouge(["Roma", "Milano"], references)
