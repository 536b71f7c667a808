"""The exact files of a push, by kind."""

import json
import re
import subprocess
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from shutil import copyfile
from typing import Any, Literal

from huggingface_hub import DatasetCard, HfApi, SpaceCard, constants
from huggingface_hub.errors import HTTPError, OfflineModeIsEnabled
from huggingface_hub.utils import filter_repo_objects

from change_it.audit.record import NO_AUDIT, Summary, read_summary
from change_it.corpus.folder import FILES, MODEL_CORPUS, PICTURE, REPORT, check_corpus, read_report
from change_it.corpus.reading.licence import licence_of_texts
from change_it.corpus.test_set import Item
from change_it.errors import InputError
from change_it.files.atomic import read_json, record_errors, refuse_pointer, replace_folder, write_text
from change_it.files.model_folders import GENERATOR_FILE, MODEL_FILES, is_hub_id, weight_files
from change_it.files.shipped import shipped_path
from change_it.files.texts import join_truncated
from change_it.generators.folder import GeneratorInfo
from change_it.generators.record import read_generator_metrics
from change_it.hub.cards import CardSettings, Metrics, dataset_card, example_of, model_card, public
from change_it.judges.options import COMMAND as JUDGE_COMMAND
from change_it.judges.options import check_tasks
from change_it.judges.record import JudgeMetrics, read_judge_metrics
from change_it.judges.reliability import rate_judges
from change_it.judges.spec import JUDGES, trained_tasks
from change_it.version import __version__

PushKind = Literal["dataset", "judge", "generator", "metric", "space"]
#: Path in the repository to content, or to the file on disk that holds it.
Files = dict[str, bytes | Path]

#: JSON files of a model that keep what looks like a path of this machine.
VOCABULARIES = ("tokenizer.json", "vocab.json", "added_tokens.json", "special_tokens_map.json")
PACKAGE = Path(__file__).parents[1]
#: Modules that are saved with models.
CODE = [path.name for part in ("judges", "generators/networks") for path in PACKAGE.glob(f"{part}/*.py")]
#: Next to the package in a checkout, in its folder `_shipped` in a wheel and on the Hub.
LEGAL = ("LICENSE", "NOTICE")
SHIPPED = ("metrics", "spaces", "dataset_scripts", "pyproject.toml", *LEGAL)
#: All that a build needs to know besides the project's own tables.
BUILD = '[tool.hatch.build.targets.wheel]\npackages = ["change_it"]\n'
#: Parts of the package that no page needs, the sample and the quickstart's writer: three quarters of its bytes.
LEFT_OUT = ("change_it/data/sample.parquet", "change_it/data/writer/")
#: Pages run on processors: pip takes the wheels of torch that have no CUDA.
CPU_WHEELS = "--extra-index-url https://download.pytorch.org/whl/cpu\n"
#: Variables of pages that name models and data sets, the latter with a name each as in sum=me/sum.
OF_MODELS, OF_CORPORA = ("CHANGE_IT_JUDGES", "CHANGE_IT_GENERATORS"), ("CHANGE_IT_CORPUS",)
#: Words of the cards of pages that carry the package.
HOLDS_SOURCE = "this repository holds its source (`change_it/` and `pyproject.toml`), which pip installs with git and git-lfs"
#: Placeholders in the cards of pages: the name in the address of a Space, and judges of this machine.
ADDRESS = "owner-headline-transfer"
LOCAL_JUDGES = '"runs/quickstart/judges"'
METRICS = "metrics.json"
#: Seconds that the Hub has to say the licence of a model.
SECONDS = 10
#: In a repository: what the last push put there, which alone the next one may remove.
RECORD = ".change_it.json"


def files_of(
    kind: PushKind,
    folder: Path,
    settings: CardSettings,
) -> Files:
    """Collect the files of a push, with their record.

    They are a corpus, judges or a generator in a folder, or a shipped metric or Space by its name.
    """
    about: dict[str, Any] = {"kind": kind, "version": __version__}
    if kind == "metric" or kind == "space":
        about["commit"] = _commit()
        files = _app(kind, shipped_path(f"{kind}s/{folder}/app.py").parent, settings)
        if settings.package:
            about["package"] = settings.package
    else:
        check_folder(kind, folder)
        if kind == "dataset":
            files = _dataset(folder, settings)
        else:
            files = _models(kind, folder, settings.base)
            answers, audit = _check_judges(folder) if kind == "judge" else (_written(folder), NO_AUDIT)
            metrics = _metrics(kind, folder)
            card = model_card(kind, folder, metrics, settings, answers, _licence_on_hub, audit)
            files["README.md"] = card.encode()
    for content in files.values():
        if isinstance(content, Path):
            refuse_pointer(content)
    return files | {RECORD: _as_json({**about, "files": sorted(files)})}


def _commit() -> str | None:
    """Return the commit of the checkout that this package is in; None where it is in none."""
    if not (PACKAGE.parent / ".git").exists():
        return None
    command = ["git", "-C", str(PACKAGE.parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def check_folder(kind: PushKind, folder: Path) -> None:
    """Refuse a folder that is not there, or that has a link to what was never meant for others."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}: give the one that holds the {kind}")
    for path in folder.rglob("*"):
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"{path} is a link that leads out of {folder}: put a copy in its place")


def read_licence(folder: Path, license: str | None) -> str:
    """Return the licence under which a corpus would be pushed; `unknown` where nobody has named one."""
    check_corpus(str(folder))
    report = read_report(folder)
    of_card = DatasetCard.load(folder / "README.md").data.license
    return license or of_card or licence_of_texts(report.outlets.names if report else ())


def _dataset(folder: Path, settings: CardSettings) -> Files:
    """Collect the tables of a corpus, its report without paths of this machine, and its card."""
    check_corpus(str(folder))
    tables: Files = {name: folder / name for name in (*FILES, PICTURE) if (folder / name).is_file()}
    report = read_report(folder)
    if report is None:
        raise InputError(f"{folder} is not a corpus folder: write one with `change-it corpus build`")
    card = dataset_card(folder, report.outlets.names, settings.repo_id, settings.license)
    record = public(read_json(folder / REPORT))  # with what it has besides
    return tables | {REPORT: _as_json(record), "README.md": card.encode()}


def _models(kind: Literal["judge", "generator"], folder: Path, given_base: str | None) -> Files:
    """Collect what training wrote, of judges that belong together or of one generator, whose adapters name `given_base`."""
    base = GeneratorInfo.load(folder).base if kind == "generator" else None
    if given_base and not base:
        raise InputError(f"--base is of adapters, and {folder} holds none: leave it out")
    if base and not given_base and (Path(base).is_dir() or public(base) != base):
        raise InputError(
            f"the adapters in {folder} belong to a folder of this machine ({base}): give the name of the same model on "
            "the Hub, --base OWNER/NAME"
        )
    files: Files = {}
    metrics = _metrics(kind, folder)
    for prefix, record in metrics.items():
        files |= _model(folder / prefix, prefix, (record.files or ()) if record else ())
    if given_base:
        for name, key in ((GENERATOR_FILE, "base"), ("adapter_config.json", "base_model_name_or_path")):
            if name in files:
                files[name] = _as_json({**(public(read_json(folder / name)) or {}), key: given_base})
    return files


def _licence_on_hub(model: str) -> str | None:
    """Ask the Hub for the licence of a model; None where it does not answer, or its card names none, or several."""
    api = HfApi(library_name="change_it", library_version=__version__)
    try:
        card = api.model_info(model, timeout=SECONDS).card_data
    except (HTTPError, OfflineModeIsEnabled, ValueError, OSError):
        return None
    licence = card.license if card else None
    if isinstance(licence, list) and len(licence) == 1:
        licence = licence[0]
    return licence if isinstance(licence, str) and licence != "unknown" else None


def _written(folder: Path) -> dict[str, str]:
    """Return what a generator writes for the example of its card, see `cards.model_card`.

    A pre-trained one, which can be large, is not loaded: its card shows nothing that it wrote.
    """
    info = GeneratorInfo.load(folder)
    if info.kind != "words":
        return {}
    from change_it.generators.transfer import HeadlineTransfer  # torch

    language = (read_json(folder / MODEL_CORPUS) or {}).get("language")
    _, original, article = example_of(language or info.language)
    transfer = HeadlineTransfer.from_pretrained(folder, device="cpu")
    return {"": transfer(original, article=article, to=info.to or info.outlets[1])}


def _check_judges(folder: Path) -> tuple[dict[str, str], Summary]:
    """Load the judges of a push, and return the answer of each to the example of the card, and what is known of them.

    Judges that do not belong together are refused, and one that is not the one that was measured.
    """
    from change_it.judges.judge import Judge  # torch
    from change_it.scoring.panel import Judges

    metrics = _metrics("judge", folder)
    if "" in metrics:
        judge = Judge.from_pretrained(folder, device="cpu")
        loaded = {"": judge}
        by_task = {judge.task: judge}
    else:
        by_task = {**Judges.from_pretrained(folder, device="cpu").by_task}
        loaded = {f"{task}/": judge for task, judge in by_task.items()}
    language = (read_json(folder / next(iter(metrics)) / MODEL_CORPUS) or {}).get("language")
    headline, original, article = example_of(language)
    answers: dict[str, str] = {}
    item = Item("", "", "", original, article)
    for prefix, judge in loaded.items():
        record = metrics[prefix]
        measured = (record.weights_hash, record.model_hash) if record else None
        if (judge.weights_hash, judge.model_hash) != measured:
            fault = f"the judge in {folder / prefix} is not the one that its metrics.json measured"
            raise InputError(f"{fault}: train it again with {JUDGE_COMMAND}")
        text, other_text = JUDGES[judge.task].reads(headline, item)
        [[first, second]] = judge.probabilities(text, other_text, progress=False)
        answers[judge.task] = f"[[{first:.2f}, {second:.2f}]]"
    if "" not in metrics:
        return answers, read_summary(by_task, folder)
    of_one = metrics[""]
    results = {task: of_one for task in by_task if isinstance(of_one, JudgeMetrics)}
    verdicts = rate_judges(by_task, results)
    return answers, Summary(judges=tuple(verdict for verdict in verdicts if verdict.judge in by_task))


def write_readme(folder: Path, kind: Literal["judge", "generator"]) -> None:
    """Write the card of a trained model into its folder, with its metadata, as any tool may upload it."""
    card = model_card(kind, folder, _metrics(kind, folder), CardSettings(repo_id=folder.as_posix()))
    write_text(folder / "README.md", card)


def _metrics(kind: Literal["judge", "generator"], folder: Path) -> Metrics:
    """Read the `metrics.json` of each model, by its folder with a slash at the end, or an empty name."""
    prefixes = [""]
    if kind == "judge" and not (folder / "config.json").is_file():
        check_tasks(folder, folder)
        prefixes = [f"{task}/" for task in trained_tasks() if (folder / task).is_dir()]
    for prefix in prefixes:
        weight_files(folder / prefix, command=f"change-it train {kind}")
    if kind == "generator":
        return {prefix: read_generator_metrics(folder / prefix) for prefix in prefixes}
    return {prefix: read_judge_metrics(folder / prefix) for prefix in prefixes}


def _model(folder: Path, prefix: str, written: Collection[str]) -> Files:
    """Collect the files that training wrote, under `prefix`.

    Code lies at the root, where transformers looks for it with `subfolder=`, and beside the weights: a folder that is downloaded alone
    opens, too.
    """
    paths = [path for path in folder.iterdir() if path.is_file() and path.name[0] != "."]
    names = {path.name for path in paths} - {"README.md"}
    if others := names - {*(written or filter_repo_objects(names, allow_patterns=[*MODEL_FILES, *CODE]))}:
        fault = f"{folder} holds files that training did not write ({join_truncated(sorted(others))})"
        raise InputError(f"{fault}: move them elsewhere")
    if lacking := _code_of(folder) - names:
        fault = f"{folder} lacks code that its configuration names ({join_truncated(sorted(lacking))})"
        raise InputError(f"{fault}: it is of an earlier version, make it again")
    files: Files = {}
    for name in names:
        path = folder / name
        is_record = path.suffix == ".json" and name not in VOCABULARIES
        files[f"{prefix}{name}"] = _as_json(_public_record(path)) if is_record else path
        if path.suffix == ".py":
            files[name] = path
    return files


def _public_record(path: Path) -> Any:
    """Return a JSON file of a model without what tells of this machine: paths, and logs, which are named by it."""
    record = public(read_json(path))
    if path.name == METRICS and isinstance(record, dict) and "files" in record:
        record["files"] = [name for name in record["files"] if "/" not in name]
    return record


def _code_of(folder: Path) -> set[str]:
    """Return the files of code that a model names, and those that they import from beside them."""
    from transformers.dynamic_module_utils import get_relative_imports  # seconds

    waiting = _classes_of(folder)
    found: set[str] = set()
    while waiting:
        name = f"{waiting.pop().partition('.')[0]}.py"
        if name not in found and (folder / name).is_file():
            waiting += get_relative_imports(folder / name)
        found.add(name)
    return found


def _classes_of(folder: Path) -> list[str]:
    """Return the classes of its own code that the configurations of a model name, as MODULE.CLASS."""
    classes: list[Any] = []
    for path in (folder / "config.json", folder / "tokenizer_config.json"):
        config = read_json(path) or {}
        with record_errors(path):
            for entry in config.get("auto_map", {}).values():
                classes += entry if isinstance(entry, list) else [entry]
            classes += [pipeline["impl"] for pipeline in config.get("custom_pipelines", {}).values()]
    return [name for name in classes if name and "--" not in name]  # OWNER/NAME-- is in another repository


def _app(kind: PushKind, folder: Path, settings: CardSettings) -> Files:
    """Collect a metric or the Space: its folder, and the package's source, which the folder's `app.py` imports.

    With the address of the package its requirements name that, and no source goes along. What no page needs is left
    out of the source. The card names the models and data sets of the variables.
    """
    repo_id, variables = settings.repo_id, settings.variables
    files, module = _tree(folder, folder), f"{folder.name}.py"
    # The only line is change-it[EXTRA]>=VERSION.
    own = (folder / "requirements.txt").read_text("utf-8").partition(">=")[0]
    package = settings.package
    address = f"{own} @ {package or f'git+{constants.ENDPOINT}/spaces/{repo_id}'}"
    # The card names the folder, and what pip installs.
    card = (folder / "README.md").read_text("utf-8")
    if package:
        card = card.replace(HOLDS_SOURCE, "pip installs it with git")
    card = re.sub(rf"{re.escape(own)} @ git\+[^\"]+", lambda _: address, card)
    card = re.sub(rf"\b(?:owner|metrics)/{folder.name}\b", repo_id, card)
    card = card.replace(ADDRESS, re.sub(r"[^a-z0-9]+", "-", repo_id.lower()))
    judges = variables.get("CHANGE_IT_JUDGES", "")
    if is_hub_id(judges):
        card = card.replace(LOCAL_JUDGES, f'"{judges}"')
    files["README.md"] = _page_card(card, variables).encode()
    needed = [address] if package else _requirements(own)
    files["requirements.txt"] = (CPU_WHEELS + "".join(f"{line}\n" for line in needed)).encode()
    if kind == "metric":
        # evaluate tells users without the package to install what this comment names.
        text = (folder / module).read_text("utf-8")
        text = re.sub(r"(?m)^((?:from|import) change_it\b.*)", rf"\1  # From: '{address}'", text)
        # evaluate.load("owner/name") looks for name.py; app.py for the module by its own name.
        files[module] = files[f"{repo_id.partition('/')[2]}.py"] = text.encode()
    return files if package else _source() | files


def _source() -> Files:
    """Collect the package's source, as pip installs it, without what no page needs."""
    source = _tree(PACKAGE, PACKAGE.parent)
    source = {name: content for name, content in source.items() if not name.startswith(LEFT_OUT)}
    for path in map(shipped_path, SHIPPED):
        source |= _tree(path, path.parent, "change_it/_shipped/")
    pyproject = _own_tables() + BUILD
    return source | {"pyproject.toml": pyproject.encode()} | {name: shipped_path(name) for name in LEGAL}


def _own_tables() -> str:
    """Return the build system and the project in `pyproject.toml`, without the settings of tools."""
    return shipped_path("pyproject.toml").read_text("utf-8").partition("[tool.")[0]


def _requirements(own: str) -> list[str]:
    """Return what the package requires, with the extra of `change-it[EXTRA]`."""
    project = tomllib.loads(_own_tables())["project"]
    extra = own.partition("[")[2].rstrip("]")
    return [*project["dependencies"], *project["optional-dependencies"].get(extra, [])]


def _page_card(text: str, variables: Mapping[str, str]) -> str:
    """Return the card of a page whose metadata names the models and data sets of its variables.

    Models are fetched when the Space is built (`preload_from_hub`), not by the first visitor.
    """
    models, corpora = (_hub_ids(variables, names) for names in (OF_MODELS, OF_CORPORA))
    if not models and not corpora:
        return text
    card = SpaceCard(text)
    if models:
        card.data["models"] = models
        card.data["preload_from_hub"] = models
    if corpora:
        card.data["datasets"] = corpora
    return str(card)


def _hub_ids(variables: Mapping[str, str], names: Collection[str]) -> list[str]:
    """Return the Hub ids that some variables hold, each alone, or many as NAME=ID with commas between them."""
    values = [value.strip() for name in names for value in variables.get(name, "").split(",")]
    ids = [value.rpartition("=")[2] for value in values]
    return list(dict.fromkeys(name for name in ids if is_hub_id(name)))


def _tree(root: Path, base: Path, prefix: str = "") -> Files:
    """A file, or all files below a folder but hidden and compiled ones, by their names below `base`."""
    names = [path.relative_to(base) for path in [root, *sorted(root.rglob("*"))] if path.is_file()]
    names = [name for name in names if not any(part.startswith((".", "__pycache__")) for part in name.parts)]
    return {f"{prefix}{name.as_posix()}": base / name for name in names}


def _as_json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def write(files: Files, out: Path) -> None:
    """Write the files of a push to a folder, which appears when it is complete."""
    with replace_folder(out) as partial:
        for name, content in files.items():
            target = partial / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                target.write_bytes(content)
            else:
                copyfile(content, target)
