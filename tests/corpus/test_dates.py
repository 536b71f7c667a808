"""Cells with one date, with two, and with ranges, made from months that are written down here once more."""

import calendar
from datetime import date

import pytest
from csv_files import write_csv

from change_it.corpus.reading.date_search import TWO_DATES, UPDATE_ALONE, one_date
from change_it.corpus.reading.dates import parse_date
from change_it.corpus.reading.options import ReadingOptions
from change_it.corpus.reading.reading import read_articles
from change_it.errors import InputError

#: One month of each language, its number, and the words of a range: from, to, and.
LANGUAGES = {
    "English": ("March", 3, "from", "to", "and"),
    "Italian": ("febbraio", 2, "dal", "al", "e"),
    "German": ("Mai", 5, "vom", "bis", "und"),
    "French": ("août", 8, "du", "au", "et"),
    "Spanish": ("de enero de", 1, "del", "al", "y"),
    "Portuguese": ("de setembro de", 9, "de", "a", "e"),
    "Dutch": ("maart", 3, "van", "tot", "en"),
    "Swedish": ("oktober", 10, "från", "till", "och"),
    "Danish": ("juni", 6, "fra", "til", "og"),
    "Norwegian": ("desember", 12, "fra", "til", "og"),
    "Romanian": ("iulie", 7, "din", "până la", "și"),
    "Albanian": ("prill", 4, "nga", "deri", "dhe"),
    "Polish": ("listopada", 11, "od", "do", "i"),
    "Turkish": ("Haziran", 6, "", "ile", "ve"),
    "Russian": ("сентября", 9, "с", "по", "и"),
    "Ukrainian": ("квітня", 4, "з", "по", "та"),
    "Greek": ("Ιουλίου", 7, "από", "έως", "και"),
    "Arabic": ("أكتوبر", 10, "من", "إلى", "و"),
    "Hindi": ("जनवरी", 1, "", "से", "और"),
}
#: Cells with two days of one month, by language.
RANGES = (
    "{a}-{b} {month} 2023",
    "{a} – {b} {month} 2023",
    "{a}/{b} {month} 2023",
    "{a}. - {b}. {month} 2023",
    "{start} {a} {to} {b} {month} 2023",
    "{a} {to} {b} {month} 2023",
    "{a} {and_} {b} {month} 2023",
    "{a}, {b} {month} 2023",
    "{a}, {b} {and_} {c} {month} 2023",
    "{a} {month} 2023 - {b} {month} 2023",
    "{a} {month} 2023, {b} {month} 2023",
    "{a} {month} 2023 | 2023-01-30",
    "2022-06-0{a} {a} {month} 2023",
    "{a} {month} 2023 {a} {month} 2022",
)
#: Cells with one day.
SINGLE = (
    "{a} {month} 2023",
    "{a}. {month} 2023",
    "{a} {month} 2023, 10:30",
    "10:30 - {a} {month} 2023",
    "x, {a} {month} 2023",
    "{a} {month} 2023 ({a} {month} 2023)",
    "{a} {month} 2023 | {iso}",
    "{iso} ({a} {month} 2023)",
    "{a} {month} 2023 - 23:59:59+0200",
)


def cells(language, templates):
    """Yield cells of a language with the day that stands first in them."""
    month, number, start, to, and_ = LANGUAGES[language]
    for a, b in ((6, 8), (1, 12), (9, 27)):
        names = {"month": month, "start": start, "to": to, "and_": and_, "a": a, "b": b, "c": b + 1}
        day = date(2023, number, a)
        for template in templates:
            yield template.format(**names, iso=day), day


def read_or_refused(cell):
    try:
        return parse_date(cell)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cell_with_one_date_is_read(language):
    expected = dict(cells(language, SINGLE))
    assert {cell: read_or_refused(cell) for cell in expected} == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cell_with_two_days_is_refused_by_name(language):
    expected = dict.fromkeys(dict(cells(language, RANGES)), TWO_DATES)
    assert {cell: read_or_refused(cell) for cell in expected} == expected


@pytest.mark.parametrize("one", LANGUAGES)
def test_two_dates_of_two_languages_are_refused(one):
    month, number, *_ = LANGUAGES[one]
    for other_month, other_number, *_ in LANGUAGES.values():
        assert read_or_refused(f"5 {month} 2023, 6 {other_month} 2023") == TWO_DATES
        same = read_or_refused(f"5 {month} 2023, 5 {other_month} 2023")
        assert same == (date(2023, number, 5) if number == other_number else TWO_DATES)


def english(day):
    return f"{calendar.month_name[day.month]} {day.day}, {day.year}"


@pytest.mark.parametrize("number", range(1, 13))
def test_of_published_and_updated_the_published_one_is_read_if_both_words_are_known(number):
    first, later = date(2023, number, 14), date(2023, number, 14).replace(year=2024)
    for cell in (
        f"Published {english(first)} | Updated {english(later)}",
        f"Last updated: {english(later)} 5:30 PM EST. Published: Wednesday, {english(first)} at 10:30 AM EST",
        f"Pubblicato il {first}, aggiornato il {later}",
        f"ultimo aggiornamento {later} ore 10, pubblicato {first} alle 9",
        f"Veröffentlicht am {first}T10:30:00Z, zuletzt aktualisiert {later}",
    ):
        assert parse_date(cell) == first, cell
    for cell in (
        f"{first} - Aggiornato il {later}",
        f"Seen {english(first)} | Updated {english(later)}",
        f"Published {english(first)}, {english(later)}",
        f"Published {english(first)} | Updated {english(later)} | Archived {english(later)}",
        f"Updated {english(first)} | Published 6-8 March 2023",
    ):
        assert read_or_refused(cell) == TWO_DATES, cell
    assert read_or_refused(f"Updated: {english(first)}") == UPDATE_ALONE


@pytest.mark.parametrize(
    "cell",
    [
        "6-8 marzo",
        "dal 6 all'8 marzo",
        "dal 6 all’8 marzo 2024",
        "Mar 6 - Mar 8, 2024",
        "March 6-8, 2024",
        "March 6, 7 and 8, 2024",
        "6 e 8/3/2024",
        "March 6, 8, 2024",
        "28 febbraio - 3 marzo 2024",
        "von Mittwoch, 6. bis Freitag, 8. März 2024",
        "2024-03-06/2024-03-08",
        "2024-03-06/08",
        "06/03/2024 - 08/03/2024",
        "06/03/24, 08/03/24",
        "6-8/3/2024",
        "20240306 - 20240308",
        "31 décembre 2023 - 1er janvier 2024",
        "30 febbraio 2024, 6 marzo 2024",
        "06/03/2024 (2024-03-07)",
        "06/03/2024 - 03/06/2024",
    ],
)
def test_ranges_in_other_forms_are_refused(cell):
    assert read_or_refused(cell) == TWO_DATES


@pytest.mark.parametrize("weekday", ["lun", "mar", "mer", "gio", "ven", "sab", "dom", "lunedì", "domenica"])
@pytest.mark.parametrize(
    "day",
    [
        "{weekday} 1º gennaio 2020",
        "{weekday} gennaio 1 2020",
        "{weekday}, 1 gen 2020",
        "{weekday}. 1° gennaio 2020",
    ],
)
def test_italian_names_of_days_say_nothing(weekday, day):
    assert parse_date(day.format(weekday=weekday)) == date(2020, 1, 1)


@pytest.mark.parametrize("text", ["giovedì", "domenica", "lunedi,", " sabato "])
def test_the_name_of_a_day_alone_is_no_date_that_can_be_read(text):
    with pytest.raises(ValueError, match=text.strip()):
        parse_date(text)


def table(path, days):
    rows = [[n, "Titolo", f"Testo {n}", "ab"[n % 2], day] for n, day in enumerate(days)]
    return str(write_csv(path, rows, ["id", "headline", "article", "label", "date"]))


@pytest.mark.parametrize(
    "days",
    [
        ["2023-05-02", "2023-14-01"],
        ["2023-14-01", "2023-02-28"],
        ["20230502", "20231401"],
        ["2023/2/5", "2023/13/5 10:30"],
        ["03.06.2024", "03.15.2024"],
        ["15.03.2024", "03.15.2024"],
    ],
)
def test_a_file_with_a_date_in_an_order_that_is_not_read_is_refused(tmp_path, days):
    with pytest.raises(InputError, match=r"in line \d has the day where the month is read"):
        read_articles(ReadingOptions(files=(table(tmp_path / "x.csv", days),)))


def test_a_day_that_no_month_has_refuses_no_file(tmp_path):
    file = table(
        tmp_path / "x.csv", ["2023-05-02", "2023-02-30", "2023-13-45", "0000-13-01", "5.5.2023", "2023-05-03"]
    )
    reading = read_articles(ReadingOptions(files=(file,)))
    assert [str(article.date) for article in reading.articles] == ["2023-05-02", "2023-05-05", "2023-05-03"]


def test_rows_with_two_dates_are_rejected_with_their_cells(tmp_path):
    both = "Pubblicato 6 marzo 2024, visto 7 marzo 2024"
    file = table(
        tmp_path / "x.csv", ["15/03/2024", "16/03/2024", both, "06/03/2024 - 08/03/2024", "06/03/2024"]
    )
    reading = read_articles(ReadingOptions(files=(file,)))
    reasons = [row.reason for row in reading.rejected]
    assert reasons == [f"two dates: {both}", "two dates: 06/03/2024 - 08/03/2024"]
    assert str(reading.articles[-1].date) == "2024-03-06"


def test_dates_without_a_day_after_the_twelfth_are_looked_at(tmp_path):
    days = [f"2023-{month:02d}-{day:02d}" for month in (1, 2, 3) for day in range(1, 13)]
    for added, seen in (([], ["dates have no day after the twelfth"]), (["2023-03-13"], [])):
        file = table(tmp_path / "x.csv", [*days, *added])
        assert [issue.name for issue in read_articles(ReadingOptions(files=(file,))).issues] == seen


def test_three_dates_with_one_word_between_them_are_refused_as_two_dates():
    with pytest.raises(ValueError, match=TWO_DATES):
        one_date("2020-05-03 2020-05-04 updated 2020-05-05")
