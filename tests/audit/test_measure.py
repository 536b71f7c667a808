"""What measures make of kinds of wrong headlines, on a corpus and judges that follow simple rules."""

import pytest
from scoring_fakes import SCALE, FakeJudges, judges_that_know

from change_it.audit import measure
from change_it.audit.measure import AuditSettings, audit, measure_kinds
from change_it.audit.perturbations import Perturbation, Resources
from change_it.audit.record import read_audit, read_summary
from change_it.errors import InputError
from change_it.files.atomic import write_json
from change_it.files.records import to_json
from change_it.version import __version__


@pytest.fixture
def judges(sample):
    return judges_that_know(sample.test)


def measured(sample, judges, kinds, monkeypatch, at_most=200, groups=("wrong content",)):
    """The results of kinds: name to what makes a headline of an item; and the baselines."""
    registry = {
        name: Perturbation(
            name=name,
            groups=groups,
            words=name,
            description="",
            spoils="gold",
            make=lambda item, *_, make=make: make(item),
        )
        for name, make in kinds.items()
    }
    monkeypatch.setattr(measure, "PERTURBATIONS", registry)
    gold, results = measure_kinds(judges, sample, AuditSettings(at_most=at_most, resamples=200))
    return gold, {result.name: result for result in results}


def test_what_is_kept_is_the_mean_over_gold_s_of_the_same_items(sample, judges, monkeypatch):
    """Fluency refuses all of one kind, none of another, and about half of a third; a fourth has two texts."""
    few = sorted(item.id for item in sample.test.items if item.reference)[:2]
    kinds = {
        "refused": lambda item: f"{item.reference}?!",
        "accepted": lambda item: f"{item.reference},",
        "half": lambda item: item.reference + (",", "?!")[len(item.article) % 2],
        "rare": lambda item: f"{item.reference}?!" if item.id in few else None,
    }
    _, results = measured(sample, judges, kinds, monkeypatch)
    accepted, half, refused = (
        results[name].shares["acceptability"] for name in ("accepted", "half", "refused")
    )
    assert accepted.share == pytest.approx(1)
    assert (accepted.outcome, refused.outcome) == ("misses", "stops")
    assert refused.share == 0 < refused.high  # nothing of so many is not nothing of all
    assert 0.2 < half.low < half.share < half.high < 0.8
    assert results["rare"].shares["acceptability"].outcome == "not known"
    example = results["half"].examples[0]
    assert example.verdicts["acceptability"] > 0
    assert example.true in example.headline
    compliancy = results["refused"].shares["compliancy"]
    assert compliancy.share == pytest.approx(1)  # it does not ask fluency


@pytest.mark.parametrize("has_names", [True, False])
def test_a_kind_that_needs_names_is_left_out_where_capitals_show_none(sample, judges, monkeypatch, has_names):
    about = {"groups": ("wrong content",), "words": "one", "description": "", "spoils": "gold"}
    kinds = [
        Perturbation(name=name, needs_names=needs, make=lambda item, *_: f"{item.reference},", **about)
        for name, needs in (("exchanged", True), ("a name less", False))
    ]
    monkeypatch.setattr(measure, "PERTURBATIONS", {kind.name: kind for kind in kinds})
    monkeypatch.setattr(Resources, "has_names", has_names)
    _, results = measure_kinds(judges, sample, AuditSettings(at_most=3, resamples=5, seed=1))
    names = {result.name for result in results}
    assert ("exchanged" in names) == has_names
    assert "a name less" in names


def test_baselines_are_measured_on_the_same_items(sample, judges, monkeypatch):
    gold, results = measured(sample, judges, {}, monkeypatch, at_most=10)
    assert list(results) == ["lead", "clause", "random-target", "copy"]
    assert {result.n for result in results.values()} == {10} == {gold.n}
    copy = results["copy"]
    assert copy.examples[0].headline == copy.examples[0].source
    assert copy.shares["style"].share == 0  # on the scale of these judges
    assert copy.shares["compliancy"].share == 0


def test_without_a_fluency_judge_acceptability_cannot_rank(sample, monkeypatch):
    three = FakeJudges(sample.test.outlets)
    three.main.rule = lambda text, _: 0.9 if len(text) > 80 else 0.2  # the second outlet writes longer ones
    kinds = {"same": lambda item: f"{item.reference},"}
    _, results = measured(sample, three, kinds, monkeypatch, at_most=40)
    assert results["same"].shares["acceptability"].share is None
    assert results["same"].shares["compliancy"].share == pytest.approx(1)
    verdicts = measure.verdicts_of(list(results.values()), pairs=20)
    assert verdicts["acceptability"].verdict == "cannot rank"
    assert "n/a" in verdicts["acceptability"].sentence


def test_style_is_n_a_where_main_has_no_scale(sample, judges, monkeypatch):
    judges.main.style = SCALE._replace(pairs=3)
    _, results = measured(sample, judges, {"same": lambda item: f"{item.reference},"}, monkeypatch)
    assert results["same"].values["style"] is None
    assert results["same"].shares["style"].share is None


def test_floor_has_a_line_that_decides_nothing(sample, judges, monkeypatch):
    monkeypatch.setattr(measure, "PERTURBATIONS", {})
    choosers = FakeJudges(sample.test.outlets, fold="0", fluency=True, hashes="efgh")
    judges = FakeJudges(sample.test.outlets, fold="1", fluency=True)
    found, _ = audit(sample, judges, {}, choosers=choosers, at_most=6, resamples=5)
    assert found.kinds[-1].name == "floor"
    assert "clauses" not in found.kinds[-1].name
    assert all("floor" not in verdict.kinds for verdict in found.verdicts.values())
    same = FakeJudges(sample.test.outlets, fold="1", fluency=True)
    with pytest.raises(InputError, match="not independent"):
        audit(sample, judges, {}, choosers=same, at_most=6, resamples=5)


def test_an_audit_has_the_events_of_the_corpus_and_is_read_again(sample, judges, tmp_path):
    found, labels = audit(sample, judges, {}, at_most=5, resamples=5)
    assert labels is None
    count, events = len(sample.test.items), len({*sample.test.events})
    how = f"items:5 of {count}|events:{events}|resamples:5|seed:1|v:{__version__}"
    assert found.signature == f"audit|judges:{judges.signature}|trained:unknown|{how}"
    of_all, _ = audit(sample, judges, {}, at_most=count + 1, resamples=5)
    assert f"|items:{count} of {count}|" in of_all.signature
    assert (found.pairs, found.test_pairs) == (3, count // 2)
    (tmp_path / "audit").mkdir()
    write_json(tmp_path / "audit" / "audit.json", to_json(found))
    read = read_audit(tmp_path / "audit")
    assert read.summary == found.summary
    assert set(read.verdicts) == {"style", "acceptability", "compliancy"}
    again = read_summary(judges.by_task, tmp_path / "judges")
    assert again == found.summary
    assert again.page == tmp_path / "audit" / "audit.html"
    judges.main.model_hash = "other"
    assert read_summary(judges.by_task, tmp_path / "judges").page is None
