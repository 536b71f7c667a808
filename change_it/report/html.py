"""The pages, each one HTML file: opens offline, follows light and dark, reads on a phone."""

import io
import re
from collections.abc import Sequence

import matplotlib
from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from change_it import __version__
from change_it.audit.verdicts import NO_AUDIT, Summary
from change_it.hevas.analysis import OVERALL, Analysis
from change_it.hevas.documents import Documents
from change_it.hevas.evaluation import Evaluation
from change_it.hevas.metrics import METRICS
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.papers import evalnlgeval2020
from change_it.report import tables
from change_it.report.charts import INK, Drawing
from change_it.report.context import CorpusInfo, Quality
from change_it.report.hevas import HevasResult
from change_it.scoring.compliancy import NO_FLUENCY
from change_it.scoring.score import AVERAGE, Scores
from change_it.tables import Format, Marked, Value, figure, formatted, p_value
from change_it.templates import template_environment

_WORD = 9  # letters that are never broken

#: What the families of metrics measure, in the order of `METRICS`; -C and -S stand for both metrics.
EXPLAINED = {
    "ROUGE": "share of a reference headline's words (R-1), word pairs (R-2), words and pairs at any gap (R-SU), the same with near "
    "pairs counting more (R-WSU, may exceed 1)",
    "LSI": "cosine in a latent semantic space of the documents, with the document (LSA-C) and the reference (LSA-S)",
    "LDA": "cosine of topic vectors, with the document (TM-C) and the reference (TM-S)",
    "embeddings": "cosine of mean word vectors, with the document (WE-C) and the reference (WE-S)",
    "divergence": "likeness of word distributions, one less the Jensen-Shannon divergence (JS-C, JS-S); KL-C and KL-S are the published averaged "
    "Kullback-Leibler divergence, 0 for identical and for disjoint texts: shown, never averaged or ranked",
    "tags": "shares of proper nouns (PNR), common nouns (NR) and pronouns (PR) among a headline's words",
    "length": "Gunning's fog index in the paper's form (Fog) and mean word length (AWL)",
}


#: Words for the marks of an example: measure to (yes, no).
_MARKS = {
    "hh": ("same story as the original headline", "not the story of the original headline"),
    "ah": ("fits the article", "does not fit the article"),
    "main": ("style reversed", "style not reversed"),
    "fluency": ("a newspaper would print it", "no newspaper would print it"),
    "facts": ("numbers and names supported", "numbers or names without support"),
}
#: Outcomes worth an example; a judge that is not there has nothing against a headline.
_KINDS: tuple[dict[str, bool], ...] = (
    {"compliant": True, "fluency": True, "facts": True},
    {"compliant": True, "fluency": False},
    {"compliant": True, "facts": False},
    {"hh": True, "ah": True, "main": False},
    {"hh": False, "ah": True, "main": True},
    {"hh": True, "ah": False, "main": True},
    {"hh": False, "ah": False, "main": True},
)


def compliancy_page(
    scores: Scores,
    corpus_info: CorpusInfo | None,
    judges_info: Sequence[Quality],
    drawings: Sequence[Drawing],
    hevas: HevasResult | None = None,
    audit: Summary = NO_AUDIT,
) -> str:
    """The page of a scoring run, without any reference to another file."""
    directions = [name for name in scores.directions if name != AVERAGE]
    rerankers: dict[str, list[str]] = {}
    for system, reranker in scores.rerankers.items():
        rerankers.setdefault(reranker.short, []).append(system)
    apart = {name: rows for name, rows in tables.published_systems().items() if name not in scores.directions}
    return _render(
        "compliancy.html.jinja",
        drawings,
        scores=scores,
        audit=audit,
        items=len(next(iter(scores.items.values()))),
        citation=evalnlgeval2020.CITATION,
        written=tables.examples_table(scores),
        average=tables.systems_table(scores, [AVERAGE]),
        by_direction=tables.systems_table(scores, directions),
        published=tables.published_table(apart) if apart else None,
        rerankers=rerankers,
        failed=any(row.errors for row in scores.rows),
        judges=tables.judges_table(judges_info) if judges_info else None,
        corpus=corpus_info,
        rejected=tables.rejected_table(corpus_info.rejected) if corpus_info else None,
        examples={system: _examples(scores, system) for system in scores.systems},
        tests=tables.tests_table(scores, scores.p_values),
        strict_tests=None
        if scores.strict_p_values is None
        else tables.tests_table(scores, scores.strict_p_values),
        no_fluency=NO_FLUENCY,
        hevas=hevas,
        **(_of_evaluation(hevas.evaluation) if hevas else {}),
        agreement=tables.agreement_table(hevas) if hevas else None,
        square=tables.correlations_table(hevas.judges) if hevas else None,
    )


def hevas_page(
    documents: Documents, evaluation: Evaluation, analysis: Analysis, drawings: Sequence[Drawing]
) -> str:
    """The page of an evaluation, without any reference to another file."""
    return _render(
        "hevas.html.jinja",
        drawings,
        documents=documents,
        evaluation=evaluation,
        analysis=analysis,
        comparisons=[
            (tables.metric_heading(name), found, tables.summaries_table(found), tables.pairs_table(found))
            for name, found in analysis.comparisons.items()
        ],
        correlations=tables.correlations_table(analysis.correlations),
        lower=LOWER_IS_BETTER,
        **_of_evaluation(evaluation),
    )


def environment() -> Environment:
    """The templates of the pages: values are escaped, unknown ones refused."""
    found = template_environment(PackageLoader("change_it.report"), autoescape=True)
    found.filters |= {
        "figure": figure,
        "p_value": p_value,
        "formatted": _lines,
        "breakable": breakable,
        "heat": heat,
    }
    found.globals |= {"version": __version__}
    return found


def _render(template: str, drawings: Sequence[Drawing], **values: object) -> str:
    charts = [(drawing, Markup(inline_svg(drawing.figure, drawing.description))) for drawing in drawings]
    return environment().get_template(template).render(charts=charts, **values)


def _of_evaluation(evaluation: Evaluation) -> dict[str, object]:
    """The means of an evaluation, and what the metrics are."""
    shown = ["system", *([OVERALL] if evaluation.averaged else []), *evaluation.metrics]
    return {
        "means": tables.hevas_table(evaluation).only(shown),
        "explained": explained(evaluation.metrics),
    }


def explained(metrics: Sequence[str]) -> dict[str, str]:
    """Names of each family's metrics to the words of `EXPLAINED`."""
    families: dict[str, list[str]] = {}
    for name in metrics:
        families.setdefault(METRICS[name].family, []).append(name)
    return {", ".join(names): EXPLAINED[family] for family, names in families.items()}


def inline_svg(figure: Figure, description: str) -> str:
    """A figure as one `<svg>` element with ids of its own, whose ink is the text colour of the page."""
    stream = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "change_it"}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    drawing = stream.getvalue()
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(r'<metadata>.*?</metadata>| id="image[^"]*"', "", drawing, flags=re.DOTALL)
    drawing = drawing.replace(INK, "currentColor")
    prefix = re.sub(r"\W+", "-", description.lower())
    drawing = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", drawing)
    return drawing.replace("<svg ", f'<svg role="img" aria-label="{escape(description)}" ', 1)


def heat(value: object) -> Markup:
    """The background of a correlation: blue if positive, orange if negative, pale enough to read on."""
    if not isinstance(value, float):
        return Markup("")
    colour = "0 114 178" if value > 0 else "213 94 0"
    return Markup(f' style="background: rgb({colour} / {55 * abs(value):.0f}%)"')


def breakable(name: str) -> Markup:
    """A name, escaped, whose long words may go on in a new line after a mark."""
    words = re.split(r"( +)", str(escape(name)))
    return Markup(
        "".join(re.sub(r"([+._-])", r"\1<wbr>", word) if len(word) > _WORD else word for word in words)
    )


def _lines(value: Value, format_: Format) -> Markup:
    """A value of a table, its lines one below the other, what is marked underlined."""
    if isinstance(value, Marked):
        return underlined(value)
    if format_ == "mark" and value is not None:
        return Markup('<span class="{}">{}</span>').format(
            "yes" if value else "no", formatted(value, format_)
        )
    return Markup("<br>").join(formatted(value, format_).split("\n"))


def _examples(scores: Scores, system: str) -> list[dict[str, object]]:
    """For each kind of outcome that occurs the first headline, of each direction in turn."""
    found: list[dict[str, object]] = []
    directions = [name for name in scores.directions if name != AVERAGE]
    rows = scores.items[system].to_dicts()
    for number, kind in enumerate(_KINDS):
        fitting = [
            row for row in rows if all((row[name] is not False) == wanted for name, wanted in kind.items())
        ]
        preferred = directions[number % len(directions)]
        best = next(
            (row for row in fitting if row["direction"] == preferred), fitting[0] if fitting else None
        )
        if best:
            marks = [
                (best[name], words[0] if best[name] else words[1])
                for name, words in _MARKS.items()
                if best[name] is not None
            ]
            found.append({**best, "headline": underlined(tables.marked(best)), "marks": marks})
    return found


def underlined(value: Marked) -> Markup:
    """A text, escaped, with its marked parts underlined."""
    parts, end = [], 0
    for start, stop in value.places:
        parts += [escape(value.text[end:start]), Markup("<u>{}</u>").format(value.text[start:stop])]
        end = stop
    return Markup("").join([*parts, escape(value.text[end:])])
