"""The Score tab: one headline judged as it is written, or a CSV of many."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from change_it.corpus.article import outlet_names
from change_it.corpus.splits import events_of
from change_it.errors import InputError
from change_it.io import listed, read_records, write_table
from change_it.results.items_table import refused_by
from change_it.results.report_files import write_report
from change_it.scoring.columns import BUILT_IN
from change_it.scoring.floors_and_predictions import ScoredSystem, lead
from change_it.scoring.item import Item, TestSet
from change_it.scoring.scores import Scores, score
from change_it.scoring.signature import Reranker, parse_reranker
from change_it.space.examples import examples
from change_it.space.labels import LABELS
from change_it.space.models import Models
from change_it.space.parts import (
    ARTICLE,
    HEADLINE,
    PRIVATE,
    ROWS,
    add_results,
    downloads,
    notice,
    uploaded,
)
from change_it.space.transfer_tab import answer_live, cards, direction_of, judge_question

#: What an uploaded table must have.
COLUMNS = ("id", "source", "article", "label", "headline")
#: What it may have: the target outlet's headline about the same event; the judges that chose.
OPTIONAL = ("gold", "reranker")
#: Columns, where they are there, without an empty cell, and how long a cell may be.
_NEEDED = ("id", "source", "article", "gold")
_LONGEST = {"id": HEADLINE, "source": HEADLINE, "headline": HEADLINE, "gold": HEADLINE, "article": ARTICLE}
#: Endings of tables; parquet is none, ten megabytes of it can hold gigabytes.
TABLE_FILES = [".csv", ".tsv", ".json", ".jsonl"]
_NAME = 60  # characters of a system's name
#: Events from which scores have intervals.
FEW = 20
LEAD = 9  # words of the example's headlines


def build(models: Models) -> None:
    """The tab's components and events, inside its `gr.Tab`."""
    _single(models)
    gr.Markdown(LABELS["format"])
    with gr.Row(equal_height=False):
        file = gr.File(label=LABELS["new_file"], file_types=TABLE_FILES, height=150, elem_id="score-file")
        with gr.Column():
            button = gr.Button(LABELS["score"], variant="primary", elem_id="score")
            example = gr.Button(LABELS["try"], elem_id="score-example")
    example.click(partial(_example, models, file), None, file, **PRIVATE)
    add_results(button, [file], "score", partial(write, models))


def _single(models: Models) -> None:
    """One headline that the reader writes, judged whenever a field changes."""
    written = [one for one in models.examples if one.prediction]
    offered = [[one.prediction, one.source, one.article, one.direction] for one in written]
    first = offered[0] if offered else ["", "", "", next(iter(models.directions))]
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            fields = [
                gr.Textbox(first[0], label=LABELS["new"], info=LABELS["new_info"], elem_id="own"),
                gr.Textbox(first[1], label=LABELS["original"], elem_id="own-original"),
                gr.Textbox(first[2], label=LABELS["article"], lines=4, max_lines=12, elem_id="own-article"),
                direction_of(models, first[3]),
            ]
        with gr.Column(scale=7, min_width=320):
            start = notice(
                "Write a new headline, the original one and its article: the verdicts appear here."
            )
            shown = cards(models, judge_question, *first) if offered else start
            found = gr.HTML(shown, elem_id="own-found", padding=False)
    answer_live(models, judge_question, fields, found)
    if offered:
        labels = [f"{one.id}: {one.prediction}" for one in written]
        gr.Examples(
            offered,
            fields,
            label=LABELS["examples_of_corpus"],
            example_labels=labels,
            api_visibility="private",
        )


def write(models: Models, folder: Path, file: str | None, progress: Any) -> Sequence[str]:
    """Write the report of an uploaded table; what its headlines come to."""
    scores, articles = score_upload(models, file, progress)
    write_report(folder / "report", scores, {}, replace(models.audit, page=None), articles=articles)
    [(name, items)] = scores.items.items()
    passed = sum(refused_by(item) == "none" for item in items.iter_rows(named=True))
    found = f"Of {len(items):,} headlines of {name} every judge accepts {passed:,}; compliant: {items['compliant'].sum():,}."
    few = f"Fewer than {FEW} events: too few for intervals, or to compare systems."
    return [found, *([] if scores.row(name).intervals else [few])]


def score_upload(
    models: Models, file: str | None, progress: Any = lambda what, share: None
) -> tuple[Scores, dict[str, str]]:
    """Read and score what was uploaded, without intervals of few events, and the articles; what the same judges have chosen is refused."""
    if not file:
        raise InputError("Choose a CSV file first.")
    test, system = read_uploaded_predictions(Path(file), models.outlets)
    scores = score(
        test,
        models.judges,
        [system],
        language=models.language,
        progress=lambda judge, share: progress(f"the judge {judge} reads", share),
    )
    if len(set(test.events.tolist())) < FEW:
        scores = replace(scores, rows=[replace(row, intervals={}) for row in scores.rows])
    return scores, {item.id: item.article for item in test.items}


def read_uploaded_predictions(path: Path, outlets: tuple[str, str]) -> tuple[TestSet, ScoredSystem]:
    """The items of a table of new headlines, those of outlet A first, and the system that wrote them, called like the file.

    The table has the columns `COLUMNS` and perhaps `OPTIONAL`: `label` is the outlet that the original comes from, `source` the
    original headline. An empty headline is one that the system failed to write.
    """
    called = path.stem[:_NAME]
    if called in BUILT_IN:
        raise InputError(f"{called} is the name of a built-in system: rename the file {path.name}")
    with uploaded(path):
        rows = read_records(path, required=COLUMNS, optional=OPTIONAL, max_rows=ROWS)
        labels = outlet_names("label", [row.cells["label"] for row in rows], outlets, len(rows))
    counts = Counter(row.cells["id"] for row in rows)
    faults = {
        "an empty cell": [row for row in rows if not all(row.cells.get(name, "-") for name in _NEEDED)],
        "an id that stands twice": [row for row in rows if counts[row.cells["id"]] > 1],
        f"more than {HEADLINE} characters in a headline or {ARTICLE:,} in an article": [
            row for row in rows if any(len(row.cells.get(name, "")) > most for name, most in _LONGEST.items())
        ],
    }
    for fault, found in faults.items():
        if found:
            raise InputError(f"{path.name} has {fault} in line {listed([str(row.line) for row in found])}")
    ordered = sorted(zip(rows, labels, strict=True), key=lambda pair: pair[1] != outlets[0])
    texts = [{name: " ".join(text.split()) for name, text in row.cells.items()} for row, _ in ordered]
    events = events_of([each["article"] for each in texts], [""] * len(texts)).tolist()
    items = tuple(
        Item(
            row.cells["id"],
            outlet,
            outlets[1 - outlets.index(outlet)],
            each["source"],
            each["article"],
            each.get("gold", ""),
            event=str(event),
        )
        for (row, outlet), each, event in zip(ordered, texts, events, strict=True)
    )
    chosen = _reranker({name for row in rows if (name := row.cells.get("reranker"))})
    system = ScoredSystem(called, tuple(each["headline"] for each in texts), chosen)
    return TestSet(items, outlets, dict.fromkeys(outlets, ()), path.name), system


def _reranker(named: set[str]) -> Reranker | None:
    """The judges that chose the headlines."""
    if len(named) > 1:
        raise InputError(
            "The column reranker names more than one set of judges: write the headlines again in one run of change-it transfer."
        )
    return parse_reranker(named.pop()) if named else None


def _example(models: Models, shown: gr.File) -> str:
    """A file of headlines that need no model: the article's first words."""
    rows = []
    for number, one in enumerate(examples(models.language), start=1):
        headline, article, outlet = one["headline"], one["article"], models.outlets[one["outlet"]]
        rows.append([str(number), headline, article, outlet, lead(article, LEAD)])
    [path] = downloads(shown, lambda folder: write_table(folder / "first_words.csv", COLUMNS, rows))
    return path
