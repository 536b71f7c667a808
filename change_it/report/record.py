"""Define, write and read `scores.json` of a report: verdicts on the judges, scores, and what they come to."""

from dataclasses import dataclass, field
from pathlib import Path

from change_it.audit.verdict import Measure, MeasureVerdict
from change_it.files.atomic import write_json
from change_it.files.records import BESIDE, IF_KNOWN, read_record, to_json
from change_it.judges.reliability import Verdict
from change_it.scoring.record import ScoresRecord

#: Name of the file of the record in the folder of a report.
SCORES = "scores.json"


@dataclass(frozen=True, kw_only=True)
class ReportRecord:
    """The content of `scores.json`.

    Attributes:
        verdicts: each measure to what it is worth on the corpus of the audit; empty without an audit.
        judges: a verdict on each judge.
        scores: the scores on items with an aligned headline; in the file its fields stand beside these.
        meaning: one or two sentences that say what the table comes to.
        grey: each system to the measures whose figures say nothing of it, and why.
        all_articles: the scores on all test articles, where every file has headlines of them.
        made: date, version, machine and libraries of the report.
    """

    verdicts: dict[Measure, MeasureVerdict]
    judges: tuple[Verdict, ...]
    scores: ScoresRecord = field(metadata=BESIDE)
    meaning: str
    grey: dict[str, dict[str, str]]
    all_articles: ScoresRecord | None = field(default=None, metadata=IF_KNOWN)
    made: dict[str, str] | None = field(default=None, metadata=IF_KNOWN)


def write_report_record(folder: Path, record: ReportRecord) -> None:
    """Write the record into the folder of a report."""
    write_json(folder / SCORES, to_json(record))


def read_report_record(folder: Path) -> ReportRecord | None:
    """Read the record in the folder of a report; None where there is none."""
    return read_record(folder / SCORES, ReportRecord, "score the systems again with change-it score")
