"""Write the help of lists of commands, and the text above the options of one.

Lists are plain text, so that `change-it --help` loads no command. Of a command tyro prints the options. It
breaks neither its usage nor the text above them: here both are filled, and examples are broken as a shell can
read them.
"""

import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from typing import TextIO

#: Characters of a line of help, at most. A narrower terminal has shorter lines.
MAX_COLUMNS = 100
#: What gives a text of a terminal its style.
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
#: What the package is for; README, pyproject.toml, mkdocs.yml and CITATION.cff have the same sentence.
DESCRIPTION = (
    "Score headlines rewritten in another newspaper's style: "
    "did the style change, did the story stay, can you trust the scores?"
)
#: Commands by what somebody wants to do.
PURPOSES = {
    "Start": ("quickstart", "demo"),
    "Evaluate": ("score", "judge", "audit", "hevas"),
    "Build": ("corpus", "train", "transfer"),
    "Share": ("annotate", "push"),
}
#: What each command does, in a line of its list.
SUMMARIES = {
    "quickstart": "run everything, on sample data or your two newspapers",
    "demo": "serve a page: rewrite and judge headlines in a browser",
    "score": "score systems and write a report",
    "judge": "judge one headline",
    "audit": "test the judges with wrong headlines",
    "hevas": "measure headlines by their words, without judges",
    "corpus": "align two newspapers, and list the headlines to rewrite",
    "corpus sample": "write the articles of two invented newspapers",
    "corpus build": "read, align and split the articles of two newspapers",
    "corpus items": "list the headlines to rewrite, with their articles",
    "train": "train judges or a generator",
    "train judge": "train judges of style, content and fluency",
    "train generator": "train a model that rewrites headlines",
    "transfer": "rewrite headlines, with a generator or a chat model",
    "annotate": "make sheets for readers, and score their answers",
    "annotate sheets": "draw headlines for readers",
    "annotate pairs": "draw pairs of articles for readers",
    "annotate read": "let a chat model fill in a sheet",
    "annotate score": "score the filled sheets",
    "push": "publish data, models or pages on the Hugging Face Hub",
}
#: Examples of each list of commands.
LIST_EXAMPLES = {
    "": (
        "change-it quickstart",
        "change-it quickstart post=post.csv herald=herald.csv --out runs/mine",
    ),
    "corpus": (
        "change-it corpus build runs/quickstart/sample.csv --out runs/mine/corpus",
        "change-it corpus items --corpus runs/mine/corpus --out todo.csv",
    ),
    "train": (
        "change-it train judge --task all --corpus runs/quickstart/corpus --out runs/mine/judges",
        "change-it train generator --recipe rewrite --corpus runs/quickstart/corpus --out runs/mine/rewrite",
    ),
    "annotate": (
        "change-it annotate sheets --corpus runs/quickstart/corpus --out study/sheet.csv",
        "change-it annotate score study/filled/*.csv --key study/sheet-key.csv",
    ),
}
#: What else the program can do.
MORE = (
    "change-it COMMAND --help explains a command and has examples.",
    "change-it --version prints the versions that a bug report needs.",
    "change-it --tyro-write-completion bash FILE (or zsh, fish, tcsh) writes the completion of commands.",
)


def columns() -> int:
    """Return the characters of a line of help on this terminal."""
    return min(shutil.get_terminal_size().columns, MAX_COLUMNS)


def list_help(name: str, members: Sequence[str]) -> str:
    """Return the help of a list of commands; `name` is the word before it, and empty for the program."""
    width = columns()
    program = f"change-it {name}".strip()
    if name:
        text = [_sentence(SUMMARIES[name]), ""]
        commands = [f"  {member:<11} {SUMMARIES[f'{name} {member}']}" for member in members]
        more: Sequence[str] = [f"{program} COMMAND --help explains a command and has examples."]
    else:
        text = [*textwrap.wrap(DESCRIPTION, width), ""]
        commands = list(_commands_by_purpose())
        more = MORE
    lines = [f"usage: {program} COMMAND ...", "", *text, *commands, "", "Examples:"]
    for example in LIST_EXAMPLES[name]:
        lines += broken(f"    {example}", width)
    lines.append("")
    for sentence in more:
        lines += textwrap.wrap(sentence, width, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines)


def _commands_by_purpose() -> Iterator[str]:
    """Yield a line for each command of the program, with its purpose before the first one that has it."""
    for purpose, commands in PURPOSES.items():
        heading = purpose
        for command in commands:
            yield f"  {heading:<10} {command:<11} {SUMMARIES[command]}"
            heading = ""


class _Captured(TextIOWrapper):
    """A text that is printed later on a terminal, in its encoding and with its colours."""

    def __init__(self, terminal: TextIO) -> None:
        """Begin with nothing."""
        encoding = terminal.encoding or "utf-8"
        super().__init__(BytesIO(), encoding=encoding, errors="backslashreplace", newline="\n")
        self.has_terminal = terminal.isatty()

    def isatty(self) -> bool:
        """Return whether the text will be on a terminal, which shows colours."""
        return self.has_terminal

    def text(self) -> str:
        """Return what was printed."""
        self.seek(0)
        return self.read()


def command_help(docstring: str, print_options: Callable[[], object]) -> str:
    """Return the help of a command: its usage, what its docstring says, and its options.

    `print_options` lets tyro print usage and options and exit.

    Raises:
        SystemExit: tyro refuses an argument.
    """
    printed = _Captured(sys.stdout)
    try:
        with redirect_stdout(printed):
            print_options()
    except SystemExit as stop:
        if stop.code:
            raise
    styled_usage, *lines = printed.text().rstrip().splitlines()
    usage = _ANSI.sub("", styled_usage)
    usage_lines = _joined(re.split(r" (?=\[?--)", usage), columns(), indent="  ")
    # a default that is left out leaves a space, for which a line is begun where the one before is full
    options = [line for line in lines if _ANSI.sub("", line).strip("│| ")]
    return "\n".join([*usage_lines, "", filled(docstring), "", *options])


def filled(docstring: str) -> str:
    """Return the text above the options of a command, in lines that the terminal has room for."""
    width = columns()
    blocks = []
    for paragraph in docstring.split("\n\n"):
        if paragraph.startswith("Examples:"):
            heading, *examples = paragraph.splitlines()
            lines = [heading]
            for example in examples:
                lines += broken(example, width)
        else:
            lines = textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def broken(command: str, width: int) -> Iterator[str]:
    """Return the lines of a command, broken before options and redirections as a shell reads them."""
    indent = command[: len(command) - len(command.lstrip())]
    return _joined(re.split(r" (?=--|<)", command), width, indent=f"{indent}    ", end=" \\")


def _joined(parts: Sequence[str], width: int, *, indent: str, end: str = "") -> Iterator[str]:
    """Join parts to lines of at most `width` characters, and yield the lines. A part is never broken.

    `end` closes each line but the last one, and `indent` begins each but the first one.
    """
    line, *others = parts
    for part in others:
        if len(f"{line} {part}{end}") > width:
            yield f"{line}{end}"
            line = f"{indent}{part}"
        else:
            line = f"{line} {part}"
    yield line


def _sentence(summary: str) -> str:
    """Return a summary as a sentence."""
    return f"{summary[:1].upper()}{summary[1:]}."
