"""Let an LLM reader fill in sheets row by row: a language model that sees what people see."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from change_it.errors import InputError
from change_it.files.atomic import with_formula, without_formula, write_table
from change_it.files.growing import earlier_rows, write_growing
from change_it.models.chat_answers import choices_of, fault_of, shown
from change_it.models.chat_server import Server
from change_it.readers.questions import HEADINGS, MODEL, QUESTIONS, SHEET_OF_PAIRS, SHEETS, read_sheet

#: What a model is asked about a row.
PROMPT = """Read the texts and answer the questions by them alone.

{texts}

{questions}

Answer with one JSON object and nothing else, and keep one answer to each question: {form}"""
#: What is added where the last answer was no JSON object.
AGAIN = "\n\nYour last answer was no such object. Write the JSON object alone."
#: Tokens of an answer, at most: some models think first.
ANSWER_TOKENS = 2000
#: Characters of a token, by Qwen's tokenizer on Italian.
_CHARACTERS_OF_A_TOKEN = 3.4
#: Tokens of an answer to one question, by the same tokenizer.
_TOKENS_OF_AN_ANSWER = 7


def _shown_columns() -> tuple[str, ...]:
    """Return the columns of all sheets that a model is shown, in their order; ids are left out."""
    columns: dict[str, None] = {}
    for sheet in (SHEET_OF_PAIRS, *reversed(SHEETS.values())):
        columns |= dict.fromkeys(sheet.shown)
    return tuple(name for name in columns if name != "id")


#: Columns of sheets that a model is shown.
SHOWN_COLUMNS = _shown_columns()


class SheetRun:
    """Fills in a sheet with a model's answers: a file that grows row by row, in which a later run goes on.

    Attributes:
        rows: the cells of each row of the sheet, by item.
        questions: what the sheet asks.
        header: the header of the file that is written.
        beginnings: the cells of each row of that file before its answers, by item.
        done: the finished rows of that file, by item.
        waiting: the items that have no answers yet.
    """

    def __init__(self, sheet: Path, server: Server, out: Path):
        """Read the sheet, filled in or not, and what an earlier run has written; nothing is sent yet.

        Raises:
            InputError: the sheet has items twice or asks nothing, or `out` has other rows, questions or
                another reader.
        """
        self.server = server
        self.out = out
        records = read_sheet(sheet, ("id", *SHOWN_COLUMNS, *QUESTIONS))
        asked = records[0].cells
        self.rows = {record.cells["item"]: record.cells for record in records}
        self.questions = [name for name in QUESTIONS if name in asked]
        fault = ""
        if not self.questions:
            fault = "asks nothing"
        elif len(self.rows) < len(records):
            fault = "has items twice"
        if fault:
            raise InputError(f"{sheet} {fault}: give a sheet of change-it annotate sheets or pairs")
        columns = ["item"]
        for name in ("id", *SHOWN_COLUMNS):
            if name in asked and not name.endswith("article"):
                columns.append(name)
        questions = [HEADINGS[name] for name in self.questions]
        self.header = [*columns, "reader", "prompt", *questions, "error"]
        wording = hashlib.sha256(f"{PROMPT}{AGAIN}".encode()).hexdigest()[:6]
        self.beginnings: dict[str, list[str]] = {}
        for item, row in self.rows.items():
            texts = [" ".join(row[name].split()) for name in columns]
            cells = [str(without_formula(text)) for text in texts]
            self.beginnings[item] = [*cells, self._reader(), wording]
        self.done: dict[str, list[str]] = {}
        if out.exists():
            self.done = self._finished_rows()
        self.waiting = [item for item in self.rows if item not in self.done]

    def _reader(self) -> str:
        """Return the model's name in the column `reader`: of a local folder the last part of its path."""
        name = self.server.model
        if name.startswith("/"):
            name = name.rpartition("/")[2]
        return f"{MODEL}{name}"

    def _finished_rows(self) -> dict[str, list[str]]:
        """Return the rows of an earlier run by item, without those with an error.

        Raises:
            InputError: the file has other columns or rows than this run writes.
        """
        lines = earlier_rows(self.out)
        is_ours = lines[:1] == [self.header]
        finished = {}
        for row in lines[1:]:
            is_ours = is_ours and self._is_ours(row)
            if not row[-1]:
                finished[row[0]] = row
        if not is_ours:
            raise InputError(f"{self.out} is not of this sheet, model and wording: name another --out")
        return finished

    def _is_ours(self, row: list[str]) -> bool:
        """Tell whether this run would have written a row, whatever the model answered."""
        beginning = self.beginnings.get(row[0])
        if beginning is None or len(row) != len(self.header):
            return False
        return row[: len(beginning)] == beginning

    def tokens(self) -> tuple[int, int]:
        """Estimate how many tokens the model will read, and how many it will write."""
        characters = sum(len(self._prompt(item)) for item in self.waiting)
        answers = len(self.waiting) * len(self.questions)
        return round(characters / _CHARACTERS_OF_A_TOKEN), answers * _TOKENS_OF_AN_ANSWER

    def fill_in(self, concurrency: int) -> dict[str, str]:
        """Ask for the rows that wait, so many at once; return item to fault for those without answers."""

        def answered_row(item: str) -> dict[str, list[str]]:
            answers, fault = self._ask(item)
            cells = [answers.get(name, "") for name in self.questions]
            return {item: [*self.beginnings[item], *cells, fault]}

        write_growing(
            self.out,
            self.header,
            self.done,
            self.waiting,
            answered_row,
            pool=ThreadPoolExecutor(concurrency),
            total=len(self.rows),
            work="reading",
        )
        write_table(self.out, self.header, [self.done[item] for item in self.rows])
        faults = {item: self.done[item][-1] for item in self.waiting}
        return {item: fault for item, fault in faults.items() if fault}

    def _ask(self, item: str) -> tuple[dict[str, str], str]:
        """Return the model's answers about a row, by question, and no fault; or no answers and the fault.

        Where the first answer was no JSON object there is one more try. It sends no schema, since some
        servers refuse one.
        """
        choices_by_question = {name: QUESTIONS[name].answers for name in self.questions}
        prompt = self._prompt(item)
        fault = ""
        for is_last_try in (False, True):
            text = prompt
            options: dict[str, Any] = {"response_format": self._schema()}
            if is_last_try:
                text = prompt + AGAIN
                options = {}
            answer, fault = self.server.complete(text, max_tokens=ANSWER_TOKENS, temperature=0.0, **options)
            if answer is None:
                continue
            fault = fault_of(answer)
            if fault:
                continue
            choices = choices_of(answer.text, choices_by_question)
            if choices.answers:
                return choices.answers, ""
            fault = f"{choices.fault} ({answer.finish_reason}): {shown(answer.text)}"
        return {}, " ".join(fault.split())

    def _prompt(self, item: str) -> str:
        """Return what the model is asked about a row."""
        row = self.rows[item]
        texts = []
        for name in SHOWN_COLUMNS:
            if row.get(name):
                texts.append(f"{name}: {with_formula(row[name])}")
        questions = [HEADINGS[name] for name in self.questions]
        form = {name: "/".join(QUESTIONS[name].answers) for name in self.questions}
        return PROMPT.format(
            texts="\n\n".join(texts),
            questions="\n".join(questions),
            form=json.dumps(form),
        )

    def _schema(self) -> dict[str, object]:
        """Return the schema of an answer, for servers that constrain answers."""
        answers = {name: {"type": "string", "enum": QUESTIONS[name].answers} for name in self.questions}
        # a strict schema has to say that there is nothing else
        schema = {
            "type": "object",
            "properties": answers,
            "required": self.questions,
            "additionalProperties": False,
        }
        named_schema = {"name": "answers", "schema": schema, "strict": True}
        return {"type": "json_schema", "json_schema": named_schema}
