"""The exact files of a push, by kind: path in the repository to content, or to the file on disk that holds it."""

import csv
import io
import json
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from huggingface_hub import constants

from change_it import metric_path, shipped_path, space_path
from change_it.audit.verdicts import check_metrics
from change_it.errors import InputError
from change_it.generators.card import GeneratorCard, single_generator
from change_it.hub import cards
from change_it.hub.cards import public
from change_it.hub.push_options import PushOptions
from change_it.io import read_json

Files = dict[str, bytes | Path]

#: Files of a saved model that are pushed as they are; other JSON files lose this machine's paths.
MODEL_FILES = ("*.safetensors", "*.txt", "*.model", "*.jinja")
VOCABULARIES = ("tokenizer.json", "vocab.json", "added_tokens.json", "special_tokens_map.json")
#: Beside the package in a checkout, in its folder `_shipped` in a wheel and on the Hub.
SHIPPED = ("metrics", "spaces", "dataset_scripts", "pyproject.toml", "LICENSE", "NOTICE")
#: All that a build needs to know beside the project's own tables.
BUILD = '[tool.hatch.build.targets.wheel]\npackages = ["change_it"]\n'
#: The package's line of a requirements file.
OWN_REQUIREMENT = re.compile(r"change-it(?:\[(?P<extras>.*?)\])?")


def files_of(options: PushOptions) -> Files:
    """The files of a push."""
    match options.kind:
        case "dataset":
            return _dataset(options)
        case "judge":
            return _judge(options)
        case "generator":
            return _generator(options)
        case "metric":
            return _app(options, metric_path)
        case "space":
            return _app(options, space_path)


def _dataset(options: PushOptions) -> Files:
    """Tables as they are; the card, the record and the list of rejected rows for others to read."""
    folder = _folder(options)
    record = read_json(folder / "alignment.json")
    tables = sorted(folder.glob("*/*.parquet"))
    if record is None or not (folder / "README.md").is_file() or not tables:
        raise InputError(f"{folder} is no corpus folder: make one with change-it corpus build")
    record = public(record)
    files: Files = {path.relative_to(folder).as_posix(): path for path in tables}
    files["alignment.json"] = _as_json(record)
    if (folder / "rejected.csv").is_file():
        files["rejected.csv"] = _rejected(folder / "rejected.csv")
    return files | cards.dataset_card(folder, record, options)


def _rejected(path: Path) -> bytes:
    """`rejected.csv` with names of files instead of paths."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    with path.open(encoding="utf-8", newline="") as file:
        writer.writerows([public(row[0]), *row[1:]] if row else row for row in csv.reader(file))
    return text.getvalue().encode()


def _judge(options: PushOptions) -> Files:
    """One judge at the root, or main, hh, ah and perhaps fluency and facts in folders with the code of their models at the root."""
    from change_it.judges.judge import Judge, Judges, Reader

    folder = _folder(options)
    if (folder / "config.json").is_file():
        judges: dict[str, Judge | Reader] = {"": Judge.from_pretrained(folder, device="cpu")}
    else:
        loaded = Judges.from_pretrained(folder, device="cpu")
        judges = dict[str, Judge | Reader]((f"{task}/", judge) for task, judge in loaded.by_task.items())
        if loaded.reader:
            judges["facts/"] = loaded.reader
    files: Files = {}
    described = []
    for prefix, judge in judges.items():
        files |= _model(folder / prefix, prefix)
        if metrics := _metrics(folder / prefix, "change-it train judge"):
            check_metrics(metrics, folder / prefix / "metrics.json")
        described.append(cards.JudgeEntry(prefix, judge, metrics))
    return files | cards.judge_card(described, folder, options)


def _generator(options: PushOptions) -> Files:
    """One generator: a model, or adapters on a model that the Hub has."""
    folder = single_generator(_folder(options))
    card = GeneratorCard.load(folder)
    if card.base and (Path(card.base).is_dir() or public(card.base) != card.base):
        raise InputError(
            f"the adapters in {folder} belong to a folder of this machine ({card.base}): push what "
            f"change-it merge {folder} --out DIR makes, or train them on a model of the Hub"
        )
    metrics = _metrics(folder, "change-it train generator")
    files = _model(folder, "")
    if card.kind != "causal" and not card.base:  # transformers has no pipeline for encoder-decoders
        files |= _pipeline(json.loads(bytes(files["config.json"])), card)
    return files | cards.generator_card(card, metrics, folder, options)


def _pipeline(config: dict[str, Any], card: GeneratorCard) -> Files:
    """The code that `transformers.pipeline` runs, and a configuration that names it."""
    from change_it.generators.headline_pipeline import HeadlinePipeline

    source = Path(str(sys.modules[HeadlinePipeline.__module__].__file__))
    pipeline = {"impl": f"{source.stem}.{HeadlinePipeline.__name__}", "pt": ["AutoModelForSeq2SeqLM"]}
    config |= {"source_tokens": card.source_tokens, "target_tokens": card.target_tokens}
    config |= {"custom_pipelines": {"text-generation": pipeline}}
    return {"config.json": _as_json(config), source.name: source}


def _metrics(folder: Path, trainer: str) -> dict[str, Any]:
    """`metrics.json` of a model, empty where there is none; never that of other weights."""
    from change_it.networks.pretrained import hash_of_weights

    metrics, weights = read_json(folder / "metrics.json") or {}, hash_of_weights(folder, command=trainer)
    if metrics.get("weights_hash", weights) != weights:
        raise InputError(
            f"{folder / 'metrics.json'} is of other weights than those beside it: train again with {trainer}"
        )
    return metrics


def _model(folder: Path, prefix: str) -> Files:
    """Files of a saved model under `prefix`, with its code, if it is a model of ours, at the root."""
    paths = (path for pattern in MODEL_FILES for path in sorted(folder.glob(pattern)))
    files: Files = {f"{prefix}{path.name}": path for path in paths}
    for path in sorted(folder.glob("*.json")):
        content = read_json(path) or {}
        if path.name in ("config.json", "tokenizer_config.json"):
            content |= _auto_map(content, files)
        if path.name == "tokenizer_config.json":  # how it was loaded here
            content = {key: content[key] for key in content if key not in ("is_local", "local_files_only")}
        files[f"{prefix}{path.name}"] = path if path.name in VOCABULARIES else _as_json(public(content))
    return files


def _auto_map(config: Mapping[str, Any], files: Files) -> dict[str, Any]:
    """Where the Auto classes find the code of a model of ours, which joins `files`; as `register_for_auto_class` makes `save_pretrained` do.

    It is not called, because every model that this process saved later would carry code too.
    """
    from change_it.auto import GENERATORS, JUDGES, HeadlineTokenizer

    by_type: dict[str, dict[str, type]] = {HeadlineTokenizer.__name__: {"AutoTokenizer": HeadlineTokenizer}}
    for model in (*JUDGES, *GENERATORS):
        auto = "AutoModelForSequenceClassification" if model in JUDGES else "AutoModelForSeq2SeqLM"
        by_type[model.config_class.model_type] = {"AutoConfig": model.config_class, auto: model}
    classes = by_type.get(config.get("model_type") or config.get("tokenizer_class") or "", {})
    if not classes:
        return {}
    from transformers.dynamic_module_utils import get_relative_import_files

    for source in {str(sys.modules[cls.__module__].__file__) for cls in classes.values()}:
        for path in map(Path, [source, *get_relative_import_files(source)]):
            files[path.name] = path
    names: dict[str, Any] = {
        auto: f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}" for auto, cls in classes.items()
    }
    if "AutoTokenizer" in names:
        names["AutoTokenizer"] = [None, names["AutoTokenizer"]]  # the slow one, the fast one
    return {"auto_map": names}


def _app(options: PushOptions, shipped: Callable[[str], str]) -> Files:
    """A metric or the Space: its folder, and the package's source, which is imported from beside `app.py`."""
    folder = Path(options.folder)
    if not folder.is_dir():
        folder = Path(shipped(options.folder))
    files = _tree(folder)
    if not {"README.md", "requirements.txt", "app.py"} <= files.keys():
        raise InputError(
            f"{folder} lacks README.md, requirements.txt or app.py: give a folder like those that the package ships"
        )
    source, project = _package()
    needed, requirement = _requirements(
        (folder / "requirements.txt").read_text(encoding="utf-8"), project, options
    )
    if options.kind == "metric":
        module = f"{folder.name}.py"
        if module not in files:
            raise InputError(f"{folder} holds no {module}: an evaluate module is named as its folder")
        text = (folder / module).read_text(encoding="utf-8")
        # evaluate tells whoever lacks the package to install what stands in this comment.
        text = re.sub(
            r"^((?:from|import) change_it\b.*)", rf"\1  # From: '{requirement}'", text, flags=re.MULTILINE
        )
        # evaluate.load("owner/name") looks for name.py; app.py for the module by its own name.
        files[module] = files[f"{options.repo_id.partition('/')[2]}.py"] = text.encode()
    files["requirements.txt"] = needed.encode()
    card = (folder / "README.md").read_text(encoding="utf-8")
    files["README.md"] = cards.app_card(card, folder.name, requirement, options)
    return source | files


def _package() -> tuple[Files, dict[str, Any]]:
    """The package's source with what builds it, the same from a checkout and from installed files, and its project table."""
    files = _tree(Path(str(resources.files("change_it"))), "change_it/")
    for name in SHIPPED:
        files |= _tree(shipped_path(name), f"change_it/_shipped/{name}")
    text = shipped_path("pyproject.toml").read_text(encoding="utf-8").partition("[tool.")[0] + BUILD
    files |= {name: shipped_path(name) for name in ("LICENSE", "NOTICE")}
    return files | {"pyproject.toml": text.encode()}, tomllib.loads(text)["project"]


def _tree(root: Path, prefix: str = "") -> Files:
    """A file, or all files below a folder but hidden and compiled ones."""
    if root.is_file():
        return {prefix: root}
    paths = {path.relative_to(root): path for path in sorted(root.rglob("*")) if path.is_file()}
    start = f"{prefix.rstrip('/')}/" if prefix else ""
    return {
        f"{start}{name.as_posix()}": path
        for name, path in paths.items()
        if not any(part.startswith((".", "__pycache__")) for part in name.parts)
    }


def _requirements(text: str, project: Mapping[str, Any], options: PushOptions) -> tuple[str, str]:
    """`requirements.txt` with what the package needs in its place (all that a Space is built with), and what pip installs."""
    lines = text.splitlines()
    ours = next(filter(None, map(OWN_REQUIREMENT.match, lines)), None)
    extras = ours["extras"].split(",") if ours and ours["extras"] else []
    needed = [*project["dependencies"]]
    for extra in extras:
        needed += project["optional-dependencies"][extra]
    others = [line for line in lines if not OWN_REQUIREMENT.match(line)]
    revision = f"@{options.revision}" if options.revision else ""
    address = f"git+{constants.ENDPOINT}/spaces/{options.repo_id}{revision}"
    names = f"change-it[{','.join(extras)}]" if extras else "change-it"
    return "".join(f"{line}\n" for line in dict.fromkeys([*needed, *others])), f"{names} @ {address}"


def _as_json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _folder(options: PushOptions) -> Path:
    folder = Path(options.folder)
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}: give the one that holds the {options.kind}")
    return folder
