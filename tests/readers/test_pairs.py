"""Sheets of pairs: what is drawn and shown, and what the answers of readers say; through the command line."""

import json
from collections import Counter
from datetime import date

import polars as pl
import pytest
from csv_files import read_csv, write_rows

from change_it.cli import main
from change_it.readers.questions import HEADINGS

#: Bands of cosine, in tenths, with their numbers of pairs.
BANDS = {2: 300, 5: 40, 8: 5}
DRAWN = {2: 13, 5: 12, 8: 5}


def write_corpus(folder, bands=BANDS, dated=True):
    """A corpus folder of pairs alone, every other one a day apart and every tenth of them in the test set."""
    cosines = [(band + (n + 0.5) / count) / 10 for band, count in bands.items() for n in range(count)]
    day = date(2024, 3, 6) if dated else None
    numbers = pl.DataFrame({"n": range(len(cosines)), "similarity": cosines})
    texts = {"pair_id": "p{}", "event": "e{}", "a_id": "a{}", "b_id": "b{}"}
    texts |= {
        "a_headline": "=Titolo {}",
        "b_headline": "Altro titolo {}",
    }  # a spreadsheet would take it for a formula
    texts |= {"a_article": "Il  fatto {} " + "e ancora  " * 60, "b_article": "Ecco il fatto {}"}
    table = numbers.with_columns(
        *(pl.format(text, "n").alias(name) for name, text in texts.items()),
        a_date=pl.lit(day, pl.Date),
        b_date=pl.lit(day, pl.Date) + pl.duration(days=pl.col("n") % 2),
    )
    (folder / "pairs").mkdir(parents=True)
    is_test = pl.col("n") % 10 == 3
    table.filter(~is_test).write_parquet(folder / "pairs" / "train.parquet")
    table.filter(is_test).write_parquet(folder / "pairs" / "test.parquet")
    (folder / "README.md").touch()
    return folder


def draw(corpus, sheet, *more):
    return main(["annotate", "pairs", "--corpus", str(corpus), "--out", str(sheet), *more])


@pytest.fixture
def sheet(tmp_path):
    """A sheet of thirty pairs; its key is beside it."""
    assert draw(write_corpus(tmp_path / "corpus"), tmp_path / "pairs.csv", "--pairs", "30") == 0
    return tmp_path / "pairs.csv"


def key_of(sheet):
    return {row["item"]: row for row in read_csv(sheet.with_name(f"{sheet.stem}-key.csv"))}


def fill_in(sheet, name, is_same):
    """The sheet with answers; `is_same` maps a row of the key to yes or no."""
    key = key_of(sheet)
    rows = [
        {**row, HEADINGS["same"]: "yes" if is_same(key[row["item"]]) else "no"} for row in read_csv(sheet)
    ]
    return write_rows(sheet.with_name(f"{name}.csv"), rows)


def score(sheet, files, capsys):
    """The rows by their pairs."""
    capsys.readouterr()
    key = str(sheet.with_name(f"{sheet.stem}-key.csv"))
    assert main(["annotate", "score", *map(str, files), "--key", key, "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    rows = {row["pairs"]: row for row in tables["same"]["rows"]}
    rows |= {row["readers"]: row for table in tables.values() for row in table["rows"] if "readers" in row}
    return rows, tables["same"]["notes"]


def above_half(row):
    return int(row["band"]) >= 5


def test_pairs_are_even_over_bands_and_blind(sheet):
    rows, key = read_csv(sheet), key_of(sheet)
    assert list(rows[0]) == ["item", "a_headline", "a_article", "b_headline", "b_article", HEADINGS["same"]]
    assert [row["item"] for row in rows] == list(key)
    bands = [int(row["band"]) for row in key.values()]
    assert Counter(bands) == DRAWN
    assert bands != sorted(bands)
    for row in rows:
        known = key[row["item"]]
        assert BANDS[int(known["band"])] == int(known["band_pairs"])
        assert int(float(known["similarity"]) * 10) == int(known["band"])
        assert known["days"] == str(int(known["pair_id"][1:]) % 2)
        assert row[HEADINGS["same"]] == ""
        assert row["a_headline"] == known["a_headline"]
        assert len(row["a_article"]) == 300
        assert "  " not in row["a_article"]
        assert not any(known["similarity"][:4] in cell or "2024" in cell for cell in row.values())
    assert {row["pair_id"][-1] == "3" for row in key.values()} == {True, False}  # of both splits


def test_a_seed_is_one_draw(sheet, tmp_path):
    again, other = tmp_path / "again.csv", tmp_path / "other.csv"
    assert draw(tmp_path / "corpus", again, "--pairs", "30", "--seed", "1") == 0
    assert draw(tmp_path / "corpus", other, "--pairs", "30", "--seed", "2") == 0
    assert again.read_bytes() == sheet.read_bytes()
    assert drawn_pairs(again) == drawn_pairs(sheet)
    assert len(drawn_pairs(other)) == 30
    assert {*drawn_pairs(other)} != {*drawn_pairs(sheet)}


def drawn_pairs(sheet):
    """Return the ids of the pairs of a sheet, in its order."""
    return [row["pair_id"] for row in key_of(sheet).values()]


def test_shares_are_of_the_corpus_and_the_threshold_is_found(sheet, capsys):
    rows, notes = score(sheet, [fill_in(sheet, "anna", above_half)], capsys)
    bands = {"cosine 0.2 to 0.3": (13, 0), "cosine 0.5 to 0.6": (12, 1), "cosine 0.8 to 0.9": (5, 1)}
    assert {name: (rows[name]["n"], rows[name]["one_event"]) for name in bands} == bands
    # exact, 5 of 5
    assert rows["cosine 0.8 to 0.9"]["one_event_interval_low"] == pytest.approx(0.025 ** (1 / 5))
    assert rows["all"]["one_event"] == pytest.approx(45 / 345)  # 17 of the 30 that were read
    # one more pair, which stands for 23 of the corpus, would leave 45 of 68
    lowest = min(float(row["similarity"]) for row in key_of(sheet).values() if above_half(row))
    [name] = [name for name in rows if name.startswith("threshold")]
    assert float(name.split()[1]) == int(lowest * 1000) / 1000
    assert (rows[name]["n"], rows[name]["one_event"]) == (17, 1)
    assert name.split()[1] in notes[1]
    rows, _ = score(sheet, [fill_in(sheet, "ben", lambda row: row["days"] == "0")], capsys)
    assert (rows["days apart: 0"]["one_event"], rows["days apart: 1"]["one_event"]) == (1, 0)
    assert rows["days apart: 0"]["n"] + rows["days apart: 1"]["n"] == 30


@pytest.mark.parametrize("dated", [True, False])
def test_without_one_event_or_dates(tmp_path, capsys, dated):
    sheet = tmp_path / "all.csv"
    assert draw(write_corpus(tmp_path / "corpus", {9: 6}, dated), sheet) == 0  # fewer pairs than 60
    rows, notes = score(sheet, [fill_in(sheet, "anna", lambda row: False)], capsys)
    days = {"days apart: 0", "days apart: 1"} if dated else set()
    assert set(rows) == {"all", "cosine 0.9 to 1.0"} | days
    assert rows["all"]["n"] == 6
    assert notes[1] == "No threshold keeps .900 one event."


def test_several_readers(sheet, capsys):
    """Of 30 pairs Anna takes 17 for one event, and Ben all of these but three."""
    doubted = [item for item, row in key_of(sheet).items() if above_half(row)][:3]
    anna = fill_in(sheet, "anna", above_half)
    ben = fill_in(sheet, "ben", lambda row: above_half(row) and row["item"] not in doubted)

    rows, _ = score(sheet, [anna, ben], capsys)

    assert rows["anna, ben"]["agreement"] == pytest.approx(27 / 30)
    # Krippendorff: of 60 answers 31 are yes and 29 no, and in 3 pairs the two differ.
    assert rows["anna, ben"]["alpha"] == pytest.approx(1 - 59 * 6 / (2 * 31 * 29))
    bands = [rows["cosine 0.5 to 0.6"], rows["cosine 0.8 to 0.9"]]
    one_event = sum(row["one_event"] * row["n"] for row in bands)
    assert one_event == pytest.approx(14)  # where both say so


def test_a_broken_key_and_nothing_to_draw_are_one_sentence(sheet, tmp_path, capsys):
    file, key = fill_in(sheet, "anna", above_half), sheet.with_name("pairs-key.csv")
    rows = read_csv(key)
    write_rows(key, [{**rows[0], "similarity": "0,61"}, *rows[1:]])
    capsys.readouterr()
    assert main(["annotate", "score", str(file), "--key", str(key)]) == 2
    assert draw(tmp_path / "corpus", tmp_path / "x.csv", "--pairs", "0") == 2
    for table in (tmp_path / "corpus/pairs").iterdir():
        pl.read_parquet(table).clear().write_parquet(table)
    assert draw(tmp_path / "corpus", tmp_path / "x.csv") == 2
    broken, few, none = capsys.readouterr().err.strip().splitlines()
    assert "has texts where numbers belong" in broken
    assert "--pairs 0 is too few" in few
    assert "has no pairs: build it with lower thresholds or more articles" in none
