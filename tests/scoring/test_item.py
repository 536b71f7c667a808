"""Items: in which order they are looked at, and how their headlines are spelt."""

from dataclasses import replace

from change_it.scoring.item import Item


def test_a_headline_is_read_as_it_looks():
    text = "Perche\u0301 la Ro\u00adma\u200b \x07👩\u200d🚀"
    item = Item("1", "rep", "gio", "source", "article", prediction=text)
    assert item.prediction == "Perché la Roma 👩\u200d🚀"
    assert replace(item, prediction="\u200b").prediction == ""
