"""`metrics.json` of a judge comes back as it was written; one of another version is refused in a sentence."""

import json

import pytest
from saved_judges import WITHIN_EVENT, a_judges_metrics
from scoring_fakes import SCALE

from change_it.errors import InputError
from change_it.files.atomic import write_json
from change_it.files.records import to_json
from change_it.judges.record import ClassScores, TestScores, read_judge_metrics
from change_it.stats import Score

FIGURES = ClassScores(precision=0.5, recall=0.25, f1=0.3, support=4)
RESULT = TestScores(classes={"rep": FIGURES, "gio": FIGURES}, macro_f1=0.3, accuracy=0.5)
LED = TestScores(classes={"rep": FIGURES}, macro_f1=0.3, accuracy=0.5, lead=Score(0.1, -0.1, 0.3))
METRICS = a_judges_metrics(
    results={"gold": RESULT}, baselines={"linear": {"gold": LED}}, within_event=WITHIN_EVENT, style=SCALE
)


def test_classes_stand_beside_the_other_figures_of_a_test():
    written = to_json(LED)
    assert list(written) == ["rep", "macro_f1", "accuracy", "lead"]
    assert written["rep"] == {"precision": 0.5, "recall": 0.25, "f1": 0.3, "support": 4}
    assert written["lead"] == {"value": 0.1, "low": -0.1, "high": 0.3}
    assert list(to_json(RESULT)) == ["rep", "gio", "macro_f1", "accuracy"]


def test_the_metrics_of_a_judge_come_back(tmp_path):
    write_json(tmp_path / "metrics.json", to_json(METRICS))
    written = json.loads((tmp_path / "metrics.json").read_text())
    assert "thresholds" not in written
    assert next(iter(written)) == "task"
    assert to_json(read_judge_metrics(tmp_path)) == written
    assert read_judge_metrics(tmp_path / "none") is None


@pytest.mark.parametrize(
    ("part", "content", "says"),
    [
        ("task", None, "it lacks task"),
        ("results", {"gold": {"rep": {}}}, "it lacks results.gold.rep.precision"),
        ("training", {"updates": "7"}, "training.updates is '7'"),
    ],
)
def test_metrics_of_another_version_are_refused(part, content, says, tmp_path):
    record = to_json(METRICS) | {part: content}
    if content is None:
        del record[part]
    write_json(tmp_path / "metrics.json", record)
    with pytest.raises(InputError, match=rf"metrics\.json is not as .* \({says}\): train the judge again"):
        read_judge_metrics(tmp_path)
