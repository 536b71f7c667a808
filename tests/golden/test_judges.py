"""Judges that version 0.1.0 saved open in every later one, and say the same.

The command, `Judges` and `evaluate` give the same figures. The judges are in judges.tar.xz. They are of
`change-it corpus sample --articles 2400`, `corpus build --test-articles 0` and `train judge --fold all`.
judged.json has ten headlines and what the judges say of them, to six decimals. Its signature lacks the
version, which every release changes.
"""

import json
import tarfile
from pathlib import Path

import evaluate
import pytest

from change_it import Judges
from change_it.cli import main
from change_it.scoring.api import compute_compliancy
from change_it.version import __version__

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "judged.json").read_text(encoding="utf-8"))
GOLDEN["scored"]["signature"] += f"|v:{__version__}"
ITEMS = GOLDEN["items"]
TEXTS = {name: [item[name] for item in ITEMS] for name in ("headlines", "originals", "articles")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    with tarfile.open(HERE / "judges.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder / "judges"


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    return round(value, 6) + 0.0 if isinstance(value, float) else value


def judged(folder):
    found = Judges.from_pretrained(folder)(**TEXTS, to=[item["to"] for item in ITEMS])
    names = ("compliant", "style", "acceptability", "edited", "refused_by", "probabilities")
    return [rounded({name: getattr(one, name) for name in names}) for one in found]


def scored(folder):
    found = compute_compliancy(
        TEXTS["headlines"], TEXTS["originals"], TEXTS["articles"], [item["label"] for item in ITEMS], folder
    )
    return rounded({name: value for name, value in found.items() if name != "verdicts"})


def test_judges_say_what_they_said(folder):
    assert judged(folder) == GOLDEN["judged"]


def test_scores_and_signature_are_the_same_by_the_function_and_by_evaluate(folder):
    assert scored(folder) == GOLDEN["scored"]
    module = evaluate.load(str(HERE.parents[1] / "metrics" / "compliancy" / "compliancy.py"))
    given = {"predictions": TEXTS["headlines"], "sources": TEXTS["originals"], "articles": TEXTS["articles"]}
    found = module.compute(**given, labels=[item["label"] for item in ITEMS], judges=str(folder))
    assert rounded(found)["style"] == GOLDEN["scored"]["style"]
    assert rounded(found)["acceptability"] == GOLDEN["scored"]["acceptability"]
    assert module.signature == GOLDEN["scored"]["signature"]


def test_the_command_says_the_same_of_one_headline(folder, tmp_path, capsys):
    item = ITEMS[0]
    known = GOLDEN["judged"][0]
    (tmp_path / "article.txt").write_text(item["articles"], encoding="utf-8")
    given = ["--original", item["originals"], "--article", str(tmp_path / "article.txt"), "--to", item["to"]]
    assert main(["judge", item["headlines"], *given, "--judges", str(folder), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert rounded({name: said[name] for name in known}) == known
