"""Learning from the pairs alone whose printed headline judges accept: who chose is on the card and in each file of headlines."""

import pytest
from csv_files import read_csv
from scoring_fakes import FakeJudges, write_stand_ins

from change_it.cli import main
from change_it.commands import train_generator
from change_it.corpus.folder import read_table
from change_it.errors import InputError
from change_it.generators import filtering, train
from change_it.generators.card import GeneratorCard
from change_it.generators.generator_options import GeneratorOptions
from change_it.generators.recipes import load_recipe
from change_it.scoring.signature import Reranker

OUTLETS = ("colle", "faro")


def letters(text):
    return "".join(filter(str.isalpha, text.lower()))


class Choosers(FakeJudges):
    """Style by who printed a headline, content always, an even number of letters for AH; all are fluent."""

    def __init__(self, corpus, digits="abcd", fold="0"):
        super().__init__(OUTLETS, fold, digits)
        articles = read_table(corpus, "articles", "train", ["label", "headline"])
        faro = {letters(text) for label, text in articles.iter_rows() if label == "faro"}
        rules = {
            "main": lambda text, _: 0.9 if letters(text) in faro else 0.1,
            "hh": lambda *_: 0.8,
            "ah": lambda headline, _: 0.7 if len(letters(headline)) % 2 == 0 else 0.3,
            "fluency": lambda *_: 0.9,
        }
        for task, rule in rules.items():
            if task in self.by_task:
                self.by_task[task].rule = rule


@pytest.fixture
def choosers(corpus, monkeypatch):
    judges = Choosers(corpus)
    monkeypatch.setattr(filtering.Judges, "from_pretrained", lambda *_, **__: judges)
    return judges


def options(corpus, out, **changes):
    short = {"cells": 16, "vocabulary": 500, "source_tokens": 24, "target_tokens": 16, "batch_size": 8}
    steps = {"updates": 8, "evaluation_steps": 8, "checkpoint_steps": 4}
    given = {"recipe": "rewrite", "filter_by": "choosers", **short, **steps, **changes}
    return GeneratorOptions(corpus=corpus, out=out, **given)


def test_what_judges_accept_is_learnt_and_they_are_named(choosers, corpus, tmp_path, interrupted_at, capsys):
    data = load_recipe(corpus, "rewrite", None, validation_share=0.05, seed=1, for_judges=True)
    even = [len(letters(target)) % 2 == 0 for target in data.train.targets]
    assert 0 < sum(even) < len(even)
    metrics = train.train_generator(options(corpus, tmp_path / "whole"))
    learnt = metrics["sizes"]["train"]
    assert 0.8 * sum(even) < learnt <= sum(even)  # some have a name or number that the original lacks
    assert f"learning from the {learnt:,} of {len(even):,} pairs" in capsys.readouterr().err
    signature = Reranker.of(choosers).signature
    assert GeneratorCard.load(tmp_path / "whole").filter_by == signature
    with interrupted_at(6):
        train.train_generator(options(corpus, tmp_path / "broken"))
    asked = len(choosers.ah.asked)
    train.train_generator(options(corpus, tmp_path / "broken", resume=True))
    assert len(choosers.ah.asked) == asked
    assert (tmp_path / "broken/model.safetensors").read_bytes() == (
        tmp_path / "whole/model.safetensors"
    ).read_bytes()

    on = {"architecture": str(tmp_path / "whole"), "vocabulary": None, "cells": None, "updates": 1}
    train.train_generator(options(corpus, tmp_path / "on", **on, filter_by=None))
    assert GeneratorCard.load(tmp_path / "on").filter_by == signature

    def written(*more):
        made = ["--generator", str(tmp_path / "whole"), "--corpus", corpus, "--items", "4", "--device", "cpu"]
        return main(["transfer", *made, "--beams", "1", "--out", str(tmp_path / "new.csv"), *more])

    assert written() == 0
    assert {row["reranker"] for row in read_csv(tmp_path / "new.csv") if row["headline"]} == {signature}
    one = ["--candidates", "1", "--rerank", str(write_stand_ins(tmp_path / "choosers", OUTLETS))]
    assert written(*one) == 0
    choosers.hh.weights_hash = "e" * 64
    capsys.readouterr()
    assert written(*one) == 2
    assert "learnt from and --rerank are of different judges" in capsys.readouterr().err
    with pytest.raises(
        InputError, match="learnt from what other judges accept: give their --filter-by, or none"
    ):
        train.train_generator(options(corpus, tmp_path / "other", **on))


@pytest.mark.parametrize(
    ("says", "changes"),
    [
        ("is for --recipe rewrite", {"recipe": "sum", "to": "faro"}),
        ("there is no folder none: make it with", {}),
    ],
)
def test_what_can_be_known_before_anything_loads(corpus, tmp_path, says, changes):
    with pytest.raises(InputError, match=says):
        train_generator.check(options(corpus, tmp_path / "out", filter_by="none", **changes))


def test_bad_input(choosers, corpus, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"

    def refused(match, **changes):
        with pytest.raises(InputError, match=match):
            train.train_generator(options(corpus, out, **changes))
        assert not out.exists()

    choosers.ah.rule = lambda *_: 0.3
    refused("the judges of --filter-by accept no headline of the")
    choosers.main.fold = choosers.hh.fold = choosers.ah.fold = "all"
    capsys.readouterr()
    refused("the judges of --filter-by accept no headline of the")
    assert "train on all folds, so change-it score will refuse every judge" in capsys.readouterr().err
    monkeypatch.setattr(filtering.Judges, "from_pretrained", lambda *_, **__: Choosers(corpus, "abc"))
    refused("needs a fluency judge beside the others.*--task fluency --fold 0")
    monkeypatch.setattr(filtering.Judges, "from_pretrained", lambda *_, **__: FakeJudges(digits="abcd"))
    refused("the judges were trained on rep and gio")
