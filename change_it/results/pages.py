"""The pages, each one HTML file: opens offline, follows light and dark, reads on a phone."""

import io
import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from xml.sax.saxutils import escape as quoted
from xml.sax.saxutils import unescape

import matplotlib
from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape
from matplotlib.figure import Figure
from matplotlib.text import Text

from change_it import __version__
from change_it.audit.verdicts import NO_AUDIT, Summary
from change_it.corpus.sample import of_sample
from change_it.hevas.analysis import OVERALL, Analysis, Comparison
from change_it.hevas.documents import Documents
from change_it.hevas.evaluation import Evaluation
from change_it.hevas.metrics import METRICS
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.published_figures import CITATIONS
from change_it.results import score_tables as tables
from change_it.results.charts import INK, Drawing
from change_it.results.context import CorpusInfo, Quality
from change_it.results.hevas_scores import HevasResult
from change_it.results.items import items_table
from change_it.results.rank_correlations import rank_correlations
from change_it.scoring.scores import AVERAGE, Scores
from change_it.tables import Format, Marked, Table, Value, figure, formatted, p_value
from change_it.templates import template_environment
from change_it.translation import Message, load_texts, localized, number, shown_values, translate

_WORD = 9  # letters that are never broken
#: Sections of the page of a scoring run; some may have nothing to show.
_SECTIONS = (
    *("written", "verdicts", "systems", "items", "measured", "overlaps", "charts", "judges", "corpus"),
    *("hevas", "tests", "signature"),
)


def compliancy_page(
    scores: Scores,
    corpus_info: CorpusInfo | None,
    judges_info: Sequence[Quality],
    drawings: Sequence[Drawing],
    hevas: HevasResult | None = None,
    audit: Summary = NO_AUDIT,
    *,
    language: str = "en",
    made: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The page of a scoring run in `it` or `en`, without any reference to another file."""
    directions = [name for name in scores.directions if name != AVERAGE]
    rerankers: dict[str, list[str]] = {}
    for system, reranker in scores.rerankers.items():
        rerankers.setdefault(reranker.short, []).append(system)
    written = tables.examples_table(scores)
    overlaps = rank_correlations(scores)
    present = {
        "written": written,
        "verdicts": audit.verdicts,
        "judges": judges_info,
        "corpus": corpus_info,
        "hevas": hevas,
        "overlaps": overlaps,
    }
    return _render(
        "compliancy.html.jinja",
        drawings,
        language=language,
        sections=[name for name in _SECTIONS if present.get(name, True)],
        items=items_table(scores.items, _items_texts(language), written=partial(_figure, language)),
        outlets=f" {translate(language, 'results.and')} ".join(scores.outlets),
        invented=of_sample(scores.outlets),
        made=made,
        scores=scores,
        audit=audit,
        count=len(next(iter(scores.items.values()))),
        citation=CITATIONS["evalnlgeval2020"],
        written=written,
        meaning=tables.meaning(scores),
        average=tables.systems_table(scores, [AVERAGE]),
        by_direction=tables.systems_table(scores, directions),
        published=tables.published_systems(scores),
        published_judges=tables.published_judges(),
        rerankers=rerankers,
        failed=any(row.errors for row in scores.rows),
        judges=tables.judges_table(judges_info, partial(_figure, language)) if judges_info else None,
        corpus=corpus_info,
        rejected=tables.rejected_table(corpus_info.rejected) if corpus_info else None,
        tests=tables.tests_table(scores, scores.p_values),
        strict_tests=None
        if scores.strict_p_values is None
        else tables.tests_table(scores, scores.strict_p_values),
        hevas=hevas,
        **(_of_evaluation(hevas.evaluation, language) if hevas else {}),
        overlaps=tables.overlap_table(overlaps) if overlaps else None,
        agreement=tables.agreement_table(hevas) if hevas else None,
        square=tables.correlations_table(hevas.judges) if hevas else None,
    )


def hevas_page(
    documents: Documents,
    evaluation: Evaluation,
    analysis: Analysis,
    drawings: Sequence[Drawing],
    *,
    language: str = "en",
) -> str:
    """The page of an evaluation in `it` or `en`, without any reference to another file."""
    return _render(
        "hevas.html.jinja",
        drawings,
        language=language,
        documents=documents,
        evaluation=evaluation,
        analysis=analysis,
        comparisons=comparisons(analysis),
        correlations=tables.correlations_table(analysis.correlations),
        lower=LOWER_IS_BETTER,
        **_of_evaluation(evaluation, language),
    )


@cache
def environment(language: str = "en") -> Environment:
    """The templates of the pages: values are escaped, unknown ones refused, texts and numbers as in `it` or `en`."""
    templates = template_environment(PackageLoader("change_it.results"), autoescape=True)

    def text(key: str, **values: object) -> Markup:
        text = load_texts(language)[key if "." in key else f"results.{key}"]
        return Markup(text).format(**shown_values(language, values))

    templates.filters |= {
        "figure": partial(_figure, language),
        "p_value": lambda value: number(language, p_value(value)),
        "formatted": partial(_lines, language),
        "breakable": breakable,
        "heat": heat,
        "word": partial(localized, language),
        "number": partial(_count, language),
        "reasons": partial(reasons, language),
    }
    about = {
        key.removeprefix("about."): text
        for key, text in load_texts(language).items()
        if key.startswith("about.")
    }
    templates.globals |= {"version": __version__, "language": language, "t": text, "explained_columns": about}
    return templates


def reasons(language: str, messages: Sequence[Message]) -> Markup:
    """Why a judge has its verdict, in a language."""
    text = escape("; ".join(localized(language, message) for message in messages))
    return text[:1].upper() + text[1:]


def _figure(language: str, value: float | None) -> str:
    return number(language, figure(value))


def _count(language: str, value: int) -> str:
    return number(language, f"{value:,}")


def _items_texts(language: str) -> dict[str, str]:
    prefix = "results.items_"
    return {
        key.removeprefix(prefix): text.format()
        for key, text in load_texts(language).items()
        if key.startswith(prefix)
    }


def _render(template: str, drawings: Sequence[Drawing], **values: object) -> str:
    language = str(values.pop("language", "en"))
    return environment(language).get_template(template).render(charts=inline(drawings, language), **values)


def inline(drawings: Sequence[Drawing], language: str) -> list[tuple[Drawing, Markup]]:
    """Charts as parts of a page in a language."""
    return [
        (drawing, Markup(inline_svg(drawing.figure, drawing.description, language))) for drawing in drawings
    ]


def means_table(evaluation: Evaluation) -> Table:
    """The means of an evaluation, without what is the same for all systems."""
    shown = ["system", *([OVERALL] if evaluation.averaged else []), *evaluation.metrics]
    return tables.hevas_table(evaluation).only(shown)


def comparisons(analysis: Analysis) -> list[tuple[str, Comparison, Table, Table]]:
    """The tests of each metric: its heading, the comparison, the table of systems and that of pairs."""
    return [
        (tables.metric_heading(name), each, tables.summaries_table(each), tables.pairs_table(each))
        for name, each in analysis.comparisons.items()
    ]


def _of_evaluation(evaluation: Evaluation, language: str) -> dict[str, object]:
    """The means of an evaluation, and what the metrics are."""
    return {"means": means_table(evaluation), "explained": explained(evaluation.metrics, language)}


def explained(metrics: Sequence[str], language: str = "en") -> dict[str, str]:
    """Metrics of one family to what they measure."""
    families: dict[str, list[str]] = {}
    for name in metrics:
        families.setdefault(METRICS[name].family, []).append(name)
    return {", ".join(names): translate(language, f"hevas.{family}") for family, names in families.items()}


def inline_svg(figure: Figure, description: str, language: str = "en") -> str:
    """A figure as one `<svg>` element with ids of its own, whose ink is the text colour of the page, its words in a language."""
    stream = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "change_it"}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    drawing = stream.getvalue()
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(r'<metadata>.*?</metadata>| id="image[^"]*"', "", drawing, flags=re.DOTALL)
    texts = [each.get_text() for each in figure.findobj(Text)]
    messages: dict[str, str] = {text: text for text in texts if isinstance(text, Message)}

    def translated(match: re.Match[str]) -> str:
        text = unescape(match[1])
        return f">{quoted(localized(language, messages.get(text, text)))}</text>"

    drawing = re.sub(r">([^<>]+)</text>", translated, drawing).replace(INK, "currentColor")
    prefix = re.sub(r"\W+", "-", description.lower())
    drawing = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", drawing)
    label = escape(localized(language, description))
    return drawing.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


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
        "".join(re.sub(r"([+._-])(?=\w)", r"\1<wbr>", word) if len(word) > _WORD else word for word in words)
    )


def _lines(language: str, value: Value, format_: Format) -> Markup:
    """A value of a table, its lines one below the other, what is marked underlined."""
    if isinstance(value, Marked):
        return underlined(value)
    if format_ == "mark" and value is not None:
        return Markup('<span class="{}">{}</span>').format(
            "yes" if value else "no", formatted(value, format_)
        )
    if format_ == "text":
        return Markup("<br>").join(formatted(value, format_).split("\n"))
    if isinstance(value, str):
        return escape(localized(language, value))
    return escape(
        number(language, formatted(value, format_).replace(" to ", f" {localized(language, 'to')} "))
    )


def underlined(value: Marked) -> Markup:
    """A text, escaped, with its marked parts underlined."""
    parts, end = [], 0
    for start, stop in value.places:
        parts += [escape(value.text[end:start]), Markup("<u>{}</u>").format(value.text[start:stop])]
        end = stop
    return Markup("").join([*parts, escape(value.text[end:])])
