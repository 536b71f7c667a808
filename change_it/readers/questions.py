"""What readers are asked, in the one wording that sheets, prompts and the documentation have, and how their files are read."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from change_it.errors import InputError
from change_it.files.rows import Record, read_records
from change_it.judges.spec import JUDGES, Task


class Question(NamedTuple):
    """A question about a headline or two."""

    text: str
    answers: tuple[str, ...]  # in order; yes is the first


#: What a model's name has before it in the column `reader` of a sheet that it has filled in; a person's has none.
MODEL = "model "
YES_NO = ("yes", "no")
#: By their columns. Commas and semicolons in them would be taken for the delimiter of a sheet.
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
#: What each is called at the top of a sheet.
HEADINGS = {name: f"{name}: {of.text} ({'/'.join(of.answers)})" for name, of in QUESTIONS.items()}

#: Sheets of headlines by the end of their names: what they show, and what they ask; and that of pairs.
SHEETS = {
    "": (("headline", "choice1", "choice2"), ("answer",)),
    "preferred": (("article", "first", "second"), ("preferred",)),
    "sources": (("id", "headline", "original", "article"), ("story", "supported", "printable", "accept")),
}
PAIRS = (("a_headline", "a_article", "b_headline", "b_article"), ("same",))


def judges_of(question: str) -> list[Task]:
    """Return the judges that answer a question, too, in the order in which they are shown."""
    return [task for task, spec in JUDGES.items() if spec.readers_question == question]


def read_sheet(file: Path, columns: Iterable[str], required: Iterable[str] = ("item",)) -> list[Record]:
    """Read a filled sheet or a file of labels: the required columns and those of the others that it has; a question's may be called by its heading."""
    titles = {name: (name, heading) for name, heading in HEADINGS.items()}
    needed, others = ({name: titles.get(name, (name,)) for name in names} for names in (required, columns))
    return read_records(file, required=needed, optional=others)


def answer_number(file: Path, record: Record, question: str, outlets: Mapping[str, int] = {}) -> int | None:
    """The number of a reader's answer to a question, from 1; None without an answer. `outlets` are names that stand for numbers."""
    numbers = {answer: number for number, answer in enumerate(QUESTIONS[question].answers, 1)} | dict(outlets)
    text = record.cells.get(question, "").casefold()
    if text and text not in numbers:
        wanted = f"{', '.join(numbers)}, or leave it empty"
        raise InputError(f"{file}, line {record.line}: {question} is {text!r}; write {wanted}")
    return numbers[text] if text else None
