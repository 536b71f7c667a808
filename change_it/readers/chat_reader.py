"""A chat model as a reader: it fills in sheets row by row, and sees what people see."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from change_it.errors import InputError
from change_it.files.atomic import with_formula, without_formula, write_table
from change_it.files.growing import earlier_rows, write_growing
from change_it.models.chat_answers import choices_of, fault_of, shown
from change_it.models.chat_server import Server
from change_it.readers.questions import HEADINGS, MODEL, PAIRS, QUESTIONS, SHEETS, read_sheet

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


class Reading:
    """A sheet that a model fills in: a file that grows row by row, in which a later run goes on."""

    def __init__(self, sheet: Path, server: Server, out: Path):
        """Read the sheet, filled in or not; nothing is sent yet. An output of other rows, questions or another reader is refused."""
        records = read_sheet(sheet, ("id", *SHOWN, *QUESTIONS))
        self.rows = {record.cells["item"]: record.cells for record in records}
        self.questions = [name for name in QUESTIONS if name in records[0].cells]
        if not self.questions or len(self.rows) < len(records):
            fault = "has items twice" if self.questions else "asks nothing"
            raise InputError(f"{sheet} {fault}: give a sheet of change-it annotate sheets or pairs")
        self.server, self.out = server, out
        model = server.model.rpartition("/")[2] if server.model.startswith("/") else server.model
        reader, wording = f"{MODEL}{model}", hashlib.sha256(f"{PROMPT}{AGAIN}".encode()).hexdigest()[:6]
        columns = [name for name in ("item", "id", *SHOWN) if name in records[0].cells]
        columns = [name for name in columns if not name.endswith("article")]
        self.header = [*columns, "reader", "prompt", *(HEADINGS[name] for name in self.questions), "error"]
        self.beginnings = {  # of the rows, before their answers
            item: [*(str(without_formula(" ".join(row[name].split()))) for name in columns), reader, wording]
            for item, row in self.rows.items()
        }
        self.done: dict[str, list[str]] = {}
        if out.exists():  # an earlier run's rows, without those with an error
            width = len(columns) + 2
            header, *rows = earlier_rows(out) or [[]]
            is_ours = header == self.header and all(
                len(row) == len(header) and row[:width] == self.beginnings.get(row[0]) for row in rows
            )
            if not is_ours:
                raise InputError(f"{out} is not of this sheet, model and wording: name another --out")
            self.done = {row[0]: row for row in rows if not row[-1]}
        self.waiting = [item for item in self.rows if item not in self.done]

    def tokens(self) -> tuple[int, int]:
        """About how many tokens the model will read and write."""
        prompts = sum(len(self._prompt(item)) for item in self.waiting) / _CHARACTERS
        return round(prompts), len(self.waiting) * len(self.questions) * _WRITTEN

    def fill_in(self, concurrency: int) -> dict[str, str]:
        """Ask for the rows that wait; returns those without answers and why."""

        def fill(item: str) -> dict[str, list[str]]:
            answers, fault = self._ask(item)
            cells = [answers.get(name, "") for name in self.questions]
            return {item: [*self.beginnings[item], *cells, fault]}

        pool, total = ThreadPoolExecutor(concurrency), len(self.rows)
        write_growing(
            self.out, self.header, self.done, self.waiting, fill, pool=pool, total=total, work="reading"
        )
        write_table(self.out, self.header, [self.done[item] for item in self.rows])
        return {item: self.done[item][-1] for item in self.waiting if self.done[item][-1]}

    def _ask(self, item: str) -> tuple[dict[str, str], str]:
        """Answers, or none and why; one more try, without a schema, which some servers refuse, where there was no such object."""
        prompt, settings = self._prompt(item), {"max_tokens": ANSWER_TOKENS, "temperature": 0.0}
        questions = {name: QUESTIONS[name].answers for name in self.questions}
        for text, options in ((prompt, {"response_format": self._schema()}), (prompt + AGAIN, {})):
            answer, fault = self.server.complete(text, **settings, **options)
            if answer is None:
                continue
            if fault := fault_of(answer):
                continue
            choices = choices_of(answer.text, questions)
            if choices.answers:
                return choices.answers, ""
            fault = f"{choices.fault} ({answer.finish_reason}): {shown(answer.text)}"
        return {}, " ".join(fault.split())

    def _prompt(self, item: str) -> str:
        """What a model is asked about a row."""
        row = self.rows[item]
        texts = "\n\n".join(f"{name}: {with_formula(row[name])}" for name in SHOWN if row.get(name))
        questions = "\n".join(HEADINGS[name] for name in self.questions)
        form = json.dumps({name: "/".join(QUESTIONS[name].answers) for name in self.questions})
        return PROMPT.format(texts=texts, questions=questions, form=form)

    def _schema(self) -> dict[str, object]:
        """What servers that constrain answers are given."""
        properties = {name: {"type": "string", "enum": QUESTIONS[name].answers} for name in self.questions}
        form: dict[str, object] = {"type": "object", "properties": properties, "required": self.questions}
        form["additionalProperties"] = False  # as strict schemas have to say
        return {"type": "json_schema", "json_schema": {"name": "answers", "schema": form, "strict": True}}
