"""What a terminal shows of verdicts, headlines and limits: 80 columns, results before examples, limits after them."""

from typing import TYPE_CHECKING

from change_it.audit.record import Summary
from change_it.corpus.reading.sample import is_sample_corpus
from change_it.render.tables import Table, UnderlinedText, Value, print_lines, print_table, print_wrapped
from change_it.report.ranking import QUESTION, Ranking, own_systems, still_needed, verdict_answers
from change_it.report.score_tables import examples_table, meaning, remarks, terminal_table
from change_it.scoring.aspects import NO_CHECK
from change_it.scoring.scores import Scores

if TYPE_CHECKING:
    from rich.console import Console

#: Columns that the names of measures take.
_MEASURE_WIDTH = 17


def print_verdicts(summary: Summary, to: "Console") -> None:
    """Print whether each measure can rank systems here; what cannot is grey."""
    print_lines([QUESTION], to)
    verdicts = {str(measure): verdict for measure, verdict in summary.verdicts.items()}
    for name, answer in verdict_answers(summary.verdicts):
        verdict = verdicts.get(name)
        style = "" if verdict and verdict.can_rank else "dim"
        first = f"  {name}".ljust(_MEASURE_WIDTH)
        print_wrapped(answer, to, first=first, after=" " * _MEASURE_WIDTH, style=style)


def print_scores(scores: Scores, ranking: Ranking, to: "Console", *, by_direction: bool = False) -> None:
    """Print verdicts, the table of systems and what it comes to, then examples."""
    print_verdicts(ranking.summary, to)
    print_lines([""], to)
    print_table(terminal_table(scores, ranking, by_direction=by_direction), to)
    come_to = meaning(scores, ranking)
    if come_to:
        print_wrapped(come_to, to, first="→ ", after="  ", style="bold")
    needed = still_needed(ranking)
    if needed:
        print_wrapped(needed, to, first="  ", after="  ")
    own = own_systems(scores)
    for system, reason in ranking.unwritten.items():
        if system in own:
            print_wrapped(f"{system}: {reason}", to, first="  ", after="    ", style="dim")
    for remark in remarks(scores):
        print_wrapped(remark, to, first="  ", after="    ", style="dim")
    examples = examples_table(scores)
    if examples:
        print_lines(["", examples.title], to)
        print_examples(examples, to)


def print_examples(examples: Table, to: "Console") -> None:
    """Print each headline in a line, and the original and why it is refused in another; the report has them whole."""
    width = min(80, to.width)
    for row in examples.rows:
        refused = _plain(row.values["refused_by"])
        passes = refused == "nothing"
        reason = "" if passes else f" | {refused}"
        headline = f"  {'✓' if passes else '✗'} {_plain(row.values['headline'])}"
        original = _shortened(f"    was: {_plain(row.values['source'])}", max(30, width - len(reason)))
        print_lines([_shortened(headline, width)], to)
        to.print(original + reason, soft_wrap=True, markup=False, highlight=False, style="dim")


def _shortened(text: str, width: int) -> str:
    """Return a text of at most so many characters; what is cut ends in three dots.

    Examples:
        >>> _shortened("Crolla il ponte", 15), _shortened("Crolla il ponte", 10)
        ('Crolla il ponte', 'Crolla il…')
    """
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def print_limits(scores: Scores, to: "Console") -> None:
    """Print what nobody may overlook."""
    limit = f"{NO_CHECK[:1].upper()}{NO_CHECK[1:]}."
    print_wrapped(f"Read this first: {limit[:1].lower()}{limit[1:]}", to, after="  ")
    if is_sample_corpus(scores.outlets):
        print_lines(["  These newspapers are invented: no figure says anything about a real one."], to)


def _plain(value: Value) -> str:
    """Return a text without its underlines."""
    return value.text if isinstance(value, UnderlinedText) else str(value)
