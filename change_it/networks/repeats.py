"""What keeps a generator from repeating itself.

No import of ours, so that it goes to the Hub with the weights of the models that import it.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import LogitsProcessor

#: The most frequent ids of a tokenizer over words: articles, prepositions, marks.
FREQUENT = 200


class NoRepeatedNGram(LogitsProcessor):
    """Forbids an n-gram twice in what is generated; the prompt's own n-grams stay allowed. Changes the scores in place."""

    def __init__(self, size: int, prompt: int):
        self.before, self.prompt = size - 1, prompt

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores with -inf for the tokens that would repeat an n-gram."""
        if input_ids.shape[1] - self.prompt <= self.before:
            return scores
        for row, ids in enumerate(input_ids[:, self.prompt :].tolist()):
            places = range(len(ids) - self.before)
            last = ids[len(ids) - self.before :]
            repeated = [
                ids[place + self.before] for place in places if ids[place : place + self.before] == last
            ]
            scores[row, repeated] = -torch.inf
        return scores


class NoRepeatedWord(LogitsProcessor):
    """Forbids a word twice, but for the `FREQUENT` ones, which it forbids twice in a row; `marks` stay allowed."""

    def __init__(self, marks: Sequence[int]):
        self.marks = torch.tensor(marks, dtype=torch.long)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores with -inf for the words that would be repeated."""
        written = input_ids[:, 1:]  # `<s>` stands before them
        repeated = torch.zeros_like(scores, dtype=torch.bool).scatter_(1, written, True)
        repeated[:, :FREQUENT] = False
        repeated.scatter_(1, written[:, -1:], True)
        repeated[:, self.marks.to(scores.device)] = False
        return scores.masked_fill(repeated, -torch.inf)
