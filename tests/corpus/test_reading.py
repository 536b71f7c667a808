import json
from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pytest

from change_it.corpus.reading.date_words import FURTHER_MONTHS
from change_it.corpus.reading.dates import DAY_NUMBER, NO_DAY, parse_date
from change_it.corpus.reading.options import ReadingOptions
from change_it.corpus.reading.reading import read_articles
from change_it.errors import InputError


def read_files(*files, **options):
    return read_articles(ReadingOptions(files=files, **options))


@pytest.fixture
def read(tmp_path):
    """Read lines of a file, which are rows of CSV unless its name says otherwise."""

    def read_lines(*lines, name="x.csv", **options):
        file = tmp_path / name
        header = ["id,headline,article,label,date"] if name.endswith(".csv") else []
        file.write_text("\n".join([*header, *lines]) + "\n", encoding="utf-8")
        reading = read_files(str(file), **options)
        assert len(reading.articles) + len(reading.rejected) == reading.rows
        return reading

    return read_lines


def rejected(reading):
    return [(row.line, row.id, row.reason) for row in reading.rejected]


def test_every_reason_for_rejection_with_its_line(read, tmp_path):
    soon = date.today() + timedelta(days=3)
    reading = read(
        '1,"Titolo ""uno""\ne due",Testo uno,R,2017-06-15',
        "2,Titolo due,Testo due,G,",
        "5,etichetta,Testo,Z,",
        "6, <br> ,Testo,R,",
        "7,Titolo,&nbsp;,G,",
        "8,Titolo,Testo otto,R,domani",
        "9,Titolo,Testo nove,R,0001-11-30",
        f"10,Titolo,Testo dieci,R,{soon}",
        "1,Titolo,Testo undici,R,",
        "12,Altro titolo, Testo  uno,R,",
        "",
        "13,Altro titolo,Testo uno,G,",
        "14,Titolo,Testo,,",
        f"15,Titolo,{'Testo ' * 40_000},R,",
        "16,Ultimo,Testo ultimo,G,6/15/17",
        labels="R:rep,G:gio",
    )
    assert [(a.id, a.label) for a in reading.articles] == [
        ("1", "rep"),
        ("2", "gio"),
        ("13", "gio"),
        ("16", "gio"),
    ]
    assert reading.articles[0].headline == 'Titolo "uno" e due'
    assert rejected(reading) == [
        (5, "5", "unknown label: Z"),
        (6, "6", "empty headline"),
        (7, "7", "empty article"),
        (8, "8", "unreadable date: domani"),
        (9, "9", "date before 1900 or in the future: 0001-11-30"),
        (10, "10", f"date before 1900 or in the future: {soon}"),
        (11, "1", "duplicate id"),
        (12, "12", "repeated article"),
        (15, "14", "empty label"),
        (16, "15", "article of more than 200,000 characters"),
    ]
    assert reading.reasons["date before 1900 or in the future"] == 2
    assert reading.rejected[0].file == str(tmp_path / "x.csv")


def test_json_lines_with_missing_keys_and_numbers_as_ids(read):
    reading = read(
        json.dumps({"id": 7, "headline": "a", "article": "x", "label": "l", "date": 1497484800}),
        "",
        json.dumps({"id": 9, "headline": "b", "label": "r"}),
        '{"headline": "c\u2028d", "article": ["y", "z"], "label": "r", "date": null}',
        json.dumps({"id": None, "headline": None, "article": "w", "label": "r"}),
        '{"id": "\\ud800x", "headline": "rotto \\ud800", "article": "v", "label": "r"}',
        name="news.jsonl",
    )
    kept = [(a.id, a.headline, a.article, a.date and a.date.year) for a in reading.articles]
    assert kept == [("7", "a", "x", 2017), ("news-3", "c d", "y z", None), ("x", "rotto", "v", None)]
    missing = "missing column article or full_text or full"
    assert rejected(reading) == [(3, "9", missing), (5, "news-4", "empty headline")]


def test_data_set_ids_load_through_datasets(tmp_path, monkeypatch):
    """A folder `owner/name` in the working directory stands for the Hub, as it does for `load_dataset`."""
    from datasets import ClassLabel, Dataset, Image

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path / "cache"))
    configs = []
    for number, outlet in enumerate(("ilgiornale", "repubblica")):
        rows = {"id": ["1", "2"], "headline": [f"a{number}", "b"], "full_text": ["x", "y"]}
        rows |= {"alignment": ["A1", "R"]}
        folder = tmp_path / "owner/hub" / outlet
        folder.mkdir(parents=True)
        Dataset.from_dict(rows).to_parquet(folder / "train.parquet")
        where = f"  data_files:\n  - split: train\n    path: {outlet}/train.parquet\n"
        configs.append(f"- config_name: {outlet}\n{where}")
    (tmp_path / "owner/hub/README.md").write_text("---\nconfigs:\n" + "".join(configs) + "---\n")
    reading = read_files("hf://datasets/owner/hub")
    assert reading.outlets.names == ("rep", "gio")
    assert sorted(a.id for a in reading.articles) == ["gio-1", "gio-2", "rep-1", "rep-2"]
    with pytest.raises(InputError, match="the labels of usable rows are G: give files of two outlets"):
        read_files("hf://owner/hub/ilgiornale")
    with pytest.raises(InputError, match=r"hf://owner/hub/ilgiornale/train is of two outlets"):
        read_files("left=hf://owner/hub/ilgiornale", "right=hf://datasets/owner/hub/ilgiornale")

    (tmp_path / "owner/plain").mkdir()
    plain = Dataset.from_dict(
        {"headline": ["a", "b"], "article": ["x", "y"], "label": [1, 0], "photo": [b"none"] * 2}
    )
    plain = plain.cast_column("label", ClassLabel(names=["left", "right"])).cast_column("photo", Image())
    plain.to_parquet(tmp_path / "owner/plain/train.parquet")
    articles = [(a.id, a.label) for a in read_files("hf://owner/plain").articles]
    assert articles == [("default-train-1", "right"), ("default-train-2", "left")]


def dated(*days):
    return [f"{number},Titolo,Testo {number},{'RG'[number % 2]},{day}" for number, day in enumerate(days)]


@pytest.mark.parametrize(
    ("days", "dayfirst", "read_as", "found"),
    [
        (["06/03/2024", "15/03/2024"], None, ["2024-03-06", "2024-03-15"], True),
        (["06/03/2024", "03/15/2024"], None, ["2024-06-03", "2024-03-15"], False),
        (["6/3/24", "15/3/24", "2024-03-01"], None, ["2024-03-06", "2024-03-15", "2024-03-01"], True),
        (["06.03.2024", "7.3.24"], None, ["2024-03-06", "2024-03-07"], None),
        (["06/03/2024", "07/03/2024"], True, ["2024-03-06", "2024-03-07"], None),
        (["06/03/2024", "07/03/2024"], False, ["2024-06-03", "2024-07-03"], None),
    ],
)
def test_each_file_says_whether_the_day_or_the_month_comes_first(read, days, dayfirst, read_as, found):
    reading = read(*dated(*days), dayfirst=dayfirst)
    assert [str(article.date) for article in reading.articles] == read_as
    assert list(reading.day_first.values()) == ([] if found is None else [found])


def test_dates_whose_order_is_open_or_mixed_are_refused(read):
    with pytest.raises(
        InputError, match=r"06/03/2024 in line 2 is 2024-03-06 with .*: give --dayfirst True or"
    ):
        read(*dated("06/03/2024", "07/03/2024"))
    mixed = dated("06/03/2024", "15/03/2024", "03/15/2024", "2024-03-07")
    with pytest.raises(InputError, match="15/03/2024 in line 3 has the day first and 03/15/2024 in line 4"):
        read(*mixed)
    reading = read(*mixed, dayfirst=True)
    assert [str(article.date) for article in reading.articles] == ["2024-03-06", "2024-03-15", "2024-03-07"]
    assert rejected(reading) == [(4, "2", "unreadable date: 03/15/2024")]


def test_a_row_whose_open_date_is_none_takes_nothing_with_it(read):
    """The date is settled after the table is read: the id and text of a row rejected for it are free for the
    next.
    """
    reading = read("1,a,x,R,15/01/2024", "2,b,y,G,30/02/2024", "2,b,y,G,28/02/2024", "3,c,z,G,01/01/2100")
    assert [article.id for article in reading.articles] == ["1", "2"]
    future = "date before 1900 or in the future: 01/01/2100"
    assert rejected(reading) == [(3, "2", "unreadable date: 30/02/2024"), (5, "3", future)]


JUNE, MARCH = date(2017, 6, 15), date(2024, 3, 6)
DATES = {
    JUNE: [
        "2017-06-15T23:59:00.123Z",
        "20170615",
        "20170615235900",
        "20170615T235900Z",
        "Thu, 15 Jun 2017 08:00:00 +0200",
        "6/15/17",
        "Thu 6/15/17",
        "15 Jun 08:00 2017",
        "2017 June 15",
        "Thu Jun 15 08:00:00 +0000 2017",
        "1497484800",
        1497484800000,
        "giovedì 15 giugno 2017, ore 8:00",
        datetime(2017, 6, 15, 12, tzinfo=UTC),
    ],
    MARCH: [
        "mer 6 mar 2024",
        "mar 6, 2024",
        "mar, 06 mar 2024",
        "Wed Mar 06 08:00:00 -1000 2024",
        "Freitag, 6. März 2024, 14:30 Uhr",
        "vendredi 6 mars 2024",
        "6 de marzo de 2024",
        "6 de março de 2024",
        "6 maart 2024",
        "6. marts 2024",
        "6 martie 2024",
        "6 marca 2024 r.",
        "6 Mart 2024 Cuma",
        "6 марта 2024 г.",
        "6 березня 2024",
        "6 Μαρτίου 2024",
        "٦ مارس ٢٠٢٤",
        "6 मार्च 2024",
        "६ मार्च २०२४",
    ],
    date(1998, 6, 5): ["6/5/1998 10:00"],
    date(2017, 9, 1): ["1º sett. 2017"],
    date(2024, 3, 14): ["Giovedi 14 marzo 2024"],
    None: ["", float("nan"), pd.NaT],
}


@pytest.mark.parametrize(("text", "day"), [(text, day) for day, texts in DATES.items() for text in texts])
def test_dates(text, day):
    assert parse_date(text) == day
    assert {len(line.split()) for line in FURTHER_MONTHS.splitlines()} == {12}


#: What is written, and a pattern of the message, which may be the calendar's.
UNREADABLE_DATES = {
    "15/6/17": "time data .* does not match format .*",
    "6.15.17": "time data .* does not match format .*",
    "2017-02-30": "day .* range .*for month.*",
    "9" * 30: "9" * 30,
    "-": "-",
    "2017-06": NO_DAY,
    "giugno 2017": NO_DAY,
    "10 March 12 PM": NO_DAY,
    "Mar 6 08:00 -1000": NO_DAY,
    42901: DAY_NUMBER,
    "42901.5": DAY_NUMBER,
}


@pytest.mark.parametrize(("written", "fault"), UNREADABLE_DATES.items())
def test_unreadable_dates(written, fault):
    with pytest.raises(ValueError, match=f"^{fault}$"):
        parse_date(written)


@pytest.mark.parametrize("text", ["a" * 200_000, ("may 5 " * 30_000).strip()], ids=["letters", "dates"])
def test_a_long_text_is_no_date_and_takes_no_square_of_its_length(text):
    with pytest.raises(ValueError, match=f"^{text}$"):
        parse_date(text)


def test_texts_that_were_encoded_twice_are_mended_and_a_zone_moves_no_day(read):
    days = {"R": "2024-03-06T23:30:00-05:00", "G": "2024-03-07T04:30:00Z"}
    rows = [f"{n},Titolo,PerchÃ© il testo {n},{label},{day}" for n, (label, day) in enumerate(days.items())]
    reading = read(*rows, mend=True)
    assert [str(article.date) for article in reading.articles] == ["2024-03-06", "2024-03-07"]
    assert [article.article for article in reading.articles] == ["Perché il testo 0", "Perché il testo 1"]
    assert [(each.outlet, each.count, each.total) for each in reading.mended] == [("R", 1, 2), ("G", 1, 2)]
