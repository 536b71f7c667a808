"""`tools/publish.py`: a run under one owner, each thing where its constant says."""

import re
import shutil

import pytest

from change_it.errors import InputError
from tools.publish import README, REPOSITORIES, Options, main, with_links


@pytest.fixture
def quickstart(run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    shutil.move(folder / "generators/sum-gio", folder / "generators/rewrite")
    return folder


@pytest.mark.slow
def test_a_dry_run_writes_every_repository_and_links_them(quickstart, tmp_path):
    main(Options(owner="nina", run=quickstart, dry_run=True, out=tmp_path / "staged"))
    staged = tmp_path / "staged" / "nina"
    assert {path.name for path in staged.iterdir()} == {name for _, _, name in REPOSITORIES}
    for kind, _, name in REPOSITORIES:
        card = (staged / name / "README.md").read_text(encoding="utf-8")
        assert str(quickstart) not in card
        if kind in ("judge", "generator"):
            assert "nina/headlines-in-two-styles" in card
    readme = (tmp_path / "staged" / "README.md").read_text(encoding="utf-8")
    assert readme == with_links(README.read_text(encoding="utf-8"), "nina")


def test_the_links_of_the_readme_follow_the_owner():
    ours = README.read_text(encoding="utf-8")
    published = with_links(ours, "nina")
    links = re.findall(r"https://hf.co/(?:datasets/|spaces/)?(nina/[\w-]+)", published)
    assert links == [f"nina/{name}" for _, _, name in REPOSITORIES]
    assert "https://hf.co/spaces/nina/headline-transfer)" in published
    assert with_links(published, "olga") == with_links(ours, "olga")
    assert published.partition("<!-- hub -->")[0] == ours.partition("<!-- hub -->")[0]
    assert max(len(text.splitlines()) for text in (ours, published)) <= 90
    assert max(len(line) for line in published.partition("<!-- hub -->")[2].splitlines()) <= 120


def test_nothing_is_written_where_one_thing_is_missing(quickstart, tmp_path):
    shutil.rmtree(quickstart / "generators/rewrite")
    with pytest.raises(InputError, match="generators/rewrite"):
        main(Options(owner="nina", run=quickstart, dry_run=True, out=tmp_path / "staged"))
    assert not (tmp_path / "staged").exists()
