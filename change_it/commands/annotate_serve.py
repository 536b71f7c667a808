"""`change-it annotate serve`: the page over a sheet, on this machine."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from change_it.commands.checks import check_files
from change_it.errors import InputError
from change_it.io import check_writable
from change_it.space.address import AddressOptions
from change_it.translation import Language


@dataclass(kw_only=True)
class ServeOptions(AddressOptions):
    """A page on which people annotate a sheet, one headline at a time, by keys or on a phone.

    Everybody enters a name, and goes on where that name stopped. Every answer is on the disk before the next headline is shown.

    Examples:
        change-it annotate serve study/sheet.csv
        change-it annotate serve study/sheet.csv --answers study/answers --host 0.0.0.0 --language en
    """

    sheet: tyro.conf.Positional[Path]
    """A sheet written by `change-it annotate sample`."""
    answers: Path | None = None
    """Folder for one file an annotator; `answers` beside the sheet when not given."""
    language: Language = "it"
    """Language of the page."""

    @property
    def folder(self) -> Path:
        """Where the answers stand."""
        return self.answers or self.sheet.parent / "answers"


def check(options: ServeOptions) -> None:
    """Refuse, before anything large loads, a sheet that is not there, and an address or a folder of answers that cannot be used."""
    check_files(options.sheet)
    options.check_address()
    folder = options.folder
    if folder.resolve() == options.sheet.resolve().parent:
        raise InputError(
            f"--answers {folder} is the folder of the sheet: name another, such as {folder / 'answers'}"
        )
    check_writable(folder, kind="run", option="--answers")


def run(options: ServeOptions) -> None:
    """Serve the page until it is interrupted."""
    check(options)

    from change_it.annotation.answers import Answers
    from change_it.annotation.sheets import read_sheet

    rows, questions = read_sheet(options.sheet)
    answers = Answers(options.folder, [row.item for row in rows])

    from change_it.annotation.page import CSS, build
    from change_it.space.serving import serve

    page = build(rows, questions, answers, options.language)
    print(f"{len(rows)} headlines; answers go to {options.folder}")
    serve(page, options, css=CSS, footer_links=[])
