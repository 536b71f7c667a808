"""`tools/publish.py`: a run under one owner, each thing where its constant says."""

import shutil

import pytest

from tools.publish import REPOSITORIES, Options, main


@pytest.mark.slow
def test_a_dry_run_writes_every_repository(run, tmp_path):
    quickstart = shutil.copytree(run, tmp_path / "run")
    shutil.move(quickstart / "generators/sum-gio", quickstart / "generators/rewrite")
    main(Options(owner="nina", run=quickstart, dry_run=True, out=tmp_path / "staged"))
    staged = tmp_path / "staged" / "nina"
    assert {path.name for path in staged.iterdir()} == {name for _, _, name in REPOSITORIES}
    for kind, _, name in REPOSITORIES:
        card = (staged / name / "README.md").read_text(encoding="utf-8")
        assert str(quickstart) not in card
        if kind in ("judge", "generator"):
            assert "nina/headlines-in-two-styles" in card
