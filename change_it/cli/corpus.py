"""Write the sample, build a corpus, and list the headlines to rewrite: `change-it corpus`.

The options of `build` are in `change_it.corpus.reading.options`.
"""

from dataclasses import dataclass
from pathlib import Path

from change_it.corpus.folder import PICTURE, REJECTED, REPORT, check_corpus
from change_it.corpus.pairing.engines import use_engine
from change_it.corpus.reading.options import BuildOptions, check_language
from change_it.corpus.reading.reading import Reading, RefusedError, read_articles, write_rejected
from change_it.corpus.reading.sample import sample_articles, write_csv
from change_it.corpus.report import summary
from change_it.errors import InputError
from change_it.files.atomic import check_writable, write_table
from change_it.files.rows import HUB, outlet_and_file, read_tables
from change_it.files.texts import pluralise
from change_it.render.tables import console, print_lines, print_table, print_wrapped

#: How a file of rejected rows begins.
REJECTED_HEADER = "file,line,id,reason"


@dataclass(kw_only=True)
class SampleOptions:
    """Write the sample, articles of two invented Italian newspapers, or a part of it, as one CSV file.

    Examples:
        change-it corpus sample --out sample.csv
        change-it corpus sample --articles 2000 --seed 7 --out sample.csv
    """

    out: Path
    """CSV file to write: id, headline, article, label, date."""
    articles: int = 12000
    """Number of articles of both newspapers together, at most 12000. Fewer are whole, consecutive events."""
    seed: int = 1
    """Seed of the event that a part begins with. It changes nothing of all 12000 articles."""


def sample(options: SampleOptions) -> None:
    """Write the sample, or a part of it, as CSV."""
    check_writable(options.out, kind="csv")
    write_csv(sample_articles(options.articles, options.seed), options.out)
    print(f"{options.articles} articles of La Gazzetta del Colle and Il Faro → {options.out}")
    print(f"Next: change-it corpus build {options.out} --out runs/mine/corpus")


def build(options: BuildOptions) -> None:
    """Build a corpus and print what is in it."""
    _check_build(options)
    terminal = console()
    reading = None
    try:
        with terminal.status("reading") as status, use_engine(options.engine, options.address):
            reading = read_articles(options)
            from change_it.corpus import build  # polars: after what reading refuses

            corpus = build.build_corpus(reading, options, stage=status.update)
            status.update("writing")
            build.write_corpus(corpus, options.out)
            if any(corpus.report.histogram.pairs):
                from change_it.corpus.curve import draw_curve  # matplotlib

                draw_curve(corpus.report, options.out / PICTURE)
    except InputError as error:
        raise _with_rejected(error, reading, options.out) from None
    for table in summary(corpus.report):
        print_table(table, terminal)
    print_lines([f"Corpus: {options.out}"], terminal)
    from change_it.judges.data import check_enough_pairs

    try:
        check_enough_pairs(str(options.out), ("0", "1"))
    except InputError as error:
        print_wrapped(f"Warning: {error}.", terminal, after="  ")
        return
    judges = options.out.with_name("judges")
    train = f"change-it train judge --task all --fold both --corpus {options.out} --out {judges}"
    print_lines([f"Next: {train}"], terminal)


def _check_build(options: BuildOptions) -> None:
    """Refuse numbers out of range, files that are not there, and a folder that cannot be written."""
    check_language(options.language)
    if not 0 < options.loose <= options.strict < 1:
        fault = f"--loose {options.loose} and --strict {options.strict} are no cosines"
        raise InputError(f"{fault}: give numbers between 0 and 1, the lower one as --loose")
    if options.test_articles is not None and options.test_articles < 0:
        raise InputError(f"--test-articles {options.test_articles} is no number of articles: give 0 or more")
    if options.window is not None and options.window < 0:
        raise InputError(f"--window-days {options.window} is no number of days: give 0 or more, or none")
    files = [file for file in options.files if not outlet_and_file(file)[1].startswith(HUB)]
    tables = read_tables(files) if files else []  # nothing is read yet
    check_writable(options.out, inputs=[table.name for table in tables], record=REPORT)


def _with_rejected(error: InputError, reading: Reading | None, out: Path) -> InputError:
    """Return an error of a build that also says which rows were rejected before it.

    A file beside `out` lists these rows. A file of that name that lists other things stays as it is.

    Args:
        error: what stopped the build.
        reading: the articles that were read; None where reading itself stopped. `few` is a sentence on few
            rejected rows, else empty; `issues` are there where many rows were rejected.
        out: folder that the build would have written.
    """
    if reading and reading.few:
        error = InputError(f"{reading.few}; {error}")
    if reading and reading.issues:
        error = reading.refused(str(error))
    if not isinstance(error, RefusedError):
        return error
    beside = out.with_name(f"{out.name}.{REJECTED}")
    if beside.exists() and not beside.read_text("utf-8", "replace").startswith(REJECTED_HEADER):
        return InputError(str(error))
    write_rejected(beside, error.rejected)
    return InputError(f"{error}; {beside} lists them")


@dataclass(kw_only=True)
class ItemsOptions:
    """List the headlines that systems rewrite, with their articles.

    A system writes a CSV file with id and its own headline, and change-it score reads it. A system that has
    no headline leaves it empty and says why in a column error. Headlines with an aligned one (partner: yes)
    are compared with it. Those without one tell systems apart: change-it score has a table of all, where
    every system has written them.

    Examples:
        change-it corpus items --corpus runs/quickstart/corpus --out todo.csv
        change-it corpus items --corpus runs/mine/corpus --to herald --out todo.csv
    """

    corpus: str
    """Corpus folder or data set id on the Hub."""
    out: Path
    """CSV file to write: id, direction, headline, article, to, partner."""
    to: str | None = None
    """List only headlines to rewrite for this outlet."""


def items(options: ItemsOptions) -> None:
    """Write the headlines to rewrite, one row each, and say how many have no aligned one."""
    check_corpus(options.corpus)
    check_writable(options.out, kind="csv", inputs=[options.corpus])

    from change_it.corpus.reading.article import outlet_names
    from change_it.corpus.test_set import read_test_set

    test = read_test_set(options.corpus)
    aims = outlet_names("--to", options.to, test.outlets, count=1) if options.to else test.outlets
    chosen = [item for item in test.items if item.target in aims]
    rows = []
    for item in chosen:
        partner = "yes" if item.reference else "no"
        rows.append((item.id, item.direction, item.source, item.article, item.target, partner))
    write_table(options.out, ("id", "direction", "headline", "article", "to", "partner"), rows)
    print(f"wrote {pluralise(len(rows), 'headline')} to {options.out}")
    alone = sum(not item.reference for item in chosen)
    if alone:
        print(
            f"{alone:,} of them have no aligned one (partner: no): they compare systems, but not with gold."
        )
    score = f"change-it score --corpus {options.corpus} --judges JUDGES --predictions mine=mine.csv"
    print(f"Next: write id and headline of each to mine.csv, then {score}")
