"""From sheets to the tables of a study, through the command line; judges decide by rules (`scoring_fakes`)."""

import json
import re
from collections import Counter
from itertools import product

import numpy as np
import polars as pl
import pytest
import scoring_fakes
from csv_files import read_csv, write_csv, write_rows
from scoring_fakes import OUTLETS, load_fakes, write_toy_corpus

from change_it.annotation import alpha, coincidences
from change_it.cli import main

PLACES = ("Roma", "Milano", "Torino", "Napoli", "Bari", "Pisa", "Lecce", "Genova")
THINGS = ("Crolla il ponte", "Sciopero dei treni", "Festa grande", "Apre la scuola", "Mancano i medici")


def write_predictions(corpus, file):
    """A system that repeats the original and says so."""
    rows = pl.read_parquet(corpus / "articles" / "test.parquet").to_dicts()
    other = dict(zip(OUTLETS, OUTLETS[::-1], strict=True))
    made = [[row["id"], f"{row['headline']} davvero", other[row["label"]]] for row in rows]
    return write_csv(file, made, ["id", "headline", "target"])


def fill_in(sheet, file, answer):
    """A sheet with the column `answer`, and others, filled in: `answer` maps a row to cells."""
    return write_rows(file, [{**row, **answer(row)} for row in read_csv(sheet)])


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
    given = ["--predictions", *systems] if systems else []
    arguments = ["--corpus", str(corpus), *given, "--items", str(items), "--seed", str(seed)]
    return main(["annotate", "sheets", *arguments, "--out", str(folder / "sheet.csv")])


def score(sheet, files, capsys, *more):
    """The rows by condition and rater."""
    capsys.readouterr()
    key = str(sheet.with_name("sheet-key.csv"))
    assert main(["annotate", "score", *map(str, files), "--key", key, "--json", *more]) == 0
    table = json.loads(capsys.readouterr().out)["tables"]["answer"]
    return {(row["group"], row["rater"]): row for row in table["rows"]}


@pytest.fixture
def with_judges(monkeypatch):
    load_fakes(monkeypatch, digits="abcd")
    monkeypatch.setattr("change_it.commands.annotate.check_judges", lambda _: None)


def told_apart(row):
    """Every exclamation mark is gio's, as the fake judge has it."""
    return {"answer": "2" if "!" in row["headline"] else "rep"}


def always_first(row):
    return {"answer": "1"}


def test_sheets_are_blind_and_balanced(sheet):
    key, rows = read_csv(sheet.with_name("sheet-key.csv")), read_csv(sheet)
    assert list(rows[0]) == ["item", "headline", "choice1", "choice2", "answer"]
    assert [row["item"] for row in rows] == [row["item"] for row in key]
    cells = [(row["condition"], row["outlet"]) for row in key]
    assert Counter(cells) == dict.fromkeys(product(("gold", "echo"), ("rep", "gio")), 10)
    assert cells != sorted(cells)
    # no spreadsheet takes an id for a number
    assert all(re.fullmatch("h[0-9a-f]{8}", row["item"]) for row in rows)
    assert len({row["headline"].casefold() for row in rows}) == 40
    assert len({row["event"] for row in key}) == 40  # forty events, none of them twice


def test_sheets_with_answers_are_never_overwritten(sheet, study_corpus, tmp_path, capsys):
    fill_in(sheet, sheet, told_apart)
    before = sheet.read_bytes()
    assert draw(study_corpus, tmp_path, seed=2) == 2
    assert "sheet.csv exists and may have answers: name another --out" in capsys.readouterr().err
    assert sheet.read_bytes() == before


def test_people_against_the_key_and_the_judge(sheet, tmp_path, with_judges, capsys):
    files = [fill_in(sheet, tmp_path / f"{name}.csv", told_apart) for name in ("anna", "ben")]
    files.append(fill_in(sheet, tmp_path / "carla.csv", always_first))
    rows = score(sheet, files, capsys, "--judges", "made/up")
    assert [rows["gold", name]["accuracy"] for name in ("anna", "ben", "carla")] == [1, 1, 0.5]
    people = rows["gold", "people"]
    assert people["accuracy"] == pytest.approx(5 / 6)
    # 10 items 1 1 1 and 10 items 2 2 1: o11 30 + 0, o12 10, o22 10 (pairs over two); n 40 and 20
    assert people["alpha"] == pytest.approx(1 - 59 * 20 / (2 * 40 * 20))
    assert people["alpha_interval_low"] < people["alpha"] < people["alpha_interval_high"]
    assert people["answers"] == "1: 40, 2: 20"
    assert rows["gold", "majority"]["accuracy"] == rows["gold", "judge main"]["accuracy"] == 1
    assert rows["gold", "carla"]["as_most"] == 0.5
    assert rows["echo", "judge main"]["accuracy"] == 0  # it repeats the original's style
    assert rows["echo", "judge main"]["as_most"] == 1
    published = rows["gold, published", "people"]
    assert (published["accuracy"], published["alpha"]) == (pytest.approx(0.59), 0.16)


def answered(text, answer):
    return re.sub(r",rep,gio,", f",rep,gio,{answer}", text, count=1)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda text: answered(text, 3), "answer is '3'; write 1, 2, rep, gio, or leave it empty"),
        (lambda text: text, "has no answers"),
        (lambda text: text.replace("item", "itme", 1), "has no column item"),
        (lambda text: re.sub(r"(?m)^h[0-9a-f]{8}", "h00000000", text), "not in the key"),
        (lambda text: answered(text, 2) + answered(text, 1).splitlines()[1], "appears twice"),
        (lambda text: re.sub(r"(h[0-9a-f]{8},).*(,rep)", r"\1Altro\2", answered(text, 1)), "headline of h"),
    ],
    ids=["value", "empty", "column", "other study", "twice", "sorted apart"],
)
def test_a_bad_sheet_is_one_sentence(sheet, tmp_path, capsys, spoil, words):
    file = tmp_path / "anna.csv"
    file.write_text(spoil(sheet.read_text(encoding="utf-8")), encoding="utf-8")
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


N = None
#: Krippendorff's own example (Computing Krippendorff's alpha-reliability, 2011, section C): 4 observers, 12 units.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3),
    (N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N),
)


def of(ratings, values, level):
    sums = {name: column.sum() for name, column in coincidences(ratings, values).items()}
    return float(alpha(sums, values, level))


def test_the_published_example():
    ratings = list(zip(*OBSERVERS, strict=True))
    assert of(ratings, range(1, 6), "nominal") == pytest.approx(0.743, abs=5e-4)
    assert of(ratings, range(1, 6), "ordinal") == pytest.approx(0.815, abs=5e-4)


def test_perfect_agreement_is_one_and_a_single_value_is_not_defined():
    assert of([(1, 1), (2, 2)], (1, 2), "nominal") == 1
    assert np.isnan(of([(1, 1), (1, 1)], (1, 2), "nominal"))
    assert np.isnan(of([(1, N), (2, N)], (1, 2), "nominal"))
