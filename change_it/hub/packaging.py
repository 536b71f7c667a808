"""The exact files of a push, by kind: path in the repository to content, or to the file on disk that holds it."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from huggingface_hub import constants
from huggingface_hub.utils import filter_repo_objects

from change_it import metric_path, shipped_path, space_path
from change_it.corpus.folder import FILES, PICTURE, check_corpus, read_report
from change_it.errors import InputError
from change_it.generators.folder import GeneratorInfo
from change_it.hub import cards
from change_it.hub.cards import public
from change_it.hub.push_options import PushKind, PushOptions
from change_it.io import GENERATOR_FILE, MODEL_FILES, listed, read_json, write_text

Files = dict[str, bytes | Path]

#: JSON files of a model but these vocabularies lose this machine's paths and how a tokenizer was loaded here.
HOW_LOADED = ("is_local", "local_files_only")
VOCABULARIES = ("tokenizer.json", "vocab.json", "added_tokens.json", "special_tokens_map.json")
#: Modules that are saved with models.
CODE = [
    path.name for part in ("judges", "networks") for path in Path(__file__).parents[1].glob(f"{part}/*.py")
]
#: Next to the package in a checkout, in its folder `_shipped` in a wheel and on the Hub.
SHIPPED = ("metrics", "spaces", "dataset_scripts", "pyproject.toml", "LICENSE", "NOTICE")
#: All that a build needs to know besides the project's own tables.
BUILD = '[tool.hatch.build.targets.wheel]\npackages = ["change_it"]\n'
#: The package's line of a requirements file.
OWN_REQUIREMENT = re.compile(r"change-it(?:\[(?P<extras>.*?)\])?")


def files_of(options: PushOptions) -> Files:
    """Collect the files of a push; nothing comes from outside the folder that is pushed."""
    folder = Path(options.folder)
    if not folder.is_dir() and options.kind not in ("metric", "space"):
        raise InputError(f"there is no folder {folder}: give the one that holds the {options.kind}")
    _check_links(folder)
    made = {"dataset": _dataset, "judge": _judge, "generator": _generator, "metric": _app, "space": _app}
    return made[options.kind](options)


def _check_links(folder: Path) -> None:
    """Refuse links that lead out of the folder: what they lead to was never meant for others."""
    for path in folder.rglob("*"):
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            raise InputError(
                f"{path} is a link that leads out of {folder}: put a copy in its place, or remove it"
            )


def _dataset(options: PushOptions) -> Files:
    """Tables and the picture as they are; the card and the record for others to read."""
    folder = Path(options.folder)
    files: Files = {name: folder / name for name in (*FILES, PICTURE) if (folder / name).is_file()}
    check_corpus(str(folder))
    record = public(read_report(folder))
    card = cards.dataset_card(folder, record, options)
    return files | {"alignment.json": _as_json(record), "README.md": card.encode()}


def _judge(options: PushOptions) -> Files:
    """One judge at the root, or main, hh, ah and perhaps fluency in folders with the code of their models at the root."""
    folder = Path(options.folder)
    files: Files = {}
    for prefix in cards.judge_prefixes(folder):
        files |= _model(folder / prefix, prefix)
    return files | {"README.md": model_card("judge", folder, options).encode()}


def model_card(kind: PushKind, folder: Path, options: PushOptions) -> str:
    """README.md of the judges or the generator in a folder."""
    if kind == "judge":
        prefixes = cards.judge_prefixes(folder)
        metrics = {prefix: _metrics(folder / prefix, "change-it train judge") for prefix in prefixes}
        return cards.judge_card(metrics, folder, options)
    info = GeneratorInfo.load(folder)
    return cards.generator_card(info, _metrics(folder, "change-it train generator"), folder, options)


def write_readme(folder: Path, kind: PushKind) -> None:
    """Write the card of a trained model into its folder, without what the Hub alone reads."""
    options = PushOptions(kind=kind, folder=str(folder), repo_id=folder.as_posix())
    write_text(folder / "README.md", model_card(kind, folder, options).partition("\n---\n\n")[2])


def _generator(options: PushOptions) -> Files:
    """One generator: a model, or adapters on a model that the Hub has."""
    folder = Path(options.folder)
    info = GeneratorInfo.load(folder)
    if info.base and _is_local(info.base):
        raise InputError(
            f"the adapters in {folder} belong to a folder of this machine ({info.base}): write the name of the same model on "
            f"the Hub as base in {GENERATOR_FILE} and as base_model_name_or_path in adapter_config.json"
        )
    return _model(folder, "") | {"README.md": model_card("generator", folder, options).encode()}


def _is_local(model: str) -> bool:
    """Whether a model is in a folder of this machine."""
    return Path(model).is_dir() or public(model) != model


def _metrics(folder: Path, trainer: str) -> dict[str, Any]:
    """`metrics.json` of a model, of one without any its hashes alone; never that of another model."""
    from change_it.networks.pretrained import hash_of_model, hash_of_weights  # loads torch

    metrics, weights = read_json(folder / "metrics.json") or {}, hash_of_weights(folder, command=trainer)
    hashes = {"weights_hash": weights, "model_hash": hash_of_model(folder, weights)}
    if any(metrics.get(name, value) != value for name, value in hashes.items()):
        raise InputError(
            f"{folder / 'metrics.json'} is of other weights or settings than the model in its folder: train again with {trainer}"
        )
    return metrics | hashes


def _model(folder: Path, prefix: str) -> Files:
    """Files that training wrote under `prefix`, and no others may lie there; its code at the root, where transformers looks for it."""
    files: Files = {}
    there = {path.name: path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")}
    known = filter_repo_objects(there, allow_patterns=[*MODEL_FILES, *CODE])
    written = (read_json(folder / "metrics.json") or {}).get("files") or known
    if others := there.keys() - {*written, "README.md"}:
        raise InputError(
            f"{folder} holds files that training did not write ({listed(sorted(others))}): move them elsewhere"
        )
    for path in (there[name] for name in sorted(there.keys() - {"README.md"})):
        name = path.name if path.suffix == ".py" else f"{prefix}{path.name}"
        if path.suffix != ".json" or path.name in VOCABULARIES:
            files[name] = path
        else:
            content = public(read_json(path) or {})
            files[name] = _as_json({key: content[key] for key in content if key not in HOW_LOADED})
    return files


def _app(options: PushOptions) -> Files:
    """A metric or the Space: its folder, and the package's source, which is imported from the folder of `app.py`."""
    folder = Path(options.folder)
    if not folder.is_dir():
        folder = Path((metric_path if options.kind == "metric" else space_path)(options.folder))
    files = _tree(folder)
    if not {"README.md", "requirements.txt", "app.py"} <= files.keys():
        raise InputError(
            f"{folder} lacks README.md, requirements.txt or app.py: give a folder like those that the package ships"
        )
    source, project = _package()
    lines = (folder / "requirements.txt").read_text(encoding="utf-8").splitlines()
    # The card names the folder, and what pip installs from the repository.
    card = (folder / "README.md").read_text(encoding="utf-8")
    files["README.md"] = re.sub(rf"\b(?:owner|metrics)/{folder.name}\b", options.repo_id, card).encode()
    if options.kind == "metric":
        module = f"{folder.name}.py"
        if module not in files:
            raise InputError(f"{folder} holds no {module}: an evaluate module is named as its folder")
        text = (folder / module).read_text(encoding="utf-8")
        # evaluate tells users without the package to install what this comment names.
        own = next((match[0] for match in map(OWN_REQUIREMENT.match, lines) if match), "change-it")
        address = f"{own} @ git+{constants.ENDPOINT}/spaces/{options.repo_id}"
        text = re.sub(
            r"^((?:from|import) change_it\b.*)", rf"\1  # From: '{address}'", text, flags=re.MULTILINE
        )
        # evaluate.load("owner/name") looks for name.py; app.py for the module by its own name.
        files[module] = files[f"{options.repo_id.partition('/')[2]}.py"] = text.encode()
    files["requirements.txt"] = _requirements(lines, project).encode()
    return source | files


def _package() -> tuple[Files, dict[str, Any]]:
    """Collect the package's source with what builds it, the same from a checkout and from installed files, and its project table."""
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


def _requirements(lines: Sequence[str], project: Mapping[str, Any]) -> str:
    """`requirements.txt` with what the package needs in its place: all that a Space is built with."""
    extras = [match["extras"] for match in map(OWN_REQUIREMENT.match, lines) if match and match["extras"]]
    needed = [*project["dependencies"]]
    for extra in ",".join(extras).split(",") if extras else ():
        needed += project["optional-dependencies"][extra]
    others = [line for line in lines if not OWN_REQUIREMENT.match(line)]
    return "".join(f"{line}\n" for line in dict.fromkeys([*needed, *others]))


def _as_json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
