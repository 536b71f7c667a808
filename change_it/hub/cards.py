"""Cards of data sets and models, filled from the records that a run left; no model is loaded."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, Literal

from huggingface_hub import DatasetCard, ModelCardData
from jinja2 import Environment, PackageLoader
from jinja2.utils import htmlsafe_json_dumps

from change_it.corpus.folder import PICTURE, read_trained_on
from change_it.corpus.reading.sample import OUTLETS, is_sample_corpus
from change_it.corpus.test_set import BUILT_IN
from change_it.errors import InputError
from change_it.files.atomic import read_json, record_errors
from change_it.files.model_folders import is_hub_id
from change_it.files.records import to_json
from change_it.generators.folder import GeneratorInfo
from change_it.judges.options import BILSTM, LINEAR, read_judge_info
from change_it.judges.record import JudgeMetrics
from change_it.judges.reliability import table_of, within_event_table
from change_it.judges.spec import JUDGES
from change_it.readers.published import CITATIONS
from change_it.render.tables import Column, Row, Table, card_markdown, with_interval
from change_it.render.templates import template_environment, without_markup
from change_it.report.score_tables import HEADINGS
from change_it.scoring.aspects import COMPLIANCY_MEASURES
from change_it.training.record import TrainingRecord
from change_it.version import __version__

#: Prefix of a model in a folder to its `metrics.json`; None where it has none.
Metrics = Mapping[str, TrainingRecord | None]

#: Placeholders in a corpus card that a push replaces: the path of its example, and its last section.
LOCAL_PATH, RIGHTS = "path/to/this/folder", "## Rights"
#: Texts of CHANGE-IT may be passed on under the shared task's licence alone; the sample's are invented, under the package's own.
LICENSES = {frozenset({"rep", "gio"}): "cc-by-nc-sa-4.0", frozenset(OUTLETS): "apache-2.0"}
#: Licence to its sentence on a card.
TERMS = {
    "cc-by-nc-sa-4.0": "CC BY-NC-SA 4.0, the licence of CHANGE-IT's data (De Mattei, Cafagna, Dell'Orletta, Nissim and Gatt, "
    "EVALITA 2020): name the authors, no commercial use, share alike.",
    "unknown": "Nobody has named a licence. The texts that it was made from belong to their publishers.",
}
#: The same of what began from a pre-trained model.
NO_LICENCE = TERMS | {
    "unknown": "Nobody has named a licence for this model. The texts that it learnt from belong to their publishers."
}
#: Scores of a system on a card.
SCORES = (*COMPLIANCY_MEASURES, "bleu", "rougeL")
#: An absolute path of any system, or one into a home folder.
_PATH = re.compile(r"([^/=]*=)?(?:/[^/\s]+/|~/|[A-Za-z]:[\\/])")


def model_card(
    kind: Literal["judge", "generator"],
    folder: Path,
    metrics: Metrics,
    repo_id: str,
    license: str | None = None,
    dataset: str | None = None,
    dataset_digest: str | None = None,
) -> str:
    """Return README.md of judges or a generator.

    Args:
        kind: what is in the folder.
        folder: the models.
        metrics: by prefix in `folder` the `metrics.json` of each model.
        repo_id: where it is pushed to.
        license: the Hub's name of a licence; None for what follows from texts and pre-trained models.
        dataset: Hub id of the data set that it is said to be trained on.
        dataset_digest: digest of that data set; the card names one of another digest as another one.
    """
    metadata, values = _judges(folder, metrics) if kind == "judge" else _generator(folder, metrics[""])
    corpus = read_trained_on(folder / next(iter(metrics)))
    is_same = dataset_digest is not None and dataset_digest == corpus.digest
    other_dataset = dataset if corpus.digest and dataset_digest and not is_same else None
    dataset = dataset if is_same and dataset else corpus.dataset or ""
    dataset = dataset if re.fullmatch(r"[\w.-]+(/[\w.-]+)?", dataset) else None
    language = corpus.language or metadata.get("language")
    licence, terms = _licence(license, values["outlets"], is_model=bool(values["pretrained"]))
    metadata |= {
        "language": None if language == "none" else language,
        "datasets": [dataset] if dataset else None,
        "license": licence,
        "tags": ["change-it", "style-transfer", "headline-generation", *metadata["tags"]],
    }
    values |= {"repo_id": repo_id, "corpus": to_json(corpus) | {"name": values["corpus"], "dataset": dataset}}
    values["corpus"]["other_dataset"] = other_dataset
    values |= {"terms": terms, "card_data": ModelCardData(**metadata).to_yaml()}
    return TEMPLATES.get_template(f"{kind}.md.jinja").render(values).strip() + "\n"


def _judges(folder: Path, metrics: Metrics) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the metadata of the card of one judge or several, and the values of its template."""
    judges: list[dict[str, Any]] = []
    hashes = {}
    for prefix, record in metrics.items():
        config = read_json(folder / prefix / "config.json") or {}
        settings: Any = config.get("change_it")
        with record_errors(folder / prefix / "config.json"):
            info = read_judge_info(settings)
        if prefix not in ("", f"{info.task}/"):
            fault = f"{folder / prefix} is no judge of its name"
            raise InputError(f"{fault}: train it with change-it train judge")
        path = folder / prefix / "metrics.json"
        if not isinstance(record, JudgeMetrics):
            raise InputError(f"there is no {path}: train the judge again with change-it train judge")
        tables = [within_event_table(record.within_event, record.style), table_of(record)]
        hashes[info.task] = record.model_hash[:6]
        encoder = str(public(settings["encoder"]))
        judge = {"prefix": prefix, "info": info, "encoder": encoder, "tables": tables}
        judges.append(judge | {"type": config["model_type"], "weights": record.weights_hash})
    info, is_one = judges[0]["info"], len(judges) == 1
    fluency = hashes.pop("fluency", None)
    signature = [f"judges:{'+'.join(hashes.values())}", f"fold:{info.fold}"] if hashes else []
    metadata = {
        "pipeline_tag": "text-classification" if is_one else None,  # the root of several is no model
        "library_name": "transformers" if is_one else "change-it",
        "base_model": sorted({judge["encoder"] for judge in judges if is_hub_id(judge["encoder"])}) or None,
        "tags": ["evaluation"],
    }
    return metadata, {
        "entries": judges,
        "several": not is_one,
        "specs": JUDGES,
        "signature": "|".join([*signature, *([f"fluency:{fluency}"] if fluency else [])]),
        "citation": CITATIONS["evalnlgeval2020"],
        "corpus": settings["corpus"],
        "outlets": info.outlets,
        "pretrained": sorted({judge["encoder"] for judge in judges} - {LINEAR, BILSTM}),
    }


def _generator(folder: Path, metrics: TrainingRecord | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the metadata of a generator's card and the values of its template: scores are those of the report above it that names it."""
    info, path = GeneratorInfo.load(folder), folder.resolve()
    reports = [read_json(above / "report" / "scores.json") for above in [*path.parents][:3]]
    scores: dict[str, Any] = next(
        (report["systems"] for report in reports if report and {*report["outlets"]} == {*info.outlets}), {}
    )
    names = (path.name, path.parent.name, f"{info.recipe}-{info.architecture}", info.recipe)
    system = next((name for name in names if name in scores and name not in BUILT_IN), "")
    tables = []
    for source, target in permutations(info.outlets):
        direction = f"{source}2{target}"
        if info.to not in (None, target) or direction not in scores.get(system, {}):
            continue  # predictions may be of one alone
        rows = []
        for name in (*BUILT_IN, system):
            if row := scores.get(name, {}).get(direction):
                ends = {f"{score}_interval": ends and tuple(ends) for score, ends in row["intervals"].items()}
                rows.append(Row({"system": name, **row, **ends}))
        known = [name for name in SCORES if any(row.values.get(name) is not None for row in rows)]
        columns = [with_interval(name, HEADINGS.get(name, name)) for name in known]
        signature = str(rows[-1].values["signature"])
        tables.append(Table([Column("system", "text", direction), *columns], rows, signature))
    base = info.base or info.architecture
    adapters = (folder / "adapter_config.json").is_file()  # else they are merged, or there were none
    metadata = {
        "language": info.language,
        "pipeline_tag": None if adapters and info.kind == "encoder-decoder" else "text-generation",
        "library_name": "peft" if adapters else "transformers",
        "base_model": base if is_hub_id(base) else None,
        "tags": [f"recipe:{info.recipe}"],
    }
    values = {"info": info, "base": public(base), "metrics": metrics, "system": system, "tables": tables}
    values["adapters"] = adapters
    pretrained = [info.pretrained] if info.pretrained else []
    return metadata, values | {"corpus": info.corpus, "outlets": info.outlets, "pretrained": pretrained}


def dataset_card(folder: Path, outlets: Sequence[str], repo_id: str, license: str | None) -> str:
    """README.md of a corpus: its own, with the licence and the id on the Hub."""
    card = DatasetCard.load(folder / "README.md")
    card.data.license, terms = _licence(license or card.data.license, outlets)
    picture = f"![Number of pairs above each threshold]({PICTURE})\n\n" * (folder / PICTURE).is_file()
    body = card.text.partition(RIGHTS)[0].replace(LOCAL_PATH, repo_id).strip()
    card.text = f"\n{body}\n\n{picture}## Licence\n\n{terms}\n"
    return card.content


def licence_of(name: str | None, outlets: Iterable[str]) -> str:
    """Return the licence of a data set of these outlets: the name given, or the known one, or `unknown`."""
    return name or LICENSES.get(frozenset(outlets), "unknown")


def _licence(name: str | None, outlets: Iterable[str], *, is_model: bool = False) -> tuple[str, str]:
    """Return the licence of what is made from the outlets' texts, and its sentence on a card.

    Of a model that began from a pre-trained one (`is_model`) the licence of the texts says nothing: it is `unknown`.
    """
    name = licence_of(name, outlets) if name or not is_model else "unknown"
    return name, (NO_LICENCE if is_model else TERMS).get(name, f"{without_markup(name)}.")


def public(value: Any) -> Any:
    """Replace every absolute path in a JSON value, also one in NAME=PATH, by its last name."""
    if isinstance(value, str):
        path = _PATH.match(value)
        return (path[1] or "") + re.split(r"[\\/]", value.rstrip("\\/"))[-1] if path else value
    if isinstance(value, Mapping):
        return {key: public(item) for key, item in value.items()}
    return [public(item) for item in value] if isinstance(value, list) else value


def code(value: object) -> str:
    """A stranger's string as code within a line."""
    return f"`{' '.join(str(value).split()).replace('`', chr(39))}`"


def literal(value: str) -> str:
    """A stranger's string as a literal in a block of Python, which no mark in it ends."""
    return str(htmlsafe_json_dumps(value)).replace("`", "\\u0060")


#: The templates of the cards, and the functions that they call.
TEMPLATES: Environment = template_environment(PackageLoader("change_it.hub"), autoescape=False)
TEMPLATES.globals |= {"text": without_markup, "code": code, "literal": literal, "markdown": card_markdown}
TEMPLATES.globals |= {"is_sample_corpus": is_sample_corpus, "version": __version__}
