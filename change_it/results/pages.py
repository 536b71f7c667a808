"""The pages, each one HTML file: opens offline, follows light and dark, reads on a phone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader

from change_it import __version__
from change_it.audit.verdicts import NO_AUDIT, Summary
from change_it.corpus.sample import is_sample_corpus
from change_it.hevas.analysis import OVERALL, Analysis
from change_it.hevas.documents import Documents
from change_it.hevas.evaluation import Evaluation
from change_it.hevas.metrics import METRICS
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.judges.judge_options import within_event_table
from change_it.results import score_tables as tables
from change_it.results.charts import Drawing
from change_it.results.items_table import items_table
from change_it.scoring.scores import AVERAGE, Scores
from change_it.tables import Table, figure, formatted, p_value
from change_it.templates import template_environment

#: What the metrics of each family of HEvAS measure.
FAMILIES = {
    "ROUGE": "share of a reference headline's words (R-1), word pairs (R-2), words and pairs at any gap (R-SU), the same with near pairs counting more (R-WSU, may exceed 1)",
    "LSI": "cosine in a latent semantic space of the documents, with the document (LSA-C) and the reference (LSA-S)",
    "LDA": "cosine of topic vectors, with the document (TM-C) and the reference (TM-S)",
    "embeddings": "cosine of mean word vectors, with the document (WE-C) and the reference (WE-S)",
    "divergence": "likeness of word distributions, one less the Jensen-Shannon divergence (JS-C, JS-S); KL-C and KL-S are the published averaged Kullback-Leibler divergence, 0 for identical and also for disjoint texts; JS is ours: shown, never averaged or ranked",
    "tags": "shares of proper nouns (PNR), common nouns (NR) and pronouns (PR) among a headline's words",
    "length": "Gunning's fog index in the paper's form (Fog) and mean word length (AWL)",
}


def compliancy_page(
    scores: Scores,
    metrics: Mapping[str, Mapping[str, Any]],
    drawings: Sequence[Drawing],
    audit: Summary = NO_AUDIT,
    *,
    made: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The page of a scoring run, without any reference to another file, as `write_report`."""
    directions = [name for name in scores.directions if name != AVERAGE]
    rerankers: dict[str, list[str]] = {}
    for system, reranker in scores.rerankers.items():
        rerankers.setdefault(reranker.short, []).append(system)
    written = tables.examples_table(scores)
    optional = {
        "written": written,
        "verdicts": audit.verdicts,
        "judges": metrics,
        "tests": scores.systems[1:],
    }
    return _render(
        "compliancy.html.jinja",
        drawings,
        absent=[section for section, found in optional.items() if not found],
        items=items_table(scores.items),
        outlets=" and ".join(scores.outlets),
        invented=is_sample_corpus(scores.outlets),
        made=made,
        scores=scores,
        audit=audit,
        count=len(next(iter(scores.items.values()))),
        written=written,
        meaning=tables.meaning(scores),
        choices=tables.choices_table(scores) if scores.choices else None,
        average=tables.systems_table(scores, [AVERAGE]),
        by_direction=tables.systems_table(scores, directions),
        rerankers=rerankers,
        failed=any(row.errors for row in scores.rows),
        judges=tables.judges_table(metrics) if metrics else None,
        within_event=within_event_table(metrics.get("main", {})),
        tests=tables.tests_table(scores, scores.p_values),
        strict_tests=None
        if scores.strict_p_values is None
        else tables.tests_table(scores, scores.strict_p_values),
    )


def hevas_page(
    documents: Documents,
    evaluation: Evaluation,
    analysis: Analysis,
    drawings: Sequence[Drawing],
) -> str:
    """The page of an evaluation, without any reference to another file."""
    return _render(
        "hevas.html.jinja",
        drawings,
        documents=documents,
        evaluation=evaluation,
        analysis=analysis,
        comparisons=[
            (tables.metric_heading(name), each, tables.summaries_table(each), tables.pairs_table(each))
            for name, each in analysis.comparisons.items()
        ],
        correlations=tables.correlations_table(analysis.correlations),
        lower=LOWER_IS_BETTER,
        means=means_table(evaluation),
        explained=explained(evaluation.metrics),
    )


@cache
def environment() -> Environment:
    """The templates of the pages: values are escaped, unknown ones refused."""
    templates = template_environment(PackageLoader("change_it.results"), autoescape=True)
    templates.filters |= {
        "figure": figure,
        "p_value": p_value,
        "formatted": formatted,
        "number": "{:,}".format,
    }
    templates.globals["version"] = __version__
    return templates


def _render(template: str, drawings: Sequence[Drawing], **values: object) -> str:
    return environment().get_template(template).render(charts=drawings, **values)


def means_table(evaluation: Evaluation) -> Table:
    """The means of an evaluation, without what is the same for all systems."""
    table = tables.hevas_table(evaluation)
    shown = {"system", *([OVERALL] if evaluation.averaged else []), *evaluation.metrics}
    return replace(table, columns=[column for column in table.columns if column.name in shown])


def explained(metrics: Sequence[str]) -> dict[str, str]:
    """Metrics of one family to what they measure."""
    families: dict[str, list[str]] = {}
    for name in metrics:
        families.setdefault(METRICS[name].family, []).append(name)
    return {", ".join(names): FAMILIES[family] for family, names in families.items()}
