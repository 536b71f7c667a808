"""The Compare tab: verdicts of two systems matched by id, filtered by who failed, shown as text."""

import pytest
from csv_files import write_csv
from scoring_fakes import FakeJudges, toy_test_set

from change_it.errors import InputError
from change_it.scoring.scores import score
from change_it.scoring.systems import ScoredSystem
from change_it.space import compare_tab as compare

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
    return compare.read_uploaded_verdicts(paths)


def test_only_common_items_are_matched(tables):
    assert compare.matched(tables, "one", "other")["id"].to_list() == ["1", "2", "4"]


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
    items = compare.matched(tables, "one", "other")
    assert "".join(compare.chosen(items, judge, outcome)["id"]) == ids


def test_counts_add_up_to_the_items(tables):
    items = compare.matched(tables, "one", "other")
    counts = compare.counts_table(items, "one", "other")
    assert counts.header == ["verdict", "both", "only one", "only other", "neither"]
    assert [list(map(int, cells[1:])) for cells in counts.texts] == [
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
            ScoredSystem("a", tuple(item.reference for item in test.items)),
            ScoredSystem("b", ("Altro!",) * (n - 1) + ("",)),
        ],
        resamples=2,
        progress=False,
    )
    for name, items in found.items.items():
        items.write_csv(tmp_path / f"{name}.csv")
    read = compare.read_uploaded_verdicts([tmp_path / "a.csv", tmp_path / "b.csv"])
    direct, again = (compare.matched(one, "a", "b") for one in (found.items, read))
    assert direct.equals(again)
    assert len(direct) == n


def test_fluency_facts_and_unsupported_words_are_shown_where_they_are_known(tmp_path):
    header = [*HEADER, "fluency", "facts", "unsupported", "main_normalised"]
    places = '[{"text": "17", "start": 0, "end": 2, "kind": "number"}]'
    one = [[*row("1", True, True, True, headline="17 morti"), "true", "false", places, "true"]]
    other = [[*row("1", True, True, True), "true", "true", '[{"start": "x"}, 1e999]', "true"]]
    files = [write(tmp_path / f"{name}.csv", rows, header) for name, rows in (("one", one), ("other", other))]
    items = compare.matched(compare.read_uploaded_verdicts(files), "one", "other")
    assert items.select("compliant", "strict_compliancy", "strict_compliancy_other").row(0) == (
        True,
        False,
        True,
    )
    assert len(compare.chosen(items, "facts", "first")) == 1
    html = compare.pairs_html(items, "one", "other", "en", "")
    assert ">17</mark>" in html
    assert "facts: numbers, names or quotations not supported" in html
    assert len(compare.counts_table(items, "one", "other").rows) == 8
    plain = [write(tmp_path / f"{name}.csv", [row("1", True, True, True)]) for name in ("x", "y")]
    items = compare.matched(compare.read_uploaded_verdicts(plain), "x", "y")
    assert len(compare.counts_table(items, "x", "y").rows) == 4
    assert "fluency" not in compare.pairs_html(items, "x", "y", "en", "")
    assert not len(compare.chosen(items, "fluency", "none"))


def test_headlines_are_text_and_every_verdict_is_in_words(tables, tmp_path):
    evil = '<img src=x onerror="alert(1)">'
    path = write(
        tmp_path / "evil.csv", [[evil, *row("1", True, False, True, headline=evil, source=evil)[1:]]]
    )
    found = compare.read_uploaded_verdicts(
        [path, write(tmp_path / "<b>.csv", [[evil, *row("1", True, True, True, headline="")[1:]]])],
    )
    html = compare.pairs_html(compare.matched(found, "evil", "<b>"), "evil", "<b>", "en", "<b>")
    assert "<img" not in html
    assert "<b>" not in html
    assert "AH: does not match the article" in html
    assert "HH: same story as the original" in html
    assert "(no headline)" in html


@pytest.mark.parametrize(
    ("rows", "header", "message"),
    [
        ([row("1", True, True, True)], HEADER, "two systems"),
        ([[*row("1", True, True, True)[:6], "perhaps"]], HEADER, "neither true nor false (2)"),
        ([row("1", True, True, True)] * 2, HEADER, "twice (3)"),
        ([["1", "x"]], ["id", "headline"], "lacks the column direction, source, hh, ah, main"),
        ([row("1", True, True, True, headline="x" * 400)], HEADER, "more than 300 characters"),
    ],
)
def test_faults_are_named(tmp_path, rows, header, message):
    path = write(tmp_path / "mine.csv", rows, header)
    with pytest.raises(InputError) as caught:
        compare.read_uploaded_verdicts([path])
    assert message in str(caught.value)


def test_systems_without_a_common_id_or_that_do_not_exist_are_refused(tables):
    with pytest.raises(InputError, match="Choose two systems"):
        compare.matched(tables, "one", "nobody")
    apart = {"one": tables["one"].filter(id="3"), "other": tables["other"]}
    with pytest.raises(InputError, match="no id in common"):
        compare.matched(apart, "one", "other")


def test_there_are_pages_and_they_end(tmp_path):
    rows = [row(str(n), True, True, n % 2 == 0) for n in range(25)]
    tables = compare.read_uploaded_verdicts(
        [write(tmp_path / "a.csv", rows), write(tmp_path / "b.csv", rows)]
    )

    def at(page, outcome="all"):
        _, shown, pages, now = compare.shown_items(tables, "a", "b", "main", outcome, page, "en")
        return shown.partition("</p>")[0].rpartition(">")[2], pages["visible"], now

    assert at(0) == ("Items 1–10 of 25", True, 0)
    assert at(2) == ("Items 21–25 of 25", True, 2)
    assert at(3) == at(2)
    assert at(-1) == at(0)
    assert at(1, "both") == ("Items 11–12 of 12", True, 1)
    assert compare.shown_items(tables, "a", "b", "main", "first", 0, "en")[1].count("No item is like this")
