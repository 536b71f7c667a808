"""Cards of data sets, models, metrics and Spaces, filled from the records that a run left; no model is loaded."""

import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from huggingface_hub import DatasetCard, EvalResult, ModelCard, ModelCardData
from jinja2.utils import htmlsafe_json_dumps

from change_it import __version__
from change_it.audit.verdicts import check_metrics
from change_it.corpus.folder import MODEL_CORPUS, PICTURE
from change_it.corpus.sample import OUTLETS, is_sample_corpus
from change_it.errors import InputError
from change_it.generators.folder import GeneratorInfo
from change_it.hub.push_options import PushOptions
from change_it.io import is_hub_id, listed, read_json, record_errors
from change_it.judges.judge_options import check_tasks, read_judge_info, table_of, within_event_table
from change_it.judges.spec import JUDGES, TRAINED
from change_it.published_figures import CITATIONS
from change_it.scoring.systems import BUILT_IN
from change_it.tables import Column, Row, Table, card_markdown, with_interval
from change_it.templates import without_markup

#: Where `corpus build` leaves the example's and the last section's texts of its README.
LOCAL_PATH, RIGHTS = "path/to/this/folder", "## Rights"
#: Texts of CHANGE-IT may be passed on under the shared task's licence alone; the sample's are invented, under the package's own.
LICENSES = {frozenset({"rep", "gio"}): "cc-by-nc-sa-4.0", frozenset(OUTLETS): "apache-2.0"}
#: What cards say of a licence.
TERMS = {
    "cc-by-nc-sa-4.0": "CC BY-NC-SA 4.0, the licence of CHANGE-IT's data (De Mattei, Cafagna, Dell'Orletta, Nissim and Gatt, "
    "EVALITA 2020): name the authors, no commercial use, share alike.",
    "unknown": "Nobody has named a licence. The texts that it was made from belong to their publishers.",
}
#: Scores of a system on a card, as the report names them.
SCORES = {
    "compliancy": "compliancy", "hh": "HH", "ah": "AH", "main": "main", "style": "style", "acceptability": "acceptability",
    "edited": "edited", "fluency": "fluency", "evidence": "evidence", "bleu": "BLEU", "rougeL": "ROUGE-L",
}  # fmt: skip
#: An absolute path of any system, or one into a home folder.
_PATH = re.compile(r"([^/=]*=)?(?:/[^/\s]+/|~/|[A-Za-z]:[\\/])")


def judge_prefixes(folder: Path) -> list[str]:
    """The folders of a repository of judges that hold one, with a slash at the end; an empty one for a judge at its root."""
    if (folder / "config.json").is_file():
        return [""]
    check_tasks(folder, folder)
    return [f"{task}/" for task in TRAINED if (folder / task).is_dir()]


def judge_card(metrics: Mapping[str, dict[str, Any]], folder: Path, options: PushOptions) -> str:
    """README.md of one judge or several; `metrics` has by prefix what is in `metrics.json`, with the hashes of the model."""
    entries, hashes = [], {}
    results: list[tuple[str, str, float, str]] = []  # config, metric, value, name
    for prefix, record in metrics.items():
        config = read_json(folder / prefix / "config.json") or {}
        about: Any = config.get("change_it")
        info = read_judge_info(about)
        if info is None or (prefix and prefix != f"{info.task}/"):
            fault = f"{folder / prefix} cannot be loaded as a judge"
            raise InputError(f"{fault}: train it with change-it train judge")
        tables: list[Table | None] = []
        if (path := folder / prefix / "metrics.json").is_file():
            check_metrics(record, path)
            with record_errors(path):
                tables = [within_event_table(record), table_of(record)]
            if within := record.get("within_event"):
                value = within["systems"]["judge"]["value"]
                results.append(("main-within-event", "accuracy", value, "within-event accuracy"))
            for test, found in record["results"].items():
                name = info.task if test in ("gold", "random") else f"{info.task}-{test}"
                results.append((name, "f1", found["macro_f1"], "mean F1"))
                results.append((name, "accuracy", found["accuracy"], "accuracy"))
        hashes[info.task] = record["model_hash"][:6]
        encoder = str(public(about["encoder"]))
        own_code = str(config["model_type"]).startswith("change_it")  # transformers alone cannot load it
        shown = {"tables": list(filter(None, tables)), "weights": record["weights_hash"][:12]}
        entries.append(
            {
                "prefix": prefix,
                "info": info,
                "encoder": encoder,
                "own_code": own_code,
                "corpus": about["corpus"],
            }
            | shown
        )
    info, several = entries[0]["info"], bool(entries[0]["prefix"])
    if any(each["info"][1:3] != info[1:3] for each in entries):
        made = [f"{each['prefix']} {'/'.join(each['info'].outlets)} {each['info'].fold}" for each in entries]
        fault = f"the judges in {folder} differ in outlets or fold ({listed(made)})"
        raise InputError(f"{fault}: train them on one corpus with the same --fold")
    fluency = hashes.pop("fluency", None)
    parts = [f"judges:{'+'.join(hashes.values())}", f"fold:{info.fold}"] if hashes else []
    data = {
        "pipeline_tag": None if several else "text-classification",  # the root of several is no model
        "library_name": "change-it" if several else "transformers",
        "base_model": sorted({each["encoder"] for each in entries if is_hub_id(each["encoder"])}) or None,
        "tags": ["evaluation"],
        "metrics": ["f1", "accuracy", "precision", "recall"],
    }
    values = {
        "entries": entries,
        "several": several,
        "specs": JUDGES,
        "signature": "|".join([*parts, *([f"fluency:{fluency}"] if fluency else [])]),
        "citation": CITATIONS["evalnlgeval2020"],
    }
    corpus = _corpus(folder / entries[0]["prefix"], entries[0]["corpus"], options)
    return _model_card("judge", data, results, values, options, corpus, info.outlets)


def generator_card(info: GeneratorInfo, metrics: dict[str, Any], folder: Path, options: PushOptions) -> str:
    """README.md of a generator; `metrics` is its `metrics.json`, or empty."""
    path, scores = folder.resolve(), _report(folder, info.outlets).get("systems", {})
    names = (path.name, path.parent.name, f"{info.recipe}-{info.architecture}", info.recipe)
    system = next((name for name in names if name in scores and name not in BUILT_IN), "")
    systems = {name: scores[name] for name in (*BUILT_IN, system) if name in scores} if system else {}
    directions = [f"{a}2{b}" for a, b in (info.outlets, info.outlets[::-1]) if info.to in (None, b)]
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
    values = {
        "info": info,
        "base": public(base),
        "metrics": metrics,
        "system": system,
        "tables": [
            _score_table(direction, systems, system)
            for direction in directions
            if direction in systems.get(system, {})  # predictions may be of one alone
        ],
    }
    results = [
        (direction, key, value, title)
        for direction in directions
        for key, title in SCORES.items()
        if (value := scores.get(system, {}).get(direction, {}).get(key)) is not None
    ]
    corpus = _corpus(folder, info.corpus, options)
    return _model_card("generator", data, results, values, options, corpus, info.outlets)


def _score_table(direction: str, systems: Mapping[str, Any], system: str) -> Table:
    """The scores of a generator in one direction, among those of systems that need no model; its signature is the title."""
    scored = {name: found[direction] for name, found in systems.items() if direction in found}
    rows = [
        Row(
            {
                "system": name,
                **row,
                **{f"{key}_interval": ends and tuple(ends) for key, ends in row["intervals"].items()},
            }
        )
        for name, row in scored.items()
    ]
    shown = [key for key in SCORES if any(row.get(key) is not None for row in scored.values())]
    columns = [Column("system", "text", direction), *(with_interval(key, SCORES[key]) for key in shown)]
    return Table(columns, rows, scored[system]["signature"])


def dataset_card(folder: Path, record: dict[str, Any], options: PushOptions) -> str:
    """README.md of a corpus: its own, with the licence and the id on the Hub."""
    card = DatasetCard.load(folder / "README.md")
    outlets = record["outlets"]["a"], record["outlets"]["b"]
    license = options.license or card.data.license or license_of(outlets)
    card.data.license = license
    picture = (
        f"![Number of pairs above each threshold]({PICTURE})\n\n" if (folder / PICTURE).is_file() else ""
    )
    body = card.text.partition(RIGHTS)[0].replace(LOCAL_PATH, options.repo_id).strip()
    card.text = f"\n{body}\n\n{picture}## Licence\n\n{terms(license)}\n"
    return card.content


def license_of(outlets: Sequence[str]) -> str:
    """Find the licence of these outlets' texts, and of what is made from them; `unknown` where nobody has named one.

    Examples:
        >>> license_of(("gio", "rep")), license_of(("colle", "faro")), license_of(("left", "right"))
        ('cc-by-nc-sa-4.0', 'apache-2.0', 'unknown')
    """
    return LICENSES.get(frozenset(outlets), "unknown")


def terms(license: str) -> str:
    """What a card says of a licence."""
    return TERMS.get(license, f"{without_markup(license)}.")


def _corpus(folder: Path, name: str, options: PushOptions) -> dict[str, Any]:
    """A model's corpus: its name, and what training recorded of it (`describe_corpus`); `--dataset` names that of the Hub."""
    record = read_json(folder / MODEL_CORPUS) or {}
    dataset = options.dataset or str(record.get("dataset") or "")
    known = re.fullmatch(r"[\w.-]+(/[\w.-]+)?", dataset)
    return {**record, "name": name, "dataset": dataset if known else None}


def _report(folder: Path, outlets: Sequence[str]) -> dict[str, Any]:
    """Find the report of a model's own outlets in a folder above it, as in `scores.json`; empty without one."""
    for above in list(folder.resolve().parents)[:3]:
        report = read_json(above / "report" / "scores.json")
        if report and {*report["outlets"]} == {*outlets}:
            return dict(report)
    return {}


def _model_card(
    template: str,
    data: dict[str, Any],
    results: Sequence[tuple[str, str, float, str]],
    values: dict[str, Any],
    options: PushOptions,
    corpus: Mapping[str, Any],
    outlets: Sequence[str],
) -> str:
    """A card with what is known of the corpus; `results` are config, metric, value and name of the numbers of `model-index`."""
    kind = "text-generation" if template == "generator" else "text-classification"
    about: dict[str, Any] = {
        "task_type": kind,
        "task_name": "headline style transfer",
        "dataset_split": "test",
    }
    about |= {"dataset_type": corpus["dataset"] or "change-it-corpus", "dataset_name": corpus["name"]}
    index = [
        EvalResult(
            **about, dataset_config=config, metric_type=key, metric_value=round(value, 4), metric_name=name
        )
        for config, key, value, name in results
    ]
    language, license = corpus.get("language") or data.get("language"), options.license or license_of(outlets)
    data |= {
        "model_name": options.repo_id.partition("/")[2],
        "eval_results": index or None,
        "language": None if language == "none" else language,
        "datasets": [corpus["dataset"]] if corpus["dataset"] else None,
        "license": options.license or data.get("license") or license,
        "tags": ["change-it", "style-transfer", "headline-generation", *data["tags"]],
    }
    values |= {"repo_id": options.repo_id, "corpus": corpus, "outlets": outlets, "terms": terms(license)}
    card = ModelCard.from_template(
        ModelCardData(**data), template_str=_template(template), **FUNCTIONS, **values
    )
    return f"{card.content.strip()}\n"


def public(value: Any) -> Any:
    """Replace every absolute path in a JSON value, also one in NAME=PATH, by its last name."""
    if isinstance(value, str):
        path = _PATH.match(value)
        return (path[1] or "") + re.split(r"[\\/]", value.rstrip("\\/"))[-1] if path else value
    if isinstance(value, Mapping):
        return {key: public(item) for key, item in value.items()}
    return [public(item) for item in value] if isinstance(value, list) else value


def _code(value: object) -> str:
    """A stranger's string as code within a line."""
    return f"`{' '.join(str(value).split()).replace('`', chr(39))}`"


def _literal(value: str) -> str:
    """A stranger's string as a literal in a block of Python, which no mark in it ends."""
    return str(htmlsafe_json_dumps(value)).replace("`", "\\u0060")


#: What all templates call.
FUNCTIONS: dict[str, Any] = {
    "text": without_markup,
    "code": _code,
    "literal": _literal,
    "markdown": card_markdown,
    "is_sample_corpus": is_sample_corpus,
    "version": __version__,
}


def _template(name: str) -> str:
    """Load a template behind the macros of all; lines that hold only tags leave nothing."""
    folder = resources.files("change_it.hub") / "templates"
    texts = [(folder / f"{one}.md.jinja").read_text(encoding="utf-8") for one in ("data", name)]
    return "".join(texts).replace("%}\n", "%}")
