"""`change-it annotate sheets` and `score`: writes sheets with their key; reads filled ones, asks judges, prints tables or JSON."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from change_it.commands.printing import print_json, print_lines
from change_it.corpus.folder import check_corpus
from change_it.errors import InputError
from change_it.io import check_writable
from change_it.judges.judge_options import check_judges
from change_it.scoring.columns import read_prediction_files
from change_it.tables import console, print_table
from change_it.training.training_options import InferenceOptions


@dataclass(kw_only=True)
class AnnotateSheetsOptions:
    """Draw gold and system headlines for annotators, mixed and without their source, as two sheets and a key.

    The first sheet asks for the outlet of a headline. The second, given out when the first is filled in, shows original and
    article and asks for same content, printability (1 to 5) and support (yes, partly, no, contradicted). Name each copy after
    its annotator.

    Examples:
        change-it annotate sheets --corpus runs/quickstart/corpus --out study/sheet.csv
        change-it annotate sheets --corpus runs/mine/corpus --predictions setting1=rep-of-rep.csv setting1=gio-of-gio.csv --out study/sheet.csv
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its test articles are sampled."""
    predictions: tuple[str, ...] = ()
    """Systems as NAME=FILE, files as `change-it transfer` writes them; each is a condition in addition to gold. A name may stand before several files; headlines aim at the other outlet, or all at the original's own (LREC 2020, settings 1 and 2)."""
    items: int = 200
    """Headlines of each condition, an even number (LREC 2020: 200); half are of each outlet."""
    out: Path
    """The first sheet, a CSV file; `sheet-sources.csv` and the key `sheet-key.csv` are written next to it."""
    seed: int = 1
    """Seed of the draw and of the order."""


def sheets(options: AnnotateSheetsOptions) -> None:
    """Draw and write; what is at fault is refused before anything large loads."""
    check_corpus(options.corpus)
    files = read_prediction_files(options.predictions)
    out = options.out
    sources, key = (out.with_name(f"{out.stem}-{name}.csv") for name in ("sources", "key"))
    for file in (out, sources, key):
        check_writable(file, kind="csv", inputs=[options.corpus, *(each.file for each in files)])
        if file.exists():
            raise InputError(f"{file} exists and may hold answers: name another --out")

    from change_it import annotation  # loads polars
    from change_it.scoring.item import read_test_set

    test = read_test_set(options.corpus)
    conditions = annotation.conditions(test, files)
    rows = annotation.draw(test, conditions, options.items, options.seed)
    annotation.write_sheets(out, sources, key, rows)
    print(f"{len(rows)} headlines, {options.items} each of {', '.join(conditions)}: {out}, then {sources}")
    print(f"The key, which annotators must not see: {key}")


@dataclass(kw_only=True)
class AnnotateScoreOptions(InferenceOptions):
    """Accuracy and agreement of annotators (LREC 2020, Table 4), their ratings, and the judges on the same headlines.

    Examples:
        change-it annotate score study/filled/anna.csv study/filled/ben.csv --key study/sheet-key.csv
        change-it annotate score study/filled/*.csv study/rated/*.csv --key study/sheet-key.csv --judges runs/mine/judges --json
    """

    sheets: tyro.conf.Positional[tuple[Path, ...]]
    """Filled sheets of either kind, named after their annotators; two of one name are of one person."""
    key: Path
    """The key that `change-it annotate sheets` wrote with the sheets."""
    judges: str | None = None
    """Folder or Hub id of judges to compare with."""
    language: str | None = None
    """Language of the headlines, for a model of support; guessed when not given."""
    json: bool = False
    """Print JSON instead of tables."""
    seed: int = 1
    """Seed of the intervals."""


def score(options: AnnotateScoreOptions) -> None:
    """Score filled sheets; what is at fault is refused before anything large loads."""
    if options.judges:
        check_judges(options.judges)

    from change_it.annotation import Study, ask, read_answers, read_key

    key = read_key(options.key)
    answers = read_answers(options.sheets, key)
    judged, signature = {}, ""
    if options.judges:
        from change_it.scoring.judges import Judges

        judges = Judges.from_pretrained(options.judges, **options.judging)
        judged, signature = ask(judges, key, language=options.language), judges.signature
    study = Study(key, answers, judged, signature, options.seed)
    if options.json:
        print_json(study.record())
        return
    terminal = console()
    for table in study.tables().values():
        print_table(table.with_groups(), terminal)
    print_lines([study.signature], terminal)
