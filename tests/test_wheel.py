"""The wheel alone, away from the checkout: it carries the metric and the data set script, and both work."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
"""


@pytest.mark.slow
def test_metric_and_script_work_from_an_installed_wheel(tmp_path):
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, CHECKOUT], check=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", tmp_path / "site", wheel], check=True)
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path / "site"),
        "HF_MODULES_CACHE": str(tmp_path / "modules"),
    }
    result = subprocess.run(
        [sys.executable, "-c", PROBE],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split("\n")[:2] == ["['articles', 'labels', 'predictions', 'sources']", "True"]
