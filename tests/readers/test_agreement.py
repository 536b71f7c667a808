"""From sheets to the tables of a study by commands; judges decide by rules (`scoring_fakes`)."""

import json
import re
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scoring_fakes
from csv_files import read_csv, write_csv, write_rows
from scoring_fakes import OUTLETS, load_fakes, write_toy_corpus

from change_it.cli import main
from change_it.judges.data import load_task
from change_it.readers.agreement import alpha, coincidences
from change_it.readers.questions import HEADINGS, QUESTIONS

PLACES = ("Roma", "Milano", "Torino", "Napoli", "Bari", "Pisa", "Lecce", "Genova")
THINGS = ("Crolla il ponte", "Sciopero dei treni", "Festa grande", "Apre la scuola", "Mancano i medici")


def write_predictions(corpus, file):
    """A system that repeats the original and says so."""
    rows = pl.read_parquet(corpus / "articles" / "test.parquet").to_dicts()
    other = dict(zip(OUTLETS, OUTLETS[::-1], strict=True))
    made = [[row["id"], f"{row['headline']} davvero", other[row["label"]]] for row in rows]
    return write_csv(file, made, ["id", "headline", "target"])


def fill(sheet, name, answer, kind=""):
    """The sheet of a kind with the answers of a reader: `answer` maps a row to them by question."""
    rows = read_csv(sheet.with_name(f"sheet{kind}.csv"))
    filled = [row | {HEADINGS[question]: said for question, said in answer(row).items()} for row in rows]
    return write_rows(sheet.with_name(f"{name}.csv"), filled)


@pytest.fixture(scope="module")
def study_corpus(tmp_path_factory):
    """Forty events, each a pair of headlines; gio's end in an exclamation mark."""
    with pytest.MonkeyPatch.context() as patch:
        events = [(f"{thing} a {place}", f"Ecco: {thing} a {place}!") for thing in THINGS for place in PLACES]
        patch.setattr(scoring_fakes, "EVENTS", events)
        return write_toy_corpus(tmp_path_factory.mktemp("study") / "corpus")


@pytest.fixture
def sheet(study_corpus, tmp_path):
    """A sheet of forty headlines, gold and of one system; its key and the sheet with sources beside it."""
    file = write_predictions(study_corpus, tmp_path / "echo.csv")
    assert draw(study_corpus, tmp_path, f"echo={file}") == 0
    return tmp_path / "sheet.csv"


def draw(corpus, folder, *systems, items=20, seed=1):
    given = systems if systems[:1] == ("--random-split",) else ["--predictions", *systems] if systems else []
    arguments = ["--corpus", str(corpus), *given, "--items", str(items), "--seed", str(seed)]
    return main(["annotate", "sheets", *arguments, "--out", str(folder / "sheet.csv")])


def score(sheet, files, capsys, *more, question="answer"):
    """The rows of a question by condition and reader, and those of agreement by question and readers."""
    capsys.readouterr()
    key = str(sheet.with_name("sheet-key.csv"))
    assert main(["annotate", "score", *map(str, files), "--key", key, "--json", *more]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    rows = {(row["group"], row["reader"]): row for row in tables[question]["rows"]}
    return rows | {
        (row["group"], row["readers"]): row for row in tables.get("agreement", {"rows": []})["rows"]
    }


@pytest.fixture
def with_judges(monkeypatch):
    load_fakes(monkeypatch, fluency=True)


def told_apart(row):
    """Every exclamation mark is gio's, as the fake judge has it."""
    return {"answer": "2" if "!" in row["headline"] else "rep"}


def test_sheets_are_blind_and_balanced(sheet):
    key, rows = read_csv(sheet.with_name("sheet-key.csv")), read_csv(sheet)
    heading = "answer: Which newspaper is the headline from? (1/2)"
    assert list(rows[0]) == ["item", "headline", "choice1", "choice2", heading]
    assert [row["item"] for row in rows] == [row["item"] for row in key]
    cells = [(row["condition"], row["outlet"]) for row in key]
    assert Counter(cells) == dict.fromkeys(product(("gold", "echo"), ("rep", "gio")), 10)
    assert cells != sorted(cells)
    # no spreadsheet takes an id for a number
    assert all(re.fullmatch("h[0-9a-f]{8}", row["item"]) for row in rows)
    assert len({row["headline"].casefold() for row in rows}) == 40
    assert len({row["event"] for row in key}) == 40  # forty events, none of them twice


def test_a_system_of_one_direction_has_sheets_of_that_one(study_corpus, tmp_path, capsys):
    file = write_predictions(study_corpus, tmp_path / "echo.csv")
    rows = [row for row in read_csv(file) if row["target"] == "gio"]
    write_rows(file, rows)
    assert draw(study_corpus, tmp_path, f"echo={file}", items=10) == 0
    key = read_csv(tmp_path / "sheet-key.csv")
    assert Counter((row["condition"], row["outlet"]) for row in key) == {
        ("gold", "gio"): 10,
        ("echo", "gio"): 10,
    }
    other = write_predictions(study_corpus, tmp_path / "other.csv")
    write_rows(other, [row for row in read_csv(other) if row["target"] == "rep"])
    (tmp_path / "apart").mkdir()
    assert draw(study_corpus, tmp_path / "apart", f"echo={file}", f"other={other}", items=10) == 2
    assert "draw sheets of each direction" in capsys.readouterr().err


def test_a_person_can_be_asked_of_the_random_split(corpus, tmp_path):
    """Headlines of the test part that `train judge --train-on random` reports on, under their own outlet."""
    assert draw(corpus, tmp_path, "--random-split") == 0
    tested = load_task("main", corpus, train_on="random").tests["gold"].texts
    rows = [row for row in read_csv(tmp_path / "sheet-key.csv") if row["condition"] == "random split"]
    assert len(rows) == 20
    assert all(row["headline"] in tested and row["outlet"] == row["label"] for row in rows)


def test_people_against_the_key_and_the_judge(sheet, with_judges, capsys):
    files = [fill(sheet, name, told_apart) for name in ("anna", "ben")]
    files.append(fill(sheet, "carla", lambda row: {"answer": "1"}))
    rows = score(sheet, files, capsys, "--judges", "made/up")
    assert [rows["gold", name]["share"] for name in ("anna", "ben", "carla")] == [1, 1, 0.5]
    people = rows["gold", "people"]
    assert people["share"] == pytest.approx(5 / 6)
    f1 = [rows["gold", name]["f1"] for name in ("anna", "carla", "people")]
    assert f1 == pytest.approx([1, (20 / 30 + 0) / 2, (60 / 70 + 40 / 50) / 2])
    # 10 items 1 1 1 and 10 items 2 2 1: o11 30 + 0, o12 10, o22 10 (pairs over two); n 40 and 20
    assert people["alpha"] == pytest.approx(1 - 59 * 20 / (2 * 40 * 20))
    assert people["alpha_interval_low"] < people["alpha"] < people["alpha_interval_high"]
    assert people["answers"] == "1: 40, 2: 20"
    assert rows["gold", "judge main"]["share"] == 1
    assert rows["echo", "judge main"]["share"] == 0  # it repeats the original's style
    pairs = {readers: row for (group, readers), row in rows.items() if group == "answer"}
    assert pairs.keys() >= {"anna, ben", "anna, carla", "carla, judge main"}
    assert [pairs["anna, ben"][name] for name in ("n", "agreement", "alpha")] == [40, 1, 1]
    assert pairs["anna, judge main"]["agreement"] == 1
    assert pairs["carla, judge main"]["agreement"] == 0.5
    published = rows["gold, published", "people"]
    assert (published["share"], published["alpha"], published["f1"]) == (pytest.approx(0.59), 0.16, 0.582)
    assert rows["random split, published", "a person"]["f1"] == 0.63


def test_where_headlines_are_too_few_the_most_that_works_is_named(study_corpus, tmp_path, capsys):
    file = write_predictions(study_corpus, tmp_path / "echo.csv")
    assert draw(study_corpus, tmp_path, f"echo={file}", items=200) == 2
    [most] = re.findall(r"give --items (\d+) or less", capsys.readouterr().err)
    assert draw(study_corpus, tmp_path, f"echo={file}", items=int(most)) == 0
    assert draw(study_corpus, tmp_path, f"echo={file}", items=int(most) + 2) == 2


def test_the_sheet_with_sources_asks_four_questions_in_the_one_wording(sheet):
    rows, key = read_csv(sheet.with_name("sheet-sources.csv")), read_csv(sheet.with_name("sheet-key.csv"))
    asked = ("story", "supported", "printable", "accept")
    assert list(rows[0])[5:] == [HEADINGS[name] for name in asked]
    assert [(row["id"], row["original"]) for row in rows] == [(row["id"], row["original"]) for row in key]
    # what a spreadsheet writes between cells outnumbers what stands in a heading
    assert not any(mark in heading for heading in HEADINGS.values() for mark in ",;\t|.")
    for name, page in {**dict.fromkeys(QUESTIONS, "readers"), "same": "newspapers"}.items():
        text = (Path(__file__).parents[2] / "docs" / f"{page}.md").read_text(encoding="utf-8")
        assert QUESTIONS[name].text in text
        assert page != "judges" or f"{QUESTIONS[name].text} | {'/'.join(QUESTIONS[name].answers)}" in text


def test_which_is_printed_is_asked_blindly(sheet, capsys):
    rows = read_csv(sheet.with_name("sheet-preferred.csv"))
    key = {row["item"]: row for row in read_csv(sheet.with_name("sheet-key.csv"))}
    assert list(rows[0]) == ["item", "article", "first", "second", HEADINGS["preferred"]]
    assert [key[row["item"]]["condition"] for row in rows] == ["echo"] * 20  # gold is what is compared with
    is_first = ["davvero" in row["first"] for row in rows]
    assert 0 < sum(is_first) < 20
    assert all(("davvero" in row["first"]) != ("davvero" in row["second"]) for row in rows)
    files = [
        fill(
            sheet, "anna", lambda row: {"preferred": "1" if "davvero" in row["first"] else "2"}, "-preferred"
        ),
        fill(sheet, "ben", lambda row: {"preferred": "1"}, "-preferred"),
    ]
    found = score(sheet, files, capsys, question="preferred")
    assert found["echo", "anna"]["share"] == 1
    assert found["echo", "ben"]["share"] == pytest.approx(sum(is_first) / 20)


def test_models_are_no_people_and_supported_is_ordered(sheet, with_judges, capsys):
    def answers(row):
        return {"supported": "yes" if "davvero" in row["headline"] else "partly", "story": "yes"}

    anna, model = (fill(sheet, name, answers, "-sources") for name in ("anna", "model"))
    rows = [{**row, "reader": "model tiny"} for row in read_csv(model)]
    rows[0][HEADINGS["supported"]] = "contradicted"
    write_rows(model, rows)
    found = score(sheet, [anna, model], capsys, "--judges", "made/up", question="supported")
    assert found["gold", "anna"]["share"] == 0  # partly
    counts = [found[name, "model tiny"]["answers"] for name in ("echo", "gold")]
    assert sum("contradicted: 1" in text for text in counts) == 1
    assert not any(reader == "people" for _, reader in found)
    pair = found["supported", "anna, model tiny"]
    assert (pair["n"], pair["agreement"]) == (40, 39 / 40)
    assert 0 < pair["alpha"] < 1
    assert found["story", "anna, judge hh"]["n"] == 40
    assert ("supported", "judge ah, judge evidence") not in found


def apart(*names):
    """Columns that were sorted apart from the others."""
    return lambda rows: [
        row | {name: other[name] for name in names}
        for row, other in zip(rows, rows[1:] + rows[:1], strict=True)
    ]


@pytest.mark.parametrize(
    ("kind", "spoil", "words"),
    [
        (
            "",
            lambda rows: [rows[0] | {HEADINGS["answer"]: "3"}],
            "answer is '3'; write 1, 2, rep, gio, or leave",
        ),
        ("", lambda rows: [rows[0] | {HEADINGS["answer"]: ""}], "has no answers: fill in answer"),
        ("", lambda rows: [{"item": row["item"]} for row in rows], "has no answers: fill in answer, "),
        (
            "",
            lambda rows: [{"itme": row["item"]} for row in rows],
            "anna.csv has no column item (its columns are itme)",
        ),
        ("", lambda rows: [row | {"item": "h0"} for row in rows], "40 items not in the key"),
        ("", lambda rows: [rows[0], rows[0]], "appears twice"),
        ("", apart("headline"), "headline of h"),
        ("-sources", apart("headline", "original", "id"), "id of h"),
        ("-sources", apart("original"), "is not the key's; keep the columns of a sheet together"),
    ],
    ids=["value", "empty", "question", "column", "other study", "twice", "headline", "id", "original"],
)
def test_a_bad_sheet_is_one_sentence(sheet, capsys, kind, spoil, words):
    file = fill(sheet, "anna", told_apart if not kind else lambda row: {"supported": "yes"}, kind)
    write_rows(file, spoil(read_csv(file)))
    capsys.readouterr()
    assert main(["annotate", "score", str(file), "--key", str(sheet.with_name("sheet-key.csv"))]) == 2
    [sentence] = capsys.readouterr().err.strip().splitlines()
    assert words in sentence


def test_what_annotators_filled_in_is_not_overwritten(sheet, study_corpus, tmp_path, capsys):
    before = sheet.read_bytes()
    assert draw(study_corpus, tmp_path, items=2) == 2
    assert f"{sheet} exists and may have answers" in capsys.readouterr().err
    assert sheet.read_bytes() == before
    sheet.unlink()
    assert draw(study_corpus, tmp_path, items=2) == 2  # the sheet with sources is still there
    assert not sheet.exists()


N = np.nan
#: Krippendorff's own example (Computing Krippendorff's alpha-reliability, 2011, section C): 4 observers, 12
#: units.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3),
    (N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N),
)


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        (list(zip(*OBSERVERS, strict=True)), 0.815),
        ([(1, 1), (2, 2)], 1),
        ([(1, 1), (1, 1)], N),  # of a single value it is not defined
        ([(1, N), (2, N)], N),
    ],
)
def test_alpha_of_the_published_example_and_at_the_ends(ratings, expected):
    sums = {name: column.sum() for name, column in coincidences(np.array(ratings), range(1, 6)).items()}
    assert float(alpha(sums, range(1, 6))) == pytest.approx(expected, abs=5e-4, nan_ok=True)
