"""The Compare tab: verdicts of two systems matched by id, filtered by who failed, shown as text."""

from functools import partial

import pytest
from scoring_fakes import FakeJudges, toy_test_set
from space_runs import write_csv

from change_it.errors import InputError
from change_it.scoring.score import score
from change_it.scoring.systems import System
from change_it.space import compare_tab, compared
from change_it.space.words import say

SAY = partial(say, "en")
HEADER = ["id", "direction", "source", "headline", "hh", "ah", "main"]


def write(path, rows, header=HEADER):
    return write_csv(path, rows, header)


def row(id_, *passed, headline="Nuovo titolo", source="Titolo"):
    return [id_, "rep2gio", source, headline, *(str(yes).lower() for yes in passed)]


@pytest.fixture
def tables(tmp_path):
    yes, no = True, False
    one = [row("1", yes, yes, yes), row("2", no, yes, yes), row("3", yes, yes, no), row("4", no, no, no)]
    other = [row("4", no, yes, no), *(row(id_, yes, yes, yes) for id_ in "125")]
    paths = [write(tmp_path / f"{name}.csv", rows) for name, rows in (("one", one), ("other", other))]
    return compared.read_verdicts(paths, say=SAY)


def test_only_common_items_are_matched(tables):
    assert [pair.id for pair in compared.matched(tables, "one", "other", say=SAY)] == ["1", "2", "4"]


@pytest.mark.parametrize(
    ("judge", "outcome", "ids"),
    [
        ("compliant", "all", "124"),
        ("compliant", "any", "24"),
        ("compliant", "differ", "2"),
        ("compliant", "first", "2"),
        ("compliant", "second", ""),
        ("compliant", "both", "4"),
        ("compliant", "none", "1"),
        ("ah", "first", "4"),
        ("hh", "both", "4"),
        ("main", "none", "12"),
    ],
)
def test_filter_by_which_judge_failed(tables, judge, outcome, ids):
    pairs = compared.matched(tables, "one", "other", say=SAY)
    assert "".join(pair.id for pair in compared.chosen(pairs, judge, outcome)) == ids


def test_counts_add_up_to_the_items(tables):
    pairs = compared.matched(tables, "one", "other", say=SAY)
    _, rows = compared.count_rows(pairs, "one", "other", SAY)
    assert [list(map(int, cells[1:])) for cells in rows] == [
        [1, 0, 1, 1],
        [1, 0, 1, 1],
        [2, 0, 1, 0],
        [2, 0, 0, 1],
    ]


def test_the_tables_of_scoring_and_their_files_give_the_same(tmp_path):
    test = toy_test_set()
    n = len(test.items)
    found = score(
        test,
        FakeJudges(),
        [
            System("a", tuple(item.reference for item in test.items)),
            System("b", ("Altro!",) * (n - 1) + ("",)),
        ],
        resamples=2,
        progress=False,
    )
    for name, items in found.items.items():
        items.write_csv(tmp_path / f"{name}.csv")
    read = compared.read_verdicts([tmp_path / "a.csv", tmp_path / "b.csv"], say=SAY)
    direct, again = (compared.matched(one, "a", "b", say=SAY) for one in (found.items, read))
    assert direct == again
    assert len(direct) == n


def test_headlines_are_text_and_every_verdict_is_told(tables, tmp_path):
    evil = '<img src=x onerror="alert(1)">'
    path = write(
        tmp_path / "evil.csv", [[evil, *row("1", True, False, True, headline=evil, source=evil)[1:]]]
    )
    found = compared.read_verdicts(
        [path, write(tmp_path / "<b>.csv", [[evil, *row("1", True, True, True, headline="")[1:]]])], say=SAY
    )
    html = compared.cards(compared.matched(found, "evil", "<b>", say=SAY), "evil", "<b>", SAY)
    assert "<img" not in html
    assert "<b>" not in html
    assert "AH: does not match the article" in html
    assert "HH: same story as the original" in html
    assert "(no headline)" in html


@pytest.mark.parametrize(
    ("rows", "header", "told"),
    [
        ([row("1", True, True, True)], HEADER, "two systems"),
        ([[*row("1", True, True, True)[:6], "perhaps"]], HEADER, "neither true nor false (2)"),
        ([row("1", True, True, True)] * 2, HEADER, "twice (3)"),
        ([["1", "x"]], ["id", "headline"], "lacks the column direction, source, hh, ah, main"),
        ([row("1", True, True, True, headline="x" * 400)], HEADER, "more than 300 characters"),
    ],
)
def test_faults_are_told(tmp_path, rows, header, told):
    path = write(tmp_path / "mine.csv", rows, header)
    with pytest.raises(InputError) as caught:
        compared.read_verdicts([path], say=SAY)
    assert told in str(caught.value)


def test_systems_without_a_common_id_or_that_do_not_exist_are_refused(tables):
    with pytest.raises(InputError, match="Choose two systems"):
        compared.matched(tables, "one", "nobody", say=SAY)
    apart = {"one": tables["one"].filter(id="3"), "other": tables["other"]}
    with pytest.raises(InputError, match="no id in common"):
        compared.matched(apart, "one", "other", say=SAY)


def test_pages_turn_and_end(tmp_path):
    rows = [row(str(n), True, True, n % 2 == 0) for n in range(25)]
    tables = compared.read_verdicts(
        [write(tmp_path / "a.csv", rows), write(tmp_path / "b.csv", rows)], say=SAY
    )

    def at(page, outcome="all"):
        _, shown, turning, now = compare_tab._listed(tables, "a", "b", "main", outcome, page, "en")
        return shown.partition("</p>")[0].rpartition(">")[2], turning["visible"], now

    assert at(0) == ("Items 1–10 of 25", True, 0)
    assert at(2) == ("Items 21–25 of 25", True, 2)
    assert at(3) == at(2)
    assert at(-1) == at(0)
    assert at(1, "both") == ("Items 11–12 of 12", True, 1)
    assert compare_tab._listed(tables, "a", "b", "main", "first", 0, "en")[1].count("No item is like this")
