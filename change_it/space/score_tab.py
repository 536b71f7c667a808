"""The Score tab: one headline judged as it is written, or a CSV of many; and the endpoint `/score`."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from change_it.corpus.article import KNOWN_LABELS
from change_it.corpus.splits import events_of
from change_it.errors import InputError
from change_it.io import Record, listed, read_records, write_table
from change_it.results.report_files import without_formulas, write_report
from change_it.scoring.floors_and_predictions import ScoredSystem, lead
from change_it.scoring.item import Item, TestSet
from change_it.scoring.scores import Scores, score
from change_it.scoring.signature import Reranker, parse_reranker
from change_it.space.examples import examples
from change_it.space.labels import label
from change_it.space.models import Models
from change_it.space.parts import (
    ARTICLE,
    HEADLINE,
    PRIVATE,
    ROWS,
    TABLES,
    add_results,
    downloads,
    notice,
    refused,
    uploaded,
)
from change_it.space.transfer_tab import answer_live, cards, direction_of, judge_question

#: What an uploaded table must have.
COLUMNS = ("id", "source", "article", "label", "headline")
#: What it may have: the target outlet's headline about the same event; the judges that chose.
OPTIONAL = ("gold", "reranker")
#: Endings of tables; parquet is none, ten megabytes of it can hold gigabytes.
TABLE_FILES = [".csv", ".tsv", ".json", ".jsonl"]
_NAME = 60  # characters of a system's name
_LEAD = 9  # words of the example's headlines


def build(models: Models) -> None:
    """The tab's components and events, inside its `gr.Tab`."""
    _single(models)
    gr.Markdown(label("format"))
    with gr.Row(equal_height=False):
        file = gr.File(label=label("new_file"), file_types=TABLE_FILES, height=150, elem_id="score-file")
        with gr.Column():
            button = gr.Button(label("score"), variant="primary", elem_id="score")
            example = gr.Button(label("try"), elem_id="score-example")
    example.click(partial(_example, models), None, file, **PRIVATE)
    add_results(button, [file], "score", partial(_write, models))
    _endpoint(models)


def _single(models: Models) -> None:
    """One headline that the reader writes, judged whenever a field changes."""
    offered = [[one.own, one.headline, one.article, one.direction] for one in models.examples if one.own]
    first = offered[0] if offered else ["", "", "", next(iter(models.directions))]
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            fields = [
                gr.Textbox(first[0], label=label("new"), info=label("new_info"), elem_id="own"),
                gr.Textbox(first[1], label=label("original"), elem_id="own-original"),
                gr.Textbox(first[2], label=label("article"), lines=4, max_lines=12, elem_id="own-article"),
                direction_of(models, first[3]),
            ]
        with gr.Column(scale=7, min_width=320):
            start = notice(
                "Write a new headline, the original one and its article: the verdicts appear here."
            )
            shown = cards(models, judge_question, [first])[0] if offered else start
            found = gr.HTML(shown, elem_id="own-found", padding=False)
    answer_live(models, judge_question, fields, found)
    if offered:
        labels = [f"{one.label}: {one.own}" for one in models.examples if one.own]
        gr.Examples(
            offered,
            fields,
            label=label("examples_of_corpus"),
            example_labels=labels,
            api_visibility="private",
        )


def _write(models: Models, folder: Path, file: str | None, progress: Any) -> Sequence[str]:
    """Write the report of an uploaded table."""
    write_report(folder / "report", score_upload(models, file, progress), {}, models.audit)
    return ()


def score_upload(models: Models, file: str | None, progress: Any = lambda what, share: None) -> Scores:
    """Read and score what was uploaded; what the same judges have chosen is refused."""
    if not file:
        raise InputError("Choose a CSV file first.")
    test, system = read_uploaded_predictions(Path(file), models.outlets)
    return score(
        test,
        models.judges,
        [system],
        language=models.language,
        progress=lambda judge, share: progress(f"the judge {judge} reads", share),
    )


def read_uploaded_predictions(path: Path, outlets: tuple[str, str]) -> tuple[TestSet, ScoredSystem]:
    """The items of a table of new headlines, those of outlet A first, and the system that wrote them, called like the file.

    The table has the columns `COLUMNS` and perhaps `OPTIONAL`: `label` is the outlet that the original comes from, `source` the
    original headline. An empty headline is one that the system failed to write.
    """
    with uploaded(path):
        if path.suffix == ".parquet":
            raise InputError(f"{path} is parquet: save it as CSV in UTF-8")
        rows = read_records(path, required=COLUMNS, optional=OPTIONAL, max_rows=ROWS)
    labels = {name: name for name in outlets} | {
        label: name for label, name in KNOWN_LABELS.items() if name in outlets
    }
    faults = _cell_faults(rows, labels, outlets)
    items: dict[str, Item] = {}
    headlines: dict[str, str] = {}
    for line, cells, _ in rows:
        outlet = labels.get(cells["label"], outlets[0])
        target = outlets[1 - outlets.index(outlet)]
        source, article, gold = (
            " ".join(cells.get(name, "").split()) for name in ("source", "article", "gold")
        )
        item = Item(cells["id"], outlet, target, source, article, gold)
        if items.setdefault(item.id, item) is not item:
            faults.setdefault("an id that stands twice", []).append(line)
        headlines[item.id] = " ".join(cells["headline"].split())
    if found := [f"{what} ({listed(list(map(str, lines)), 5)})" for what, lines in faults.items() if lines]:
        raise InputError(f"{path.name}: {'; '.join(found)}. Mend or remove these lines.")
    ordered = sorted(items.values(), key=lambda item: item.label != outlets[0])
    events = events_of([item.article for item in ordered], [""] * len(ordered)).tolist()
    ordered = [replace(item, event=str(event)) for item, event in zip(ordered, events, strict=True)]
    chosen = _reranker({name for row in rows if (name := row.cells.get("reranker"))})
    return TestSet(tuple(ordered), outlets, dict.fromkeys(outlets, ()), path.name), ScoredSystem(
        path.stem[:_NAME], tuple(headlines[item.id] for item in ordered), chosen
    )


def _cell_faults(
    rows: Sequence[Record], labels: dict[str, str], outlets: tuple[str, str]
) -> dict[str, list[int]]:
    """Texts that are missing or too long and unknown labels, to their lines."""
    needed = [name for name in (*COLUMNS[:3], "gold") if name in rows[0].cells]
    longest = dict.fromkeys(("id", "source", "headline", "gold"), HEADLINE)
    longest |= {"article": ARTICLE}
    faults = {
        f"an empty cell in the column {name}": [row.line for row in rows if not row.cells[name]]
        for name in needed
    }
    faults |= {
        f"more than {most:,} characters in the column {name}": [
            row.line for row in rows if len(row.cells.get(name, "")) > most
        ]
        for name, most in longest.items()
    }
    unknown = [row.line for row in rows if row.cells["label"] not in labels]
    return faults | {f"a label that is neither {outlets[0]} nor {outlets[1]}": unknown}


def _reranker(named: set[str]) -> Reranker | None:
    """The judges that chose the headlines."""
    if len(named) > 1:
        raise InputError(
            "The column reranker names more than one set of judges: write the headlines again in one run of change-it transfer."
        )
    return parse_reranker(named.pop()) if named else None


def _endpoint(models: Models) -> None:
    """The endpoint `/score`, documented by what is written here; its components are never shown."""

    @refused
    def score_endpoint(file: str) -> tuple[Any, str]:
        scores = score_upload(models, file)
        [table] = map(without_formulas, scores.items.values())
        [items] = downloads(lambda folder: table.write_csv(folder / "items.csv"))
        return scores.as_dict(), items

    hidden: dict[str, Any] = {"visible": False}
    gr.Button(**hidden).click(
        score_endpoint,
        gr.File(label="CSV file", **hidden),
        [gr.JSON(label="summary", **hidden), gr.File(label="items, CSV", **hidden)],
        api_name="score",
        api_description=(
            f"Scores a CSV file with the columns {', '.join(COLUMNS)} and perhaps {', '.join(OPTIONAL)}; "
            f"label is {' or '.join(models.outlets)}; at most {ROWS} rows. Returns compliancy and overlap of every direction "
            "with 95% intervals, the signature; and a CSV file with the verdicts on every item."
        ),
        **TABLES,
    )


def _example(models: Models) -> str:
    """A file of headlines that need no model: the article's first words."""
    rows = [
        [
            str(number),
            one["headline"],
            one["article"],
            models.outlets[one["outlet"]],
            lead(one["article"], _LEAD),
        ]
        for number, one in enumerate(examples(models.language), start=1)
    ]
    [path] = downloads(lambda folder: write_table(folder / "lead.csv", COLUMNS, rows))
    return path
