"""Cards of data sets and models, filled from the records that a run left; no model is loaded."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from huggingface_hub import DatasetCard, EvalResult, ModelCardData
from jinja2 import Environment, PackageLoader
from jinja2.utils import htmlsafe_json_dumps

from change_it import __version__
from change_it.corpus.folder import MODEL_CORPUS, PICTURE
from change_it.corpus.sample import OUTLETS, is_sample_corpus
from change_it.errors import InputError
from change_it.generators.folder import GeneratorInfo
from change_it.io import is_hub_id, read_json, record_errors
from change_it.judges.judge_options import read_judge_info, table_of, within_event_table
from change_it.judges.spec import JUDGES
from change_it.published_figures import CITATIONS
from change_it.scoring.item import BUILT_IN
from change_it.tables import Column, Row, Table, card_markdown, with_interval
from change_it.templates import template_environment, without_markup

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
#: Scores of a system on a card, and their headings.
SCORES = {
    "compliancy": "compliancy", "hh": "HH", "ah": "AH", "main": "main", "style": "style", "acceptability": "acceptability",
    "edited": "edited", "fluency": "fluency", "evidence": "evidence", "bleu": "BLEU", "rougeL": "ROUGE-L",
}  # fmt: skip
#: An absolute path of any system, or one into a home folder.
_PATH = re.compile(r"([^/=]*=)?(?:/[^/\s]+/|~/|[A-Za-z]:[\\/])")

#: The content of a model's card: its metadata; config, metric, value and name of each result; values of the template.
_Content = tuple[dict[str, Any], list[tuple[str, str, float, str]], dict[str, Any]]


def model_card(
    kind: Literal["judge", "generator"],
    folder: Path,
    metrics: Mapping[str, dict[str, Any]],
    repo_id: str,
    license: str | None = None,
    dataset: str | None = None,
) -> str:
    """README.md of judges or a generator; `metrics` has by prefix in `folder` the `metrics.json` of each model, with its hashes."""
    data, results, values = _judges(folder, metrics) if kind == "judge" else _generator(folder, metrics[""])
    corpus = read_json(folder / next(iter(metrics)) / MODEL_CORPUS) or {}
    dataset = dataset or str(corpus.get("dataset") or "")
    dataset = dataset if re.fullmatch(r"[\w.-]+(/[\w.-]+)?", dataset) else None
    task = "text-classification" if kind == "judge" else "text-generation"
    source = {"dataset_type": dataset or "change-it-corpus", "dataset_name": values["corpus"]}
    about: dict[str, Any] = source | {"task_type": task, "task_name": "headline style transfer"}
    index = [
        EvalResult(**about, dataset_split="test", dataset_config=config, metric_type=metric, metric_value=round(value, 4), metric_name=name)
        for config, metric, value, name in results
    ]  # fmt: skip
    language = corpus.get("language") or data.get("language")
    texts = license or _license(values["outlets"])
    data |= {
        "model_name": repo_id.partition("/")[2],
        "eval_results": index or None,
        "language": None if language == "none" else language,
        "datasets": [dataset] if dataset else None,
        "license": license or data.get("license") or texts,
        "tags": ["change-it", "style-transfer", "headline-generation", *data["tags"]],
    }
    values |= {"repo_id": repo_id, "corpus": corpus | {"name": values["corpus"], "dataset": dataset}}
    values |= {"terms": _terms(texts), "card_data": ModelCardData(**data).to_yaml()}
    return TEMPLATES.get_template(f"{kind}.md.jinja").render(values).strip() + "\n"


def _judges(folder: Path, metrics: Mapping[str, dict[str, Any]]) -> _Content:
    """The content of the card of one judge or several."""
    judges: list[dict[str, Any]] = []
    results, hashes = [], {}
    for prefix, record in metrics.items():
        config = read_json(folder / prefix / "config.json") or {}
        about: Any = config.get("change_it")
        with record_errors(folder / prefix / "config.json"):
            info = read_judge_info(about)
        if prefix not in ("", f"{info.task}/"):
            fault = f"{folder / prefix} is no judge of its name"
            raise InputError(f"{fault}: train it with change-it train judge")
        path = folder / prefix / "metrics.json"
        with record_errors(path):
            tables = [within_event_table(record), table_of(record)]
        if within := record.get("within_event"):
            value = within["systems"]["judge"]["value"]
            results.append(("main-within-event", "accuracy", value, "within-event accuracy"))
        for test, row in record["results"].items():
            name = info.task if test in ("gold", "random") else f"{info.task}-{test}"
            results.append((name, "f1", row["macro_f1"], "mean F1"))
            results.append((name, "accuracy", row["accuracy"], "accuracy"))
        hashes[info.task] = record["model_hash"][:6]
        judge = {"prefix": prefix, "info": info, "encoder": str(public(about["encoder"])), "tables": tables}
        judges.append(judge | {"type": config["model_type"], "weights": record["weights_hash"]})
    info, several = judges[0]["info"], len(judges) > 1
    fluency = hashes.pop("fluency", None)
    signature = [f"judges:{'+'.join(hashes.values())}", f"fold:{info.fold}"] if hashes else []
    data = {
        "pipeline_tag": None if several else "text-classification",  # the root of several is no model
        "library_name": "change-it" if several else "transformers",
        "base_model": sorted({judge["encoder"] for judge in judges if is_hub_id(judge["encoder"])}) or None,
        "tags": ["evaluation"],
        "metrics": ["f1", "accuracy", "precision", "recall"],
    }
    values = {
        "entries": judges,
        "several": several,
        "specs": JUDGES,
        "signature": "|".join([*signature, *([f"fluency:{fluency}"] if fluency else [])]),
        "citation": CITATIONS["evalnlgeval2020"],
        "corpus": about["corpus"],
        "outlets": info.outlets,
    }
    return data, results, values


def _generator(folder: Path, metrics: dict[str, Any]) -> _Content:
    """The content of the card of a generator: its scores are those of the report above it that names it."""
    info, path = GeneratorInfo.load(folder), folder.resolve()
    reports = [read_json(above / "report" / "scores.json") for above in [*path.parents][:3]]
    scores: dict[str, Any] = next(
        (of["systems"] for of in reports if of and {*of["outlets"]} == {*info.outlets}), {}
    )
    names = (path.name, path.parent.name, f"{info.recipe}-{info.architecture}", info.recipe)
    system = next((name for name in names if name in scores and name not in BUILT_IN), "")
    tables, results = [], []
    for one, to in (info.outlets, info.outlets[::-1]):
        direction = f"{one}2{to}"
        if info.to not in (None, to) or direction not in scores.get(system, {}):
            continue  # predictions may be of one alone
        by_name = {name: scores[name].get(direction) for name in (*BUILT_IN, system) if name in scores}
        scored = {name: row for name, row in by_name.items() if row}
        rows = []
        for name, row in scored.items():
            intervals = {
                f"{score}_interval": ends and tuple(ends) for score, ends in row["intervals"].items()
            }
            rows.append(Row({"system": name, **row, **intervals}))
        columns = [Column("system", "text", direction)]
        for score, heading in SCORES.items():
            if any(row.get(score) is not None for row in scored.values()):
                columns.append(with_interval(score, heading))
            if (value := scored[system].get(score)) is not None:
                results.append((direction, score, value, heading))
        tables.append(Table(columns, rows, scored[system]["signature"]))
    base = info.base or info.architecture
    data = {
        "language": info.language,
        # The licence of the texts is not that of the model behind it.
        "license": "unknown" if info.pretrained else None,
        "pipeline_tag": None if info.base and info.kind == "encoder-decoder" else "text-generation",
        "library_name": "peft" if info.base else "transformers",
        "base_model": base if is_hub_id(base) else None,
        "tags": [f"recipe:{info.recipe}"],
        "metrics": ["compliancy", "bleu", "rouge"],
    }
    values = {"info": info, "base": public(base), "metrics": metrics, "system": system, "tables": tables}
    return data, results, values | {"corpus": info.corpus, "outlets": info.outlets}


def dataset_card(folder: Path, record: dict[str, Any], repo_id: str, license: str | None) -> str:
    """README.md of a corpus: its own, with the licence and the id on the Hub."""
    card = DatasetCard.load(folder / "README.md")
    license = license or card.data.license or _license(record["outlets"][side] for side in "ab")
    card.data.license = license
    has_picture = (folder / PICTURE).is_file()
    picture = f"![Number of pairs above each threshold]({PICTURE})\n\n" if has_picture else ""
    body = card.text.partition(RIGHTS)[0].replace(LOCAL_PATH, repo_id).strip()
    card.text = f"\n{body}\n\n{picture}## Licence\n\n{_terms(license)}\n"
    return card.content


def _license(outlets: Iterable[str]) -> str:
    """The licence of these outlets' texts, and of what is made from them; `unknown` where nobody has named one."""
    return LICENSES.get(frozenset(outlets), "unknown")


def _terms(license: str) -> str:
    return TERMS.get(license, f"{without_markup(license)}.")


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
