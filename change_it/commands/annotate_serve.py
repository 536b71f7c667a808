"""`change-it annotate serve`: the page over a sheet, on this machine."""

from change_it.annotation.options import ServeOptions
from change_it.errors import InputError
from change_it.io import check_writable
from change_it.space.address import check_serving


def run(options: ServeOptions) -> None:
    """Serve the page until it is interrupted."""
    check_serving(options.host, options.port)
    folder = options.answers or options.sheet.parent / "answers"
    if folder.resolve() == options.sheet.resolve().parent:
        raise InputError(
            f"--answers {folder} is the folder of the sheet: name another, such as {folder / 'answers'}"
        )
    check_writable(folder, kind="run", option="--answers", alone=False)

    from change_it.annotation.answers import Answers
    from change_it.annotation.sheets import read_sheet

    rows, questions = read_sheet(options.sheet)
    answers = Answers(folder, [row.item for row in rows])

    from change_it.annotation.page import CSS, build
    from change_it.space.serving import serve

    page = build(rows, questions, answers, options.language)
    print(f"{len(rows)} headlines; answers go to {folder}")
    settings = {"hosts": options.hosts, "css": CSS, "footer_links": []}
    serve(page, host=options.host, port=options.port, share=options.share, **settings)
