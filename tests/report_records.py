"""Records of reports that nobody has scored."""

from change_it.report.record import ReportRecord
from change_it.scoring.record import ScoresRecord, SystemScores


def a_row(values, intervals, signature, n=20):
    """Return the scores of a system of which nothing else is known."""
    return SystemScores(
        values=values,
        chosen=False,
        candidates=None,
        n=n,
        events=n,
        runs=1,
        references=n,
        errors=0,
        intervals=intervals,
        signature=signature,
    )


def a_report(outlets, systems, corpus=""):
    """Return the record of a report of these systems, by judges of which nothing is known."""
    scores = ScoresRecord(
        corpus=corpus,
        outlets=outlets,
        signature="compliancy|judges:abc",
        systems=systems,
        rerankers={},
        style=None,
        style_fault="",
        floor=[],
        accepted={},
        p_values={},
    )
    return ReportRecord(verdicts={}, judges=(), scores=scores, meaning="", grey={})
