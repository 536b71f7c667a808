"""The Score tab: uploaded tables are read, scored as `scoring.score` does it, and every fault is one sentence."""

import csv
import json
import re
from functools import partial

import numpy as np
import polars as pl
import pytest
from csv_files import write_csv
from scoring_fakes import OUTLETS, FakeJudges
from space_runs import measured_by

from change_it.errors import InputError
from change_it.space import score_tab as tab
from change_it.space import uploads as files
from change_it.space.limits import LIMITS
from change_it.space.models import Models
from change_it.translation import LANGUAGES, localized

HEADER = ["id", "source", "article", "label", "headline"]
# FakeJudges: main says gio for an exclamation mark, HH and AH want a common word of five letters or more.
ROWS = [
    ["1", "Crolla il ponte", "Il ponte crolla di notte.", "rep", "Ponte giù: crolla tutto!"],
    ["2", "Basta tasse!", "Una legge sulle tasse.", "gio", "Le tasse restano"],
    ["3", "Treni fermi", "Sciopero dei treni oggi.", "R", "Che vergogna!"],
]


class Extract:
    """A system that the page can offer, never asked here."""

    outlets = OUTLETS
    targets = ()


def write(path, rows, header=HEADER, **how):
    return write_csv(path, rows, header, **how)


@pytest.fixture
def table(tmp_path):
    return write(tmp_path / "mine.csv", ROWS)


@pytest.fixture(scope="module")
def models():
    return Models(FakeJudges(), {"extract": Extract()})


@pytest.fixture(scope="module")
def page(models):
    from change_it.space import app

    return app.build(models, "en")


@pytest.fixture
def scored(models):
    """Scores a file."""

    def run(path, progress=lambda what, share: None):
        return tab.score_upload(models, str(path), "relative", progress)

    return run


def html_of(found, language="en"):
    return tab.scores_html(found, [], language)


def test_items_are_read_with_labels_of_the_corpus_and_outlet_a_first(table):
    test, [system] = tab.read_uploaded_predictions(table, OUTLETS)
    assert [(item.id, item.label, item.target) for item in test.items] == [
        ("1", "rep", "gio"),
        ("3", "rep", "gio"),
        ("2", "gio", "rep"),
    ]
    assert system.name == "mine"
    assert system.headlines == (ROWS[0][4], ROWS[2][4], ROWS[1][4])


@pytest.mark.parametrize("how", [{"delimiter": ";"}, {"delimiter": "\t"}, {"quoting": csv.QUOTE_ALL}])
def test_other_delimiters_case_order_and_byte_order_mark_do_not_matter(tmp_path, table, how):
    reversed_ = write(
        tmp_path / "reversed.csv", [row[::-1] for row in ROWS], [name.upper() for name in HEADER[::-1]], **how
    )
    reversed_.write_bytes(b"\xef\xbb\xbf" + reversed_.read_bytes())
    read = partial(tab.read_uploaded_predictions, outlets=OUTLETS)
    assert read(reversed_)[0].items == read(table)[0].items


def test_verdicts_values_and_signature(scored, table):
    found = scored(table)
    items = {row["id"]: row for row in found.items["mine"].iter_rows(named=True)}
    verdicts = {id_: [row[name] for name in ("hh", "ah", "main", "compliant")] for id_, row in items.items()}
    assert verdicts == {"1": [True] * 4, "2": [True] * 4, "3": [False, False, True, False]}
    assert found.row("mine").values["compliancy"] == pytest.approx((1 / 2 + 1) / 2)
    assert "n:3" in found.signature
    assert tab.summary(found)["file"] == "mine.csv"


def test_measures_that_need_gold_are_left_out_without_it(scored, tmp_path, table):
    with_references = write(tmp_path / "with.csv", [[*row, row[4]] for row in ROWS], [*HEADER, "gold"])
    without, with_gold = scored(table), scored(with_references)
    assert "bleu" not in json.dumps(tab.summary(without)).replace("bleu_source", "")
    assert not {"gold", "rougeL"} & set(without.items["mine"].columns)
    assert not {"bleu", "bleu_low", "rougeL_high"} & set(without.rows[0].flat(without.measures))
    assert with_gold.row("with").values["rougeL"] == 1.0
    assert with_gold.items["with"]["gold"].to_list() == [ROWS[0][4], ROWS[2][4], ROWS[1][4]]
    head = re.compile(r"<th scope=.col.[^>]*>(?:<button[^>]*>)?([^<]*)")
    heads = [head.findall(html_of(found)) for found in (without, with_gold)]
    assert [name for name in heads[1] if name not in heads[0]] == ["BLEU", "ROUGE-L"]
    assert ["Without a column gold" in html_of(found) for found in (without, with_gold)] == [True, False]


def test_several_systems_are_compared_in_pairs(scored, tmp_path):
    rows = [
        [str(n), f"Notizia numero {n} lunga", f"Una notizia lunga {n}", "rep", text, system]
        for n in range(20)
        for system, text in (("good", f"Notizia lunga {n}!"), ("bad", "No"))
    ]
    found = scored(write(tmp_path / "two.csv", rows, [*HEADER, "system"]))
    html = html_of(found)
    assert html.count('<th scope="row">good') == 2  # one direction: no average beside it
    assert "rowgroup" not in html
    assert "&lt; .001" in html
    assert "published" not in html


def test_a_system_that_the_same_judges_chose_is_named_and_signed(scored, tmp_path):
    chose = "fold:all|" + "|".join(
        f"{task}:{digit * 64}" for task, digit in zip(("main", "hh", "ah"), "abc", strict=True)
    )
    path = write(tmp_path / "mine.csv", [[*row, chose] for row in ROWS], [*HEADER, "reranker"])
    found = scored(path)
    assert "|reranker:same|" in found.signature
    assert "not independent of the judges that score" in html_of(found)


def test_progress_rises_while_texts_are_read_and_order_is_kept(scored, tmp_path):
    rows = [
        [str(n), "Titolo " * (n % 7 + 1), "Articolo " * (n % 11 + 1), "rep", f"Titolo {n}" + "!" * (n % 2)]
        for n in range(200)
    ]
    calls = []
    path = write(tmp_path / "long.csv", rows)
    found = scored(path, progress=lambda what, share: calls.append((what, share)))
    shares = [share for _, share in calls]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] == 0.9
    assert len(set(shares)) > 10
    steps = list(dict.fromkeys(localized("it", what) for what, _ in calls))
    judges = [f"legge il giudice {judge}" for judge in ("main", "hh", "ah")]
    assert steps == ["leggo i file", *judges, "intervalli e test"]
    ordered = found.items["long"].sort(pl.col("id").cast(int))
    np.testing.assert_allclose(ordered["p_target"], [0.9 if n % 2 else 0.2 for n in range(200)])


def test_an_empty_prediction_counts_as_failed(scored, tmp_path):
    path = write(tmp_path / "mine.csv", [[*ROWS[0][:4], "  "], ROWS[1]])
    found = scored(path)
    assert found.row("mine", "rep2gio").values["compliancy"] == 0
    assert "mine: 1 of 2 items" in html_of(found)


def faulty():
    line = ROWS[0]

    def text(rows, header=HEADER):
        return "\n".join(",".join(row) for row in [header, *rows])

    return {
        "empty": (b"", "empty"),
        "spaces": (b" \n \n", "empty"),
        "header alone": (text([]).encode(), "no rows"),
        "other columns": (b"a,b\n1,2", "lacks the column id, source, article, label, headline"),
        "a column twice": (text([[*line, "x"]], [*HEADER, "id"]).encode(), "more than one column id"),
        "too few cells": (text([line, ["4", "x"]]).encode(), "line 3"),
        "open quote": ((text([line]) + '\n2,"open,x,rep,y').encode(), "line 3"),
        "latin": (text([["1", "Perché no", "x", "rep", "y"]]).encode("latin-1"), "UTF-8"),
        "binary": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "UTF-8"),
        "unknown label": (text([["1", "a", "b", "elsewhere", "c"]]).encode(), "neither rep nor gio (2)"),
        "empty article": (
            text([["1", "a", "", "rep", "c"]]).encode(),
            "empty cell in the column article (2)",
        ),
        "id twice": (text([line, line]).encode(), "twice (3)"),
        "long headline": (text([["1", "a" * 500, "b", "rep", "c"]]).encode(), "more than 300 characters"),
        "other headline": (
            text([[*line, "s"], ["1", "Other", *line[2:], "t"]], [*HEADER, "system"]).encode(),
            "another headline",
        ),
        "fewer ids": (
            text([[*ROWS[0], "s"], [*ROWS[1], "s"], [*ROWS[0], "t"]], [*HEADER, "system"]).encode(),
            "the system t lacks 1 ids",
        ),
        "many systems": (
            text([[*line, f"s{n}"] for n in range(LIMITS.systems + 1)], [*HEADER, "system"]).encode(),
            "11 systems",
        ),
        "many rows": (text([line] * (LIMITS.rows + 1)).encode(), "more than 5,000 rows"),
        "long names of columns": (b"x" * 100_000 + b"\n1\n", "lacks the column"),
        "large": (b"x" * (LIMITS.bytes + 1), "at most 10 MB"),
        "reranker": (text([[*line, "me"]], [*HEADER, "reranker"]).encode(), "reranker"),
    }


@pytest.mark.parametrize("fault", faulty())
def test_a_fault_is_one_sentence_in_each_language(tmp_path, fault):
    content, message = faulty()[fault]
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    messages = {}
    with pytest.raises(InputError) as caught:
        tab.read_uploaded_predictions(path, OUTLETS)
    for language in LANGUAGES:
        messages[language] = localized(language, caught.value)
        assert str(tmp_path) not in messages[language]
        assert "\n" not in messages[language]
        assert len(messages[language]) < 1000
    assert message in messages["en"]


def test_json_lines_are_read_and_parquet_is_refused(tmp_path, table):
    lines = tmp_path / "mine.jsonl"
    lines.write_text(
        "\n".join(json.dumps(dict(zip(HEADER, row, strict=True))) for row in ROWS), encoding="utf-8"
    )
    read = partial(tab.read_uploaded_predictions, outlets=OUTLETS)
    assert read(lines)[0].items == read(table)[0].items
    lines.write_text('{"id": 1}\n[]\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"mine.jsonl, line 2"):
        read(lines)
    with pytest.raises(InputError, match="is parquet"):
        read(tmp_path / "mine.parquet")


def test_control_characters_become_spaces(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"id,headline\n1,a\x07b\n")
    [record] = files.read_upload(path, ["id", "headline"])
    assert (record.line, record.cells) == (2, {"id": "1", "headline": "a b"})


def test_the_handler_shows_results_and_faults_in_place(page, table, tmp_path):
    handler = measured_by(page, "score")
    scores, status, results, shown, files = handler(str(table), "relative", "it")
    assert list(scores.items) == ["mine"]
    hash(scores)  # Gradio does this with what it keeps of a visit
    assert status == ""
    assert "compliancy|judges:" in shown
    assert results["visible"]
    assert re.findall(r"rowgroup[^>]*>([^<]+)", shown) == ["media", "rep2gio", "gio2rep"]
    assert "score-tests" not in shown
    assert shown.count("<svg ") == 3
    assert ">accettati da tutti</text>" in shown
    assert ">0,2</text>" in shown
    assert re.search(r"<td>[01],\d{3}", shown)
    assert "Dove falliscono i titoli" in shown
    assert [file.rpartition("/")[2] for file in files] == [
        *("items.csv", "systems.csv", "scores.json"),
        *("compliancy.png", "judges.png", "funnel.png"),
    ]
    empty, message, hidden, *rest = handler(str(write(tmp_path / "<b>.csv", [], ["x"])), "relative", "en")
    assert empty is None
    assert "&lt;b&gt;.csv" in message
    assert not hidden["visible"]
    assert rest == [None, None]


def test_names_of_systems_are_text_in_charts(page, tmp_path):
    path = write(
        tmp_path / "t.csv", [[*row, "<script>alert(1)</script>"] for row in ROWS], [*HEADER, "system"]
    )
    shown = measured_by(page, "score")(str(path), "relative", "en")[3]
    assert "&lt;script&gt;" in shown
    assert "<script" not in shown


def test_the_endpoint_answers_gradio_client(page, table, tmp_path):
    from gradio_client import Client, handle_file
    from gradio_client.exceptions import AppError

    from change_it.space import app

    _, url, _ = app.launch(page, prevent_thread_lock=True)
    try:
        client = Client(url, verbose=False, download_files=str(tmp_path))
        summary, items = client.predict(handle_file(table), "relative", "en", api_name="/score")
        assert summary["systems"]["mine"]["average"]["compliancy"] == pytest.approx(0.75)
        assert pl.read_csv(items)["id"].to_list() == [1, 3, 2]
        with pytest.raises(AppError, match="lacks the column id"):
            client.predict(handle_file(write(tmp_path / "bad.csv", [["1"]], ["x"])), api_name="/score")
        described = client.view_api(return_format="dict")["named_endpoints"]["/score"]
        names = [parameter["parameter_name"] for parameter in described["parameters"]]
        assert names == ["file", "reversal", "language"]
    finally:
        page.close(verbose=False)
