"""The Headline quality tab: uploads are what HEvAS reads from files, its numbers are shown as they are."""

import pytest
from csv_files import read_csv, write_csv
from space_runs import measured_by

from change_it.hevas import documents as hevas_documents
from change_it.hevas.evaluation import evaluate
from change_it.hevas.metric_options import MetricOptions
from change_it.space import quality_tab as quality

SUBJECTS = ("Il ponte", "La scuola", "Il treno", "La squadra", "Il festival", "L'ospedale")
TEXT = "{} riapre lunedì dopo i lavori. Il comune ha speso {} milioni. I cittadini aspettano."
DOCUMENTS = [[f"d{n}", TEXT.format(who, n), f"{who} riapre lunedì"] for n, who in enumerate(SUBJECTS)]


@pytest.fixture
def documents_file(tmp_path):
    return write_csv(tmp_path / "documents.csv", DOCUMENTS, ["id", "article", "headline"])


@pytest.fixture
def documents(documents_file):
    return quality.read_uploaded_documents(documents_file)


@pytest.fixture(scope="module")
def page():
    from change_it.space import app

    return app.build(None)  # without models: this tab needs none


def test_numbers_and_signature_are_those_of_hevas(documents):
    system = hevas_documents.System("mine", tuple(row[2] for row in DOCUMENTS))
    found = quality.measure(documents, [system], MetricOptions(topics=6))
    direct = evaluate(documents, [system], options=MetricOptions(topics=6))
    assert found.means == direct.means
    assert found.signature == direct.signature


ARTICLE = "Il ponte riapre lunedì dopo i lavori. I cittadini aspettano."
TAG = "<img src=x onerror=alert(1)>"
HOSTILE = {
    "binary.csv": bytes(range(256)) * 500,
    "columns.csv": ",".join(["article", *["c"] * 100_000]) + "\nx\n",
    "deep.jsonl": '{"article": ' * 100_000 + "1" + "}" * 100_000,
    f"{TAG.replace('/', '')}.csv": f"id,{TAG}\n1,{ARTICLE}\n",
    "ids.csv": "id,article\n" + "".join(f"{'x' * 100_000}{n},{ARTICLE}\n" for n in range(9)),
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
        shown, files = asked(str(documents), [str(headlines)], [], "it")
        assert "ci-notice" in shown
        assert len(shown) < 1000
        assert "<img" not in shown
        assert str(tmp_path) not in shown
        assert not files["visible"]


def test_what_cells_hold_is_text_in_all_that_comes_back(page, tmp_path):
    starts = zip(DOCUMENTS, "=+-@=+", strict=True)
    rows = [[row[0], f"{TAG} {row[1]}", f"{first}{row[2]} {TAG}"] for row, first in starts]
    header = ["id", "article", "headline"]
    paths = [str(write_csv(tmp_path / f"{name}.csv", rows, header)) for name in ("documents", "<b>mine")]
    asked = measured_by(page, "quality")
    shown, files = asked(paths[0], paths[1:], ["first"], "it")
    assert "<img src=x" not in shown
    by_name = {path.rpartition("/")[2]: path for path in files["value"]}
    with open(by_name["report.html"], encoding="utf-8") as file:
        assert "<img src=x" not in file.read()
    assert all(row["headline"].startswith("'") for row in read_csv(by_name["bmine.csv"]))
