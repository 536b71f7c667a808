"""Word the questions that readers are asked, and read the files with their answers.

Sheets, prompts and documentation have this one wording of the questions.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from change_it.errors import InputError
from change_it.files.rows import Record, read_records
from change_it.judges.spec import JUDGES, Task


class Question(NamedTuple):
    """A question about one headline or two.

    Attributes:
        text: the question, without commas and semicolons, which would pass for the delimiter of a sheet.
        answers: what may be answered, in order; yes is the first.
    """

    text: str
    answers: tuple[str, ...]


#: What stands before a model's name in the column `reader` of a sheet that it has filled in; a person's has
#: none.
MODEL = "model "
#: The answers to a question of yes or no.
YES_NO = ("yes", "no")
#: The questions by the column of a sheet that takes the answer.
QUESTIONS = {
    "answer": Question("Which newspaper is the headline from?", ("1", "2")),
    "preferred": Question("Which headline would you print above the article?", ("1", "2")),
    "story": Question("Does the headline tell the same story as the original?", YES_NO),
    "supported": Question(
        "Do the original and its article support everything that the headline claims?",
        ("yes", "partly", "no", "contradicted"),
    ),
    "printable": Question("Could the headline be printed as it is?", YES_NO),
    "accept": Question("Would you take the headline in place of the original?", YES_NO),
    "same": Question("Do both report one event?", YES_NO),
}
#: What the column of each question is called at the top of a sheet.
HEADINGS = {
    name: f"{name}: {question.text} ({'/'.join(question.answers)})" for name, question in QUESTIONS.items()
}


class Sheet(NamedTuple):
    """What a sheet shows in each row, and what it asks.

    Attributes:
        shown: columns that readers see.
        asked: columns of the questions, names of `QUESTIONS`.
    """

    shown: tuple[str, ...]
    asked: tuple[str, ...]


#: The sheets of headlines, by the end of their file's name, in the order in which readers get them.
SHEETS = {
    "": Sheet(shown=("headline", "choice1", "choice2"), asked=("answer",)),
    "preferred": Sheet(shown=("article", "first", "second"), asked=("preferred",)),
    "sources": Sheet(
        shown=("id", "headline", "original", "article"),
        asked=("story", "supported", "printable", "accept"),
    ),
}
#: The sheet of aligned pairs.
SHEET_OF_PAIRS = Sheet(shown=("a_headline", "a_article", "b_headline", "b_article"), asked=("same",))


def judges_of(question: str) -> list[Task]:
    """Return the judges that answer the same question as readers, in the order in which they are shown."""
    return [task for task, spec in JUDGES.items() if spec.readers_question == question]


def read_sheet(file: Path, columns: Iterable[str], required: Iterable[str] = ("item",)) -> list[Record]:
    """Read a filled sheet or a file of labels: the required columns, and those of `columns` that it has.

    The column of a question may be called by its heading.
    """
    return read_records(file, required=_accepted_titles(required), optional=_accepted_titles(columns))


def _accepted_titles(columns: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return what each column may be called in a file: its name, and its heading where it takes an answer."""
    titles: dict[str, tuple[str, ...]] = {}
    for name in columns:
        titles[name] = (name, HEADINGS[name]) if name in HEADINGS else (name,)
    return titles


def answer_number(
    file: Path, record: Record, question: str, outlets: Mapping[str, int] | None = None
) -> int | None:
    """Return the number of a reader's answer to a question, from 1; None without an answer.

    Args:
        file: where the record is from, for messages.
        record: a row of a filled sheet.
        question: the column of the answer.
        outlets: names that stand for numbers, where a question asks for an outlet.

    Raises:
        InputError: the answer is none of the question's.
    """
    numbers = {answer: number for number, answer in enumerate(QUESTIONS[question].answers, 1)}
    numbers |= outlets or {}
    text = record.cells.get(question, "").casefold()
    if not text:
        return None
    if text not in numbers:
        wanted = f"{', '.join(numbers)}, or leave it empty"
        raise InputError(f"{file}, line {record.line}: {question} is {text!r}; write {wanted}")
    return numbers[text]
