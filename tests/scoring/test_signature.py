import pytest
from scoring_fakes import SCALE, FakeJudges, scored

from change_it import InputError
from change_it.scoring.scores import score
from change_it.scoring.settings import ScoreSettings
from change_it.scoring.signature import Reranker, parse_reranker
from change_it.scoring.systems import ScoredSystem


def reranked(test, judges, name="mine"):
    return ScoredSystem(name, tuple(item.reference for item in test.items), Reranker.from_judges(judges))


def test_the_signature_has_full_hashes_and_reads_back():
    text = Reranker.from_judges(FakeJudges(fold="1")).signature
    assert text == f"fold:1|main:{'a' * 64}|hh:{'b' * 64}|ah:{'c' * 64}"
    assert parse_reranker(text) == Reranker.from_judges(FakeJudges(fold="1"))
    with_fluency = Reranker.from_judges(FakeJudges(fluency=True))
    assert with_fluency.signature.endswith(f"|fluency:{'d' * 64}")
    assert parse_reranker(with_fluency.signature) == with_fluency
    with pytest.raises(InputError, match="column reranker"):
        parse_reranker(text[:-1])


@pytest.mark.parametrize(
    ("theirs", "ours", "shared"),
    [
        (("0", "def"), ("1", "abc"), []),
        (("0", "def"), ("0", "abc"), ["both train on fold 0"]),
        (("all", "def"), ("1", "abc"), ["fold all overlaps fold 1"]),
        (("0", "dec"), ("1", "abc"), ["the weights of ah are the same"]),
        (
            ("0", "abc"),
            ("0", "abc"),
            ["both train on fold 0", "the weights of main and hh and ah are the same"],
        ),
    ],
)
def test_what_two_panels_share(theirs, ours, shared):
    """Each panel is a fold, and a letter for the weights of main, of hh and of ah."""
    panels = [Reranker.from_judges(FakeJudges(fold=fold, hashes=hashes)) for fold, hashes in (theirs, ours)]
    assert panels[0].shared_with(panels[1]) == shared


def test_judges_that_are_not_independent_are_refused(toy_test):
    judges = FakeJudges(fold="0")
    with pytest.raises(InputError, match=r"\(mine: the weights of hh are the same\).*the other --fold"):
        scored(toy_test, judges, reranked(toy_test, FakeJudges(fold="1", hashes="dbf")))
    assert not judges.main.asked


def test_the_judges_of_the_other_fold_may_score(toy_test):
    scores = scored(toy_test, FakeJudges(fold="1"), reranked(toy_test, FakeJudges(fold="0", hashes="def")))
    assert "|reranker:dddddd+eeeeee+ffffff,fold:0|" in scores.row("mine").signature
    assert "reranker" not in scores.signature
    of_gold = scores.row("gold").values
    assert {name: scores.row("mine").values[name] for name in of_gold} == of_gold
    assert scores.record.rerankers["mine"].hashes["hh"] == "e" * 64


def test_a_row_without_a_headline_is_never_better_than_a_copy(toy_test):
    """Every second row of a copying system fails: no figure rises."""
    copies = tuple(item.source for item in toy_test.items)
    failing = tuple("" if place % 2 else text for place, text in enumerate(copies))
    judges = FakeJudges(fluency=True, scale=SCALE._replace(clause=(1.0, 1.0)))
    scores = scored(toy_test, judges, ScoredSystem("failing", failing))
    copy, failed = (scores.row(name).values for name in ("copy", "failing"))
    assert (copy["edited"], failed["edited"]) == (1, 1)
    assert failed["style"] == pytest.approx((copy["style"] - 1) / 2)
    assert copy["style"] < 0
    for name in ("compliancy", "acceptability", "hh", "ah", "main", "fluency", "evidence"):
        assert failed[name] <= copy[name], name


def test_headlines_that_are_missing_fail_everywhere(toy_test):
    gold = tuple(item.reference for item in toy_test.items)
    headlines = {"gold": gold, "half": ("", " ", *gold[2:]), "none": ("",) * len(gold)}
    systems = [ScoredSystem(name, texts) for name, texts in headlines.items()]
    judges = FakeJudges()
    # an empty text would be gio's
    judges.main.rule = lambda text, _: 0.9 if "!" in text or not text.strip() else 0.2
    scores = score(toy_test, judges, systems, ScoreSettings(resamples=20))
    for judge in (judges.main, judges.hh, judges.ah):
        texts = [text for question in judge.asked for text in question if text is not None]
        assert all(text.strip() for text in texts)
    assert scores.row("half", "rep2gio").values["compliancy"] == 0.5
    assert scores.row("half", "rep2gio").values["main"] == 0.5
    of_gold = scores.row("gold", "gio2rep").values
    assert {name: scores.row("half", "gio2rep").values[name] for name in of_gold} == of_gold
    assert [scores.row("half", way).errors for way in scores.directions] == [2, 0, 2]
    nothing = dict.fromkeys(scores.row("none").values, 0) | {"style": -1, "edited": 1}
    assert scores.row("none").values == nothing
    first = scores.items["half"].row(0, named=True)
    assert [
        first[name] for name in ("headline", "compliancy", "hh", "ah", "main", "p_hh", "p_ah", "p_target")
    ] == [
        "",
        False,
        False,
        False,
        False,
        0,
        0,
        0,
    ]
