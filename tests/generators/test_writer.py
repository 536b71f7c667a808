"""`--writer`: a pre-trained model is tuned where a generator would be trained from scratch."""

import json

import pytest
from short_quickstart import shorten

from change_it.commands import quickstart
from change_it.commands.quickstart import QuickstartOptions
from change_it.generators.folder import GeneratorInfo


@pytest.mark.slow(seconds=70)
def test_the_quickstart_tunes_a_given_model(tmp_path, tiny_llama, monkeypatch):
    shorten(monkeypatch)
    monkeypatch.setattr(quickstart, "MINUTES", 0.1)
    options = QuickstartOptions(out=tmp_path, articles=500, writer=tiny_llama)
    quickstart.run(options)
    info = GeneratorInfo.load(tmp_path / "generators/rewrite")
    assert (info.recipe, info.base, info.to) == ("rewrite", tiny_llama, None)
    scores = json.loads((tmp_path / "report/scores.json").read_text(encoding="utf-8"))
    assert scores["systems"]["rewrite"]["average"]["n"] > 20
    seconds = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["seconds"]
    (tmp_path / "report/report.html").unlink()
    quickstart.run(options)  # the report alone
    again = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["seconds"]
    assert {**again, "report": 0} == {**seconds, "report": 0}
    assert (tmp_path / "report/report.html").is_file()
