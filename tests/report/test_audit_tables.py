"""The two tables of an audit, wrong content and unchanged style, on the terminal and on the page."""

import io
import re
from html import unescape

import pytest
from rich.console import Console

from change_it.audit.record import Audit, Example, GoldMeans, TriedKind
from change_it.audit.verdict import MEASURES, Kind, KindShare, verdict_of
from change_it.render.tables import print_table
from change_it.report.audit_tables import kinds_tables, underline_changes, write_audit
from change_it.scoring.aspects import compliancy_measures

COPY = Kind("copy", ("not written for this", "unchanged style"), "the unchanged original")
LEAD = Kind("lead", ("not written for this",), "the article's first words", plural=True)
SHUFFLED = Kind("shuffled", ("no sentence",), "gold's words in random order", plural=True)
NUMBER = Kind("number mistaken", ("wrong content",), "a number replaced by another one of the article")
NAMES = Kind("names spliced in", ("no sentence",), "names copied into another headline", plural=True)
CAPITALS = Kind("capitals", ("unchanged style",), "the original in capitals")
FLOOR = Kind("floor", (), "the clause that other judges like best")
KINDS = (COPY, LEAD, SHUFFLED, NUMBER, NAMES, CAPITALS, FLOOR)
#: What style, acceptability and compliancy keep of gold's mean.
KEPT = {
    "copy": (-1.03, 1.41, 0.0),
    "lead": (0.14, 0.4, 0.75),
    "shuffled": (0.88, 0.0, 0.95),
    "number mistaken": (0.99, 0.83, 0.84),
    "names spliced in": (1.01, 0.07, 0.26),
    "capitals": (-0.33, 1.41, 0.5),
    "floor": (0.47, 0.8, 1.02),
}


def kept(share):
    return KindShare(share, share - 0.04, share + 0.04, 90, 80)


def examples_of(name):
    values = dict.fromkeys(compliancy_measures(), 1.0)
    true, wrong = "Crolla il ponte, 4 feriti", "Crolla il ponte, 9 feriti"
    several = [Example(str(number), "a2b", f"Titolo {number}", true, wrong, values) for number in range(3)]
    return tuple(several) if name == "number mistaken" else ()


@pytest.fixture
def audit():
    shares = {name: dict(zip(MEASURES, map(kept, shares), strict=True)) for name, shares in KEPT.items()}
    verdicts = {}
    for measure in MEASURES:
        of_measure = {name: of_kind[measure] for name, of_kind in shares.items()}
        verdicts[measure] = verdict_of(measure, KINDS, of_measure, pairs=90)
    means = dict.fromkeys(compliancy_measures(), 0.5)
    kinds = [
        TriedKind(
            kind.name,
            kind.words,
            kind.groups,
            "",
            False,
            90,
            80,
            shares[kind.name],
            means,
            examples_of(kind.name),
        )
        for kind in KINDS
    ]
    return Audit(
        corpus="corpus",
        outlets=("rep", "gio"),
        language="it",
        articles=None,
        items=90,
        events=80,
        pairs=80,
        test_pairs=80,
        at_most=400,
        seed=1,
        trained="",
        hashes={},
        verdicts=verdicts,
        judges=(),
        gold=GoldMeans(90, 80, means),
        kinds=tuple(kinds),
        cues=[],
        style={},
        signature="audit|seed:1",
    )


def test_content_and_style_have_a_table_each_with_the_words_for_people(audit):
    content, style = kinds_tables(audit)
    assert [row.values["kind"] for row in content.rows] == [
        SHUFFLED.words,
        NAMES.words,
        LEAD.words,
        NUMBER.words,
        FLOOR.words,
    ]
    assert [row.values["kind"] for row in style.rows] == [COPY.words, LEAD.words, CAPITALS.words, FLOOR.words]
    assert [column.name for column in content.columns] == ["kind", "acceptability", "compliancy", "n"]
    assert [column.name for column in style.columns] == ["kind", "style", "compliancy", "n"]
    assert content.rows[3].values["acceptability"] == "misses (.83)"
    assert style.rows[0].values["style"] == "stops (-1.03)"
    assert "1: the wrong headlines score like the right one; 0: the judges notice them" in content.notes[0]
    assert style.notes[1].startswith("below 0:")


def test_a_terminal_of_80_columns_shows_both_whole(audit):
    out = io.StringIO()
    for table in kinds_tables(audit):
        print_table(table, Console(file=out, width=80))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert "no room" not in out.getvalue()
    words = " ".join(out.getvalue().split())
    assert words.count("1: the wrong headlines score like the right one; 0: the judges notice them") == 2


def test_the_page_has_two_tables_and_open_examples(audit, tmp_path):
    write_audit(tmp_path / "audit", audit)
    page = unescape((tmp_path / "audit" / "audit.html").read_text(encoding="utf-8"))
    content, style = re.findall(r'<table class="matrix">(.*?)</table>', page, re.DOTALL)
    assert re.findall(r'<th scope="col">(\w+)</th>', content) == ["kind", "acceptability", "compliancy"]
    assert re.findall(r'<th scope="col">(\w+)</th>', style) == ["kind", "style", "compliancy"]
    assert '<strong>misses</strong> .83<span class="small">.79–.87</span>' in content
    assert COPY.words in style
    assert COPY.words not in content
    assert (
        "<strong>1: the wrong headlines score like the right one; 0: the judges notice them.</strong>" in page
    )
    first, _, more = page.partition("<summary>2 more</summary>")
    assert first.count("Crolla il ponte, <u>9</u> feriti") == 1
    assert more.count("Crolla il ponte, <u>9</u> feriti") == 2
    links = set(re.findall(r'href="#(kind-[\w-]+)"', page))
    assert links == set(re.findall(r'<article class="card" id="([\w-]+)"', page))
    assert 'popover class="kind"' not in page


@pytest.mark.parametrize(
    ("true", "headline", "places"),
    [
        ("Crolla il ponte, 4 feriti", "Crolla il ponte, 9 feriti", ((17, 18),)),
        ("", "Crolla il ponte", ()),
        ("uno due tre quattro", "quattro tre due uno", ()),
        ("Ora basta", "Ora basta", ()),
    ],
)
def test_changed_words_are_underlined_unless_there_are_many(true, headline, places):
    assert underline_changes(Example("1", "a2b", "", true, headline, {})).places == places
