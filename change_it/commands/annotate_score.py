"""`change-it annotate score`: reads sheets and key, asks judges, prints tables or JSON, writes the report."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from change_it.commands.checks import check_files
from change_it.commands.printing import print_json, print_lines
from change_it.errors import InputError
from change_it.judges.judge_options import check_judges
from change_it.results.report_folder import check_out, replaced_report
from change_it.tables import console, print_table
from change_it.training.settings import InferenceOptions

#: What is written into the folder of a study; the first file marks it as one.
STUDY_FILES = ("items.csv", "report.html", "tables.md", "tables.json", "tables")


@dataclass(kw_only=True)
class StudyOptions(InferenceOptions):
    """Accuracy, F1 and agreement of annotators (LREC 2020, Tables 1, 4 and 5), beside the judges on the same headlines.

    Examples:
        change-it annotate score study/answers/anna.csv study/answers/ben.csv --key study/sheet-key.csv
        change-it annotate score study/answers/*.csv --key study/sheet-key.csv --judges runs/mine/judges --out study/report
        change-it annotate score study/answers/*.csv --key study/sheet-key.csv --judges runs/mine/judges --hevas --out study/report
    """

    sheets: tyro.conf.Positional[tuple[Path, ...]]
    """Files of annotators, one each: of the page, or sheets with the column answer filled in; the file's name is theirs."""
    key: Path
    """The key that `change-it annotate sample` wrote beside the sheet."""
    judges: str | None = None
    """Folder or Hub id of judges to compare with."""
    hevas: bool = False
    """With ratings: correlate them with the metrics of HEvAS too."""
    language: str = "it"
    """Of the headlines, for HEvAS and facts: it or en."""
    out: Path | None = None
    """Folder for report.html, tables.md, tables.json, tables/ and items.csv; nothing is written when not given."""
    json: bool = False
    """Print JSON instead of tables."""
    resamples: int = 1000
    """Bootstrap resamples of the intervals."""
    seed: int = 1
    """Of the intervals, and of HEvAS."""


def check(options: StudyOptions) -> None:
    """Refuse, before anything large loads, files or judges at fault, options that do not fit each other, and `--out` where nothing can be written."""
    if options.judges:
        check_judges(options.judges)
    check_files(options.key, *options.sheets)
    if options.out:
        check_out(options.out, STUDY_FILES, inputs=[*options.sheets, options.key, options.judges])
    if options.resamples < 1:
        raise InputError(f"--resamples {options.resamples} is too few: give at least 1, better 1000")
    if options.hevas and not options.judges:
        raise InputError("--hevas compares ratings with metrics beside those of judges: give --judges too")


def run(options: StudyOptions) -> None:
    """Score the sheets."""
    check(options)

    from change_it.annotation.sheets import read_annotators, read_key
    from change_it.annotation.study import Study, check_names

    key = read_key(options.key)
    annotators = read_annotators(options.sheets, key)
    check_names(annotators)
    judged = None
    if options.judges:
        from change_it.annotation.judged import ask
        from change_it.hevas.metric_options import MetricOptions
        from change_it.judges.judge import Judges

        metrics = MetricOptions(language=options.language, seed=options.seed) if options.hevas else None
        judges = Judges.from_pretrained(options.judges, precision=options.precision, device=options.device)
        judged = ask(judges, key, language=options.language, hevas=metrics)
    study = Study(key, annotators, judged, resamples=options.resamples, seed=options.seed)

    from change_it.annotation.study_tables import document, items
    from change_it.io import write_table
    from change_it.results.document import as_json, write_document

    results = document(study)
    if options.out:
        records = items(study)
        with replaced_report(options.out, STUDY_FILES) as folder:
            rows = [list(record.values()) for record in records]
            write_table(folder / "items.csv", list(records[0]), rows, quote_formulas=True)
            write_document(folder, results)
    if options.json:
        print_json(as_json(results))
        return
    terminal = console()
    for section in results.sections:
        print_table(section.table.with_groups(), terminal)
    print_lines(results.signatures, terminal)
    if options.out:
        print(f"wrote {options.out / 'report.html'}, items.csv, tables.md, tables.json, tables/")
