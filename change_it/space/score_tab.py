"""The Score tab: a CSV of new headlines in, the table of systems, charts and files out; and the endpoint `/score`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

import gradio as gr
import polars as pl
from markupsafe import Markup

from change_it.corpus.article import KNOWN_LABELS
from change_it.errors import InputError
from change_it.io import Record, write_json, write_table
from change_it.results.charts import Drawing, compliancy_drawings
from change_it.results.report_files import without_formulas
from change_it.results.score_tables import remarks, systems_table, tests_table
from change_it.scoring.compliancy import Reversal
from change_it.scoring.item import Item, TestSet
from change_it.scoring.scores import AVERAGE, Scores, score
from change_it.scoring.signature import Reranker, parse_reranker
from change_it.scoring.systems import ScoredSystem, lead
from change_it.space.examples import examples
from change_it.space.fragments import render
from change_it.space.limits import LIMITS, friendly
from change_it.space.models import Models
from change_it.space.upload_tab import Progress, UploadTab, add_results, buttons
from change_it.space.uploads import TABLES_QUEUE, downloads, listed, read_upload, refuse_lines, uploaded
from change_it.translation import Message, Texts, translate

#: What an uploaded table must have.
COLUMNS = ("id", "source", "article", "label", "headline")
#: What it may have: several systems; the target outlet's headline about the same event; the judges that chose.
OPTIONAL = ("system", "gold", "reranker")
_LEAD = 9  # words of the example's second system


def build(texts: Texts, models: Models | None) -> gr.State:
    """The tab's components and events, inside its `gr.Tab`, without models that it needs judges; the state has what was scored, for the Compare tab."""
    if models is None:
        texts.add(gr.Markdown(), value="score.no_models")
        return gr.State(None)
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
                pressed = buttons(texts, "score")
    with texts.add(gr.Accordion(open=False), label="score.format_title"):
        texts.add(gr.Markdown(), value=partial(_format, models))
    tab = UploadTab(
        "score",
        measure=lambda asked, progress: score_upload(models, asked[0], asked[1], progress),
        draw=compliancy_drawings,
        show=scores_html,
        write=write_results,
    )
    example = {"fn": partial(_example, models), "outputs": file}
    state = add_results(texts, tab, pressed, [file, reversal], example)
    _endpoint(texts.opening, models)
    return state


def score_upload(
    models: Models, file: object, reversal: str, progress: Progress = lambda what, share: None
) -> Scores:
    """Read and score what was uploaded, without the measures that need `gold` where the file has none.

    A system that the same judges have chosen is scored too, and its signature says so.
    """
    progress(Message("uploads.reading"), 0)
    paths = uploaded(file)
    if not paths:
        raise InputError(Message("score.no_file"))
    if reversal not in get_args(Reversal):
        raise InputError(Message("score.unknown_reversal", known=", ".join(get_args(Reversal))))
    test, systems = read_uploaded_predictions(paths[0], models.outlets)

    def show_progress(judge: str, share: float) -> None:
        progress(
            Message("uploads.statistics") if share == 1 else Message("score.asking", judge=judge), 0.9 * share
        )

    scores = score(
        test,
        models.judges,
        systems,
        reversal=cast(Reversal, reversal),
        language=models.language,
        allow_same_judges=True,
        progress=show_progress,
    )
    if test.items[0].reference:
        return scores
    return replace(scores, items={name: items.drop("gold", "rougeL") for name, items in scores.items.items()})


def read_uploaded_predictions(
    path: Path, outlets: tuple[str, str]
) -> tuple[TestSet, tuple[ScoredSystem, ...]]:
    """The items of a table of new headlines, those of outlet A first, and its systems.

    The table has the columns `COLUMNS` and perhaps `OPTIONAL`: a row an item and system, `label` the outlet that the original
    comes from, `source` the original headline. An empty headline is one that the system failed to write.

    Raises:
        InputError: the file cannot be read, a text is missing or too long, a label is no outlet of the judges, an id
            stands twice or with other texts, or a system lacks items that another one has.
    """
    rows = read_upload(path, COLUMNS, OPTIONAL)
    labels = {name: name for name in outlets} | {
        label: name for label, name in KNOWN_LABELS.items() if name in outlets
    }
    refuse_lines(path, _cell_faults(rows, labels, outlets))
    items: dict[str, Item] = {}
    systems: dict[str, dict[str, str]] = {}
    rerankers: dict[str, set[str]] = {}
    differing, double = [], []
    for line, cells, _ in rows:
        label = labels[cells["label"]]
        target = outlets[1 - outlets.index(label)]
        source, article, gold = (
            " ".join(cells.get(name, "").split()) for name in ("source", "article", "gold")
        )
        item = Item(cells["id"], label, target, source, article, gold)
        if items.setdefault(item.id, item) != item:
            differing.append(line)
        name = cells.get("system") or path.stem[: LIMITS.name]
        headlines = systems.setdefault(name, {})
        if item.id in headlines:
            double.append(line)
        headlines[item.id] = " ".join(cells["headline"].split())
        rerankers.setdefault(name, set()).update(filter(None, [cells.get("reranker")]))
    faults = (Message("uploads.fault_double"), double), (Message("score.fault_differs"), differing)
    refuse_lines(path, faults)
    if len(systems) > LIMITS.systems:
        raise InputError(Message("score.systems", file=path.name, most=LIMITS.systems, found=len(systems)))
    for name, headlines in systems.items():
        if missing := [id_ for id_ in items if id_ not in headlines]:
            ids = listed(missing)
            raise InputError(
                Message("score.missing", file=path.name, system=name, count=len(missing), ids=ids)
            )
    ordered = sorted(items.values(), key=lambda item: item.label != outlets[0])
    return TestSet(tuple(ordered), outlets, dict.fromkeys(outlets, ()), path.name), tuple(
        ScoredSystem(
            name,
            tuple(headlines[item.id] for item in ordered),
            _reranker(name, rerankers[name]),
        )
        for name, headlines in systems.items()
    )


def _cell_faults(
    rows: Sequence[Record], labels: dict[str, str], outlets: tuple[str, str]
) -> Iterator[tuple[str, list[int]]]:
    """Texts that are missing or too long and unknown labels, with their lines."""
    needed = [name for name in (*COLUMNS[:3], "gold") if name in rows[0].cells]
    longest = dict.fromkeys(("id", "source", "headline", "gold"), LIMITS.headline) | {
        "article": LIMITS.article,
        "system": LIMITS.name,
    }
    for name in needed:
        empty = [row.line for row in rows if not row.cells[name]]
        yield Message("score.fault_empty", column=name), empty
    for name, most in longest.items():
        long = [row.line for row in rows if len(row.cells.get(name, "")) > most]
        yield Message("score.fault_long", column=name, most=most), long
    unknown = [row.line for row in rows if row.cells["label"] not in labels]
    yield Message("score.fault_label", a=outlets[0], b=outlets[1]), unknown


def _reranker(system: str, named: set[str]) -> Reranker | None:
    """The judges that chose a system's headlines."""
    if len(named) > 1:
        raise InputError(Message("score.rerankers", system=system))
    return parse_reranker(named.pop()) if named else None


def scores_html(scores: Scores, charts: list[tuple[Drawing, Markup]], language: str) -> str:
    """What was scored as HTML: the report's tables and charts."""
    directions = scores.directions
    return render(
        "score.html.jinja",
        language,
        scores=scores,
        remarks=remarks(scores) + ([] if "bleu" in scores.measures else [Message("score.no_gold")]),
        systems=systems_table(
            scores, directions[:1] if len(directions) == 2 else [AVERAGE, *directions[:-1]]
        ),
        tests=tests_table(scores, scores.p_values),
        charts=charts,
        wide=False,
    )


def summary(scores: Scores) -> dict[str, Any]:
    """The scores without their items, as a JSON object."""
    record = scores.as_dict()
    return {"file": record.pop("corpus"), **record}


def write_results(
    folder: Path, scores: Scores, drawings: Sequence[Drawing] = (), language: str = "en"
) -> list[Path]:
    """Write `items.csv`, `systems.csv` and `scores.json`, which are the same in every language."""
    paths = [folder / "items.csv", folder / "systems.csv", folder / "scores.json"]
    items = pl.concat(
        table.select(pl.lit(name).alias("system"), pl.all()) for name, table in scores.items.items()
    )
    without_formulas(items).write_csv(paths[0])
    cells = [row.flat(scores.measures) for row in scores.rows]
    write_table(paths[1], list(cells[0]), [list(row.values()) for row in cells], quote_formulas=True)
    write_json(paths[2], summary(scores))
    return paths


def _endpoint(opening: str, models: Models) -> None:
    """The endpoint `/score`, documented by what is written here; its components are never shown."""

    @friendly
    def score_endpoint(file: str, reversal: str = "relative", language: str = opening) -> tuple[Any, str]:
        scores = score_upload(models, file, reversal)
        [items, *_] = downloads(lambda folder: write_results(folder, scores))
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
    for number, example in enumerate(examples(models.language), start=1):
        cells = [str(number), example["headline"], example["article"], models.outlets[example["outlet"]]]
        rows += [[*cells, example["headline"], "copy"], [*cells, lead(example["article"], _LEAD), "lead"]]

    def write(folder: Path) -> list[Path]:
        write_table(folder / "example.csv", [*COLUMNS, "system"], rows)
        return [folder / "example.csv"]

    return downloads(write)[0]
