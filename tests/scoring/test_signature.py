import pytest
from scoring_fakes import FakeJudges, FakeSupport, scored

from change_it import InputError
from change_it.scoring.floors_and_predictions import ScoredSystem
from change_it.scoring.scores import score
from change_it.scoring.signature import Reranker, Writer, parse_reranker


def reranked(test, judges, name="mine"):
    return ScoredSystem(name, tuple(item.reference for item in test.items), Reranker.of(judges))


def test_the_signature_has_full_hashes_and_reads_back():
    text = Reranker.of(FakeJudges(fold="1")).signature
    assert text == f"fold:1|main:{'a' * 64}|hh:{'b' * 64}|ah:{'c' * 64}"
    assert parse_reranker(text) == Reranker.of(FakeJudges(fold="1"))
    with pytest.raises(InputError, match="column reranker"):
        parse_reranker(text[:-1])


@pytest.mark.parametrize(
    ("theirs", "ours", "shared"),
    [
        (("0", "def"), ("1", "abc"), []),
        (("0", "def"), ("0", "abc"), ["both train on fold 0"]),
        (("all", "def"), ("1", "abc"), ["fold all overlaps fold 1"]),
        (("0", "dec"), ("1", "abc"), ["the weights of ah are the same"]),
        (("0", "abc"), ("0", "abc"), ["both train on fold 0", "the weights of main and hh and ah are the same"]),
    ],
)  # fmt: skip
def test_what_two_panels_share(theirs, ours, shared):
    one, other = (Reranker.of(FakeJudges(fold=fold, digits=digits)) for fold, digits in (theirs, ours))
    assert one.shared_with(other) == shared


@pytest.mark.parametrize(("fold", "digits"), [("0", "def"), ("all", "def"), ("1", "dbf")])
def test_judges_that_are_not_independent_are_refused(toy_test, fold, digits):
    judges = FakeJudges(fold="0")
    with pytest.raises(InputError, match=r"\(mine: .*the other --fold"):
        scored(toy_test, judges, reranked(toy_test, FakeJudges(fold=fold, digits=digits)))
    assert not judges.main.asked


def test_the_judges_of_the_other_fold_may_score(toy_test):
    scores = scored(toy_test, FakeJudges(fold="1"), reranked(toy_test, FakeJudges(fold="0", digits="def")))
    assert "|reranker:dddddd+eeeeee+ffffff,fold:0|" in scores.row("mine").signature
    assert "reranker" not in scores.signature
    of_gold = scores.row("gold").values
    assert {name: scores.row("mine").values[name] for name in of_gold} == of_gold
    assert scores.as_dict()["rerankers"]["mine"]["hashes"]["hh"] == "e" * 64


def test_headlines_that_are_missing_fail_everywhere(toy_test):
    gold = tuple(item.reference for item in toy_test.items)
    headlines = {"gold": gold, "half": ("", " ", *gold[2:]), "none": ("",) * len(gold)}
    systems = [ScoredSystem(name, texts) for name, texts in headlines.items()]
    judges = FakeJudges()
    # an empty text would be gio's
    judges.main.rule = lambda text, _: 0.9 if "!" in text or not text.strip() else 0.2
    scores = score(toy_test, judges, systems, resamples=20)
    for judge in (judges.main, judges.hh, judges.ah):
        texts = [text for question in judge.asked for text in question if text is not None]
        assert all(text.strip() for text in texts)
    assert scores.row("half", "rep2gio").values["compliancy"] == 0.5
    assert scores.row("half", "rep2gio").values["main"] == 0.5
    of_gold = scores.row("gold", "gio2rep").values
    assert {name: scores.row("half", "gio2rep").values[name] for name in of_gold} == of_gold
    assert [scores.row("half", way).errors for way in scores.directions] == [2, 0, 2]
    assert set(scores.row("none").values.values()) == {0}
    first = scores.items["half"].row(0, named=True)
    assert [first[name] for name in ("headline", "compliant", "hh", "ah", "main", "p_hh", "p_ah", "p_target")] == [
        "", False, False, False, False, 0, 0, 0,
    ]  # fmt: skip


def written_by(test, *writers):
    return ScoredSystem("mine", tuple(item.reference for item in test.items), writers=writers)


def asking(model):
    return FakeJudges(digits="abcd", support=model)


def test_the_model_that_wrote_is_no_judge_of_support_nor_is_one_of_its_family(toy_test):
    mine = written_by(toy_test, Writer("f" * 64, "qwen-7b"))
    for model in (FakeSupport(base="Qwen2.5-1.5B"), FakeSupport(digit="f")):
        with pytest.raises(InputError, match="the judge of support and what wrote mine are of one family"):
            scored(toy_test, asking(model), mine)
    for base in ("gpt2", ""):
        assert "mine" in scored(toy_test, asking(FakeSupport(base=base)), mine).systems


def test_a_model_of_support_is_in_signatures_and_may_not_choose_what_it_scores(toy_test):
    judges = asking(FakeSupport())
    scores = scored(toy_test, judges)
    assert "|fluency:dddddd|joint:v1|support:chat+eeeeee+0.50|lang:it|" in scores.signature
    chosen = Reranker.of(judges)
    assert chosen.signature.endswith(f"|support:{'e' * 64}")
    assert parse_reranker(chosen.signature) == chosen
    other = Reranker("0", {"main": "9" * 64, "support": "e" * 64})
    assert Reranker.of(FakeJudges(fold="1", digits="abcd", support=FakeSupport())).shared_with(other) == [
        "the weights of support are the same"
    ]
