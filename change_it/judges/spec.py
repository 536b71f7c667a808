"""Register the judges: one entry each in `JUDGES`, with everything that the rest of the package knows of one.

Training, scoring, signatures, the audit, reports, cards, the page and the `evaluate` module loop over the
entries. Functions are named as `module:function`, and looked up when they are called, so that this module
loads neither torch nor scikit-learn.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal

from change_it.files.texts import enumerated

if TYPE_CHECKING:
    from change_it.corpus.test_set import Item

#: The name of an entry of `JUDGES`, such as hh.
Task = str
#: The judge that knows the two outlets: it says which of them wrote a headline, and measures the scale of
#: style.
MAIN: Task = "main"
#: The rule that looks numbers, names and quotations up. No model is trained for it.
EVIDENCE: Task = "evidence"
#: The test of headlines with one changed fact. It decides nothing: no judge is made for it.
FACTS = "facts"
#: What HH and AH get right of changed facts.
FACTS_REFUSED = "refuses headlines with one changed fact"
#: Share of the printed validation headlines that fluency lets through.
FLUENCY_ACCEPTS = 0.94
#: Matches below which HH is said to have learnt from few.
FEW_MATCHES = 200
#: Loads the examples of a judge that tells the two newspapers apart.
LOADS_MAIN = "change_it.judges.data:load_main"
#: Loads the examples of a judge of two texts that match or do not.
LOADS_PAIRS = "change_it.judges.data:load_pairs"


@dataclass(frozen=True, kw_only=True)
class Wording:
    """What help, pages, tables and the documentation say of a judge.

    Attributes:
        decides: What it decides, for the help of `change-it train judge`.
        column: One or two sentences below the head of a column of its verdicts.
        passes: A verdict on the page, without a full stop, where it accepts a headline. `{old}` and `{new}`
            stand for the outlets.
        refuses: Its verdict where it refuses one. `{words}` stands for what has no evidence.
        unknown: What stands there where there is no verdict.
        figure: One or two sentences of what it reads, and of what its figure is the probability.
        label: Its name and what it asks, on the page of the `evaluate` module.
        glossary: What it decides and by what, a row of the glossary.
        remark: A clause with its comma behind its name where acceptability is explained; `{outlets}` stands
            for both outlets.
    """

    decides: str
    column: str
    passes: str
    refuses: str
    unknown: str = "n/a: there is no such judge here"
    figure: str
    label: str
    glossary: str
    remark: str = ""


@dataclass(frozen=True, kw_only=True)
class JudgeSpec:
    """A judge: its names, what it reads and learns, who fits and rates it, and what its verdicts count for.

    Attributes:
        heading: Names it on every screen.
        short: Names it within a sentence.
        question: Asks what it decides. `{target}` stands for the outlet aimed at.
        wording: What is said of it elsewhere.
        reads: Takes a headline and its item, and returns the text that the judge reads and its second one, or
            None.
        second_text: Its second text in words, such as "its article"; empty for a judge of single texts.
        classes: Its classes 0 and 1, of which 1 is the good one. None stands for the two outlets: such a
            judge also reads the original, and passes a headline where it takes it for another outlet's.
        column: Column of its probabilities; `p_` and its name where it is empty.
        load: Function that reads its examples from a corpus, with the arguments of `data.load_main`; empty
            for a rule, which is not trained.
        fit: Function that fits a linear judge, called with the task's name, its `TaskData` and a `seed`.
        open: Function that opens a saved judge, with the arguments of `Judge.from_pretrained`.
        rate: Function that says how far to rely on it, called with its name, the judge and its
            `metrics.json`.
        tests: What rates it, one entry for each share of right answers: the test, the class whose share it
            is, and what the judge does there, in words.
        per_event: Examples of a class in a test that are of one event, at most.
        tokens: Tokens that a transformer reads.
        arguments: Arguments with which a transformer is trained, of `trainer.RunArguments`. Its epochs rise
            to `record.MIN_UPDATES` updates, and on a processor end with `options.MINUTES_ON_CPU`.
        published: Further entries of its configuration where it is trained `--as-published`.
        published_tokens: Tokens that a transformer then reads; 0 for `tokens`.
        published_arguments: Arguments with which it is then trained, to the end; empty for `arguments`.
        validation: Validation examples that an evaluation during training reads, at most.
        accepts: Share of the validation examples of class 1 that it accepts; None leaves its threshold at .5.
        refuses_long: Whether it refuses a headline that has more tokens than it reads, and does not cut it.
        needs: What a corpus must have more of where it has too few examples; part of a message.
        few_matches: Matches below which training says that they are few.
        in_compliancy: Whether compliancy requires its verdict. Such a judge must be there; all others are
            optional.
        in_acceptability: Whether acceptability is multiplied by its probability.
        sees_order: Whether the order of words matters to it.
        readers_question: Question to readers (`readers.questions`) that it answers, too; empty for none.
    """

    heading: str
    short: str
    question: str
    wording: Wording
    reads: "Callable[[str, Item], tuple[str, str | None]]" = lambda headline, item: (headline, None)
    second_text: str = ""
    classes: tuple[str, str] | None = ("no_match", "match")
    column: str = ""
    load: str | Callable[..., Any] = ""
    fit: str | Callable[..., Any] = ""
    open: str | Callable[..., Any] = "change_it.judges.judge:Judge.from_pretrained"
    rate: str | Callable[..., Any] = "change_it.judges.reliability:rate_by_tests"
    tests: tuple[tuple[str, str, str], ...] = ()
    per_event: int = 2
    tokens: int = 0
    arguments: Mapping[str, Any] = field(default_factory=dict)
    published: Mapping[str, Any] = field(default_factory=dict)
    published_tokens: int = 0
    published_arguments: Mapping[str, Any] = field(default_factory=dict)
    validation: int = 1000
    accepts: float | None = None
    refuses_long: bool = False
    needs: str = "articles of both outlets"
    few_matches: int = 0
    in_compliancy: bool = False
    in_acceptability: bool = False
    sees_order: bool = False
    readers_question: str = ""

    @property
    def is_trained(self) -> bool:
        """Return whether a model is trained for it."""
        return bool(self.load)

    @property
    def pairs(self) -> bool:
        """Return whether it reads a second text."""
        return bool(self.second_text)

    def classes_of(self, outlets: tuple[str, str]) -> tuple[str, str]:
        """Return the names of its classes 0 and 1."""
        return self.classes or outlets


def arguments(batch_size: int, epochs: int, learning_rate: float, **more: Any) -> dict[str, Any]:
    """Return arguments of a training by the names of `trainer.RunArguments`."""
    return {
        "per_device_train_batch_size": batch_size,
        "num_train_epochs": epochs,
        "learning_rate": learning_rate,
        **more,
    }


def resolve(function: str | Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of an entry, which may be given as `module:function`."""
    if callable(function):
        return function
    found: Callable[..., Any] = resolve_name(function)
    return found


#: What rates HH and AH: test, class and words, as in `JudgeSpec.tests`.
_TESTS_OF_PAIRS = (
    ("random", "no_match", "refuses random wrong stories"),
    ("hard", "no_match", "refuses the nearest wrong stories"),
    ("hard", "match", "accepts right stories"),
    (FACTS, "no_match", FACTS_REFUSED),
)
#: What rates fluency, in the same way.
_TESTS_OF_FLUENCY = (
    ("unseen damage", "printed", "accepts printed headlines"),
    ("seen damage", "broken", "refuses damage as in its training"),
    ("unseen damage", "broken", "refuses other damage"),
)
#: The judges, in the order in which verdicts are shown. Transformers are trained as small encoders are, and
#: `--as-published` as in EvalNLGEval 2020 (section 4).
JUDGES: dict[Task, JudgeSpec] = {
    "hh": JudgeSpec(
        heading="Story (HH)",
        short="HH",
        question="does it say what the original says?",
        wording=Wording(
            decides="do two headlines match",
            column="Reads the original and the new headline: do they tell the same story?",
            passes="tells the same story as the original headline",
            refuses="does not tell the same story as the original headline",
            unknown="no verdict",
            figure=(
                "HH reads the original and the new headline; the figure is the probability that they tell "
                "the same story. ✓ above .5."
            ),
            label="HH: same story as the original headline",
            glossary=(
                "whether it has the same content as the original, decided by a classifier of two headlines"
            ),
        ),
        reads=lambda headline, item: (item.source, headline),
        second_text="its original headline",
        load=LOADS_PAIRS,
        fit="change_it.judges.linear_training:fit_task_of_pairs",
        tests=_TESTS_OF_PAIRS,
        per_event=1,
        tokens=64,
        arguments=arguments(batch_size=16, epochs=3, learning_rate=5e-5),
        published_arguments=arguments(batch_size=128, epochs=2, learning_rate=1e-5, early_stopping=3),
        validation=1000,
        needs="pairs of articles on one event",
        few_matches=FEW_MATCHES,
        in_compliancy=True,
        in_acceptability=True,
        readers_question="story",
    ),
    "ah": JudgeSpec(
        heading="Article (AH)",
        short="AH",
        question="does it fit the article?",
        wording=Wording(
            decides="do headline and article match",
            column="Reads the new headline and the article: do they fit?",
            passes="matches the article",
            refuses="does not match the article",
            unknown="no verdict",
            figure=(
                "AH reads the new headline and the article; the figure is the probability that they "
                "belong together. ✓ above .5."
            ),
            label="AH: fits the article",
            glossary=(
                "whether it fits the original's article, decided by a classifier of headline and article"
            ),
        ),
        reads=lambda headline, item: (headline, item.article),
        second_text="its article",
        load=LOADS_PAIRS,
        fit="change_it.judges.linear_training:fit_task_of_pairs",
        tests=_TESTS_OF_PAIRS,
        tokens=160,
        arguments=arguments(batch_size=16, epochs=2, learning_rate=5e-5),
        published={"article_first": True},
        published_tokens=512,
        published_arguments=arguments(batch_size=8, epochs=6, learning_rate=1e-5),
        validation=500,
        in_compliancy=True,
        in_acceptability=True,
        readers_question="supported",
    ),
    MAIN: JudgeSpec(
        heading="Newspaper (main)",
        short="main",
        question="is it taken for {target}'s, unlike the original?",
        wording=Wording(
            decides="which outlet wrote a headline",
            column="Guesses the newspaper of a headline: does it guess otherwise than for the original?",
            passes="the original reads like {old}, this one like {new}",
            refuses="it reads like {old}, as the original does",
            unknown="no verdict: the original reads like {new} already",
            figure=(
                "main guesses the newspaper of a headline; the figure is the probability that it guesses "
                "the one aimed at. ✓ where its decision is another one than for the original."
            ),
            label="main: style reversed",
            glossary="which newspaper's style it has, decided by a classifier",
        ),
        classes=None,
        column="p_target",
        load=LOADS_MAIN,
        fit="change_it.judges.linear_training:fit_task_of_outlets",
        rate="change_it.judges.reliability:rate_main",
        tokens=32,
        arguments=arguments(batch_size=64, epochs=3, learning_rate=5e-5),
        published_arguments=arguments(batch_size=256, epochs=6, learning_rate=1e-5),
        validation=3000,
        in_compliancy=True,
        readers_question="answer",
    ),
    "fluency": JudgeSpec(
        heading="Fluency",
        short="fluency",
        question="would a newspaper print it?",
        wording=Wording(
            decides="would a newspaper print it",
            column=(
                "Reads the new headline alone: is it like printed headlines of these two newspapers, or "
                "like damaged ones?"
            ),
            passes="like the headlines of {outlets}",
            refuses="unlike the headlines of {outlets}",
            figure=(
                "A classifier that tells headlines of these two newspapers from damaged ones; the figure "
                "is the probability that this one is printed as it is. ✓ above .5."
            ),
            label="fluency: like headlines of these newspapers",
            glossary=(
                "whether it resembles headlines that the newspapers print rather than damaged ones, "
                "decided by a classifier of one headline"
            ),
            remark=", which tells headlines that {outlets} print from damaged ones",
        ),
        classes=("broken", "printed"),
        load="change_it.judges.data:load_printed",
        fit="change_it.judges.linear_training:fit_task_of_printed",
        tests=_TESTS_OF_FLUENCY,
        tokens=64,
        arguments=arguments(batch_size=32, epochs=1, learning_rate=1e-4),
        validation=2000,
        accepts=FLUENCY_ACCEPTS,
        refuses_long=True,
        in_acceptability=True,
        sees_order=True,
        readers_question="printable",
    ),
    EVIDENCE: JudgeSpec(
        heading="Evidence",
        short="evidence",
        question=(
            "every number, name and quotation appears in the sources (who did or said it is not checked)?"
        ),
        wording=Wording(
            decides="does everything in it have a source",
            column=(
                "Every number (in digits, or a number word of Italian or English), name and quotation "
                "occurs, literally, in the original headline, its article or the other newspaper's "
                "article about the event; who did or said it is not checked."
            ),
            passes=(
                "every number, name and quotation occurs in the original headline or this article; who "
                "did or said it is not checked"
            ),
            refuses="not in the original headline or this article: {words}",
            unknown="n/a: the articles of the judges' newspapers are too short to be evidence",
            figure=(
                "Numbers, capitalised words and quotations are looked up literally in the original "
                "headline and its article; a report looks in the other newspaper's article, too."
            ),
            label="evidence: every number, name and quotation stands in the sources",
            glossary=(
                "whether each of its numbers, names and quotations occurs in a source, decided by rules; "
                "not who did or said it"
            ),
        ),
        in_acceptability=True,
        readers_question="supported",
    ),
}


def trained_tasks() -> tuple[Task, ...]:
    """Return the judges that are trained, main first.

    In this order they are trained, and signatures and tables name them.
    """
    others = (task for task, spec in JUDGES.items() if spec.is_trained and task != MAIN)
    return (MAIN, *others)


def compliancy_tasks() -> tuple[Task, ...]:
    """Return the judges that compliancy requires, in the order of signatures.

    Judges score together only where all of them are there.
    """
    return tuple(task for task in trained_tasks() if JUDGES[task].in_compliancy)


def optional_tasks() -> tuple[Task, ...]:
    """Return the trained judges that may be missing."""
    return tuple(task for task in trained_tasks() if not JUDGES[task].in_compliancy)


def acceptability_tasks() -> tuple[Task, ...]:
    """Return the trained judges whose probabilities acceptability multiplies, in the order of `JUDGES`."""
    return tuple(task for task, spec in JUDGES.items() if spec.is_trained and spec.in_acceptability)


def short_names(which: Literal["compliancy", "acceptability"]) -> str:
    """Name the trained judges that compliancy requires, or acceptability multiplies: HH, AH and main."""
    tasks = compliancy_tasks() if which == "compliancy" else acceptability_tasks()
    return enumerated([spec.short for task, spec in JUDGES.items() if task in tasks])
