"""A chat model as a reader: it fills in sheets row by row, and sees what people see."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from change_it.errors import InputError
from change_it.io import earlier_rows, with_formula, without_formula, write_growing, write_table
from change_it.networks.server import Server
from change_it.questions import HEADINGS, MODEL, PAIRS, QUESTIONS, SHEETS, read_sheet

#: What a model is asked, and what follows where its answer was none.
PROMPT = """Read the texts and answer the questions by them alone.

{texts}

{questions}

Answer with one JSON object and nothing else, and keep one answer to each question: {form}"""
AGAIN = "\n\nYour last answer was no such object. Write the JSON object alone."
#: Columns of sheets that are shown; ids, which say nothing, are not.
SHOWN = dict.fromkeys(
    name for shown, _ in (PAIRS, *reversed(SHEETS.values())) for name in shown if name != "id"
)
#: Tokens of an answer, at most: some models think first.
ANSWER_TOKENS = 2000
#: Characters of a token, and tokens of an answer to one question: of Qwen's tokenizer on Italian.
_CHARACTERS, _WRITTEN = 3.4, 7


@dataclass(frozen=True)
class Sheet:
    """The rows of a sheet and its questions."""

    rows: Mapping[str, Mapping[str, str]]  # by their items
    asked: Sequence[str]

    @classmethod
    def read(cls, file: Path) -> "Sheet":
        """Read a sheet, filled in or not."""
        records = read_sheet(file, ("id", *SHOWN, *QUESTIONS))
        rows = {record.cells["item"]: record.cells for record in records}
        asked = [name for name in QUESTIONS if name in records[0].cells]
        if not asked or len(rows) < len(records):
            fault = "has items twice" if asked else "asks nothing"
            raise InputError(f"{file} {fault}: give a sheet of change-it annotate sheets or pairs")
        return cls(rows, asked)

    def prompt(self, item: str) -> str:
        """What a model is asked about a row."""
        row = self.rows[item]
        texts = "\n\n".join(f"{name}: {with_formula(row[name])}" for name in SHOWN if row.get(name))
        questions = "\n".join(HEADINGS[name] for name in self.asked)
        form = json.dumps({name: "/".join(QUESTIONS[name].answers) for name in self.asked})
        return PROMPT.format(texts=texts, questions=questions, form=form)

    @property
    def schema(self) -> dict[str, object]:
        """What servers that constrain answers are given."""
        properties = {name: {"type": "string", "enum": QUESTIONS[name].answers} for name in self.asked}
        form: dict[str, object] = {"type": "object", "properties": properties, "required": self.asked}
        form["additionalProperties"] = False  # as strict schemas have to say
        return {"type": "json_schema", "json_schema": {"name": "answers", "schema": form, "strict": True}}

    def tokens(self, items: Sequence[str]) -> tuple[int, int]:
        """About how many tokens a model reads and writes."""
        read = sum(len(self.prompt(item)) for item in items) / _CHARACTERS
        return round(read), len(items) * len(self.asked) * _WRITTEN

    def answers(self, text: str) -> dict[str, str]:
        """The answers in the last object that has all of them; none without one."""
        for form in reversed(re.findall(r"\{[^{}]*\}", text)):
            try:
                said = json.loads(form)
            except ValueError:
                continue
            given = {name: str(said.get(name)).strip().casefold() for name in self.asked}
            if all(answer in QUESTIONS[name].answers for name, answer in given.items()):
                return given
        return {}


class Reading:
    """A sheet that a model fills in: a file that grows row by row, in which a later run goes on."""

    def __init__(self, sheet: Sheet, server: Server, out: Path):
        """Nothing is sent yet; a file of other rows, questions or another reader is refused."""
        self.sheet, self.server, self.out = sheet, server, out
        model = server.model.rpartition("/")[2] if server.model.startswith("/") else server.model
        reader, wording = f"{MODEL}{model}", hashlib.sha256(f"{PROMPT}{AGAIN}".encode()).hexdigest()[:6]
        first = next(iter(sheet.rows.values()))
        shown = [name for name in ("item", "id", *SHOWN) if name in first and not name.endswith("article")]
        self.header = [*shown, "reader", "prompt", *(HEADINGS[name] for name in sheet.asked), "error"]
        self.begun = {  # what stands in a row before its answers
            item: [*(str(without_formula(" ".join(row[name].split()))) for name in shown), reader, wording]
            for item, row in sheet.rows.items()
        }
        self.done: dict[str, list[str]] = {}
        if out.exists():  # an earlier run's rows, without those with an error
            width = len(self.header) - len(sheet.asked) - 1
            header, *rows = earlier_rows(out) or [[]]
            if header != self.header or any(row[:width] != self.begun.get(row[0]) for row in rows):
                raise InputError(f"{out} is not of this sheet, model and wording: name another --out")
            self.done = {row[0]: row for row in rows if not row[-1]}
        self.waiting = [item for item in sheet.rows if item not in self.done]

    def fill_in(self, concurrency: int) -> dict[str, str]:
        """Ask for the rows that wait; returns those without answers and why."""

        def answer(item: str) -> dict[str, list[str]]:
            answers, fault = self._ask(item)
            cells = [answers.get(name, "") for name in self.sheet.asked]
            return {item: [*self.begun[item], *cells, fault]}

        pool, total = ThreadPoolExecutor(concurrency), len(self.begun)
        write_growing(
            self.out, self.header, self.done, self.waiting, answer, pool=pool, total=total, work="reading"
        )
        write_table(self.out, self.header, [self.done[item] for item in self.begun])
        return {item: self.done[item][-1] for item in self.waiting if self.done[item][-1]}

    def _ask(self, item: str) -> tuple[dict[str, str], str]:
        """Answers, or none and why; one more try, without a schema, which some servers refuse, where there was no such object."""
        prompt, settings = self.sheet.prompt(item), {"max_tokens": ANSWER_TOKENS, "temperature": 0.0}
        for wording, more in ((prompt, {"response_format": self.sheet.schema}), (prompt + AGAIN, {})):
            choice, fault = self.server.complete(wording, **settings, **more)
            if choice is not None:
                if given := self.sheet.answers(choice.text):
                    return given, ""
                fault = f"no such JSON object ({choice.finish_reason}): {choice.text[:80]}"
        return {}, " ".join(fault.split())
