"""Items: in which order they are looked at."""

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
