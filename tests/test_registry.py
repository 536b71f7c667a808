"""A judge is one entry of `spec.JUDGES`: with it a toy judge is trained, saved, opened and pushed, and stands
wherever judges do.
"""

import csv
import json
import os
import re
from dataclasses import replace
from pathlib import Path

import evaluate
import numpy as np
import polars as pl
import pytest
from hub_server import serve
from markupsafe import escape
from processes import run_python
from saved_judges import save_judges
from toy_judge import ENDING, SPEC, end_of, registered

from change_it import Judges, metric_path
from change_it.audit.record import read_summary
from change_it.cli import main
from change_it.corpus.folder import MODEL_CORPUS, describe_corpus
from change_it.corpus.test_set import read_test_set
from change_it.errors import InputError
from change_it.files.atomic import write_json
from change_it.files.records import to_json
from change_it.judges.judge import Judge
from change_it.judges.spec import JUDGES, trained_tasks
from change_it.report.record import read_report_record
from change_it.scoring.choosing import order
from change_it.scoring.signature import Reranker, parse_reranker
from change_it.space import answers
from change_it.space.models import Models

OUTLETS = ("colle", "faro")
TEXTS = ["Il ponte crolla sulla statale", "Sciopero generale dei treni", "Il ponte crolla ieri. " * 9]

#: A push and a load in a process of their own, with the toy judge registered there, too.
PUSH = """
import json, sys
from toy_judge import registered
from change_it import Judges
from change_it.cli import main
with registered():
    assert main(["push", "judge", sys.argv[1], "nina/judges"]) == 0
    judges = Judges.from_pretrained("nina/judges", device="cpu")
    print(json.dumps({task: judge.model_hash for task, judge in judges.by_task.items()}))
"""


@pytest.fixture(autouse=True)
def entry():
    """The one entry, for a test."""
    with registered():
        yield
    assert ENDING not in JUDGES


@pytest.fixture(scope="module")
def folder(corpus, tmp_path_factory):
    """Judges of the sample's outlets that have learnt little, and beside them a toy judge that the command
    trained.
    """
    folder = save_judges(tmp_path_factory.mktemp("registry") / "judges", TEXTS, OUTLETS)
    for task in ("main", "hh", "ah"):
        write_json(folder / task / MODEL_CORPUS, to_json(describe_corpus(corpus)))
    with registered():
        command = ["train", "judge", "--task", ENDING, "--corpus", corpus, "--out", str(folder / ENDING)]
        assert main(command) == 0
    return folder


@pytest.fixture(scope="module")
def judges(folder):
    with registered():
        return Judges.from_pretrained(folder, device="cpu")


@pytest.fixture(scope="module")
def report(folder, corpus, tmp_path_factory):
    """The report of the systems that are built in."""
    out = tmp_path_factory.mktemp("registry-report") / "report"
    with registered():
        given = ["--judges", str(folder), "--corpus", corpus, "--resamples", "5", "--out", str(out)]
        assert main(["score", *given]) == 0
    return out


def rewritten_by_the_other(corpus):
    """The first items, with the other newspaper's own headlines as the new ones."""
    test = read_test_set(corpus)
    return test.predicted([item.reference for item in test.items])[:8]


def test_it_is_trained_and_opened_by_its_name(folder, corpus, judges):
    assert trained_tasks() == ("main", "hh", "ah", "fluency", ENDING)
    assert list(judges.by_task) == ["main", "hh", "ah", ENDING]
    metrics = json.loads((folder / ENDING / "metrics.json").read_text(encoding="utf-8"))
    assert (metrics["task"], metrics["classes"]) == (ENDING, list(OUTLETS))
    assert (
        metrics["results"]["gold"]["macro_f1"] > 0.6
    )  # the sample's newspapers end their headlines in other ways
    card = (folder / ENDING / "README.md").read_text(encoding="utf-8")
    assert "# The judge Ending: colle and faro" in card
    assert f"|{ENDING}:" not in card
    assert f"{ENDING}:{judges.by_task[ENDING].model_hash[:6]}" in card
    assert "Newspaper (main) and Ending do not see the order of words" in card


def test_it_reads_what_its_entry_says(judges):
    texts = {"originals": ["Ponte giù: ecco perché"], "articles": ["Il ponte è crollato ieri."]}
    [one] = judges(["Il ponte sulla statale è crollato."], **texts, to="faro")
    [other] = judges(["Ieri notte crollato."], **texts, to="faro")
    assert end_of("Ieri notte crollato.") == "crollato."
    expected = judges.by_task[ENDING].probabilities(["perché", "crollato."], progress=False)
    assert one.probabilities[ENDING] == other.probabilities[ENDING] == pytest.approx(expected[1, 1])
    decisions = expected[:, 1] > 0.5
    assert one.marks[ENDING] == other.marks[ENDING] == (decisions[0] != decisions[1])
    refused = {reason.name for reason in one.reasons}
    assert (ENDING in refused) == (not one.marks[ENDING])


def test_it_changes_neither_compliancy_nor_acceptability(corpus, judges):
    items = rewritten_by_the_other(corpus)
    others = Judges({task: judge for task, judge in judges.by_task.items() if task != ENDING})
    with_it, without = (panel.judge(items, progress=False) for panel in (judges, others))
    same = ["compliancy", "acceptability", "hh", "ah", "main", "style", "p_target", "choosing"]
    assert with_it.select(same).equals(without.select(same))
    assert without[ENDING].null_count() == without[f"p_{ENDING}"].null_count() == len(items)
    assert with_it[ENDING].null_count() == 0


def test_it_multiplies_acceptability_where_its_entry_says_so(corpus, judges, monkeypatch):
    monkeypatch.setitem(JUDGES, ENDING, replace(SPEC, in_acceptability=True))
    monkeypatch.setitem(JUDGES, "fluency", replace(JUDGES["fluency"], in_acceptability=False))
    rows = judges.judge(rewritten_by_the_other(corpus), progress=False)
    product = rows["p_hh"] * rows["p_ah"] * rows[f"p_{ENDING}"] * rows["evidence"].cast(pl.Float64)
    np.testing.assert_allclose(rows["acceptability"], product)


def test_it_stands_in_both_signatures(judges, report):
    signature = read_report_record(report).scores.signature
    assert f"|{ENDING}:{judges.by_task[ENDING].model_hash[:6]}|" in signature
    chosen = Reranker.from_judges(judges)
    assert chosen.signature.endswith(f"|{ENDING}:{judges.by_task[ENDING].weights_hash}")
    assert parse_reranker(chosen.signature) == chosen
    del JUDGES[ENDING]
    with pytest.raises(InputError, match="column reranker"):
        parse_reranker(chosen.signature)
    JUDGES[ENDING] = SPEC


def test_it_stands_in_files_tables_and_page_of_a_report(report):
    [gold, *_] = list(csv.DictReader((report / "items" / "gold.csv").open(encoding="utf-8")))
    assert gold[ENDING] in ("true", "false")
    assert 0 <= float(gold[f"p_{ENDING}"]) <= 1
    [first, *_] = list(csv.DictReader((report / "systems.csv").open(encoding="utf-8")))
    assert 0 <= float(first[f"{ENDING}_low"]) <= float(first[ENDING]) <= 1
    page = (report / "report.html").read_text(encoding="utf-8")
    assert f'<div popover id="about-{ENDING}">{SPEC.wording.column}</div>' in page
    assert re.search(rf'<button [^>]*popovertarget="about-{ENDING}"[^>]*>Ending</button>', page)
    assert "the newspapers&#39; endings apart" in page


def test_it_stands_in_the_audit(folder, corpus, tmp_path):
    out = tmp_path / "audit"
    given = ["--judges", str(folder), "--corpus", corpus, "--items", "10"]
    assert main(["audit", *given, "--out", str(out)]) == 0
    audit = json.loads((out / "audit.json").read_text(encoding="utf-8"))
    assert [verdict["judge"] for verdict in audit["judges"]][-2:] == [ENDING, "evidence"]
    assert ENDING in audit["hashes"]
    assert all(ENDING in kind["values"] for kind in audit["kinds"])
    assert "the newspapers&#39; endings apart" in (out / "audit.html").read_text(encoding="utf-8")


def test_the_command_and_the_page_show_it(folder, judges, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    article = "Il ponte sulla statale è crollato ieri."
    (tmp_path / "article.txt").write_text(article, encoding="utf-8")
    texts = ["Il ponte è crollato.", "Ponte giù: ecco perché"]
    given = ["--original", texts[1], "--article", str(tmp_path / "article.txt"), "--to", "faro"]
    assert main(["judge", texts[0], *given, "--judges", str(folder)]) == 0
    assert "does it end like faro's?" in capsys.readouterr().out
    models = Models(judges, {}, audit=read_summary(judges.by_task, folder))
    answer = answers.judge(models, *texts, article, "colle2faro")
    assert answer["candidates"][0]["marks"][ENDING] in (True, False)
    shown = answers.cards_html(answer)
    assert "<b>Ending</b> it ends like" in shown
    assert str(escape(SPEC.wording.figure)) in shown
    about = " ".join(answers.render("about.html.jinja", models=models).split())
    assert "<b>Ending</b>: Tells the newspapers&#39; endings apart" in about
    assert "<b>Fluency</b> (missing):" in about


def test_it_chooses_among_candidates_where_acceptability_asks_it(corpus, judges, monkeypatch):
    """It is the only judge that acceptability asks here: of equal headlines that with the better ending comes
    first.
    """
    for task in ("hh", "ah", "fluency"):
        monkeypatch.setitem(JUDGES, task, replace(JUDGES[task], in_acceptability=False))
    monkeypatch.setitem(JUDGES, ENDING, replace(SPEC, in_acceptability=True))
    monkeypatch.setattr(Judges, "style_faults", dict.fromkeys(OUTLETS, ""))
    item = read_test_set(corpus).items[0]
    texts = [f"Nuovo titolo breve {word}" for word in sorted({*item.article.split()})[:6]]
    [places] = order(judges, [texts], [item])
    offered = [replace(item, prediction=text, reference_article="") for text in texts]
    rows = judges.judge(offered, progress=False)
    keys = [(-row["choosing"], -row[f"p_{ENDING}"]) for row in rows.iter_rows(named=True)]
    assert list(places) == sorted(range(len(texts)), key=keys.__getitem__)
    assert len({p for _, p in keys}) > 1


def test_the_evaluate_module_has_it(corpus, folder):
    items = [item for item in read_test_set(corpus).items if item.reference][:4]
    module = evaluate.load(metric_path("compliancy"))
    columns = {
        "predictions": [item.reference for item in items],
        "sources": [item.source for item in items],
        "articles": [item.article for item in items],
        "labels": [item.label for item in items],
    }
    found = module.compute(**columns, judges=str(folder), resamples=5, device="cpu")
    assert found[ENDING] == np.mean([verdict[ENDING] for verdict in module.verdicts])
    assert f"|{ENDING}:" in module.signature


@pytest.mark.slow(seconds=15)
def test_it_is_pushed_with_the_others_and_comes_back(folder, judges, tmp_path):
    with serve() as hub:
        here = Path(__file__).parent
        paths = os.pathsep.join([str(here.parent), str(here)])
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        variables = inherited | hub.environment(tmp_path) | {"PYTHONPATH": paths}
        done = run_python("-c", PUSH, str(folder), env=variables)
        assert done.returncode == 0, done.stderr
        files = hub.files("nina/judges")
    assert f"{ENDING}/model.safetensors" in files
    hashes = {task: judge.model_hash for task, judge in judges.by_task.items()}
    assert json.loads(done.stdout.splitlines()[-1]) == hashes
    card = files["README.md"].decode()
    assert "## Ending" in card
    assert f"|{ENDING}:{hashes[ENDING][:6]}" in card


def test_without_it_a_folder_of_it_is_refused(folder):
    del JUDGES[ENDING]
    with pytest.raises(InputError, match="cannot be loaded as a judge"):
        Judge.from_pretrained(folder / ENDING)
    with pytest.raises(InputError, match="there is no judge ending: name main, hh, ah, fluency"):
        Judges.from_pretrained(folder, ending=folder / ENDING)
    assert list(Judges.from_pretrained(folder, device="cpu").by_task) == ["main", "hh", "ah"]
    JUDGES[ENDING] = SPEC
