"""The Headline quality tab: uploads are what HEvAS reads from files, its numbers are shown as they are."""

import re
from functools import partial

import pytest
from csv_files import read_csv, write_csv
from space_runs import measured_by

from change_it import published_figures
from change_it.errors import InputError
from change_it.hevas import documents as hevas_documents
from change_it.hevas.evaluation import evaluate
from change_it.hevas.metric_options import MetricOptions
from change_it.hevas.metrics import METRICS
from change_it.space import quality_tab as quality
from change_it.translation import localized, number, translate

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
    return quality.read_uploaded_documents(documents_file)


@pytest.fixture(scope="module")
def page():
    from change_it.space import app

    return app.build(None, "en")  # without models: this tab needs none


def choice(metrics=CHEAP, baselines=("first",)):
    return quality.Choice(metrics, baselines)


def html_of(found, language="en"):
    return quality.measured_html(found, [], language)


def test_documents_and_systems_are_those_that_hevas_reads(tmp_path, documents_file, documents):
    assert documents.references == hevas_documents.read_documents(str(documents_file)).references
    assert documents.ids == tuple(row[0] for row in DOCUMENTS)
    assert documents.name == "documents.csv"
    turned = write_csv(
        tmp_path / "s.csv", [[row[0], f"  {row[2]} "] for row in reversed(DOCUMENTS)], ["id", "headline"]
    )
    plain = tmp_path / "t.txt"
    plain.write_text("".join(f"{row[2]}\r\n" for row in DOCUMENTS), encoding="utf-8", newline="")
    systems = quality.read_uploaded_systems([turned, plain], documents)
    assert [system.headlines for system in systems] == [tuple(row[2] for row in DOCUMENTS)] * 2


def test_headlines_with_an_error_are_empty(tmp_path, documents):
    rows = [[row[0], row[2], "too long" if row[0] == "d1" else ""] for row in DOCUMENTS]
    path = write_csv(tmp_path / "s.csv", rows, ["id", "headline", "error"])
    [system] = quality.read_uploaded_systems([path], documents)
    assert [bool(headline) for headline in system.headlines] == [row[0] != "d1" for row in DOCUMENTS]
    found = quality.measure(documents, [system], choice())
    assert "s: 1 of 6 headlines are empty" in html_of(found)


def test_names_are_unlike_each_other_and_fit_for_files(tmp_path, documents):
    names = ["a b/../c", "first", "x", "X"]
    paths = []
    for place, name in enumerate(names):
        folder = tmp_path / str(place)
        folder.mkdir()
        paths.append(
            write_csv(
                folder / f"{name.replace('/', '_')}.csv",
                [[r[0], r[2]] for r in DOCUMENTS],
                ["id", "headline"],
            )
        )
    found = [system.name for system in quality.read_uploaded_systems(paths, documents)]
    assert found == ["a-b_.._c", "first-2", "x", "X-2"]


def test_numbers_are_those_of_hevas(documents):
    system = hevas_documents.System("mine", tuple(row[2] for row in DOCUMENTS))
    found = quality.measure(documents, [system], choice(baselines=()))
    direct = evaluate(documents, [system], metrics=CHEAP, options=MetricOptions(topics=6))
    assert found.evaluation.means == direct.means
    assert found.evaluation.signature == direct.signature
    shown = html_of(found, "it")
    heads = re.findall(r"<th scope=.col.[^>]*>([^<]*)", shown)
    assert heads == ["sistema", "media", "R-1", "JS-C", "Fog ↓", "AWL ↓"]
    assert '<td class="best">1,000' in shown


@pytest.mark.parametrize(
    ("choice_of_lsi", "kept"),
    [(("number", 0), "6"), (("number", 2.0), "number=2,2"), (("ratio", 0.5), "ratio=0.5,3")],
)
def test_the_filter_of_eigenvalues_reaches_lsi(documents, choice_of_lsi, kept):
    chosen = quality.Choice(("LSA-C",), ("first",), (), "it", 9, *choice_of_lsi)
    found = quality.measure(documents, [], chosen)
    assert f"|lsi:{kept}|" in found.evaluation.signature


@pytest.mark.parametrize("wrong", [("number", 1.5), ("number", -1), ("ratio", 2), ("floor", -1)])
def test_a_filter_out_of_its_range_is_refused(documents, wrong):
    chosen = quality.Choice(("LSA-C",), ("first",), (), "it", 9, *wrong)
    with pytest.raises(InputError, match="LSI: give a whole number"):
        quality.measure(documents, [], chosen)


def test_categories_are_those_of_hevas():
    assert set(quality.CATEGORIES["readability"]) == set(published_figures.PUBLISHED_READABILITY)
    assert set(published_figures.INFORMATIVENESS) < set(quality.CATEGORIES["informativeness"])
    assert set(quality.CATEGORIES["all"]) == set(METRICS)


@pytest.mark.parametrize("count", [1, 2, 6])
def test_usual_metrics_work_on_few_documents(tmp_path, count):
    path = write_csv(tmp_path / "d.csv", DOCUMENTS[:count], ["id", "article", "headline"])
    shares = []
    found = quality.measure(
        quality.read_uploaded_documents(path),
        [],
        choice(metrics=quality.USUAL, baselines=("first", "tfidf")),
        progress=lambda what, share: shares.append(share),
    )
    assert found.evaluation.metrics == quality.USUAL
    assert shares == sorted(shares)
    assert len(set(shares)) > 5
    assert shares[-1] < 1


def test_metrics_that_need_references_are_left_out_without_them(tmp_path):
    path = write_csv(tmp_path / "d.csv", [row[:2] for row in DOCUMENTS], ["id", "article"])
    without = quality.read_uploaded_documents(path)
    found = quality.measure(without, [], choice())
    assert found.left_out == ("R-1",)
    assert found.evaluation.metrics == ("JS-C", "Fog", "AWL")
    assert "with references: R-1." in html_of(found)
    with pytest.raises(InputError, match="need reference headlines"):
        quality.measure(without, [], choice(metrics=["R-1", "R-2"]))


def test_every_two_systems_are_tested(documents):
    found = quality.measure(documents, [], choice(baselines=("first", "random", "tfidf")))
    html = html_of(found)
    assert html.count("<details") == len(found.analysis.comparisons)
    pairs = re.findall(r'row">(\w+ – \w+)', html)
    assert pairs[:3] == ["first – random", "first – tfidf", "random – tfidf"]
    assert html.count("Friedman:") == len(found.analysis.comparisons)
    alone = quality.measure(documents, [], choice())
    assert "quality-tests" not in html_of(alone)


@pytest.mark.parametrize("language", ["en", "it"])
def test_faults_are_named(tmp_path, documents, language):
    in_language = partial(translate, language)

    def refused(read, *parts):
        with pytest.raises(InputError) as caught:
            read()
        sentence = localized(language, caught.value)
        assert str(tmp_path) not in sentence
        assert all(word in sentence for word in parts)

    def document(*rows, header=("id", "article", "headline")):
        path = write_csv(tmp_path / "bad.csv", rows, header)
        return lambda: quality.read_uploaded_documents(path)

    def system(*rows, header=("id", "headline"), name="bad.csv"):
        path = write_csv(tmp_path / name, rows, header)
        return lambda: quality.read_uploaded_systems([path], documents)

    refused(
        document(["1", "...", "x"], ["1", "Testo", ""], ["2", "a" * 20_001, "b" * 301]),
        "bad.csv",
        number(language, "20,000"),
        "300",
        "(2, 3)",
    )
    refused(document(["x"], header=["text"]), "article", "text")
    refused(system(*([row[0], row[2]] for row in DOCUMENTS[:4])), "bad.csv", "2", "d4, d5")
    refused(system(["d0", "x"], ["d0", "x"], ["e", "x"]), "d1", "(e)")
    refused(system(*([row[2]] for row in DOCUMENTS[:4]), header=["headline"]), "4", "6")
    refused(system(["x"], header=["x"], name="bad.txt"), "2", "6")
    nothing = quality.Choice([], ["first"])
    refused(
        lambda: quality.measure(documents, [], nothing),
        in_language("quality.no_metric"),
    )
    alone = quality.Choice(["R-1"], [])
    refused(lambda: quality.measure(documents, [], alone), in_language("quality.no_system"))


ARTICLE = "Il ponte riapre lunedì dopo i lavori. I cittadini aspettano."
TAG = "<img src=x onerror=alert(1)>"
HOSTILE = {
    "binary.csv": bytes(range(256)) * 500,
    "null.csv": f"id,article\n1,{ARTICLE}\0\n",
    "latin.csv": f"id,article\n1,{ARTICLE}\n".encode("latin-1"),
    "wide.utf16.csv": f"id,article\n1,{ARTICLE}\n".encode("utf-16"),
    "columns.csv": ",".join(["article", *["c"] * 1_000_000]) + "\nx\n",
    "line.csv": f"id,article\n1,{'a ' * 2_500_000}\n",
    "bomb.parquet": b"PAR1" + bytes(100) + b"PAR1",
    "bomb.csv": b"PK\x03\x04" + bytes(range(256)),
    "deep.json": "[" * 100_000 + "]" * 100_000,
    "deep.jsonl": '{"article": ' * 100_000 + "1" + "}" * 100_000,
    "number.jsonl": '{"article": ' + "9" * 100_000 + "}",
    f"{TAG.replace('/', '')}.csv": f"id,{TAG}\n1,{ARTICLE}\n",
    "ids.csv": "id,article\n" + "".join(f"{'x' * 100_000}{n},{ARTICLE}\n" for n in range(9)),
    "open.csv": "id,article\n" + '"a,b\n' * 2_000,
    "nothing.csv": "",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_one_short_sentence(page, tmp_path, documents_file, name):
    path = tmp_path / name
    content = HOSTILE[name]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    system = write_csv(tmp_path / "s.csv", [[row[0], row[2]] for row in DOCUMENTS], ["id", "headline"])
    asked = measured_by(page, "quality")
    for documents, headlines in ((path, system), (documents_file, path)):
        found = asked(str(documents), [str(headlines)], ["AWL"], [], [], "it", 9, "number", None, "en")
        assert found[0] is None
        assert "ci-notice" in found[1]
        assert len(found[1]) < 900
        assert "<img" not in found[1]
        assert str(tmp_path) not in found[1]


def test_what_cells_hold_is_text_in_all_that_comes_back(page, tmp_path):
    rows = [
        [row[0], f"{TAG} {row[1]}", f"{first}{row[2]} {TAG}"]
        for row, first in zip(DOCUMENTS, "=+-@=+", strict=True)
    ]
    header = ["id", "article", "headline"]
    paths = [str(write_csv(tmp_path / f"{name}.csv", rows, header)) for name in ("documents", "<b>mine")]
    asked = measured_by(page, "quality")
    _, *shown, files = asked(
        paths[0], paths[1:], list(CHEAP), ["first"], ["interval"], "it", 9, "number", None, "en"
    )
    assert "<img" not in str(shown)
    report, _, items = files[:3]
    with open(report, encoding="utf-8") as file:
        assert "<img" not in file.read()
    assert all(row["headline"].startswith("'") for row in read_csv(items) if row["system"] == "b-mine")


def test_the_handler_works_without_models(page, tmp_path, documents_file):
    system = write_csv(tmp_path / "mine.csv", [[row[0], row[2]] for row in DOCUMENTS], ["id", "headline"])
    asked = measured_by(page, "quality")
    _, status, results, shown, files = asked(
        str(documents_file),
        [str(system)],
        list(CHEAP),
        ["first"],
        ["interval", "scatter"],
        "it",
        9,
        "number",
        None,
        "it",
    )
    assert results["visible"]
    assert status == ""
    assert "hevas|" in shown
    assert shown.count("<svg ") == 2
    assert "Medie con intervalli" in shown
    assert "mine – first" in shown
    assert "Wilcoxon" in shown
    assert [file.rpartition("/")[2] for file in files] == [
        *("report.html", "summary.csv", "items.csv", "interval.png", "scatter.png"),
    ]
    rows = read_csv(files[2])
    assert [(row["system"], row["id"]) for row in rows[:2]] == [("mine", "d0"), ("mine", "d1")]
    assert len(rows) == 12
    with open(files[0], encoding="utf-8") as file:
        assert str(tmp_path) not in file.read()
    nobody, message, hidden, *rest = asked(
        None, None, list(METRICS), ["first"], [], "it", 9, "number", 0, "en"
    )
    assert nobody is None
    assert "Choose a file of documents" in message
    assert not hidden["visible"]
    assert rest == [None, None]
