"""The plain baselines: thresholds are the best there are, and each learns an easy task."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score

from change_it.judges import baselines
from change_it.judges.data import Examples

EVENTS = [
    "il treno parte da Roma",
    "la pioggia ferma il derby",
    "nuova legge sulle pensioni",
    "sale il prezzo del gas",
]


def pairs():
    texts, others, labels = [], [], []
    for index, event in enumerate(EVENTS):
        texts += [event, event]
        others += [f"oggi {event} di nuovo", f"oggi {EVENTS[index - 1]} di nuovo"]
        labels += [1, 0]
    return Examples(texts, others, np.array(labels))


def test_a_lead_is_drawn_by_event():
    labels, wrong = np.tile([0, 1], 20), np.arange(40) < 8
    judge, baseline = labels, np.where(wrong, 1 - labels, labels)
    one_each = baselines.lead(labels, judge, baseline, [str(number) for number in range(40)])
    assert one_each["value"] == pytest.approx(0.2)
    assert 0 < one_each["low"] < 0.2 < one_each["high"]
    # the same eight answers are one event: it is drawn or not
    together = baselines.lead(labels, judge, baseline, [str(number // 8) for number in range(40)])
    assert together["value"] == pytest.approx(0.2)
    assert together["low"] == 0
    swapped = baselines.lead(labels, baseline, judge, [str(number) for number in range(40)])
    assert swapped["high"] < 0


def test_the_threshold_is_the_best_of_all():
    random = np.random.default_rng(4)
    for _ in range(6):
        labels = random.integers(2, size=30)
        scores = np.round(random.normal(labels * 0.8), 1)
        cut = baselines.best_threshold(scores, labels)
        best = max(
            f1_score(labels, scores > other, average="macro", zero_division=0) for other in [-9, *scores]
        )
        assert f1_score(labels, scores > cut, average="macro", zero_division=0) == pytest.approx(best)


def test_tfidf_cosine_is_the_cosine():
    cosines = baselines.tfidf_cosine(EVENTS)
    assert cosines(EVENTS, EVENTS) == pytest.approx(np.ones(4))
    assert cosines([EVENTS[0]], ["perché no"]) == pytest.approx([0.0])
    assert cosines(["Treno, Roma!"], ["ROMA treno"]) == pytest.approx([1.0])


def test_the_frozen_encoder_reads_each_text_once_and_not_the_padding():
    reads = []

    class Tokenizer:
        model_max_length = 8

        def __call__(self, texts, pairs=None, **_):
            reads.extend(texts)
            ids = torch.zeros(len(texts), 8, dtype=torch.long)
            for row, text in enumerate(texts):
                codes = [ord(letter) for letter in text]
                ids[row, : len(codes)] = torch.tensor(codes)
            batch = {"input_ids": ids, "attention_mask": (ids > 0).long()}
            return type("Batch", (dict,), {"to": lambda self, device: self})(batch)

    class Encoder(torch.nn.Module):
        device = torch.device("cpu")

        def forward(self, input_ids, attention_mask):
            return SimpleNamespace(last_hidden_state=torch.nn.functional.one_hot(input_ids, 128).float())

    cosines = baselines.frozen_cosine(Encoder(), Tokenizer())
    assert cosines(["ab", "ab", "ab"], ["ab", "ba", "cd"]) == pytest.approx([1, 1, 0])
    assert cosines(["aabb"], ["a"]) == pytest.approx([np.sqrt(0.5)])
    assert sorted(reads) == ["a", "aabb", "ab", "ba", "cd"]
