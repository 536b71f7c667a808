"""What no corpus can be built from or read in is refused by its cause and its mend."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from corpus_fakes import OUTLETS, articles, write_articles

from change_it.cli import main
from change_it.corpus.folder import read_outlets, read_table
from change_it.corpus.pairing.vectors import tfidf
from change_it.corpus.reading.issues import refuse_apart
from change_it.corpus.reading.options import check_language, parse_sizes
from change_it.corpus.splits import split
from change_it.errors import InputError

PAIRS = np.arange(100), np.arange(100, 200), 0.9 - 0.001 * np.arange(100)
SIDES = np.repeat([0, 1], 100)
OLD = [replace(a, date=date(1990, 1, 1)) if a.label == "gio" else a for a in articles()]


def split_of(strict=0.5, clusters=None, alignment_of_input=None, **sizes):
    clusters = np.arange(200) if clusters is None else clusters
    return split(
        clusters,
        PAIRS,
        SIDES,
        strict=strict,
        loose=0.185,
        seed=1,
        alignments=alignment_of_input,
        sizes=sizes or None,
    )


@pytest.mark.parametrize(
    ("refused", "says"),
    [
        (lambda folder: parse_sizes("A1=5"), "--sizes A1=5000"),
        (lambda folder: parse_sizes("A1=0,A2=5"), "--sizes A1=5000"),
        (lambda folder: parse_sizes("A1=5,A2=x"), "--sizes A1=5000"),
        (lambda folder: split_of(A1=10, A2=10, A3=100), "asks for 120 pairs, there are 100"),
        (lambda folder: split_of(strict=0.95), "lower --strict"),
        (
            lambda folder: split_of(clusters=np.repeat(0, 200)),
            "of 1 event, and A1 and A2 need one each: raise",
        ),
        (lambda folder: split_of(alignment_of_input=["A1"] * 200), "no A2"),
        (lambda folder: tfidf(["", "! ?"]), "no word is left"),
        (lambda folder: tfidf(["each word", "only once"]), "no word is left"),
        (lambda folder: refuse_apart(OLD, OUTLETS.names, 3), "no two articles .* at most 3 days apart"),
        (lambda folder: read_table(folder, "pairs", "test"), "corpus build"),
        (lambda folder: read_outlets(f"{folder}/missing"), "no corpus folder"),
        (lambda folder: check_language("Deutsch"), "Deutsch is no code of a language"),
    ],
)
def test_what_is_wrong_is_refused(refused, says, tmp_path):
    with pytest.raises(InputError, match=says):
        refused(str(tmp_path))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--window-days", "-1"], "--window-days -1 is no number of days: give 0 or more, or none"),
        (["--strict", "0", "--loose", "0"], "--loose 0.0 and --strict 0.0 are no cosines"),
        (["--strict", "0.1"], "--loose 0.185 and --strict 0.1 are no cosines"),
    ],
)
def test_options_out_of_range_are_refused(options, says, tmp_path, capsys):
    file = write_articles(tmp_path / "x.csv", articles())
    assert main(["corpus", "build", str(file), "--out", str(tmp_path / "c"), *options]) == 2
    assert says in capsys.readouterr().err


def build(made, tmp_path, capsys):
    """Return what a build that is refused says."""
    file = write_articles(tmp_path / "x.csv", made)
    assert main(["corpus", "build", str(file), "--labels", "R:rep,G:gio", "--out", str(tmp_path / "c")]) == 2
    return capsys.readouterr().err


def test_an_outlet_with_hardly_any_article_is_named_first(tmp_path, capsys):
    made = articles()
    own, [other, *_] = ([a for a in made if a.label == name] for name in OUTLETS.names)
    said = build([*own, other], tmp_path, capsys)
    assert said.startswith("change-it: gio has 1 article, rep 47: give more of gio; the pairs")


def test_rejected_rows_come_first_where_most_rows_are(tmp_path, capsys):
    made = [replace(a, id=["1.5E+18", "1.6E+18"][number % 2]) for number, a in enumerate(articles())]
    said = build(made, tmp_path, capsys)
    assert said.startswith("change-it: 90 of 94 rows were rejected: ")
    assert said.index("unread by --columns id=") < said.index("the pairs above")


@pytest.mark.parametrize(("repeated", "proposed"), [(False, True), (True, False)])
def test_a_column_of_unique_addresses_is_proposed_as_id(repeated, proposed, tmp_path, capsys):
    rows = ["url,title,text,label,published"]
    for number, article in enumerate(articles()):
        address = f"https://news.example/{0 if repeated else number}"
        rows.append(f"{address},{article.headline},{article.article},{article.label},{article.date}")
    (tmp_path / "news.csv").write_text("\n".join(rows))
    assert main(["corpus", "build", str(tmp_path / "news.csv"), "--out", str(tmp_path / "corpus")]) == 2
    wanted = "--columns headline=title,article=text,date=published" + ",id=url" * proposed
    error = capsys.readouterr().err
    assert wanted in error
    assert ("id=url" in error) == proposed
