"""The page's examples of a corpus."""

from change_it.scoring.item import read_test_set
from change_it.space.models import corpus_examples


def test_examples_of_a_corpus_are_always_the_same(corpus, tmp_path):
    found = corpus_examples(corpus, "it")
    assert found == corpus_examples(corpus, "it")
    *first, changed = found
    printed = {(one.source, one.reference) for one in read_test_set(corpus).items}
    assert all((one.source, one.prediction) in printed for one in first)
    assert len(first) == 2
    assert (changed.source, changed.prediction) not in printed
    assert corpus_examples(str(tmp_path / "none"), "it") == ()
