"""The pages, each one HTML file: opens offline, follows light and dark, reads on a phone."""

import io
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from types import MappingProxyType

import matplotlib
from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from change_it import __version__
from change_it.audit.verdicts import NO_AUDIT, Summary
from change_it.corpus.sample import of_sample
from change_it.hevas.analysis import OVERALL, Analysis
from change_it.hevas.documents import Documents
from change_it.hevas.evaluation import Evaluation
from change_it.hevas.metrics import METRICS
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.published import CITATIONS
from change_it.results import score_tables as tables
from change_it.results.charts import INK, Drawing
from change_it.results.comparison import Tables, counts_table, matched
from change_it.results.context import CorpusInfo, Quality
from change_it.results.hevas_scores import HevasResult
from change_it.results.items import items_table
from change_it.scoring.scores import AVERAGE, Scores
from change_it.tables import Format, Marked, Value, figure, formatted, p_value
from change_it.templates import template_environment
from change_it.translation import load_texts, number, translate

_WORD = 9  # letters that are never broken
_NUMBER = r"\d+(?:[.,]\d+)*"
_FIGURE = re.compile(r"(?<!\w)\d*\.\d+")
#: Sections of the page of a scoring run; some may have nothing to show.
_SECTIONS = (
    *("written", "verdicts", "systems", "items", "measured", "charts", "judges", "corpus", "hevas", "tests"),
    "signature",
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
    apart = {name: rows for name, rows in tables.published_systems().items() if name not in scores.directions}
    written = tables.examples_table(scores)
    present = {
        "written": written,
        "verdicts": audit.verdicts,
        "judges": judges_info,
        "corpus": corpus_info,
        "hevas": hevas,
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
        average=tables.systems_table(scores, [AVERAGE]),
        by_direction=tables.systems_table(scores, directions),
        published=tables.published_table(apart) if apart else None,
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
        agreement=tables.agreement_table(hevas) if hevas else None,
        square=tables.correlations_table(hevas.judges) if hevas else None,
    )


def compare_page(systems: Tables, *, language: str) -> str:
    """The page of two systems side by side in `it` or `en`, without any reference to another file."""
    first, second = systems
    text = partial(translate, language)
    every = matched(systems, first, second, translate=text)
    return _render(
        "compare.html.jinja",
        [],
        language=language,
        first=first,
        second=second,
        count=len(every),
        counts=counts_table(every, first, second, text),
        items=items_table(systems, _items_texts(language), view="items", written=partial(_figure, language)),
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
        comparisons=[
            (tables.metric_heading(name), found, tables.summaries_table(found), tables.pairs_table(found))
            for name, found in analysis.comparisons.items()
        ],
        correlations=tables.correlations_table(analysis.correlations),
        lower=LOWER_IS_BETTER,
        **_of_evaluation(evaluation, language),
    )


def environment(language: str = "en") -> Environment:
    """The templates of the pages: values are escaped, unknown ones refused, texts and numbers as in `it` or `en`."""
    found = template_environment(PackageLoader("change_it.results"), autoescape=True)

    def text(key: str, **values: object) -> Markup:
        return Markup(load_texts(language)[key if "." in key else f"results.{key}"]).format(**values)

    found.filters |= {
        "figure": partial(_figure, language),
        "p_value": lambda value: number(language, p_value(value)),
        "formatted": partial(_lines, language),
        "breakable": breakable,
        "heat": heat,
        "word": partial(word, language),
        "number": partial(_count, language),
        "reasons": partial(reasons, language),
    }
    found.globals |= {"version": __version__, "language": language, "t": text}
    return found


def word(language: str, text: str) -> str:
    """Words of a table or chart in a language, or a number; they stay where `texts/words.toml` has no others.

    There `{}` stands for a number.
    """
    if re.fullmatch(rf"[-−]?(?:{_NUMBER}|\.\d+)", text):
        return number(language, text)
    numbers, key = re.findall(_NUMBER, text), re.sub(_NUMBER, "{}", text)
    words = _words().get(language, {})
    found = words.get(text) or words.get(key)
    return found.format(*(number(language, one) for one in numbers)) if found else text


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("change_it.results") / "texts/words.toml").read_text(encoding="utf-8"))


def reasons(language: str, text: str) -> Markup:
    """The text of a verdict of the audit in a language; what the audit calls its systems stays as it is.

    The audit's words are found again by the English texts `verdict`; others are left alone.
    """
    known = load_texts("en")

    def translated(part: str) -> Markup:
        for key in (key for key in known if key.startswith("verdict.")):
            pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(known[key]))
            if match := re.fullmatch(pattern, part):
                values = {
                    name: _FIGURE.sub(lambda found: number(language, found[0]), word(language, value))
                    for name, value in match.groupdict().items()
                }
                if "names" in values:
                    values["names"] = Markup('<i lang="en">{}</i>').format(values["names"])
                return Markup(load_texts(language)[key]).format(**values)
        return escape(part)

    found = Markup("; ").join(map(translated, text.split("; ")))
    return found[:1].upper() + found[1:]


def _figure(language: str, value: float | None) -> str:
    return number(language, figure(value))


def _count(language: str, value: int) -> str:
    """A count with its thousands separated."""
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
    charts = [
        (drawing, Markup(inline_svg(drawing.figure, drawing.description, language))) for drawing in drawings
    ]
    return environment(language).get_template(template).render(charts=charts, **values)


def _of_evaluation(evaluation: Evaluation, language: str) -> dict[str, object]:
    """The means of an evaluation, and what the metrics are."""
    shown = ["system", *([OVERALL] if evaluation.averaged else []), *evaluation.metrics]
    return {
        "means": tables.hevas_table(evaluation).only(shown),
        "explained": explained(evaluation.metrics, language),
    }


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
    drawing = re.sub(
        r">([^<>]+)</text>", lambda match: f">{word(language, match[1])}</text>", drawing
    ).replace(INK, "currentColor")
    prefix = re.sub(r"\W+", "-", description.lower())
    drawing = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", drawing)
    label = escape(word(language, description))
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
        "".join(re.sub(r"([+._-])", r"\1<wbr>", word) if len(word) > _WORD else word for word in words)
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
        return escape(word(language, value))
    return escape(number(language, formatted(value, format_).replace(" to ", f" {word(language, 'to')} ")))


def underlined(value: Marked) -> Markup:
    """A text, escaped, with its marked parts underlined."""
    parts, end = [], 0
    for start, stop in value.places:
        parts += [escape(value.text[end:start]), Markup("<u>{}</u>").format(value.text[start:stop])]
        end = stop
    return Markup("").join([*parts, escape(value.text[end:])])
