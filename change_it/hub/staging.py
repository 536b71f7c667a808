"""The exact files of a push, by kind: path in the repository to content, or to the file on disk that holds it."""

import csv
import io
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from huggingface_hub import hf_hub_url

from change_it import metric_path, space_path
from change_it.errors import InputError
from change_it.hub import cards
from change_it.hub.options import Kind, PushOptions
from change_it.hub.records import as_json, public, read_json
from change_it.hub.wheel import wheel

#: Path in the repository to content.
Files = dict[str, bytes | Path]

#: Files of a saved model that are pushed as they are; other JSON files lose this machine's paths.
MODEL_FILES = ("*.safetensors", "*.txt", "*.model", "*.jinja")
VOCABULARIES = ("tokenizer.json", "vocab.json", "added_tokens.json", "special_tokens_map.json")
#: The package's line of a requirements file, up to its version.
OWN_REQUIREMENT = re.compile(r"change-it(\[.*?\])?")
TRAINER, GENERATOR_TRAINER = "change-it train judge", "change-it train generator"


def stage(options: PushOptions) -> Files:
    """The files of a push.

    Args:
        options: what, and where to.

    Raises:
        InputError: the folder does not hold what is to be pushed, or holds what must not be.
    """
    makers: dict[Kind, Callable[[PushOptions], Files]] = {
        "dataset": _dataset,
        "judge": _judge,
        "generator": _generator,
        "metric": lambda options: _app(options, metric_path),
        "space": lambda options: _app(options, space_path),
    }
    return makers[options.kind](options)


def _dataset(options: PushOptions) -> Files:
    """Tables as they are; the card, the record and the list of rejected rows for others to read."""
    folder = _folder(options)
    record = read_json(folder / "alignment.json")
    tables = sorted(folder.glob("*/*.parquet"))
    if record is None or not (folder / "README.md").is_file() or not tables:
        raise InputError(f"{folder} is no corpus folder: make one with change-it corpus build")
    record = public(record)
    files: Files = {path.relative_to(folder).as_posix(): path for path in tables}
    files["alignment.json"] = as_json(record)
    if (folder / "rejected.csv").is_file():
        files["rejected.csv"] = _rejected(folder / "rejected.csv")
    if any(record["histogram"]["pairs"]):
        files[cards.CURVE] = cards.curve_picture(record)
    files["README.md"] = cards.dataset_card(folder, record, options)
    return files


def _rejected(path: Path) -> bytes:
    """`rejected.csv` with names of files instead of paths."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    with path.open(encoding="utf-8", newline="") as file:
        writer.writerows([public(row[0]), *row[1:]] if row else row for row in csv.reader(file))
    return text.getvalue().encode()


def _judge(options: PushOptions) -> Files:
    """One judge at the root, or main, hh and ah in folders with the code of their models at the root."""
    from change_it.judges.judge import Judge, Judges
    from change_it.training.models import hash_of_weights

    folder = _folder(options)
    if (folder / "config.json").is_file():
        found = {"": Judge.from_pretrained(folder, device="cpu")}
    else:
        judges = Judges.from_pretrained(folder, device="cpu")
        found = {f"{task}/": getattr(judges, task) for task in ("main", "hh", "ah")}
    files: Files = {}
    described = []
    for prefix, judge in found.items():
        place = folder / prefix
        files |= _model(place, prefix)
        metrics = _own_metrics(place, hash_of_weights(place, command=TRAINER), TRAINER)
        described.append(cards.JudgeFacts(prefix, judge, metrics))
    return files | cards.judge_cards(described, folder, options)


def _generator(options: PushOptions) -> Files:
    """One generator: a model, or adapters on a model that the Hub has."""
    from change_it.generators.generator import CARD, GeneratorCard
    from change_it.training.models import hash_of_weights

    folder = _folder(options)
    if not (folder / CARD).is_file() and (several := sorted(folder.rglob(CARD))):
        names = ", ".join(path.parent.relative_to(folder).as_posix() for path in several)
        raise InputError(
            f"{folder} holds {len(several)} generators ({names}): push each folder by itself, one model a repository"
        )
    card = GeneratorCard.load(folder)
    if card.base and (Path(card.base).is_dir() or public(card.base) != card.base):
        raise InputError(
            f"the adapters in {folder} belong to a folder of this machine ({card.base}): push what "
            f"change-it merge {folder} --out DIR makes, or train them on a model of the Hub"
        )
    metrics = _own_metrics(folder, hash_of_weights(folder, command=GENERATOR_TRAINER), GENERATOR_TRAINER)
    files = _model(folder, "")
    return files | cards.generator_cards(card, metrics, folder, options)


def _own_metrics(folder: Path, weights: str, trainer: str) -> dict[str, Any]:
    """`metrics.json` of a model, empty where there is none; never that of other weights."""
    metrics = read_json(folder / "metrics.json") or {}
    if metrics.get("weights_hash", weights) != weights:
        raise InputError(
            f"{folder / 'metrics.json'} is of other weights than those beside it: train again with {trainer}"
        )
    return metrics


def _model(folder: Path, prefix: str) -> Files:
    """Files of a saved model under `prefix`, with its code, if it is a model of ours, at the root."""
    files: Files = {
        f"{prefix}{path.name}": path for pattern in MODEL_FILES for path in sorted(folder.glob(pattern))
    }
    for path in sorted(folder.glob("*.json")):
        content = read_json(path) or {}
        if path.name == "config.json":
            content = {**content, **_auto_map(content, files)}
        if path.name == "tokenizer_config.json":
            content = {**_portable(content), **_auto_map(content, files)}
        files[f"{prefix}{path.name}"] = path if path.name in VOCABULARIES else as_json(public(content))
    return files


def _portable(tokenizer: dict[str, Any]) -> dict[str, Any]:
    """A tokenizer's configuration without how it was loaded here."""
    return {key: value for key, value in tokenizer.items() if key not in ("is_local", "local_files_only")}


def _auto_map(config: Mapping[str, Any], files: Files) -> dict[str, Any]:
    """What `register_for_auto_class` makes `save_pretrained` write: where the Auto classes find the code, and the code.

    It is not called, because every model that this process saved later would carry code too. Models of
    transformers itself have none.
    """
    import change_it.generators.pointer_generator as pointer
    import change_it.generators.tokenizer as words
    import change_it.judges.encoder as encoder

    known: dict[str, dict[str, type]] = {
        encoder.PairJudgeConfig.model_type: {
            "AutoConfig": encoder.PairJudgeConfig,
            "AutoModelForSequenceClassification": encoder.PairJudgeForSequenceClassification,
        },
        pointer.PointerGeneratorConfig.model_type: {
            "AutoConfig": pointer.PointerGeneratorConfig,
            "AutoModelForSeq2SeqLM": pointer.PointerGeneratorForConditionalGeneration,
        },
        words.HeadlineTokenizer.__name__: {"AutoTokenizer": words.HeadlineTokenizer},
    }
    classes = known.get(config.get("model_type") or config.get("tokenizer_class") or "", {})
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
    """A metric or the Space: its folder, the wheel of this package, and requirements that name the wheel."""
    folder = Path(options.folder)
    if not folder.is_dir():
        folder = Path(shipped(options.folder))
    files: Files = {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(part.startswith((".", "__pycache__")) for part in path.relative_to(folder).parts)
    }
    if not {"README.md", "requirements.txt", "app.py"} <= files.keys():
        raise InputError(
            f"{folder} lacks README.md, requirements.txt or app.py: give a folder like those that the package ships"
        )
    name, content = wheel()
    url = hf_hub_url(options.repo_id, name, repo_type="space", revision=options.revision)
    files[name] = content
    needed, own = _requirements((folder / "requirements.txt").read_text(encoding="utf-8"), url)
    files["requirements.txt"] = needed.encode()
    if options.kind == "metric":
        module = f"{folder.name}.py"
        if module not in files:
            raise InputError(f"{folder} holds no {module}: an evaluate module is named as its folder")
        # `evaluate.load(owner/name)` looks for name.py.
        files[f"{options.repo_id.partition('/')[2]}.py"] = files[module]
    card = (folder / "README.md").read_text(encoding="utf-8")
    files["README.md"] = cards.app_card(card, folder.name, own, options)
    return files


def _requirements(text: str, url: str) -> tuple[str, str]:
    """`requirements.txt` with the package by the address of its wheel, and that line alone.

    A Space is built with nothing but this file at hand, so the address must not be a path beside it.
    """
    lines = text.splitlines()
    names = [found[0] for line in lines if (found := OWN_REQUIREMENT.match(line))] or ["change-it"]
    own = f"{names[0]} @ {url}"
    return "\n".join([own, *(line for line in lines if not OWN_REQUIREMENT.match(line))]) + "\n", own


def _folder(options: PushOptions) -> Path:
    folder = Path(options.folder)
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}: give the one that holds the {options.kind}")
    return folder
