"""The report of an evaluation as one HTML file: opens offline, follows light and dark, reads on a phone."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import matplotlib
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from change_it import __version__
from change_it.hevas import charts
from change_it.hevas.analysis import OVERALL, Analysis
from change_it.hevas.documents import Documents
from change_it.hevas.evaluation import Evaluation
from change_it.hevas.families import METRICS
from change_it.hevas.options import Chart
from change_it.hevas.readability import LOWER_IS_BETTER

#: Names of the drawings.
DRAWINGS: tuple[str, ...] = get_args(Chart)

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


@dataclass(frozen=True)
class Drawing:
    """A chart of the report.

    Attributes:
        name: of its files, without ending.
        title: above it.
        description: for readers who do not see it.
        figure: the drawing.
    """

    name: str
    title: str
    description: str
    figure: Figure


def draw(evaluation: Evaluation, analysis: Analysis, names: Sequence[str] = DRAWINGS) -> list[Drawing]:
    """The charts of an evaluation.

    Args:
        evaluation: the values.
        analysis: the statistics.
        names: of `DRAWINGS`.

    Returns:
        One for each name, in the order of `DRAWINGS`; no scatter of a single metric.
    """
    scores = {name: evaluation.scores(name) for name in evaluation.metrics}
    spread = {OVERALL: evaluation.overall_items, **scores} if evaluation.averaged else scores
    compared = {name: analysis.comparisons[name] for name in spread}
    drawings = []
    for name in (name for name in DRAWINGS if name in names):
        if name == "bar":
            title, told = "Means", "Mean of each metric, one bar a system"
            figure = charts.bar_chart(compared, intervals=False, lower_is_better=LOWER_IS_BETTER)
        elif name == "interval":
            title, told = "Means with intervals", "Mean of each metric with its interval, one bar a system"
            figure = charts.bar_chart(compared, lower_is_better=LOWER_IS_BETTER)
        elif name == "box":
            title, told = "Spread over the documents", "Quartiles of each metric, one box a system"
            figure = charts.box_chart(spread, evaluation.systems, lower_is_better=LOWER_IS_BETTER)
        elif len(scores) > 1:
            title, told = "Metrics against each other", "Scatter and correlation of every two metrics"
            figure = charts.correlation_chart(scores, analysis.correlations)
        else:
            continue
        drawings.append(Drawing(name, title, told, figure))
    return drawings


def render(
    documents: Documents, evaluation: Evaluation, analysis: Analysis, drawings: Sequence[Drawing]
) -> str:
    """The page.

    Args:
        documents: what was measured against.
        evaluation: the values.
        analysis: the statistics.
        drawings: the charts to embed.

    Returns:
        HTML without any reference to another file.
    """
    return (
        environment()
        .get_template("report.html.jinja")
        .render(
            documents=documents,
            evaluation=evaluation,
            analysis=analysis,
            explained=explained(evaluation.metrics),
            drawings=[
                (drawing, Markup(inline_svg(drawing.figure, drawing.description))) for drawing in drawings
            ],
        )
    )


def environment(package: str = "change_it.hevas") -> Environment:
    """The templates of a package, and what all pages of ours share.

    Args:
        package: has a folder `templates`. Its templates may include `page.css` and import `tables.html.jinja` of HEvAS.

    Returns:
        Escapes values, refuses unknown ones; with the filters `figure`, `p_value`, `breakable` and `heat`, and the
        values `lower` (metrics of which less is better) and `version`.
    """
    found = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("change_it.hevas")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"figure": figure, "p_value": p_value, "breakable": breakable, "heat": heat}
    found.globals |= {"lower": LOWER_IS_BETTER, "version": __version__}
    return found


def explained(metrics: Sequence[str]) -> dict[str, str]:
    """What metrics measure.

    Args:
        metrics: names in the order of `METRICS`.

    Returns:
        Names of a family's metrics to the words of `EXPLAINED`.

    Example:
        >>> explained(["Fog", "AWL"])
        {'Fog, AWL': "Gunning's fog index in the paper's form (Fog) and mean word length (AWL)"}
    """
    families: dict[str, list[str]] = {}
    for name in metrics:
        families.setdefault(METRICS[name].family, []).append(name)
    return {", ".join(names): EXPLAINED[family] for family, names in families.items()}


def inline_svg(figure: Figure, description: str) -> str:
    """A figure of `charts` as one `<svg>` element whose ink is the text colour of the page.

    Args:
        figure: the drawing.
        description: what it shows, for readers who do not see it.

    Returns:
        The element; its ids are its own.
    """
    stream = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "change_it"}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    drawing = stream.getvalue()
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(r'<metadata>.*?</metadata>| id="image[^"]*"', "", drawing, flags=re.DOTALL)
    drawing = drawing.replace(charts.INK, "currentColor")
    prefix = re.sub(r"\W+", "-", description.lower())
    drawing = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", drawing)
    return drawing.replace("<svg ", f'<svg role="img" aria-label="{escape(description)}" ', 1)


def figure(value: float | None) -> str:
    """Three digits as the paper prints them; a dash for None.

    Args:
        value: a mean, a difference or a correlation.

    Example:
        >>> figure(0.7431), figure(-0.05), figure(4.2), figure(None)
        ('.743', '-.050', '4.200', '–')
    """
    if value is None:
        return "–"
    text = f"{round(value, 3) + 0.0:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 0.9995 else text


def p_value(value: float) -> str:
    """A p-value to three digits.

    Args:
        value: in 0-1.

    Example:
        >>> p_value(0.0312), p_value(1e-9)
        ('.031', '< .001')
    """
    return "< .001" if value < 0.001 else figure(value)


def heat(value: float | None) -> Markup:
    """The ground of a cell with a correlation: blue where it is positive, orange where it is negative, pale enough to read on.

    Args:
        value: in -1 to 1; None leaves the ground as it is.

    Returns:
        A `style` attribute with a space before it, or nothing.

    Example:
        >>> heat(-0.5), heat(None)
        (Markup(' style="background: rgb(213 94 0 / 28%)"'), Markup(''))
    """
    if value is None:
        return Markup("")
    colour = "0 114 178" if value > 0 else "213 94 0"
    return Markup(f' style="background: rgb({colour} / {55 * abs(value):.0f}%)"')


def breakable(name: str) -> Markup:
    """A system's name, escaped, that may go on in a new line after a mark.

    Args:
        name: of the system.

    Example:
        >>> breakable("extract+rerank")
        Markup('extract+<wbr>rerank')
    """
    return Markup(re.sub(r"([+._-])", r"\1<wbr>", str(escape(name))))
