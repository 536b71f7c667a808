import random

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from change_it.text.rouge import rouge_l, rouge_l_of_many
from change_it.text.tokens import words


class Tokenizer:
    def tokenize(self, text):
        return words(text)


def test_equals_rouge_score_with_the_same_tokenizer():
    scorer = RougeScorer(["rougeL"], tokenizer=Tokenizer())
    draw = random.Random(1)
    vocabulary = ["perché", "è", "così", "l'Italia", "dice", "no", "sì", "e", "poi", "3", "ancora", "мир"]
    for _ in range(300):
        one, other = (" ".join(draw.choices(vocabulary, k=draw.randint(0, 14))) for _ in range(2))
        theirs = scorer.score(one, other)["rougeL"]
        assert tuple(rouge_l(one, other)) == pytest.approx(
            (theirs.precision, theirs.recall, theirs.fmeasure), abs=1e-9
        )


def test_accented_words_count_whole():
    assert rouge_l("perché è così", "perche e cosi").f1 == 0


def test_no_words_score_zero():
    assert rouge_l("", "Roma") == (0, 0, 0)
    assert rouge_l("Roma", "…") == (0, 0, 0)


def test_many_at_once_equal_one_by_one():
    draw = random.Random(2)
    ones, others = ([draw.choices("abcdef", k=draw.randint(0, 9)) for _ in range(300)] for _ in range(2))
    expected = [rouge_l(" ".join(one), " ".join(other)) for one, other in zip(ones, others, strict=True)]
    assert rouge_l_of_many(ones, others) == pytest.approx(np.array(expected), abs=1e-12)
    assert rouge_l_of_many([], []).shape == (0, 3)
