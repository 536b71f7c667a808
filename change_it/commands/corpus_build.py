"""`change-it corpus build`: the work, and what is printed."""

from change_it.corpus.corpus_options import BuildOptions, check_language
from change_it.corpus.folder import PICTURE, REJECTED, REPORT
from change_it.corpus.summary import summary
from change_it.engines import use_engine
from change_it.errors import InputError
from change_it.io import HUB, check_writable, outlet_and_file, read_tables
from change_it.tables import console, print_table


def run(options: BuildOptions) -> None:
    """Build a corpus and print what is in it."""
    check_language(options.language)
    if not 0 <= options.loose <= options.strict < 1:
        asked = f"--loose {options.loose} and --strict {options.strict}"
        raise InputError(
            f"{asked} are no cosines: give numbers from 0 to less than 1, the lower one as --loose"
        )
    here = [file for file in options.files if not outlet_and_file(file)[1].startswith(HUB)]
    tables = read_tables(here) if here else []  # nothing is read yet
    check_writable(options.out, inputs=[table.name for table in tables], record=REPORT)

    from change_it.corpus.reading import RefusedError, read_articles, write_rejected

    terminal, reading = console(), None
    try:
        with terminal.status("reading") as status, use_engine(options):
            reading = read_articles(options)
            from change_it.corpus import build  # polars: after what reading refuses

            corpus = build.build_corpus(reading, options, stage=status.update)
            status.update("writing")
            build.write_corpus(corpus, options.out)
            if any(corpus.report["histogram"]["pairs"]):
                from change_it.corpus.curve import draw_curve  # matplotlib

                draw_curve(corpus.report, options.out / PICTURE)
    except InputError as error:
        if reading and reading.looks:  # many rows were rejected
            error = reading.refused(str(error))
        if not isinstance(error, RefusedError):
            raise
        beside = options.out.with_name(f"{options.out.name}.{REJECTED}")
        if beside.exists() and not beside.read_text("utf-8", "replace").startswith("file,line,id,reason"):
            raise InputError(str(error)) from error  # somebody else's file
        write_rejected(beside, error.rejected)
        raise InputError(f"{error}; {beside} lists them") from error
    for table in summary(corpus.report):
        print_table(table, terminal)
    terminal.print(f"Corpus: {options.out}", soft_wrap=True)
