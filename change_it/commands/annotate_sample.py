"""`change-it annotate sample`: draws a sheet and writes it with its key."""

from dataclasses import dataclass
from pathlib import Path

from change_it.commands.checks import check_predictions, check_systems
from change_it.corpus.folder import check_corpus
from change_it.errors import InputError
from change_it.io import check_writable


@dataclass(kw_only=True)
class SheetOptions:
    """Draw a blinded sheet of gold and system headlines for annotators, and the key that says which is which.

    Half of each condition's headlines are of each outlet. No headline occurs twice, and an event only where
    there are too few. Give annotators the sheet, as a file or with `change-it annotate serve`, and keep the key.

    Examples:
        change-it annotate sample --corpus runs/quickstart/corpus --out study/sheet.csv
        change-it annotate sample --corpus runs/mine/corpus --predictions sum=sum.csv s2s=s2s.csv --out study/sheet.csv
        change-it annotate sample --corpus runs/mine/corpus --predictions sum=sum.csv --items 60 --ratings --out study/sheet.csv
        change-it annotate sample --corpus runs/mine/corpus --predictions setting1=rep-of-rep.csv setting1=gio-of-gio.csv --random-gold --out study/sheet.csv
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its A2 articles are sampled."""
    predictions: tuple[str, ...] = ()
    """Systems as NAME=FILE, files as `change-it transfer` writes them; each is a condition beside gold. A name may stand before several files; headlines aim at the other outlet, or all at the original's own (LREC 2020, settings 1 and 2)."""
    random_gold: bool = False
    """A condition of headlines of any articles, whatever their alignment (LREC 2020, Table 1): of the fifth that main with --train-on random and this --seed is tested on."""
    items: int = 200
    """Headlines of each condition, an even number (LREC 2020: 200)."""
    names: str = ""
    """What annotators call the two outlets, such as "la Repubblica,Il Giornale"; the corpus's short names when not given."""
    ratings: bool = False
    """Ask also for content and fluency, 1 to 5; the article is shown once the outlet is chosen."""
    out: Path
    """The sheet, a CSV file; the key is written beside it, `sheet-key.csv` beside `sheet.csv`."""
    seed: int = 1
    """Of the draw and of the order."""

    @property
    def key_file(self) -> Path:
        """Where the key of the sheet stands."""
        return self.out.with_name(f"{self.out.stem}-key.csv")


def check(options: SheetOptions) -> None:
    """Refuse, before anything large loads, a corpus, systems or names at fault, and `--out` where nothing can be written."""
    check_corpus(options.corpus)
    files = check_systems(options.predictions, option="--predictions", example="mine=mine.csv", repeated=True)
    first, second = _names(options)
    if options.names and (not first or not second or first == second or "," in second):
        raise InputError(
            f'--names {options.names!r} is not two names: write --names "la Repubblica,Il Giornale"'
        )
    for out in (options.out, options.key_file):
        check_writable(out, kind="file", inputs=[options.corpus, *files])
    check_predictions(options.predictions, repeated=True)


def run(options: SheetOptions) -> None:
    """Draw and write."""
    check(options)

    from change_it.annotation.sheets import conditions, draw, write_key, write_sheet  # loads polars
    from change_it.scoring.item import read_test_set

    test = read_test_set(options.corpus)
    several = conditions(test, options.predictions, random_gold=options.random_gold, seed=options.seed)
    rows = draw(test, several, options.items, options.seed)
    write_key(options.key_file, rows)
    write_sheet(
        options.out, rows, _names(options) if options.names else test.outlets, ratings=options.ratings
    )
    print(f"{len(rows)} headlines, {options.items} each of {', '.join(several)}: {options.out}")
    print(f"The key, which annotators must not see: {options.key_file}")


def _names(options: SheetOptions) -> tuple[str, str]:
    """What annotators call the two outlets."""
    first, _, second = map(str.strip, options.names.partition(","))
    return first, second
