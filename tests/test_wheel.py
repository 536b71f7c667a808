"""The wheel alone, away from the checkout: it carries the metrics, the data set script and a run of the quickstart."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from zipfile import ZipFile

import pytest
from processes import run_program

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
print(change_it.ChangeItSplits.BUILDER_CONFIGS[0].name)
"""
#: Of few articles and with little training.
QUICKSTART = """
import pytest
from short_quickstart import shorten
from change_it.cli import main
shorten(pytest.MonkeyPatch())
assert main(["quickstart", "--articles", "500"]) == 0
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


@pytest.mark.slow(seconds=90)
def test_an_installed_wheel_has_all_and_runs(tmp_path):
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, CHECKOUT]
    subprocess.run(build, check=True)  # the source distribution, and the wheel from it
    (wheel,), (source,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", wheel, source], check=True)
    with ZipFile(wheel) as archive:
        assert set(DATA) <= set(archive.namelist())
        folders = {name.split("/")[0] for name in archive.namelist()}
    assert folders == {"change_it", "change_it-0.1.0.dist-info"}

    programs = tmp_path / "venv" / "bin"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    pip = [sys.executable, "-m", "pip", "--python", programs / "python", "--quiet"]
    subprocess.run([*pip, "--disable-pip-version-check", "install", "--no-deps", wheel], check=True)
    (packages,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    # the dependencies, but no editable package of theirs
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))

    def run(code):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        places = {"PYTHONPATH": str(CHECKOUT / "tests"), "HF_MODULES_CACHE": str(tmp_path / "modules")}
        done = run_program([programs / "python", "-c", code], env=environment | places, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    features, *others = run(PROBE)
    assert features == "['articles', 'labels', 'predictions', 'sources']"
    templates = "['about', 'audit', 'candidates', 'compliancy', 'hevas', 'items', 'page', 'tables']"
    assert others == ["True", "0.5", "['NR', 'R-1', 'empty']", templates, "articles"]
    run(QUICKSTART)
