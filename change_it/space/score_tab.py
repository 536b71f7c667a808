"""The Score tab: a CSV of new headlines in, the table of systems, charts and files out; and the endpoint `/score`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

import gradio as gr
import polars as pl

from change_it.corpus.article import KNOWN_LABELS
from change_it.errors import InputError
from change_it.io import Record, write_json, write_table
from change_it.results.charts import Drawing, compliancy_drawings
from change_it.results.report_files import without_formulas
from change_it.scoring.compliancy import Reversal
from change_it.scoring.item import Item, TestSet
from change_it.scoring.scores import AVERAGE, SORTED_BY, Scores, score
from change_it.scoring.signature import Reranker, parse_reranker
from change_it.scoring.systems import System, lead
from change_it.space.fragments import CHARTS_LOCK, chart_figures, grid, notes, notice
from change_it.space.limits import LIMITS, friendly
from change_it.space.models import Models
from change_it.space.transfer_tab import examples
from change_it.space.translation import Texts
from change_it.space.uploads import (
    TABLES_QUEUE,
    downloads,
    listed,
    read_upload,
    refuse_lines,
    uploaded,
    write_charts,
)
from change_it.tables import Column, Row, Table
from change_it.translation import Translate, translate

#: What an uploaded table must have.
COLUMNS = ("id", "headline", "article", "label", "prediction")
#: What it may have: several systems; the target outlet's headline about the same event; the judges that chose.
OPTIONAL = ("system", "gold", "reranker")
_LEAD = 9  # words of the example's second system

#: Called with the judge that is asked and the share of all questions that are answered, 0-1.
Progress = Callable[[str, float], object]


def build(texts: Texts, models: Models | None) -> gr.State:
    """The tab's components and events, inside its `gr.Tab`; without models the tab says that it needs judges.

    Returns:
        What was scored, for the Compare tab; None until then.
    """
    state = gr.State(None, time_to_live=3600)
    if models is None:
        texts.add(gr.Markdown(), value="score.no_models")
        return state
    texts.add(gr.Markdown(), value="score.intro")
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=300):
            file = texts.add(gr.File(height=150, elem_id="score-file"), label="score.file")
        with gr.Column(scale=5, min_width=300):
            reversal = texts.add(
                gr.Radio(list(get_args(Reversal)), value="relative", elem_id="score-reversal"),
                label="score.reversal",
                choices={name: f"score.{name}" for name in get_args(Reversal)},
            )
            with gr.Row():
                button = texts.add(gr.Button(variant="primary", elem_id="score"), value="score.button")
                example = texts.add(gr.Button(elem_id="score-example"), value="score.example")
    with texts.add(gr.Accordion(open=False), label="score.format_title"):
        texts.add(gr.Markdown(), value=partial(_format, models))
    status = gr.HTML(elem_id="score-status", padding=False)
    with gr.Column(visible=False) as results:
        table = texts.add(
            gr.Dataframe(interactive=False, max_height=900, elem_id="score-table"), label="score.table"
        )
        tests = texts.add(gr.Dataframe(interactive=False, elem_id="score-tests"), label="score.tests")
        charts = gr.HTML(padding=False)
        files = texts.add(
            gr.File(file_count="multiple", interactive=False, elem_id="score-files"), label="score.files"
        )

    @friendly
    def on_score(
        file: Any,
        reversal: str,
        language: str,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
    ) -> list[Any]:
        in_language = partial(translate, language)

        def show_progress(judge: str, share: float) -> None:
            done = share == 1
            text = in_language("score.statistics") if done else in_language("score.asking", judge=judge)
            progress(0.9 * share, desc=text)

        progress(0, desc=in_language("score.reading"))
        try:
            scores = score_upload(models, file, reversal, in_language, show_progress)
        except InputError as error:
            return [None, notice(str(error)), gr.update(visible=False), *[None] * 4]
        with CHARTS_LOCK:
            drawings = compliancy_drawings(scores)
            paths = downloads(lambda folder: write_results(folder, scores, drawings))
            return [scores, *shown(scores, language, drawings), paths]

    def on_language(scores: Scores | None, language: str) -> list[Any]:
        if scores is None:
            return [gr.skip()] * 5
        with CHARTS_LOCK:
            return shown(scores, language, compliancy_drawings(scores))

    def shown(scores: Scores, language: str, drawings: Sequence[Drawing]) -> list[Any]:
        in_language = partial(translate, language)
        figures = chart_figures(drawings, language, lambda name: in_language(f"score.chart_{name}"))
        tested = grid(tests_table(scores, in_language), language)
        return [
            notes(remarks(scores, in_language), scores.signature),
            gr.update(visible=True),
            grid(systems_table(scores, in_language), language),
            gr.update(value=tested, visible=bool(tested["data"])),
            figures,
        ]

    running: dict[str, Any] = {
        "inputs": [file, reversal, texts.language],
        "outputs": [state, status, results, table, tests, charts, files],
        "api_visibility": "private",
        **TABLES_QUEUE,
    }
    quiet: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    button.click(on_score, trigger_mode="once", **running)
    example.click(lambda: _example(models), outputs=file, **quiet).then(on_score, **running)
    texts.language.change(
        on_language,
        [state, texts.language],
        [status, results, table, tests, charts],
        show_progress="hidden",
        api_visibility="private",
    )
    _endpoint(texts.opening, models)
    return state


def score_upload(
    models: Models, file: Any, reversal: str, translate: Translate, progress: Progress | bool = False
) -> Scores:
    """Read and score what was uploaded, without the measures that need `gold` where the file has none.

    A system that the same judges have chosen is scored too, and its signature says so.
    """
    paths = uploaded(file)
    if not paths:
        raise InputError(translate("score.no_file"))
    if reversal not in get_args(Reversal):
        raise InputError(translate("score.unknown_reversal", known=", ".join(get_args(Reversal))))
    test, systems = read_predictions(paths[0], models.outlets, translate=translate)
    scores = score(
        test,
        models.judges,
        systems,
        reversal=cast(Reversal, reversal),
        language=models.language,
        allow_same_judges=True,
        progress=progress,
    )
    if test.items[0].reference:
        return scores
    return replace(scores, items={name: items.drop("gold", "rougeL") for name, items in scores.items.items()})


def read_predictions(
    path: Path, outlets: tuple[str, str], *, translate: Translate
) -> tuple[TestSet, tuple[System, ...]]:
    """The items of a table of new headlines, those of outlet A first, and its systems.

    The table has the columns `COLUMNS` and perhaps `OPTIONAL`: a row an item and system, `label` the outlet that the original
    comes from. An empty prediction is one that the system failed to write.

    Raises:
        InputError: the file cannot be read, a text is missing or too long, a label is no outlet of the judges, an id
            stands twice or with other texts, or a system lacks items that another one has.
    """
    rows = read_upload(path, COLUMNS, OPTIONAL, translate=translate)
    labels = {name: name for name in outlets} | {
        label: name for label, name in KNOWN_LABELS.items() if name in outlets
    }
    refuse_lines(path, _cell_faults(rows, labels, outlets, translate), translate)
    items: dict[str, Item] = {}
    systems: dict[str, dict[str, str]] = {}
    rerankers: dict[str, set[str]] = {}
    differing, double = [], []
    for line, cells, _ in rows:
        label = labels[cells["label"]]
        target = outlets[1 - outlets.index(label)]
        source, article, gold = (
            " ".join(cells.get(name, "").split()) for name in ("headline", "article", "gold")
        )
        item = Item(cells["id"], label, target, source, article, gold)
        if items.setdefault(item.id, item) != item:
            differing.append(line)
        name = cells.get("system") or path.stem[: LIMITS.name]
        headlines = systems.setdefault(name, {})
        if item.id in headlines:
            double.append(line)
        headlines[item.id] = " ".join(cells["prediction"].split())
        rerankers.setdefault(name, set()).update(filter(None, [cells.get("reranker")]))
    faults = (translate("score.fault_double"), double), (translate("score.fault_differs"), differing)
    refuse_lines(path, faults, translate)
    if len(systems) > LIMITS.systems:
        raise InputError(translate("score.systems", file=path.name, most=LIMITS.systems, found=len(systems)))
    for name, headlines in systems.items():
        if missing := [id_ for id_ in items if id_ not in headlines]:
            ids = listed(missing, translate)
            raise InputError(
                translate("score.missing", file=path.name, system=name, count=len(missing), ids=ids)
            )
    ordered = sorted(items.values(), key=lambda item: item.label != outlets[0])
    return TestSet(tuple(ordered), outlets, dict.fromkeys(outlets, ()), path.name), tuple(
        System(
            name,
            tuple(headlines[item.id] for item in ordered),
            _reranker(name, rerankers[name], translate),
        )
        for name, headlines in systems.items()
    )


def _cell_faults(
    rows: Sequence[Record], labels: dict[str, str], outlets: tuple[str, str], translate: Translate
) -> Iterator[tuple[str, list[int]]]:
    """Texts that are missing or too long and unknown labels, with their lines."""
    needed = [name for name in (*COLUMNS[:3], "gold") if name in rows[0].cells]
    longest = dict.fromkeys(("id", "headline", "prediction", "gold"), LIMITS.headline) | {
        "article": LIMITS.article,
        "system": LIMITS.name,
    }
    for name in needed:
        empty = [row.line for row in rows if not row.cells[name]]
        yield translate("score.fault_empty", column=name), empty
    for name, most in longest.items():
        long = [row.line for row in rows if len(row.cells.get(name, "")) > most]
        yield translate("score.fault_long", column=name, most=most), long
    unknown = [row.line for row in rows if row.cells["label"] not in labels]
    yield translate("score.fault_label", a=outlets[0], b=outlets[1]), unknown


def _reranker(system: str, named: set[str], translate: Translate) -> Reranker | None:
    """The judges that chose a system's headlines."""
    if len(named) > 1:
        raise InputError(translate("score.rerankers", system=system))
    return parse_reranker(named.pop()) if named else None


def systems_table(scores: Scores, translate: Translate) -> Table:
    """The systems: for each the average, then its directions where there are two."""
    titles = {"hh": "HH", "ah": "AH"}
    titles |= {name: translate(f"score.{name}") for name in (*SORTED_BY, "fluency", "facts")}
    for name, title in (("bleu", "BLEU"), ("rougeL", "ROUGE-L")):
        titles[name] = f"{title} {translate('score.to_gold')}"
        titles[f"{name}_source"] = f"{title} {translate('score.to_source')}"
    columns = [
        Column("system", "text", translate("score.system")),
        Column("direction", "text", translate("score.direction")),
        Column("n", "text"),
    ]
    for name in scores.measures:
        columns.append(Column(name, title=titles.get(name, "")))
        if name in SORTED_BY and name in scores.rows[0].intervals:
            columns.append(Column(f"{name}_interval", "interval", "95%"))
    directions = scores.directions
    rows = [
        Row(
            {
                "system": system,
                "direction": translate("score.average") if direction == AVERAGE else direction,
                "n": found.n,
                **dict.fromkeys(scores.measures, translate("score.unknown")),
                **found.values,
                **{f"{name}_interval": ends for name, ends in found.intervals.items()},
            }
        )
        for system in scores.systems
        for direction in (directions[:1] if len(directions) == 2 else [AVERAGE, *directions[:-1]])
        for found in [scores.row(system, direction)]
    ]
    return Table(tuple(columns), tuple(rows))


def tests_table(scores: Scores, translate: Translate) -> Table:
    """The paired tests of the average compliancy, a row for each two systems."""
    columns = (
        Column("first", "text", translate("score.first")),
        Column("second", "text", translate("score.second")),
        Column("difference", title=translate("score.difference")),
        Column("p", "p"),
    )
    value = {system: scores.row(system).values["compliancy"] for system in scores.systems}
    rows = [
        Row(
            {
                "first": one,
                "second": other,
                "difference": value[one] - value[other],
                "p": float(scores.p_values[i, j]),
            }
        )
        for i, one in enumerate(scores.systems)
        for j, other in enumerate(scores.systems)
        if i < j
    ]
    return Table(columns, tuple(rows))


def remarks(scores: Scores, translate: Translate) -> list[str]:
    """Sentences on systems with missing headlines, on those that the same judges chose, and on a missing column gold."""
    rows = [scores.row(system) for system in scores.systems]
    found = [
        translate("score.failed", system=row.system, count=row.errors, n=row.n) for row in rows if row.errors
    ]
    found += [translate("score.same_judges", system=system) for system in scores.same_judges]
    if scores.strict_p_values is None:
        found.append(translate("score.no_fluency"))
    return found if "bleu" in scores.measures else [*found, translate("score.no_gold")]


def summary(scores: Scores) -> dict[str, Any]:
    """Everything but the items, ready for JSON."""
    found = scores.as_dict()
    return {"file": found.pop("corpus"), **found}


def write_results(folder: Path, scores: Scores, drawings: Sequence[Drawing]) -> list[Path]:
    """Write `items.csv`, `systems.csv`, `scores.json` and a PNG for each chart."""
    paths = [folder / "items.csv", folder / "systems.csv", folder / "scores.json"]
    items = pl.concat(
        table.select(pl.lit(name).alias("system"), pl.all()) for name, table in scores.items.items()
    )
    without_formulas(items).write_csv(paths[0])
    cells = [row.flat(scores.measures) for row in scores.rows]
    write_table(paths[1], list(cells[0]), [list(row.values()) for row in cells], quote_formulas=True)
    write_json(paths[2], summary(scores))
    return [*paths, *write_charts(folder, drawings)]


def _endpoint(opening: str, models: Models) -> None:
    """The endpoint `/score`, documented by what is written here; its components are never shown."""

    @friendly
    def score_endpoint(file: str, reversal: str = "relative", language: str = opening) -> tuple[Any, str]:
        scores = score_upload(models, file, reversal, partial(translate, language))
        [items, *_] = downloads(lambda folder: write_results(folder, scores, []))
        return summary(scores), items

    hidden: dict[str, Any] = {"visible": False}
    gr.Button(**hidden).click(
        score_endpoint,
        [
            gr.File(label="CSV file", **hidden),
            gr.Textbox("relative", label="reversal: relative or target", **hidden),
            gr.Textbox(opening, label="language of messages: it or en", **hidden),
        ],
        [gr.JSON(label="summary", **hidden), gr.File(label="items, CSV", **hidden)],
        api_name="score",
        api_description=(
            f"Scores a CSV file with the columns {', '.join(COLUMNS)} and perhaps {', '.join(OPTIONAL)}; "
            f"label is {' or '.join(models.outlets)}; at most {LIMITS.rows} rows and {LIMITS.systems} systems. Returns "
            "compliancy and overlap of every system and direction with 95% intervals, paired tests, the signature; and "
            "a CSV file with the verdicts on every item."
        ),
        **TABLES_QUEUE,
    )


def _format(models: Models, language: str) -> str:
    """What a file looks like."""
    a, b = models.outlets
    rows, systems = LIMITS.rows, LIMITS.systems
    return translate(language, "score.format", a=a, b=b, rows=rows, systems=systems)


def _example(models: Models) -> str:
    """A file of two systems that need no model: the original headline, and the article's first words."""
    rows = []
    for number, one in enumerate(examples(models.language), start=1):
        known = [str(number), one["headline"], one["article"], models.outlets[one["outlet"]]]
        rows += [[*known, one["headline"], "copy"], [*known, lead(one["article"], _LEAD), "lead"]]

    def write(folder: Path) -> list[Path]:
        write_table(folder / "example.csv", [*COLUMNS, "system"], rows)
        return [folder / "example.csv"]

    return downloads(write)[0]
