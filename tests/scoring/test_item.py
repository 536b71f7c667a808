"""Items: in which order they are looked at, and how their headlines are spelt."""

from dataclasses import replace

from change_it.scoring.item import Item, directions_in_turn


def test_both_directions_take_turns_until_one_is_used_up():
    items = [
        Item(f"{label}{n}", label, target, "source", "article")
        for label, target, count in (("rep", "gio", 6), ("gio", "rep", 4))
        for n in range(count)
    ]
    ordered = directions_in_turn(items, 1)
    assert sorted(item.id for item in ordered) == sorted(item.id for item in items)
    assert [item.label for item in ordered] == ["gio", "rep"] * 4 + ["rep"] * 2
    assert ordered != directions_in_turn(items, 2)


def test_a_headline_is_read_as_it_looks():
    item = Item(
        "1", "rep", "gio", "source", "article", prediction="Perche\u0301 la Ro\u00adma\u200b \x07👩\u200d🚀"
    )
    assert item.prediction == "Perché la Roma 👩\u200d🚀"
    assert replace(item, prediction="\u200b").prediction == ""
