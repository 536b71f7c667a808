"""The wheel alone, away from the checkout: it carries the metrics, their data and the data set script, and all work."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from processes import run_python

CHECKOUT = Path(__file__).parent.parent

PROBE = """
import evaluate
from pathlib import Path
import change_it
assert "site" in change_it.__file__, change_it.__file__
metric = evaluate.load(change_it.metric_path("compliancy"))
print(sorted(metric.features))
script = Path(change_it.dataset_script_path()) / "change_it_splits.py"
print(script.exists())
rouge = evaluate.load(change_it.metric_path("headline_rouge"))
print(rouge.compute(predictions=["a x c"], references=["a b c"])["rougeSU"])
hevas = evaluate.load(change_it.metric_path("hevas"))
texts = ["Il governo cade a Roma. Poi si vota."]
found = hevas.compute(predictions=["Roma, cade il governo"], references=texts, documents=texts, metrics=["R-1", "NR"])
print(sorted(found))
from change_it.results.pages import environment
print(sorted({name.partition(".")[0] for name in environment().list_templates()}))
from change_it.corpus.sample import sample_articles
print(len(sample_articles(50, seed=1)))
"""

#: Code, and data that no import would miss before a user does.
DATA = [
    f"{place}/{file.relative_to(room).as_posix()}"
    for room, place in (
        (CHECKOUT / "change_it", "change_it"),
        *(
            (CHECKOUT / name, f"change_it/_shipped/{name}")
            for name in ("dataset_scripts", "metrics", "spaces")
        ),
    )
    for file in room.rglob("*")
    if file.is_file() and file.suffix != ".pyc"
] + [f"change_it/_shipped/{name}" for name in ("pyproject.toml", "LICENSE", "NOTICE")]  # for a push


@pytest.mark.slow
def test_metrics_and_script_work_from_an_installed_wheel(tmp_path):
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, CHECKOUT]
    subprocess.run(build, check=True)  # the source distribution, and the wheel from it
    (wheel,), (source,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", wheel, source], check=True)
    with ZipFile(wheel) as archive:
        assert set(DATA) <= set(archive.namelist())
        folders = {name.split("/")[0] for name in archive.namelist()}
    assert folders == {"change_it", "change_it-0.1.0.dist-info"}
    subprocess.run([*pip, "install", "--no-deps", "--target", tmp_path / "site", wheel], check=True)
    places = {"PYTHONPATH": str(tmp_path / "site"), "HF_MODULES_CACHE": str(tmp_path / "modules")}
    result = run_python("-c", PROBE, env=os.environ | places, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    features, *others = result.stdout.splitlines()
    assert features == "['articles', 'labels', 'predictions', 'sources']"
    templates = "['audit', 'compliancy', 'hevas', 'items', 'page', 'tables']"
    assert others == ["True", "0.5", "['NR', 'R-1', 'empty']", templates, "50"]
