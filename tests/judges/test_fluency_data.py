"""What fluency learns from: corruptions of the same headlines for every judge, and none of the held-out ones."""

import numpy as np

from change_it.corpus.folder import read_table
from change_it.judges import fluency_data
from change_it.judges.fluency_data import HELD_OUT, PARTS, SEEN, UNSEEN, load_fluency


def test_printed_and_broken_headlines_and_where_they_come_from(corpus, monkeypatch):
    used = []
    corrupt = fluency_data.corrupt
    monkeypatch.setattr(fluency_data, "corrupt", lambda *given: used.append(given[1]) or corrupt(*given))
    monkeypatch.setattr(fluency_data, "BROKEN", 200)
    data = load_fluency(corpus, fold="all", validation_share=0.1, seed=1)
    printed = data.train.labels == 1
    assert printed.sum() == 200
    assert (~printed).sum() == 2 * 200
    assert len(data.parts) == len(data.train)
    assert {*data.parts} == {*range(1, PARTS + 1)}
    test = read_table(corpus, "articles", "test", ["headline", "event"])
    learnt = {text for text, label in zip(data.known.texts, data.known.labels, strict=True) if label}
    assert not learnt & {*test["headline"]}
    assert not {*data.headlines} & {*test["headline"]}
    assert {*data.tests} == {SEEN, UNSEEN}
    for name, examples in data.tests.items():
        assert len(examples) == len(data.events[name])
        assert {*data.events[name]} <= {*test["event"]}
    first = min(used.index(name) for name in HELD_OUT)
    assert first > 2 * 200  # what is learnt from is broken before, by other corruptions
    assert set(used[first:]) <= {*HELD_OUT}


def test_a_headline_and_what_is_made_of_it_share_a_part(corpus):
    data = load_fluency(corpus, fold="all", validation_share=0.1, seed=1)
    begins = np.flatnonzero(data.train.labels)
    part = data.parts
    of = dict(zip(data.headlines, data.counted_parts, strict=True))
    for at in begins[:50]:
        assert part[at] == of[data.train.texts[at]]
        assert len({*part[at : at + 2]}) == 1
