import pytest
from scoring_fakes import MAIN, SCALE, FakeJudges, scored

from change_it import InputError
from change_it.scoring.scores import score
from change_it.scoring.settings import ScoreSettings
from change_it.scoring.signature import Reranker, parse_reranker
from change_it.scoring.systems import ScoredSystem


def reranked(test, judges):
    """Return a system that writes gold, and says that `judges` chose it."""
    gold = tuple(item.reference for item in test.items)
    return ScoredSystem("mine", gold, Reranker.from_judges(judges))


def test_the_signature_has_full_hashes_and_reads_back():
    three = Reranker.from_judges(FakeJudges(fold="1", hashes="abc"))
    four = Reranker.from_judges(FakeJudges(fluency=True, hashes="abcd"))
    assert three.signature == f"fold:1|main:{'a' * 64}|hh:{'b' * 64}|ah:{'c' * 64}"
    assert four.signature.endswith(f"|fluency:{'d' * 64}")
    assert parse_reranker(three.signature) == three
    assert parse_reranker(four.signature) == four


def test_a_hash_that_is_cut_short_is_refused():
    written = Reranker.from_judges(FakeJudges()).signature
    with pytest.raises(InputError, match="column reranker"):
        parse_reranker(written[:-1])


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
    judges = FakeJudges(fold="0", hashes="abc")
    choosers = FakeJudges(fold="1", hashes="dbf")
    with pytest.raises(InputError, match=r"\(mine: the weights of hh are the same\).*the other --fold"):
        scored(toy_test, judges, reranked(toy_test, choosers))
    assert not judges.main.asked


def test_the_judges_of_the_other_fold_may_score(toy_test):
    judges = FakeJudges(fold="1", hashes="abc")
    choosers = FakeJudges(fold="0", hashes="def")
    scores = scored(toy_test, judges, reranked(toy_test, choosers))
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


@pytest.fixture
def gaps(toy_test):
    """Score `half`, without headlines for the first two of rep's items, and `none`, without any.

    An empty headline would be gio's for main, and no judge may be asked about one.
    """
    gold = tuple(item.reference for item in toy_test.items)
    headlines = {"gold": gold, "half": ("", " ", *gold[2:]), "none": ("",) * len(gold)}
    systems = [ScoredSystem(name, texts) for name, texts in headlines.items()]
    judges = FakeJudges()
    judges.main.rule = lambda headline, _: MAIN.yes if "!" in headline or not headline.strip() else MAIN.no
    scores = score(toy_test, judges, systems, ScoreSettings(resamples=20))
    return scores, judges


def test_no_judge_is_asked_about_an_empty_headline(gaps):
    _, judges = gaps
    for judge in judges.by_task.values():
        texts = [text for question in judge.asked for text in question if text is not None]
        assert texts
        assert all(text.strip() for text in texts)


def test_headlines_that_are_missing_fail_everywhere(gaps):
    scores, _ = gaps
    assert scores.row("half", "rep2gio").values["compliancy"] == 0.5
    assert scores.row("half", "rep2gio").values["main"] == 0.5
    gold = scores.row("gold", "gio2rep").values
    half = scores.row("half", "gio2rep").values
    assert {name: half[name] for name in gold} == gold
    assert [scores.row("half", way).errors for way in ("rep2gio", "gio2rep", "average")] == [2, 0, 2]
    nothing = dict.fromkeys(scores.row("none").values, 0)
    assert scores.row("none").values == nothing | {"style": -1, "edited": 1}


def test_the_row_of_a_missing_headline_has_no_verdict_that_passes(gaps):
    scores, _ = gaps
    row = scores.items["half"].row(0, named=True)
    assert row["headline"] == ""
    assert [row[name] for name in ("compliancy", "hh", "ah", "main")] == [False] * 4
    assert [row[name] for name in ("p_hh", "p_ah", "p_target")] == [0] * 3
