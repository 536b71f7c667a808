"""The Headline quality tab: uploads are what HEvAS reads from files, its numbers are shown as they are."""

import csv
from functools import partial

import pytest
from space_runs import write_csv
from test_score_tab import pressed

from change_it.errors import InputError
from change_it.hevas import documents as hevas_documents
from change_it.hevas.evaluation import evaluate
from change_it.hevas.metrics import METRICS
from change_it.hevas.options import MetricOptions
from change_it.space import measured
from change_it.space.words import say

SAY = partial(say, "en")
SUBJECTS = ("Il ponte", "La scuola", "Il treno", "La squadra", "Il festival", "L'ospedale")
DOCUMENTS = [
    [
        f"d{n}",
        f"{who} riapre lunedì dopo i lavori. Il comune ha speso {n} milioni. I cittadini aspettano.",
        f"{who} riapre lunedì",
    ]
    for n, who in enumerate(SUBJECTS)
]
CHEAP = ("R-1", "JS-C", "Fog", "AWL")


@pytest.fixture
def documents_file(tmp_path):
    return write_csv(tmp_path / "documents.csv", DOCUMENTS, ["id", "article", "headline"])


@pytest.fixture
def documents(documents_file):
    return measured.read_documents(documents_file, say=SAY)


@pytest.fixture(scope="module")
def page():
    from change_it.space import interface

    return interface.build(None, "en")  # without models: this tab needs none


def choice(metrics=CHEAP, baselines=("first",), charts=("interval",)):
    return measured.Choice(metrics, baselines, charts, "it")


def test_documents_and_systems_are_those_that_hevas_reads(tmp_path, documents_file, documents):
    assert documents.references == hevas_documents.read_documents(str(documents_file)).references
    assert documents.ids == tuple(row[0] for row in DOCUMENTS)
    assert documents.name == "documents.csv"
    turned = write_csv(
        tmp_path / "s.csv", [[row[0], f"  {row[2]} "] for row in reversed(DOCUMENTS)], ["id", "headline"]
    )
    plain = tmp_path / "t.txt"
    plain.write_text("".join(f"{row[2]}\r\n" for row in DOCUMENTS), encoding="utf-8", newline="")
    systems = measured.read_systems([turned, plain], documents, say=SAY)
    assert [system.headlines for system in systems] == [tuple(row[2] for row in DOCUMENTS)] * 2


def test_headlines_with_an_error_are_empty(tmp_path, documents):
    rows = [[row[0], row[2], "too long" if row[0] == "d1" else ""] for row in DOCUMENTS]
    path = write_csv(tmp_path / "s.csv", rows, ["id", "headline", "error"])
    [system] = measured.read_systems([path], documents, say=SAY)
    assert [bool(headline) for headline in system.headlines] == [row[0] != "d1" for row in DOCUMENTS]
    found = measured.measure(documents, [system], choice(), say=SAY)
    assert any("1 of 6" in told for told in measured.remarks(found, SAY))


def test_names_are_unlike_each_other_and_fit_for_files(tmp_path, documents):
    names = ["a b/../c", "first", "x", "X"]
    paths = []
    for number, name in enumerate(names):
        folder = tmp_path / str(number)
        folder.mkdir()
        paths.append(
            write_csv(
                folder / f"{name.replace('/', '_')}.csv",
                [[r[0], r[2]] for r in DOCUMENTS],
                ["id", "headline"],
            )
        )
    found = [system.name for system in measured.read_systems(paths, documents, say=SAY)]
    assert found == ["a-b_.._c", "first-2", "x", "X-2"]


def test_numbers_are_those_of_hevas(documents):
    system = hevas_documents.System("mine", tuple(row[2] for row in DOCUMENTS))
    found = measured.measure(documents, [system], choice(baselines=()), say=SAY)
    direct = evaluate(documents, [system], metrics=CHEAP, options=MetricOptions(topics=6))
    assert found.evaluation.means == direct.means
    assert found.evaluation.signature == direct.signature
    header, rows = measured.means_rows(found, SAY)
    assert header == ["metric", "mine"]
    assert [row[0] for row in rows] == ["average", "R-1", "JS-C", "Fog ↓", "AWL ↓"]
    assert rows[1][1] == "1.000 *"


@pytest.mark.parametrize("count", [1, 2, 6])
def test_usual_metrics_work_on_few_documents(tmp_path, count):
    path = write_csv(tmp_path / "d.csv", DOCUMENTS[:count], ["id", "article", "headline"])
    moves = []
    found = measured.measure(
        measured.read_documents(path, say=SAY),
        [],
        choice(metrics=measured.USUAL, baselines=("first", "tfidf")),
        say=SAY,
        moved=lambda what, share: moves.append(share),
    )
    assert found.evaluation.metrics == measured.USUAL
    assert moves == sorted(moves)
    assert len(set(moves)) > 5
    assert moves[-1] < 1


def test_metrics_that_need_references_are_left_out_without_them(tmp_path):
    path = write_csv(tmp_path / "d.csv", [row[:2] for row in DOCUMENTS], ["id", "article"])
    without = measured.read_documents(path, say=SAY)
    found = measured.measure(without, [], choice(), say=SAY)
    assert found.left_out == ("R-1",)
    assert found.evaluation.metrics == ("JS-C", "Fog", "AWL")
    assert any("R-1" in told for told in measured.remarks(found, SAY))
    with pytest.raises(InputError, match="need reference headlines"):
        measured.measure(without, [], choice(metrics=["R-1", "R-2"]), say=SAY)


def test_every_two_systems_are_tested(documents):
    found = measured.measure(documents, [], choice(baselines=("first", "random", "tfidf")), say=SAY)
    header, rows = measured.test_rows(found, "AWL", SAY)
    assert [row[:2] for row in rows] == [["first", "random"], ["first", "tfidf"], ["random", "tfidf"]]
    assert len(header) == len(rows[0])
    assert "Friedman" in measured.friedman_told(found, "AWL", SAY)
    alone = measured.measure(documents, [], choice(), say=SAY)
    assert measured.test_rows(alone, "AWL", SAY)[1] == []
    assert measured.friedman_told(alone, "AWL", SAY) == ""


@pytest.mark.parametrize("language", ["en", "it"])
def test_faults_are_told(tmp_path, documents, language):
    in_words = partial(say, language)

    def refused(read, *told):
        with pytest.raises(InputError) as caught:
            read()
        assert str(tmp_path) not in str(caught.value)
        assert all(word in str(caught.value) for word in told)

    def document(*rows, header=("id", "article", "headline")):
        path = write_csv(tmp_path / "bad.csv", rows, header)
        return lambda: measured.read_documents(path, say=in_words)

    def system(*rows, header=("id", "headline"), name="bad.csv"):
        path = write_csv(tmp_path / name, rows, header)
        return lambda: measured.read_systems([path], documents, say=in_words)

    refused(
        document(["1", "...", "x"], ["1", "Testo", ""], ["2", "a" * 20_001, "b" * 301]),
        "bad.csv",
        "20,000",
        "300",
        "(2, 3)",
    )
    refused(document(["x"], header=["text"]), "article", "text")
    refused(system(*([row[0], row[2]] for row in DOCUMENTS[:4])), "bad.csv", "2", "d4, d5")
    refused(system(["d0", "x"], ["d0", "x"], ["e", "x"]), "d1", "(e)")
    refused(system(*([row[2]] for row in DOCUMENTS[:4]), header=["headline"]), "4", "6")
    refused(system(["x"], header=["x"], name="bad.txt"), "2", "6")
    nothing = measured.Choice([], ["first"], [], "it")
    refused(lambda: measured.measure(documents, [], nothing, say=in_words), in_words("quality.no_metric"))
    alone = measured.Choice(["R-1"], [], [], "it")
    refused(lambda: measured.measure(documents, [], alone, say=in_words), in_words("quality.no_system"))


def test_the_handler_works_without_models(page, tmp_path, documents_file):
    system = write_csv(tmp_path / "mine.csv", [[row[0], row[2]] for row in DOCUMENTS], ["id", "headline"])
    asked = pressed(page, "quality")
    _, status, results, means, charts, tests_of, tests, note, files = asked(
        str(documents_file), [str(system)], list(CHEAP), ["first"], ["interval", "scatter"], "it", 9, "it"
    )
    assert results["visible"]
    assert "hevas|" in status
    assert sorted(means["headers"][1:]) == ["first", "mine"]
    assert charts.count("<svg ") == 2
    assert "Medie con intervalli" in charts
    assert tests_of["value"] == "average"
    assert tests["value"]["data"][0][:2] == ["mine", "first"]
    assert "Wilcoxon" in note
    assert [file.rpartition("/")[2] for file in files] == [
        *("report.html", "summary.csv", "items.csv", "interval.png", "scatter.png"),
    ]
    with open(files[2], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["system"], row["id"]) for row in rows[:2]] == [("mine", "d0"), ("mine", "d1")]
    assert len(rows) == 12
    with open(files[0], encoding="utf-8") as file:
        assert str(tmp_path) not in file.read()
    nobody, told, hidden, *rest = asked(None, None, list(METRICS), ["first"], [], "it", 9, "en")
    assert nobody is None
    assert "Choose a file of documents" in told
    assert not hidden["visible"]
    assert rest == [None] * 6
