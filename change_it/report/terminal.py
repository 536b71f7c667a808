"""Print verdicts, scores, examples and limits on a terminal of 80 columns, results before examples."""

from collections.abc import Sequence
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

#: Columns of the terminal that the names of measures take.
_MEASURE_WIDTH = 17


def print_verdicts(summary: Summary, to: "Console") -> None:
    """Print whether each measure can rank systems here, in grey where not, and who learnt from few."""
    print_lines([QUESTION], to)
    for name, answer in verdict_answers(summary.verdicts):
        verdict = summary.verdicts.get(name)
        can_rank = verdict is not None and verdict.can_rank
        style = "" if can_rank else "dim"
        first = f"  {name}".ljust(_MEASURE_WIDTH)
        print_wrapped(answer, to, first=first, after=" " * _MEASURE_WIDTH, style=style)
    if summary.few_matches:
        print_wrapped(f"{summary.few_matches}.", to, first="! ", after="  ", style="bold")


def print_scores(scores: Scores, ranking: Ranking, to: "Console", *, by_direction: bool = False) -> None:
    """Print the verdicts on the measures, the table of systems, what it comes to, and examples."""
    print_verdicts(ranking.summary, to)
    print_lines([""], to)
    print_table(terminal_table(scores, ranking, by_direction=by_direction), to)
    sentences = meaning(scores, ranking)
    if sentences:
        print_wrapped(sentences, to, first="→ ", after="  ", style="bold")
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
    """Print two lines for each example: the new headline, then the original and why the new one is refused.

    Both are cut to the width of the terminal; the report has them whole.
    """
    width = min(80, to.width)
    for row in examples.rows:
        refused = _plain(row.values["refused_by"])
        if refused == "nothing":
            mark = "✓"
            reason = ""
        else:
            mark = "✗"
            reason = f" | {refused}"
        headline = _shortened(f"  {mark} {_plain(row.values['headline'])}", width)
        room = max(30, width - len(reason))
        original = _shortened(f"    was: {_plain(row.values['source'])}", room)
        print_lines([headline], to)
        to.print(original + reason, soft_wrap=True, markup=False, highlight=False, style="dim")


def _shortened(text: str, width: int) -> str:
    """Return a text cut to at most `width` characters; one that is cut ends in three dots.

    Examples:
        >>> _shortened("Crolla il ponte", 15), _shortened("Crolla il ponte", 10)
        ('Crolla il ponte', 'Crolla il…')
    """
    if len(text) <= width:
        return text
    return f"{text[: width - 1].rstrip()}…"


def print_signatures(tables: Sequence[Scores], to: "Console") -> None:
    """Print the signature of each table on a line of its own, which a terminal breaks and a file does not."""
    for scores in tables:
        line = f"Signature  {scores.signature}"
        to.print(line, soft_wrap=True, markup=False, highlight=False, style="dim")


def print_limits(scores: Scores, to: "Console") -> None:
    """Print what no measure checks, and whether the newspapers are invented."""
    sentence = NO_CHECK[:1].lower() + NO_CHECK[1:]
    print_wrapped(f"Read this first: {sentence}.", to, after="  ")
    if is_sample_corpus(scores.outlets):
        print_lines(["  These newspapers are invented: no figure says anything about a real one."], to)


def _plain(value: Value) -> str:
    """Return the text of a value without its underlines."""
    if isinstance(value, UnderlinedText):
        return value.text
    return str(value)
