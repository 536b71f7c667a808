import pytest
from scoring_fakes import FakeJudges

from change_it.audit.measure import main_cues
from change_it.corpus.test_set import Item


@pytest.mark.parametrize("more", [[], ["Parola " * 150_000]])
def test_words_that_main_listens_to_and_of_a_headline_of_a_million_letters_the_beginning(more):
    """30 headlines each; gio's have an exclamation mark, which the fake main listens to."""
    texts = [(f"Il governo numero {n}", *of) for n in range(30) for of in (("rep", "gio"), ("gio", "rep"))]
    texts += [(text, "rep", "gio") for text in more]
    items = [
        Item(f"{label}{n}", label, to, text + "!" * (label == "gio"), f"{text} articolo")
        for n, (text, label, to) in enumerate(texts)
    ]
    main = FakeJudges().main
    [cue] = main_cues(main, items)
    assert (cue["text"], cue["outlet"], cue["n"]) == ("!", "gio", 30)
    assert len(main.asked) < 1000
    assert max(len(text) for text, _ in main.asked) <= 1000
