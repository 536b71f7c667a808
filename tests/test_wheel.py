"""The wheel alone, away from the checkout: it carries the metrics, the data set script and a run of the
quickstart.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from zipfile import ZipFile

import pytest
from processes import run_program

from change_it.version import __version__

CHECKOUT = Path(__file__).parent.parent
#: Folders and files of the checkout, and where they are in the wheel.
SHIPPED = ("dataset_scripts", "metrics", "spaces", "pyproject.toml", "LICENSE", "NOTICE")
PLACES = {"change_it": "change_it"} | {name: f"change_it/_shipped/{name}" for name in SHIPPED}

PROGRAM = """
from pathlib import Path
import evaluate, pytest
from short_quickstart import shorten
import change_it
from change_it.cli import main
assert "site" in change_it.__file__, change_it.__file__
metric = evaluate.load(change_it.files.shipped.metric_path("compliancy"))
assert sorted(metric.features) == ["articles", "labels", "predictions", "sources"]
rouge = evaluate.load(change_it.files.shipped.metric_path("headline_rouge"))
assert rouge.compute(predictions=["a x c"], references=["a b c"])["rougeSU"] == 0.5
hevas = evaluate.load(change_it.files.shipped.metric_path("hevas"))
texts = ["Il governo cade a Roma. Poi si vota."]
given = {"predictions": ["Roma, cade il governo"], "references": texts, "documents": texts}
scores = hevas.compute(**given, metrics=["R-1", "NR"])
assert sorted(scores) == ["NR", "R-1", "empty"]
assert Path(change_it.files.shipped.dataset_script_path(), "change_it_splits.py").exists()
assert change_it.ChangeItSplits.BUILDER_CONFIGS[0].name == "articles"
shorten(pytest.MonkeyPatch())  # of few articles and with little training
assert main(["quickstart", "--articles", "500"]) == 0
"""


@pytest.mark.slow(seconds=90)
def test_an_installed_wheel_has_all_and_runs(tmp_path):
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, CHECKOUT]
    subprocess.run(build, check=True)  # the source distribution, and the wheel from it
    (wheel,), (source,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", wheel, source], check=True)
    with ZipFile(wheel) as archive:
        names = {*archive.namelist()}
    assert {name.split("/")[0] for name in names} == {"change_it", f"change_it-{__version__}.dist-info"}
    for root, place in PLACES.items():
        paths = [path for path in [CHECKOUT / root, *(CHECKOUT / root).rglob("*")] if path.is_file()]
        expected = {f"{place}{path.as_posix().removeprefix(f'{CHECKOUT / root}')}" for path in paths}
        assert {name for name in expected if not name.endswith(".pyc")} <= names

    programs = tmp_path / "venv" / "bin"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    pip = [sys.executable, "-m", "pip", "--python", programs / "python", "--quiet"]
    subprocess.run([*pip, "--disable-pip-version-check", "install", "--no-deps", wheel], check=True)
    (packages,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    # the dependencies, but no editable package of theirs
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment |= {"PYTHONPATH": str(CHECKOUT / "tests"), "HF_MODULES_CACHE": str(tmp_path / "modules")}
    done = run_program([programs / "python", "-c", PROGRAM], env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
