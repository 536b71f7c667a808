"""From a sheet to the tables of a study, through the command line; judges decide by rules (`scoring_fakes`)."""

import json
import re

import numpy as np
import polars as pl
import pytest
from csv_files import read_csv
from scipy.stats import rankdata
from scoring_fakes import FakeJudges
from studies import fill_in, write_predictions

from change_it.annotation.sheets import Annotator, KeyRow
from change_it.annotation.study import Judged, Study, _weighted_ranks
from change_it.cli import main


def told_apart(row):
    """Every exclamation mark is gio's, as the fake judge has it."""
    return {"answer": "2" if "!" in row["headline"] else "rep", "content": "5", "fluency": "4"}


def always_first(row):
    return {"answer": "1", "content": "1" if "davvero" in row["headline"] else "5", "fluency": "4"}


def refused(arguments, capsys):
    capsys.readouterr()
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert len(message.strip().splitlines()) == 1
    return message


@pytest.fixture
def with_judges(monkeypatch):
    from change_it.judges.judge import Judges

    monkeypatch.setattr(Judges, "from_pretrained", lambda *_, **__: FakeJudges(digits="abcd"))


def test_a_sheet_is_blind_and_balanced(sheet):
    key, rows = read_csv(sheet.with_name("sheet-key.csv")), read_csv(sheet)
    assert list(rows[0]) == [
        *("item", "headline", "choice1", "choice2", "answer"),
        *("article", "content", "fluency"),
    ]
    assert [row["item"] for row in rows] == [row["item"] for row in key]
    cells = [(row["condition"], row["outlet"]) for row in key]
    assert {cell: cells.count(cell) for cell in cells} == {
        (condition, outlet): 10 for condition in ("gold", "echo") for outlet in ("rep", "gio")
    }
    assert cells != sorted(cells)
    assert all(
        re.fullmatch("h[0-9a-f]{8}", row["item"]) for row in rows
    )  # no spreadsheet takes it for a number
    assert len({row["headline"].casefold() for row in rows}) == 40
    events = [frozenset((row["source"], row["reference"] or row["headline"])) for row in key]
    assert len(set(events)) == 40  # forty events, none of them twice


def twofold(*, together):
    """Forty headlines of twenty events, each event answered rightly or wrongly as a whole, and rated alike."""
    outlets = ("rep", "gio")
    key = [
        KeyRow(
            f"h{n}", "echo", outlets[n % 2], f"Titolo {n}", f"a{n}", f"e{n // 2}" if together else "",
            outlets[1 - n % 2], "Titolo", "Articolo.", "", "", *outlets,
        )
        for n in range(40)
    ]  # fmt: skip
    answers = {
        row.item: {"answer": row.truth if n // 2 % 3 else 3 - row.truth, "content": 1 + n // 2 % 5}
        for n, row in enumerate(key)
    }
    metric = np.array([n // 2 % 5 + n // 2 % 7 for n in range(40)], np.float64)
    judged = Judged(np.ones(40, np.int64), np.ones(40), {"P(HH)": metric}, "judges:made-up")
    return Study(key, [Annotator("anna", answers)], judged)


def test_intervals_are_drawn_by_event():
    """Two headlines of an event are no more evidence than one, so intervals are wider by √2."""
    by_event, by_item = (twofold(together=together) for together in (True, False))
    assert "|items:40|events:20|" in by_event.signature
    for measured in (
        lambda study: study.raters("echo")["anna"]["accuracy"],
        lambda study: study.rating("echo", "content")["mean"],
        lambda study: study.correlations()[0].pearson,
        lambda study: study.correlations()[0].spearman,
    ):
        both = measured(by_event), measured(by_item)
        assert both[0].value == both[1].value
        assert 1.2 < np.ptp(both[0].interval) / np.ptp(both[1].interval) < 1.7


def test_an_annotator_who_is_always_right_may_have_been_lucky():
    study = twofold(together=True)
    right = {row.item: {"answer": row.truth} for row in study.key}
    few = dict(list(right.items())[:8])
    found = Study(study.key, [Annotator("all", right), Annotator("few", few)]).raters("echo")
    scores = [found[name]["accuracy"] for name in ("all", "few")]
    assert [score.value for score in scores] == [1, 1]
    assert [score.low for score in scores] == pytest.approx([0.025 ** (1 / 20), 0.025 ** (1 / 4)])


def test_ranks_of_a_resample_are_those_of_its_items():
    random = np.random.default_rng(1)
    values, weights = random.integers(0, 5, 30).astype(float), random.integers(0, 3, (4, 30))
    for ranks, times in zip(_weighted_ranks(values, weights), weights, strict=True):
        expected = rankdata(np.repeat(values, times))
        assert np.repeat(ranks, times) - expected == pytest.approx(np.full(times.sum(), -0.5))


def test_the_key_has_events(sheet):
    key = read_csv(sheet.with_name("sheet-key.csv"))
    of_event = {}
    for row in key:
        of_event.setdefault(row["event"], set()).add(re.search(r"numero \d+", row["headline"])[0])
    assert all(len(numbers) == 1 for numbers in of_event.values())
    assert len(of_event) == len(set.union(*of_event.values()))


def test_the_seed_decides(study_corpus, sheet, tmp_path):
    arguments = ["annotate", "sample", "--corpus", str(study_corpus), "--items", "20", "--out"]
    found = []
    for seed in ("1", "1", "2"):
        assert main([*arguments, str(tmp_path / "again.csv"), "--seed", seed]) == 0
        found.append((tmp_path / "again.csv").read_bytes())
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    ("items", "words"), [("21", "even number"), ("0", "even number"), ("200", "give --items 80 or less")]
)
def test_a_number_that_cannot_be_drawn(study_corpus, tmp_path, capsys, items, words):
    out = tmp_path / "s.csv"
    message = refused(
        ["annotate", "sample", "--corpus", str(study_corpus), "--items", items, "--out", str(out)], capsys
    )
    assert words in message
    assert not out.exists()


def test_people_against_the_key_and_the_judge(sheet, tmp_path, with_judges):
    key = sheet.with_name("sheet-key.csv")
    files = [fill_in(sheet, tmp_path / f"{name}.csv", told_apart) for name in ("anna", "ben")]
    files.append(fill_in(sheet, tmp_path / "carla.csv", always_first))
    out = tmp_path / "report"
    arguments = [*map(str, files), "--key", str(key), "--judges", "made/up", "--out", str(out)]
    assert main(["annotate", "score", *arguments]) == 0
    assert {path.name for path in out.iterdir()} == {
        *("items.csv", "report.html", "tables.md", "tables.json", "tables")
    }
    tables = json.loads((out / "tables.json").read_text(encoding="utf-8"))["tables"]
    gold = next(row for row in tables["agreement"]["rows"] if row["condition"] == "gold")
    assert (gold["anna"], gold["ben"], gold["carla"]) == (1, 1, 0.5)
    assert gold["accuracy"] == pytest.approx(5 / 6)
    # gold: 10 items 1 1 1 and 10 items 2 2 1: o11 30 + 0, o12 10, o22 10 (pairs over two); n 40 and 20
    assert gold["alpha"] == pytest.approx(1 - 59 * 20 / (2 * 40 * 20))
    assert gold["alpha_interval_low"] < gold["alpha"] < gold["alpha_interval_high"]
    classified = {
        (row["group"], row["rater"]): row for row in tables["classification"]["rows"] if row["group"]
    }
    carla = classified["gold", "carla"]
    assert (carla["f1_1"], carla["f1_2"], carla["f1"]) == (pytest.approx(2 / 3), 0, pytest.approx(1 / 3))
    assert classified["gold", "majority"]["accuracy"] == 1
    assert classified["gold", "judge main"]["accuracy"] == 1
    assert classified["gold", "judge main less people"]["accuracy"] == pytest.approx(1 / 6)
    assert classified["echo", "judge main"]["accuracy"] == 0  # it repeats the original's style
    assert tables["differences"]["rows"] == []
    ratings = {row["condition"]: row for row in tables["ratings"]["rows"]}
    assert ratings["echo"]["content"] == pytest.approx((5 + 5 + 1) / 3)
    assert ratings["gold"]["fluency"] == 4
    assert ratings["gold"]["fluency_alpha"] is None
    html = (out / "report.html").read_text(encoding="utf-8")
    assert "Krippendorff" in html
    assert ".160" in html


def test_headlines_on_which_people_and_judge_differ_are_listed(sheet, tmp_path, with_judges):
    files = [fill_in(sheet, tmp_path / f"{name}.csv", always_first) for name in ("anna", "ben")]
    arguments = [*map(str, files), "--key", str(sheet.with_name("sheet-key.csv")), "--judges", "made/up"]
    assert main(["annotate", "score", *arguments, "--out", str(tmp_path / "out")]) == 0
    tables = json.loads((tmp_path / "out" / "tables.json").read_text(encoding="utf-8"))["tables"]
    found = tables["differences"]["rows"]
    assert found
    assert all("!" in row["headline"] and (row["people"], row["judge"]) == ("rep", "gio") for row in found)
    assert len(found) == sum("!" in row["headline"] for row in read_csv(sheet))


def test_ratings_are_correlated_with_judges_and_metrics(sheet, tmp_path, with_judges, capsys):
    def rate(row):
        return {"answer": "1", "content": str(1 + len(row["headline"]) % 5), "fluency": "3"}

    file = fill_in(sheet, tmp_path / "anna.csv", rate)
    capsys.readouterr()
    arguments = [str(file), "--key", str(sheet.with_name("sheet-key.csv")), "--judges", "made/up", "--hevas"]
    assert main(["annotate", "score", *arguments, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["correlations"]["rows"]
    found = {row["metric"]: row for row in rows}
    assert {"P(HH)", "P(AH)", "P(fluency)", "R-1", "JS-S", "AWL"} <= set(found)
    assert all(row["n"] == 20 for row in rows)
    low, high = found["R-1"]["content_pearson_interval_low"], found["R-1"]["content_pearson_interval_high"]
    assert low < found["R-1"]["content_pearson"] < high
    assert found["R-1"]["fluency_pearson"] is None  # all fluencies are alike


def test_what_is_missing_is_missing(sheet, tmp_path, capsys):
    """Somebody who stopped after ten headlines, somebody who left one out."""
    rows = read_csv(sheet)
    early = {row["item"] for row in rows[:10]}
    files = [
        fill_in(sheet, tmp_path / "anna.csv", lambda row: told_apart(row) if row["item"] in early else {}),
        fill_in(sheet, tmp_path / "ben.csv", lambda row: told_apart(row) if row != rows[0] else {}),
    ]
    capsys.readouterr()
    arguments = [*map(str, files), "--key", str(sheet.with_name("sheet-key.csv")), "--json"]
    assert main(["annotate", "score", *arguments]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    counts = {}
    for row in tables["classification"]["rows"]:
        if row["rater"] in ("anna", "ben", "majority"):
            counts[row["rater"]] = counts.get(row["rater"], 0) + row["n"]
    assert counts == {"anna": 10, "ben": 39, "majority": 40}


def wrong_answer(text):
    return re.sub(r",rep,gio,,", ",rep,gio,3,", text, count=1)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (wrong_answer, "answer is '3'; write 1, 2 or the name of the outlet"),
        (lambda text: text, "has no answers"),
        (lambda text: text.replace("answer", "anwser", 1), "lacks the column answer"),
        (lambda text: re.sub(r"(?m)^h[0-9a-f]{8}", "h00000000", text), "not in the key"),
        (lambda text: wrong_answer(text).replace("gio,3,", "gio,2,") + text.split("\r\n")[1], "stands twice"),
    ],
    ids=["value", "empty", "column", "other study", "twice"],
)
def test_a_bad_sheet_is_one_sentence(sheet, tmp_path, capsys, spoil, words):
    file = tmp_path / "anna.csv"
    file.write_bytes(spoil(sheet.read_bytes().decode().replace("\n", "\r\n")).encode())
    assert words in refused(
        ["annotate", "score", str(file), "--key", str(sheet.with_name("sheet-key.csv"))], capsys
    )


def test_files_that_are_not_what_they_should_be(sheet, tmp_path, capsys, study_corpus):
    key = str(sheet.with_name("sheet-key.csv"))
    assert "does not exist" in refused(["annotate", "score", "none.csv", "--key", key], capsys)
    assert "lacks the column" in refused(["annotate", "score", str(sheet), "--key", str(sheet)], capsys)
    assert "is a key" in refused(["annotate", "serve", key, "--port", "0"], capsys)
    assert "does not exist" in refused(["annotate", "serve", str(tmp_path / "no.csv")], capsys)
    filled = fill_in(sheet, tmp_path / "majority.csv", told_apart)
    assert "cannot be called majority" in refused(["annotate", "score", str(filled), "--key", key], capsys)
    assert "--hevas" in refused(["annotate", "score", str(filled), "--key", key, "--hevas"], capsys)
    file = write_predictions(study_corpus, tmp_path / "echo.csv")
    arguments = ["--corpus", str(study_corpus), "--predictions", f"gold={file}", "--out", str(sheet)]
    assert "gold is taken" in refused(["annotate", "sample", *arguments], capsys)
    one = ["--corpus", str(study_corpus), "--names", "Repubblica", "--out", str(sheet)]
    assert "is not two names" in refused(["annotate", "sample", *one], capsys)


def test_a_headline_like_a_formula_is_quoted_in_the_sheet_and_shown_as_it_is(study_corpus, tmp_path):
    from change_it.annotation.sheets import read_sheet

    file = write_predictions(study_corpus, tmp_path / "plus.csv")
    table = pl.read_csv(file).with_columns(headline="+1: " + pl.col("headline"))
    table.write_csv(file)
    sheet = tmp_path / "sheet.csv"
    arguments = ["--corpus", str(study_corpus), "--predictions", f"plus={file}", "--items", "10"]
    assert main(["annotate", "sample", *arguments, "--names", "La R,Il G", "--out", str(sheet)]) == 0
    assert sum("'+1: " in row["headline"] for row in read_csv(sheet)) == 10
    rows, questions = read_sheet(sheet)
    assert sum(row.headline.startswith("+1: ") for row in rows) == 10
    assert {(row.choice1, row.choice2) for row in rows} == {("La R", "Il G")}
    assert questions == ["answer"]


def in_newspaper(corpus, folder):
    """Two files, one an outlet, of headlines in the original's own style."""
    rows = pl.read_parquet(corpus / "articles" / "test.parquet")
    files = []
    for label in ("rep", "gio"):
        files.append(folder / f"{label}.csv")
        rows.filter(label=label).select(
            "id", headline="Ora: " + pl.col("headline"), target="label"
        ).write_csv(files[-1])
    return files


def test_headlines_of_the_own_outlet_are_a_condition(study_corpus, tmp_path, with_judges):
    out = tmp_path / "sheet.csv"
    files = in_newspaper(study_corpus, tmp_path)
    specs = [f"setting1={file}" for file in files] + [
        f"echo={write_predictions(study_corpus, tmp_path / 'e.csv')}"
    ]
    arguments = ["--corpus", str(study_corpus), "--predictions", *specs, "--items", "20", "--out", str(out)]
    assert main(["annotate", "sample", *arguments]) == 0
    key = [row for row in read_csv(tmp_path / "sheet-key.csv") if row["condition"] == "setting1"]
    assert len(key) == 20
    assert all(row["outlet"] == row["label"] and row["reference"] == row["source"] for row in key)
    assert sum(row["outlet"] == "gio" for row in key) == 10
    events = {re.search(r"numero \d+", row["headline"])[0] for row in read_csv(out)}
    assert len(events) == 40  # of 60 headlines: there are forty events
    filled = fill_in(out, tmp_path / "anna.csv", lambda row: {"answer": told_apart(row)["answer"]})
    report = [
        "--key",
        str(tmp_path / "sheet-key.csv"),
        "--judges",
        "made/up",
        "--out",
        str(tmp_path / "report"),
    ]
    assert main(["annotate", "score", str(filled), *report]) == 0
    tables = json.loads((tmp_path / "report" / "tables.json").read_text(encoding="utf-8"))["tables"]
    rows = {(row["group"], row["rater"]): row for row in tables["classification"]["rows"]}
    assert rows["setting1", "anna"]["accuracy"] == rows["setting1", "judge main"]["accuracy"] == 1


def test_files_without_targets_aim_at_the_other_outlet(study_corpus, tmp_path, capsys):
    table = pl.read_csv(write_predictions(study_corpus, tmp_path / "e.csv")).drop("target")
    table.write_csv(tmp_path / "table.csv")
    (tmp_path / "lines.txt").write_text("\n".join(f"Riga {n} del ponte" for n in range(80)))
    specs = [f"{name}={tmp_path / file}" for name, file in (("table", "table.csv"), ("lines", "lines.txt"))]
    out = tmp_path / "sheet.csv"
    arguments = ["--corpus", str(study_corpus), "--items", "4", "--out", str(out)]
    assert main(["annotate", "sample", *arguments, "--predictions", *specs]) == 0
    key = read_csv(tmp_path / "sheet-key.csv")
    assert [sum(row["condition"] == name for row in key) for name in ("table", "lines")] == [4, 4]
    assert all(row["outlet"] != row["label"] for row in key)
    twice = [*specs[1:], f"lines={tmp_path / 'table.csv'}"]
    assert "80 ids duplicate" in refused(["annotate", "sample", *arguments, "--predictions", *twice], capsys)


def test_a_file_that_mixes_both_targets_is_refused(study_corpus, tmp_path, capsys):
    files = in_newspaper(study_corpus, tmp_path)
    table = pl.read_csv(files[0])
    table.with_columns(
        target=pl.when(pl.int_range(pl.len()) > 2).then("target").otherwise(pl.lit("gio"))
    ).write_csv(files[0])
    pl.read_csv(files[1]).with_columns(target=pl.lit("rep")).write_csv(files[1])
    specs = [f"mixed={file}" for file in files]
    arguments = ["--corpus", str(study_corpus), "--predictions", *specs, "--out", str(tmp_path / "s.csv")]
    assert "with the wrong target" in refused(["annotate", "sample", *arguments], capsys)
    half = ["--corpus", str(study_corpus), "--predictions", f"half={in_newspaper(study_corpus, tmp_path)[0]}"]
    assert "40 ids missing" in refused(
        ["annotate", "sample", *half, "--out", str(tmp_path / "s.csv")], capsys
    )


def test_gold_of_any_articles_is_that_of_the_random_split(study_corpus, tmp_path):
    out = tmp_path / "sheet.csv"
    arguments = [
        "--corpus",
        str(study_corpus),
        "--items",
        "4",
        "--random-gold",
        "--out",
        str(out),
        "--seed",
        "3",
    ]
    assert main(["annotate", "sample", *arguments]) == 0
    key = [row for row in read_csv(tmp_path / "sheet-key.csv") if row["condition"] == "random gold"]
    assert len(key) == 4
    assert all(row["headline"] == row["source"] and row["outlet"] == row["label"] for row in key)
    from change_it.corpus.folder import read_table
    from change_it.corpus.training_sets import random_split

    sides = [
        read_table(str(study_corpus), "articles", side, ["id", "label", "headline", "article"])
        for side in ("train", "test")
    ]
    _, tested = random_split(pl.concat(sides), 3)
    assert {row["id"] for row in key} <= set(tested["id"])
