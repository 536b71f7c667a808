from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from scoring_fakes import FakeJudges, scored

from change_it.audit.measure import audit, read_corpus
from change_it.cli import corpus as corpus_commands
from change_it.corpus.folder import describe_corpus, hash_article, training_article_hashes
from change_it.corpus.reading.options import BuildOptions
from change_it.corpus.record import TrainedOn
from change_it.corpus.test_set import read_test_set
from change_it.errors import InputError
from change_it.generators.batch import TransferSetup, corpus_items
from change_it.generators.transfer import Search
from change_it.report.score_tables import remarks
from change_it.scoring.choosing import floor
from change_it.scoring.panel import Judges


def test_a_headline_between_two_outlets_is_rewritten_for_the_second():
    judges = FakeJudges()
    judges.main.rule = lambda text, _: 0.5
    assert judges.opposite_outlets(["Crolla il ponte"]) == [judges.outlets[1]]


def test_a_judge_that_is_none_is_refused_before_any_is_loaded(tmp_path):
    with pytest.raises(InputError, match="there is no judge flency: name main, hh, ah, fluency"):
        Judges.from_pretrained(tmp_path / "nowhere", flency=tmp_path)


@pytest.fixture(scope="module")
def rebuilt(corpus, tmp_path_factory):
    """A corpus of the same articles, dealt otherwise."""
    out = tmp_path_factory.mktemp("rebuilt") / "corpus"
    sample = Path(corpus).with_name("sample.csv")
    corpus_commands.build(BuildOptions(files=(str(sample),), out=out, seed=2))
    return str(out)


@pytest.fixture
def trained(corpus):
    """Judges that say that they were trained on fold 0 of the corpus."""
    judges = FakeJudges(("colle", "faro"), fold="0", fluency=True)
    for judge in judges.by_task.values():
        judge.corpus = describe_corpus(corpus, learnt=training_article_hashes(corpus, "0"))
    return judges


def test_judges_that_have_learnt_from_test_articles_are_refused(corpus, rebuilt, trained):
    assert trained.check_corpus(read_test_set(corpus)) == ""
    test = read_test_set(rebuilt)
    learnt = training_article_hashes(corpus, "0").split()
    shared = sum(hash_article(item.source, item.article) in learnt for item in test.items)
    assert 0 < shared < len(test.items) / 2
    system = SimpleNamespace(outlets=trained.outlets, targets=trained.outlets)
    for use in (
        lambda: scored(test, trained),
        lambda: floor(test, trained),
        lambda: audit(read_corpus(rebuilt), trained, {}),
        lambda: corpus_items(TransferSetup(system, trained, Search()), rebuilt),
    ):
        with pytest.raises(
            InputError, match=rf"main has learnt from {shared} of the {len(test.items)} test art"
        ):
            use()


def test_another_corpus_of_judges_is_named(corpus, trained, toy_test):
    digest = describe_corpus(corpus).digest
    test = read_test_set(corpus)
    own = replace(test, items=test.items[:4])
    scores = scored(own, trained)
    assert "trained:" not in scores.signature
    assert not any("another corpus" in line for line in remarks(scores))
    later = [replace(item, article=f"{item.article} Ieri.") for item in own.items]
    scores = scored(replace(own, items=tuple(later), digest="later"), trained)
    assert f"|trained:{digest}|" in scores.signature
    assert any(f"another corpus ({digest})" in line for line in remarks(scores))
    trained.hh.corpus = TrainedOn()
    assert trained.check_corpus(replace(own, digest="later")) == f"{digest}+unknown"
    assert FakeJudges().check_corpus(toy_test) == ""  # texts without a corpus
