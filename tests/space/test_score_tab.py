"""The Score tab: uploaded tables are read, scored as `scoring.score` does it, and every fault is one sentence."""

import pytest
from csv_files import write_csv
from scoring_fakes import OUTLETS, FakeJudges

from change_it.errors import InputError
from change_it.space import score_tab as tab
from change_it.space.models import Models

HEADER = ["id", "source", "article", "label", "headline"]
# FakeJudges: main says gio for an exclamation mark, HH and AH want a common word of five letters or more.
ROWS = [
    ["1", "Crolla il ponte", "Il ponte crolla di notte.", "rep", "Ponte giù: crolla tutto!"],
    ["2", "Basta tasse!", "Una legge sulle tasse.", "gio", "Le tasse restano"],
    ["3", "Treni fermi", "Sciopero dei treni oggi.", "R", "Che vergogna!"],
]


class System:
    """A system that the page can offer, never asked here."""

    outlets = OUTLETS
    targets = ()


@pytest.fixture
def table(tmp_path):
    return write_csv(tmp_path / "mine.csv", ROWS, HEADER)


@pytest.fixture(scope="module")
def models():
    return Models(FakeJudges(), {"sum": System()})


def test_items_are_read_with_labels_of_the_corpus_and_outlet_a_first(table):
    test, system = tab.read_uploaded_predictions(table, OUTLETS)
    items = [(item.id, item.label, item.target) for item in test.items]
    assert items == [("1", "rep", "gio"), ("3", "rep", "gio"), ("2", "gio", "rep")]
    assert system.name == "mine"
    assert system.headlines == (ROWS[0][4], ROWS[2][4], ROWS[1][4])


def test_verdicts_values_and_signature(models, table):
    found, articles = tab.score_upload(models, str(table), lambda what, share: None)
    assert articles["3"] == "Sciopero dei treni oggi."
    assert found.row("mine").intervals == {}  # of three events
    items = {row["id"]: row for row in found.items["mine"].iter_rows(named=True)}
    verdicts = {id_: [row[name] for name in ("hh", "ah", "main", "compliant")] for id_, row in items.items()}
    assert verdicts == {"1": [True] * 4, "2": [True] * 4, "3": [False, False, True, False]}
    assert found.row("mine").values["compliancy"] == pytest.approx((1 / 2 + 1) / 2)
    assert "n:3" in found.signature
    assert found.corpus == "mine.csv"


def test_the_name_of_a_built_in_system_is_refused(table):
    with pytest.raises(InputError, match="gold is the name of a built-in system"):
        tab.read_uploaded_predictions(table.rename(table.with_name("gold.csv")), OUTLETS)


def test_what_the_headlines_come_to_stands_above_the_report(models, table, tmp_path):
    found, few = tab.write(models, tmp_path, str(table), lambda what, share: None)
    assert found == "Of 3 headlines of mine every judge accepts 2; compliant: 2."
    assert few.startswith("Fewer than 20 events")
    assert "95%" not in (tmp_path / "report" / "systems.csv").read_text()


def faulty():
    line = ROWS[0]

    def text(rows, header=HEADER):
        return "\n".join(",".join(row) for row in [header, *rows])

    return {
        "other columns": (b"a,b\n1,2", "mine.csv has no column id and no column source and"),
        "open quote": ((text([line]) + '\n2,"open,x,rep,y').encode(), "mine.csv, line 3"),
        "binary": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "mine.csv, line 1: the byte 0x89"),
        "long names of columns": (b"x" * 100_000 + b"\n1\n", "has no column"),
        "unknown label": (
            text([["1", "a", "b", "elsewhere", "c"]]).encode(),
            "'elsewhere' is no outlet: give rep or gio",
        ),
        "long headline": (
            text([["1", "a" * 500, "b", "rep", "c"]]).encode(),
            "more than 300 characters in a headline or 20,000 in an article in line 2",
        ),
        "an id twice": (text([line, line]).encode(), "an id that stands twice in line 2, 3"),
        "many rows": (text([line] * 5_001).encode(), "more than 5,000 rows"),
        "empty cell": (text([["1", "", "b", "rep", "c"]]).encode(), "an empty cell in line 2"),
        "reranker": (text([[*line, "me"]], [*HEADER, "reranker"]).encode(), "reranker"),
    }


@pytest.mark.parametrize("fault", faulty())
def test_a_fault_is_one_sentence(tmp_path, fault):
    content, message = faulty()[fault]
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        tab.read_uploaded_predictions(path, OUTLETS)
    sentence = str(caught.value)
    assert message in sentence
    assert str(tmp_path) not in sentence
    assert "\n" not in sentence
    assert len(sentence) < 1000
