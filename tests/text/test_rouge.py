import random
from itertools import combinations

import drawn
import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from change_it.text.rouge import headline_rouge, rouge_l
from change_it.text.tokens import words


class Tokenizer:
    def tokenize(self, text):
        return words(text)


def headlines(count, seed, longest=12):
    return drawn.texts(count, seed, shortest=0, longest=longest)


def several(count, seed):
    draw, texts = random.Random(seed), iter(headlines(3 * count, seed))
    return [[next(texts) for _ in range(draw.randint(1, 3))] for _ in range(count)]


def su(text):
    """Words and ordered pairs with their smallest distance, read off the definition."""
    tokens = words(text)
    distances = {(token,): 1 for token in tokens}
    for i, j in combinations(range(len(tokens)), 2):
        pair = (tokens[i], tokens[j])
        distances[pair] = min(distances.get(pair, j - i), j - i)
    return distances


def literal(candidate, reference):
    """ROUGE-SU and ROUGE-WSU, read off the definition."""
    wanted, offered = su(reference), su(candidate)
    if not wanted:
        return 0.0, 0.0
    shared = wanted.keys() & offered.keys()
    weight = sum(2 / (wanted[pair] + offered[pair]) for pair in shared)
    return len(shared) / len(wanted), weight / sum(1 / distance for distance in wanted.values())


@pytest.mark.parametrize("name", ["rouge2", "rougeL"])
def test_clipped_equals_rouge_score_s_recall(name):
    scorer = RougeScorer([name], tokenizer=Tokenizer())
    candidates, references = headlines(300, 1), several(300, 11)
    pairs = zip(candidates, references, strict=True)
    expected = [max(scorer.score(text, one)[name].recall for text in texts) for one, texts in pairs]
    assert 0 < np.mean(expected) < 1
    scores = headline_rouge(candidates, references, measures=[name], counts="clipped")
    assert scores[name] == pytest.approx(expected, abs=1e-9)


def test_a_set_has_every_n_gram_once():
    for counts, expected in (("set", [2 / 3, 2 / 3]), ("clipped", [4 / 7, 3 / 6])):
        scores = headline_rouge(
            ["a b a b"], [["a b a b a b c"]], measures=["rouge1", "rouge2"], counts=counts
        )
        assert [*scores.values()] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(2))
def test_su_and_wsu_equal_the_definition(seed):
    candidates, references = headlines(120, seed, longest=4 * seed + 3), several(120, seed + 30)
    pairs = zip(candidates, references, strict=True)
    expected = [np.max([literal(one, text) for text in texts], axis=0) for one, texts in pairs]
    scores = headline_rouge(candidates, references, measures=["rougeSU", "rougeWSU"])
    assert np.stack([*scores.values()], axis=1) == pytest.approx(np.array(expected), abs=1e-12)


def test_the_paper_s_example_of_gaps():
    one, other = (headline_rouge([text], [["x B C x x"]]) for text in ("B y y y C", "z z B z C"))
    assert one["rougeSU"] == other["rougeSU"] > 0
    assert other["rougeWSU"] > one["rougeWSU"]
    assert one["rouge2"] == other["rouge2"] == 0


def test_identical_texts_score_exactly_one_disjoint_and_empty_ones_zero():
    texts = [text for text in headlines(200, 3) if len(words(text)) > 1]
    for references, score in (([[text] for text in texts], 1), ([["tutt altro testo"]] * len(texts), 0)):
        for values in headline_rouge(texts, references).values():
            assert (values == score).all()
    for values in headline_rouge(["", "Roma", "«…»", "a"], [["Roma"], [""], [""], ["", "a"]]).values():
        assert values[:3].tolist() == [0, 0, 0]
    for values in headline_rouge([], []).values():
        assert values.shape == (0,)


def test_rouge_l_equals_rouge_score_s():
    scorer = RougeScorer(["rougeL"], tokenizer=Tokenizer())
    ones, others = headlines(300, 1), headlines(300, 2)
    scores = (scorer.score(one, other)["rougeL"] for one, other in zip(ones, others, strict=True))
    expected = np.array([(score.precision, score.recall, score.fmeasure) for score in scores])
    assert rouge_l([*map(words, ones)], [*map(words, others)]) == pytest.approx(expected, abs=1e-9)
