import numpy as np
import pytest
from drawn import texts
from rouge_score.rouge_scorer import RougeScorer

from change_it.text.rouge import rouge_l
from change_it.text.tokens import words


class Tokenizer:
    def tokenize(self, text):
        return words(text)


def test_equals_rouge_score_with_the_same_tokenizer():
    scorer = RougeScorer(["rougeL"], tokenizer=Tokenizer())
    ones, others = (texts(300, seed, shortest=0) for seed in (1, 2))
    theirs = [scorer.score(one, other)["rougeL"] for one, other in zip(ones, others, strict=True)]
    expected = np.array([(score.precision, score.recall, score.fmeasure) for score in theirs])
    assert rouge_l([*map(words, ones)], [*map(words, others)]) == pytest.approx(expected, abs=1e-9)


def test_accented_words_count_whole():
    assert rouge_l([words("perché è così")], [words("perche e cosi")])[0, 2] == 0


def test_no_words_score_zero():
    assert not rouge_l([[], ["roma"]], [["roma"], []]).any()
    assert rouge_l([], []).shape == (0, 3)
