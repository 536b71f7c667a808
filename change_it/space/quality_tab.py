"""The Headline quality tab: HEvAS on uploaded documents and systems, as `change-it hevas` does it; needs no judges."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from change_it.errors import InputError
from change_it.hevas.analysis import analyse
from change_it.hevas.baseline_systems import BASELINES, baseline
from change_it.hevas.documents import Documents, System, read_documents, read_system
from change_it.hevas.evaluation import Evaluation, evaluate
from change_it.hevas.metric_options import MetricOptions
from change_it.hevas.metrics import METRICS
from change_it.io import write_table
from change_it.progress import Progress
from change_it.results.report_files import write_hevas
from change_it.scoring.floors_and_predictions import lead
from change_it.space.examples import examples
from change_it.space.labels import LABELS
from change_it.space.models import Models
from change_it.space.parts import (
    ARTICLE,
    HEADLINE,
    PRIVATE,
    ROWS,
    SYSTEMS,
    add_results,
    downloads,
    uploaded,
)
from change_it.space.score_tab import LEAD, TABLE_FILES

_LANGUAGES = ("it", "en")
_TOPICS = 10


def build(models: Models | None) -> None:
    """The tab's components and events, inside its `gr.Tab`; texts are at first taken to be in the models' language."""
    gr.Markdown(LABELS["quality_intro"])
    with gr.Row(equal_height=False):
        documents = gr.File(
            label=LABELS["documents"], file_types=TABLE_FILES, height=130, elem_id="quality-documents"
        )
        systems = gr.File(
            label=LABELS["systems"],
            file_count="multiple",
            file_types=[*TABLE_FILES, ".txt"],
            height=130,
            elem_id="quality-systems",
        )
    gr.Markdown(LABELS["systems_info"])
    with gr.Accordion(LABELS["options"], open=False):
        baselines = gr.CheckboxGroup(list(BASELINES), value=["first", "random"], label=LABELS["baselines"])
        chosen = models.language if models and models.language in _LANGUAGES else "it"
        language = gr.Radio(list(_LANGUAGES), value=chosen, label=LABELS["language"])
    with gr.Row():
        button = gr.Button(LABELS["measure"], variant="primary", elem_id="quality")
        example = gr.Button(LABELS["try"], elem_id="quality-example")
    example.click(partial(_example, documents), language, [documents, systems], **PRIVATE)
    inputs = [documents, systems, baselines, language]
    add_results(button, inputs, "quality", _write)


def _write(
    folder: Path,
    file: str | None,
    files: Sequence[str] | None,
    baselines: Sequence[str],
    language: str,
    progress: Any,
) -> list[str]:
    """Write the report of uploaded documents and systems; whether it leaves metrics out is said."""
    if not file:
        raise InputError("Choose a file of documents first.")
    documents = read_uploaded_documents(Path(file))
    systems = read_uploaded_systems(list(map(Path, files or [])), documents)
    for name in baselines:
        systems.append(System(name, tuple(baseline(name, documents.texts, language=language))))
    options = MetricOptions(language=language, topics=min(_TOPICS, len(documents)))
    evaluation = measure(documents, systems, options, progress)
    write_hevas(folder / "hevas", documents, systems, evaluation, analyse(evaluation))
    note = "The documents have no headlines as references: metrics that need them are left out."
    return [] if documents.references else [note]


def read_uploaded_documents(path: Path) -> Documents:
    """Uploaded documents, see `read_documents`; refused where there are too many or a text is too long."""
    with uploaded(path):
        documents = replace(read_documents(str(path)), name=path.name)
    if len(documents) > ROWS:
        raise InputError(f"{path.name} has more than {ROWS:,} documents: split it into smaller files.")
    _refuse_long(path, documents.texts, ARTICLE)
    _refuse_long(path, [text for several in documents.references or () for text in several], HEADLINE)
    return documents


def read_uploaded_systems(paths: Sequence[Path], documents: Documents) -> list[System]:
    """The uploaded headlines of any number of systems, called like their files; see `read_system`."""
    if len(paths) > SYSTEMS:
        raise InputError(f"{len(paths)} systems are too many, give at most {SYSTEMS}.")
    systems = []
    for path in paths:
        with uploaded(path):
            system = read_system(path.stem, path, documents)
        _refuse_long(path, system.headlines, HEADLINE)
        systems.append(system)
    return systems


def _refuse_long(path: Path, texts: Sequence[str], most: int) -> None:
    if any(len(text) > most for text in texts):
        raise InputError(f"{path.name} has a text of more than {most:,} characters: shorten it.")


def measure(
    documents: Documents,
    systems: Sequence[System],
    options: MetricOptions,
    progress: Progress = False,
) -> Evaluation:
    """Measure systems with HEvAS, without the metrics that need references where there are none."""
    if not systems:
        raise InputError("Drop the headlines of a system, or tick a baseline.")
    if len({system.name for system in systems}) < len(systems):
        raise InputError("Two systems have one name: rename a file, or untick the baseline of its name.")
    return evaluate(
        documents,
        systems,
        metrics=[name for name in METRICS if documents.references or not METRICS[name].references],
        options=options,
        progress=progress,
    )


def _example(shown: gr.File, language: str) -> list[Any]:
    """Files of documents with references, and of a system that takes the article's first words."""
    numbered = [(str(n), one["article"], one["headline"]) for n, one in enumerate(examples(language), 1)]

    def write(folder: Path) -> None:
        write_table(folder / "documents.csv", ["id", "article", "headline"], numbered)
        rows = [(number, lead(article, LEAD)) for number, article, _ in numbered]
        write_table(folder / "lead.csv", ["id", "headline"], rows)

    documents, system = downloads(shown, write)
    return [documents, [system]]
