"""Each fault of people's files is seen in a spoilt copy of the sample, and none in the sample itself."""

import json
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from csv_files import read_csv, write_csv, write_rows

from change_it.cli import main
from change_it.corpus.folder import read_warnings
from change_it.corpus.reading.article import Article
from change_it.corpus.reading.issues import (
    BEGIN,
    CAPITALS,
    CUT,
    END,
    MARK,
    find_issues,
    same_headlines,
    strip_boilerplate,
    tells_outlets,
)
from change_it.corpus.reading.options import ReadingOptions
from change_it.corpus.reading.reading import RefusedError, read_articles
from change_it.corpus.reading.sample import SAMPLE_COLUMNS, sample_articles
from change_it.errors import InputError
from change_it.text.cleaning import decoded, encoded_twice

OUTLETS = "colle", "faro"
COOKIE = (
    "Questo sito usa cookie tecnici e di terze parti per mostrarti pubblicità."
    " Chiudendo questo banner acconsenti."
)
OFFER = "Contenuto riservato agli abbonati. Per continuare a leggere abbonati o accedi con il tuo profilo."
PASSAGE, TITLE = "articles share a passage", "articles begin with their headline"
ESCAPED = "articles have escapes in the place of characters"
ERASED = "articles have a question mark in the place of a letter"
COPIES = "articles stand word for word, or nearly, in faro, too"
NOTHING, REJECTED = "headlines are none, or stand over many articles", "rows were rejected"
NONE = np.zeros(0, dtype=np.int64)


@pytest.fixture(scope="module")
def clean():
    return sample_articles(300, seed=3)


def faro(change, every=1):
    """A change of each `every`-th article of one outlet."""
    return lambda number, a: change(a) if a.label == "faro" and number % every == 0 else a


def spoilt(articles, change):
    return [change(number, article) for number, article in enumerate(articles)]


def both(**sides):
    """A change of the headline of each outlet."""
    return lambda number, a: replace(a, headline=sides[a.label](a.headline))


def escaped(article):
    """Write letters outside ASCII as JSON does."""
    texts = {name: json.dumps(getattr(article, name))[1:-1] for name in ("headline", "article")}
    return replace(article, **texts)


SPOILT = {
    "site's name": (
        both(colle=lambda text: f"{text} | La Gazzetta del Colle", faro=lambda text: f"{text} - IlFaro.it"),
        [("colle", END), ("faro", END)],
    ),
    "agency": (faro(lambda a: replace(a, headline=f"ANSA: {a.headline}"), 3), [("faro", BEGIN)]),
    "apostrophes": (
        both(colle=lambda text: text, faro=lambda text: text.replace("'", "’")),
        [("colle", MARK), ("faro", MARK)],
    ),
    "title in body": (
        faro(lambda a: replace(a, article=f"{a.headline.upper()}. {a.article}")),
        [("faro", TITLE)],
    ),
    "cookies": (faro(lambda a: replace(a, article=f"{COOKIE} {a.article}")), [("faro", PASSAGE)]),
    "paywall": (
        faro(lambda a: replace(a, article=f"{' '.join(a.article.split()[:12])}… {OFFER}"), 2),
        [("faro", PASSAGE), ("faro", "articles have less than 20 words of their own")],
    ),
    "spreadsheet": (faro(lambda a: replace(a, headline="#NAME?"), 50), [("faro", NOTHING)]),
    "one headline": (faro(lambda a: replace(a, headline="Notizie del giorno"), 10), [("faro", NOTHING)]),
    "placeholder": (
        faro(lambda a: replace(a, date=date(1970, 1, 1)), 3),
        [("faro", "articles are of one day")],
    ),
    "months": (
        faro(lambda a: replace(a, date=date(2024, 1 + a.date.day % 12, 1))),
        [("faro", "articles are of the first of a month")],
    ),
    "encoded twice": (
        faro(lambda a: replace(a, article=a.article.encode().decode("cp1252", "ignore"))),
        [("faro", "articles were encoded as UTF-8 twice")],
    ),
    "JSON's escapes": (faro(escaped), [("faro", ESCAPED)]),
    "escapes of a spreadsheet": (
        faro(lambda a: replace(a, article=a.article.replace(". ", "._x000D_\n")), 9),
        [("faro", ESCAPED)],
    ),
    "line breaks as letters": (
        faro(lambda a: replace(a, article=a.article.replace(". ", ".\\n"))),
        [("faro", ESCAPED)],
    ),
    "erased letters": (
        faro(
            lambda a: replace(
                a,
                headline=a.headline.encode("ascii", "replace").decode(),
                article=a.article.encode("ascii", "replace").decode(),
            ),
            3,
        ),
        [("faro", ERASED)],
    ),
    "capitals": (faro(lambda a: replace(a, headline=a.headline.upper()), 3), [("faro", CAPITALS)]),
    "cut with three dots": (faro(lambda a: replace(a, headline=f"{a.headline[:40]}...")), [("faro", CUT)]),
    "cut with an ellipsis": (
        both(colle=lambda text: f"{text[:40]}…", faro=lambda text: text),
        [("colle", CUT)],
    ),
    "Chinese": (
        lambda number, a: replace(a, headline="桥梁倒塌，无人受伤。" + chr(0x5000 + number)),
        [("", "headlines are in a script without spaces")],
    ),
}


def names(issues):
    return [(each.outlet, each.name) for each in issues]


def test_the_sample_is_clean():
    clean = sample_articles(600, seed=3)
    assert find_issues(clean, OUTLETS, (NONE, NONE)) == []
    assert strip_boilerplate(clean, OUTLETS) == (clean, [])


@pytest.mark.parametrize("fault", SPOILT)
def test_each_fault_is_seen_with_its_number_and_an_example(clean, fault):
    change, expected = SPOILT[fault]
    issues = find_issues(spoilt(clean, change), OUTLETS, (NONE, NONE))
    assert names(issues) == expected
    assert all(f"{each.count} of {each.total} " in each.text and each.example for each in issues)
    if fault == "spreadsheet":
        assert issues[0].count == sum(a.label == "faro" for a in clean[::50])


@pytest.mark.parametrize("fault", ["site's name", "agency", "cookies", "title in body"])
def test_mend_takes_off_what_was_put_on(clean, fault):
    change, expected = SPOILT[fault]
    articles, taken = strip_boilerplate(spoilt(clean, change), OUTLETS)
    assert names(taken) == expected
    assert not any(each.advice for each in taken)
    assert articles == clean


def places_of(articles, outlet):
    return [place for place, article in enumerate(articles) if article.label == outlet]


@pytest.fixture
def pages(clean):
    """Return articles of nine days and sixty linked pairs of one day; colle's in twenty are twelve in one."""
    articles = []
    for place, article in enumerate(clean):
        articles.append(replace(article, date=date(2024, 3, 6 + place % 9)))
    pairs = []
    for first in places_of(clean, "colle")[:99]:
        for second in places_of(clean, "faro")[:99]:
            if articles[first].date == articles[second].date:
                pairs.append((first, second))
    pairs = pairs[:60]
    for place, _ in pairs[:20]:
        stories = [article.article for article in clean[place : place + 12]]
        articles[place] = replace(articles[place], article=" ".join(stories))
    return articles, tuple(np.array(pairs).T)


def test_pages_of_many_stories_are_seen(pages):
    articles, links = pages
    [issue] = find_issues(articles, OUTLETS, links)
    assert issue.outlet == ""
    assert issue.name.startswith("articles are 4 times as long")


def test_pages_that_are_linked_to_another_day_are_none(pages):
    articles, links = pages
    a_day = timedelta(days=1)
    later = [replace(each, date=each.date + a_day) if each.label == "faro" else each for each in articles]
    assert find_issues(later, OUTLETS, links) == []


def test_articles_of_both_outlets_are_seen_without_pairs(clean):
    articles = list(clean)
    pairs = zip(places_of(clean, "colle")[:12], places_of(clean, "faro")[:12], strict=True)
    for first, second in pairs:
        articles[second] = replace(clean[second], article=clean[first].article)
    assert ("colle", COPIES) in names(find_issues(articles, OUTLETS, (NONE, NONE)))


@pytest.fixture(scope="module")
def wire(clean):
    """Return articles, and how many of colle's stand in faro, too, behind a dateline of an agency."""
    colle = [article for article in clean if article.label == "colle"]
    sent = colle[::2]
    copies = []
    for article in sent:
        copy = replace(
            article,
            id=f"{WIRE}{article.id}",
            label="faro",
            article=f"(ANSO) - LUNARA, {article.article}",
            headline=f"{article.headline} (ANSO)",
        )
        copies.append(copy)
    return [*clean, *copies], len(sent)


#: What the id of a copy has before that of its article.
WIRE = "w"


def copies_seen(articles):
    """Return the issue of agency copies, or None; each copy is paired with the article that it is of."""
    places = {article.id: place for place, article in enumerate(articles)}
    pairs = []
    for id_, place in places.items():
        if id_.startswith(WIRE):
            pairs.append((places[id_.removeprefix(WIRE)], place))
    issues = find_issues(articles, OUTLETS, tuple(np.array(pairs).T))
    return next((issue for issue in issues if issue.name == COPIES), None)


def change_copies(articles, change):
    """Return the articles, with other texts of the copies."""
    changed = []
    for article in articles:
        is_copy = article.id.startswith(WIRE)
        changed.append(replace(article, article=change(article.article)) if is_copy else article)
    return changed


def test_copies_behind_a_dateline_are_seen_before_and_after_mending(wire):
    articles, count = wire
    mended, _ = strip_boilerplate(articles, OUTLETS)
    for given in (articles, mended):
        seen = copies_seen(given)
        assert (seen.outlet, seen.count) == ("colle", count)


def test_copies_that_are_cut_are_seen(wire):
    """What counts is most of the shorter text."""
    articles, count = wire
    cut = change_copies(articles, lambda text: text[: len(text) // 3])
    assert copies_seen(cut).count == count


def test_pairs_with_other_texts_are_no_copies(wire):
    articles, _ = wire
    other = change_copies(articles, lambda _: articles[0].article)
    assert copies_seen(other) is None


def test_articles_that_are_empty_when_trimmed_are_no_copies(clean):
    articles = [replace(a, article=a.headline) for a in clean]
    assert all(not a.article for a in strip_boilerplate(articles, OUTLETS)[0])
    assert COPIES not in {each.name for each in find_issues(articles, OUTLETS, (NONE, NONE))}


def test_test_pairs_with_one_headline_are_counted_by_their_words():
    pairs = [("Crolla il ponte", "CROLLA IL PONTE."), ("È così", "E' cosi"), ("Cade", "Cade il ponte")]
    assert same_headlines(pairs[2:]) == []
    [seen] = same_headlines(pairs)
    assert (seen.count, seen.total, seen.example) == (2, 3, "Crolla il ponte")


def test_what_only_one_outlet_has_lets_main_tell_them_apart(clean):
    assert all(map(tells_outlets, (CAPITALS, CUT)))
    for change in (str.upper, lambda text: f"{text[:40]}..."):
        alike = spoilt(clean, both(colle=change, faro=change))
        assert not {CAPITALS, CUT} & {each.name for each in find_issues(alike, OUTLETS, (NONE, NONE))}


@pytest.mark.parametrize("fault", ["JSON's escapes", "escapes of a spreadsheet", "line breaks as letters"])
def test_mend_undoes_escapes(clean, tmp_path, fault):
    change, _ = SPOILT[fault]
    changed = spoilt(clean, change)

    reading = read(table(tmp_path / "x.csv", changed), mend=True)

    assert texts_of(reading.articles) == texts_of(clean)
    count = sum(a != b for a, b in zip(texts_of(changed), texts_of(clean), strict=True))
    [taken] = reading.mended
    assert taken.name == "texts had escapes in the place of characters"
    assert (taken.outlet, taken.count) == ("faro", count)


def texts_of(articles):
    """Return headline and text of each article, one after the other."""
    return [text for article in articles for text in (article.headline, article.article)]


def table(path, articles, **changes):
    rows = [
        [changes.get(name, lambda a, name=name: getattr(a, name))(a) for name in SAMPLE_COLUMNS]
        for a in articles
    ]
    return str(write_csv(path, rows, SAMPLE_COLUMNS))


def read(*files, **options):
    return read_articles(ReadingOptions(files=files, **options))


def versions(clean):
    """Three versions of each article of an outlet: on the day half of it, the next day more, and that day all
    of it.
    """
    for a in clean:
        words = a.article.split()
        if a.label == "faro":
            yield a
            continue
        yield replace(a, article=" ".join(words[: len(words) // 2]))
        yield replace(a, article=" ".join(words[:-9]), date=a.date + timedelta(1))
        yield replace(a, date=a.date + timedelta(1))


@pytest.mark.parametrize("order", [1, -1])
def test_of_the_versions_of_an_id_the_newest_and_longest_is_kept(clean, tmp_path, order):
    reading = read(table(tmp_path / "x.csv", [*versions(clean)][::order]))
    assert {a.id: (a.article, a.date) for a in reading.articles} == {a.id: (a.article, a.date) for a in clean}
    count = sum(a.label == "colle" for a in clean)
    [seen] = reading.issues
    assert (seen.name, seen.outlet, seen.count, seen.total) == (REJECTED, "colle", 2 * count, 3 * count)
    several = [replace(a, id=f"{a.id}-{at}") for at, a in enumerate(versions(clean))]
    assert ("colle", "articles begin as another one with another id") in names(
        find_issues(several, OUTLETS, (NONE, NONE))
    )


def test_an_outlet_without_usable_rows_is_named_with_its_reasons_and_the_rows_are_listed(
    clean, tmp_path, capsys
):
    file = table(tmp_path / "x.csv", clean, date=lambda a: str(a.date)[: 10 if a.label == "colle" else 7])
    count = sum(a.label == "faro" for a in clean)
    out = tmp_path / "corpus"
    assert main(["corpus", "build", file, "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert f"{count} date without a day, month or year of faro" in said
    assert f"{out}.rejected.csv lists them" in said
    assert len(read_csv(f"{out}.rejected.csv")) == count
    assert not out.exists()
    with pytest.raises(RefusedError, match="no usable row has the label"):
        read(file, labels="colle,faro")


def test_dates_that_are_not_read_or_cannot_be(clean, tmp_path):
    rows = [{"title": a.headline, "text": a.article, "outlet": a.label, "seen": str(a.date)} for a in clean]
    file, named = str(write_rows(tmp_path / "x.csv", rows)), "headline=title,article=text,label=outlet"
    with pytest.raises(InputError, match=f"--columns {named},date=seen"):
        read(file)
    [seen] = read(file, columns=named).issues
    assert seen.text.endswith("give --columns date=seen, or date= to leave it unread")
    assert (
        read(file, columns=f"{named},date=seen").issues == read(file, columns=f"{named},date=").issues == []
    )
    old = table(tmp_path / "old.csv", clean, date=lambda a: f"18{str(a.date)[2:]}")
    with pytest.raises(InputError, match="or leave the dates unread by --columns date="):
        read(old)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ObamaÃ¢â‚¬â„¢s", "Obama’s"),
        ("perchÃ© la cittÃ\xa0 Ã¨", "perché la città è"),
        ("ÐœÐ¾Ñ\x81ÐºÐ²Ð°", "Москва"),
        ("Ã¢â‚¬ËœRestartÃ¢â‚¬â„¢", "‘Restart’"),
        ("â€ËœGoodâ€™", "‘Good’"),
        ("pÃ¢tÃ©, Æ’ and Ë†", "pâté, Æ’ and Ë†"),
        ("ÐœÐ¾Ñ\x81ÐºÐ²Ð° Ð¸ Ð¼", "Москва и м"),
        ("Ð¼", "Ð¼"),
        ("È l’É” NÃO Àé»", "È l’É” NÃO Àé»"),
        ("a â€ b", "a â€ b"),
    ],
)
def test_only_what_decodes_is_decoded(text, expected):
    assert decoded(text) == expected
    assert bool(encoded_twice(text)) == (expected != text)


def test_what_does_not_decode_is_left_named_and_not_counted(clean, tmp_path):
    """Of faro's headlines one decodes, one does so behind a reference of HTML, and one has lost a byte."""
    texts = iter(["Ã¢â‚¬ËœUnoÃ¢â‚¬â„¢", "perch&Atilde;&copy;", "â€œDueâ€ e perchÃ©"])
    changes = {"headline": lambda a: next(texts, a.headline) if a.label == "faro" else a.headline}
    reading = read(table(tmp_path / "x.csv", clean, **changes), mend=True)
    headlines = [a.headline for a in reading.articles]
    assert {"‘Uno’", "perché", "“Dueâ€ e perché"} < set(headlines)
    [repaired] = [each for each in reading.mended if "twice" in each.name]
    assert (repaired.outlet, repaired.count) == ("faro", 2)
    left = [each for each in find_issues(reading.articles, OUTLETS, (NONE, NONE)) if "encod" in each.name]
    assert [(each.name, each.outlet, each.count, each.example) for each in left] == [
        ("articles have letters of a wrong encoding that do not decode", "faro", 1, "“Dueâ€")
    ]


def test_build_prints_and_keeps_what_it_saw_and_took_off(tmp_path, capsys):
    change, _ = SPOILT["site's name"]
    file = table(tmp_path / "x.csv", spoilt(sample_articles(240, seed=3), change))
    for options, key, says in (([], "looks", "Look: "), (["--mend"], "mended", "Taken off: ")):
        assert main(["corpus", "build", file, "--out", str(tmp_path / "c"), *options]) == 0
        report = json.loads((tmp_path / "c" / "alignment.json").read_text())
        assert [each["outlet"] for each in report[key]] == [*OUTLETS]
        first = report[key][0]["text"]
        assert f"{says}{first}." in " ".join(capsys.readouterr().out.split())
        assert first.partition(",")[0] in (tmp_path / "c" / "README.md").read_text()
        assert len(report["looks"]) + len(report["mended"]) == 2
        noticed = "corpus build noticed 2 things in these articles: see"
        assert any(noticed in warning for warning in read_warnings(str(tmp_path / "c"))) == (key == "looks")


@pytest.mark.parametrize(
    ("rows", "rejected", "is_named"),
    [(40, 2, True), (40, 1, False), (20, 1, True), (19, 9, False), (100, 5, True), (100, 4, False)],
)
def test_an_outlet_that_loses_a_twentieth_of_its_rows_is_named(tmp_path, rows, rejected, is_named):
    """Some of colle's rows lack the article."""
    made = [Article(f"a{n}", "colle", f"Titolo {n}", f"Testo {n}") for n in range(rows)]
    made += [Article(f"b{n}", "faro", f"Altro {n}", f"Testo {n}") for n in range(300)]
    bad = {f"a{n}" for n in range(rejected)}
    file = table(
        tmp_path / "x.csv",
        made,
        article=lambda each: "" if each.id in bad else each.article,
        date=lambda each: "",
    )

    issues = read(file).issues

    found = [(each.name, each.outlet, each.count, each.total) for each in issues]
    assert found == ([(REJECTED, "colle", rejected, rows)] if is_named else [])
