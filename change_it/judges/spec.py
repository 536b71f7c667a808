"""The judges: an entry each, with all that is said of one, asked of it and tested on it. CONTRIBUTING.md lists what a new judge touches."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Task = Literal["main", "hh", "ah", "fluency"]


class JudgeSpec(NamedTuple):
    """What a judge is called and reads; evidence, which looks texts up, has a heading and a question alone."""

    heading: str  # names it on every screen
    question: str  # asks what it decides, with the outlet aimed at
    pairs: bool = False  # it reads a headline with a second headline or an article
    classes: tuple[str, str] = ("no_match", "match")  # 0 and 1; the outlets take their place in main
    tokens: int = 0  # that a transformer reads
    arguments: Mapping[str, Any] = {}  # with which a transformer is trained, of `trainer.RunArguments`
    validation: int = 0  # examples that an evaluation reads, at most
    tests: tuple[tuple[str, str, str], ...] = ()  # of reliability: test, class, what the recall is


def arguments(batch_size: int, epochs: int, learning_rate: float, **more: Any) -> dict[str, Any]:
    """Arguments of a training by the names of `trainer.RunArguments`."""
    sizes = {"per_device_train_batch_size": batch_size, "num_train_epochs": epochs}
    return {**sizes, "learning_rate": learning_rate, **more}


#: A test that decides nothing: no judge is made for it.
FACTS = "facts"
_PAIRS = (
    ("random", "no_match", "refuses random wrong stories"),
    ("hard", "no_match", "refuses the nearest wrong stories"),
    ("hard", "match", "accepts right stories"),
    (FACTS, "no_match", "refuses headlines with one changed fact"),
)
_FLUENCY = (
    ("unseen damage", "printed", "accepts printed headlines"),
    ("seen damage", "broken", "refuses damage as in its training"),
    ("unseen damage", "broken", "refuses other damage"),
)
#: In the order in which verdicts are shown. main, hh and ah are trained as in EvalNLGEval 2020 (section 4), fluency as small encoders are.
JUDGES: dict[str, JudgeSpec] = {
    "hh": JudgeSpec(
        heading="Story (HH)",
        question="does it say what the original says?",
        pairs=True,
        tokens=64,
        arguments=arguments(128, 2, 1e-5, early_stopping=3),
        validation=1000,
        tests=_PAIRS,
    ),
    "ah": JudgeSpec(
        heading="Article (AH)",
        question="does it fit the article?",
        pairs=True,
        tokens=512,
        arguments=arguments(8, 6, 1e-5),
        validation=1000,
        tests=_PAIRS,
    ),
    "main": JudgeSpec(
        heading="Newspaper (main)",
        question="is it taken for {target}'s, unlike the original?",
        tokens=32,
        arguments=arguments(256, 6, 1e-5),
        validation=3000,
    ),
    "fluency": JudgeSpec(
        heading="Fluency",
        question="would a newspaper print it?",
        classes=("broken", "printed"),
        tokens=64,
        arguments=arguments(32, 1, 1e-4),
        validation=2000,
        tests=_FLUENCY,
    ),
    "evidence": JudgeSpec(
        heading="Evidence",
        question="every number, name and quotation appears in the sources (who did or said it is not checked)?",
    ),
}
#: The judges that compliancy asks, in the order of signatures.
TASKS: tuple[Task, ...] = ("main", "hh", "ah")
#: Those that are trained.
TRAINED: tuple[Task, ...] = (*TASKS, "fluency")
