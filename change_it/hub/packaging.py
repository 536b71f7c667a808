"""Collect the files of a push, as they will be in its repository, by kind."""

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
from change_it.hub.cards import CardSettings, Metrics, dataset_card, example_of, model_card, without_paths
from change_it.judges.options import COMMAND as JUDGE_COMMAND
from change_it.judges.options import check_tasks
from change_it.judges.record import JudgeMetrics, read_judge_metrics
from change_it.judges.reliability import rate_judges
from change_it.judges.spec import JUDGES, trained_tasks
from change_it.training.record import METRICS, TrainingRecord
from change_it.version import __version__

PushKind = Literal["dataset", "judge", "generator", "metric", "space"]
#: Path in the repository to content, or to the file on disk that holds it.
Files = dict[str, bytes | Path]

#: JSON files of a model whose tokens may look like paths of this machine, and are kept.
VOCABULARIES = ("tokenizer.json", "vocab.json", "added_tokens.json", "special_tokens_map.json")
#: The folder of this package.
PACKAGE = Path(__file__).parents[1]
#: Modules that are saved with models.
CODE = [path.name for path in (*PACKAGE.glob("judges/*.py"), *PACKAGE.glob("generators/networks/*.py"))]
#: Files of the law. They lie where those of `SHIPPED` do.
LEGAL = ("LICENSE", "NOTICE")
#: What lies next to the package in a checkout, and in its folder `_shipped` in a wheel and on the Hub.
SHIPPED = ("metrics", "spaces", "dataset_scripts", "pyproject.toml", *LEGAL)
#: All that a build needs to know besides the project's own tables.
BUILD = '[tool.hatch.build.targets.wheel]\npackages = ["change_it"]\n'
#: Parts of the package that no page needs, three quarters of its bytes: sample and quickstart's writer.
LEFT_OUT = ("change_it/data/sample.parquet", "change_it/data/writer/")
#: Pages run on processors: pip takes the wheels of torch that have no CUDA.
CPU_WHEELS = "--extra-index-url https://download.pytorch.org/whl/cpu\n"
#: Variables of pages that name models.
MODEL_VARIABLES = ("CHANGE_IT_JUDGES", "CHANGE_IT_GENERATORS")
#: Variables of pages that name data sets.
DATASET_VARIABLES = ("CHANGE_IT_CORPUS",)
#: Words of the cards of pages that carry the package.
HOLDS_SOURCE = (
    "this repository holds its source (`change_it/` and `pyproject.toml`), which pip installs with git and"
    " git-lfs"
)
#: Placeholder in the cards of pages: the name in the address of a Space.
SPACE_ADDRESS = "owner-headline-transfer"
#: Placeholder in the cards of metrics: judges of this machine.
LOCAL_JUDGES = '"runs/quickstart/judges"'
#: File of a generator with adapters to the entry that names the model that they belong to.
_KEYS_OF_BASE = {GENERATOR_FILE: "base", "adapter_config.json": "base_model_name_or_path"}
#: Seconds that the Hub has to say the licence of a model.
LICENCE_SECONDS = 10
#: File of a repository that lists what the last push put there. The next push removes nothing else.
RECORD = ".change_it.json"


def files_of(kind: PushKind, folder: Path, settings: CardSettings) -> Files:
    """Collect the files of a push, with their record.

    Args:
        kind: what is pushed.
        folder: a corpus, judges or a generator; of a shipped metric or Space its name.
        settings: what is given for the card.

    Raises:
        InputError: the folder does not hold what it should, or what nobody should push.
    """
    record: dict[str, Any] = {"kind": kind, "version": __version__}
    if kind == "metric" or kind == "space":
        record["commit"] = _checked_out_commit()
        files = _page(kind, shipped_path(f"{kind}s/{folder}/app.py").parent, settings)
        if settings.package:
            record["package"] = settings.package
    elif kind == "dataset":
        check_folder(kind, folder)
        files = _dataset(folder, settings)
    else:
        check_folder(kind, folder)
        files = _models(kind, folder, settings)
    for content in files.values():
        if isinstance(content, Path):
            refuse_pointer(content)
    record["files"] = sorted(files)
    files[RECORD] = _as_json(record)
    return files


def _checked_out_commit() -> str | None:
    """Return the commit of the checkout that this package is in; None where it is in none."""
    if not (PACKAGE.parent / ".git").exists():
        return None
    command = ["git", "-C", str(PACKAGE.parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def check_folder(kind: PushKind, folder: Path) -> None:
    """Refuse a folder that is not there, or that has a link to what was never meant for others.

    Raises:
        InputError: says which.
    """
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}: give the one that holds the {kind}")
    for path in folder.rglob("*"):
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"{path} is a link that leads out of {folder}: put a copy in its place")


def read_licence(folder: Path, license: str | None) -> str:
    """Return the licence under which a corpus would be pushed.

    Args:
        folder: the corpus.
        license: the licence that was given; None for that of its card, or else of its outlets' texts.

    Returns:
        The Hub's name of a licence; `unknown` where nobody has named one.
    """
    check_corpus(str(folder))
    report = read_report(folder)
    outlets = report.outlets.names if report else ()
    licence_of_card = DatasetCard.load(folder / "README.md").data.license
    return license or licence_of_card or licence_of_texts(outlets)


def _dataset(folder: Path, settings: CardSettings) -> Files:
    """Collect the tables of a corpus, its report without paths of this machine, and its card."""
    check_corpus(str(folder))
    files: Files = {}
    for name in (*FILES, PICTURE):
        if (folder / name).is_file():
            files[name] = folder / name
    report = read_report(folder)
    if report is None:
        raise InputError(f"{folder} is not a corpus folder: write one with `change-it corpus build`")
    # Read again as JSON, for the file may have more entries than the report knows.
    files[REPORT] = _as_json(without_paths(read_json(folder / REPORT)))
    files["README.md"] = dataset_card(
        folder, report.outlets.names, settings.repo_id, settings.license
    ).encode()
    return files


def _models(kind: Literal["judge", "generator"], folder: Path, settings: CardSettings) -> Files:
    """Collect what training wrote, for one judge, several judges or a generator, and the card.

    Where the settings give a base, the files of adapters name it as the model that they belong to.
    """
    _check_base(kind, folder, settings.base)
    metrics = _metrics(kind, folder)
    files: Files = {}
    for prefix, record in metrics.items():
        recorded_files: Collection[str] = ()
        if record and record.files:
            recorded_files = record.files
        files.update(_model(folder / prefix, prefix, recorded_files))
    if settings.base:
        for name, key in _KEYS_OF_BASE.items():
            if name in files:
                content = without_paths(read_json(folder / name)) or {}
                content[key] = settings.base
                files[name] = _as_json(content)
    audit = NO_AUDIT
    if kind == "judge":
        outputs, audit = _check_judges(folder)
    else:
        outputs = _example_output(folder)
    card = model_card(kind, folder, metrics, settings, outputs, _licence_on_hub, audit)
    files["README.md"] = card.encode()
    return files


def _check_base(kind: Literal["judge", "generator"], folder: Path, given_base: str | None) -> None:
    """Check the model that adapters belong to.

    Args:
        kind: what is in the folder.
        folder: the models.
        given_base: the model's name on the Hub as it was given; None where none was.

    Raises:
        InputError: a name was given and the folder holds no adapters; or none was, and they name a folder of
            this machine.
    """
    recorded_base = GeneratorInfo.load(folder).base if kind == "generator" else None
    if given_base and not recorded_base:
        raise InputError(f"--base is of adapters, and {folder} holds none: leave it out")
    if given_base or not recorded_base:
        return
    if Path(recorded_base).is_dir() or without_paths(recorded_base) != recorded_base:
        raise InputError(
            f"the adapters in {folder} belong to a folder of this machine ({recorded_base}):"
            " give the name of the same model on the Hub, --base OWNER/NAME"
        )


def _licence_on_hub(model: str) -> str | None:
    """Ask the Hub for the licence of a model.

    Returns:
        None where the Hub does not answer, or the model's card names no licence, or several.
    """
    api = HfApi(library_name="change_it", library_version=__version__)
    try:
        card = api.model_info(model, timeout=LICENCE_SECONDS).card_data
    except (HTTPError, OfflineModeIsEnabled, ValueError, OSError):
        return None
    licence = card.license if card else None
    if isinstance(licence, list) and len(licence) == 1:
        licence = licence[0]
    if not isinstance(licence, str) or licence == "unknown":
        return None
    return licence


def _recorded_language(folder: Path) -> str | None:
    """Return the language of the corpus that a model was trained on; None where it is not recorded."""
    corpus = read_json(folder / MODEL_CORPUS) or {}
    return corpus.get("language")


def _example_output(folder: Path) -> dict[str, str]:
    """Return what a generator writes for the example of its card, see `cards.model_card`.

    A pre-trained one, which can be large, is not loaded: its card shows nothing that it wrote.
    """
    info = GeneratorInfo.load(folder)
    if info.kind != "words":
        return {}
    from change_it.generators.transfer import HeadlineTransfer  # torch

    _, original, article = example_of(_recorded_language(folder) or info.language)
    transfer = HeadlineTransfer.from_pretrained(folder, device="cpu")
    return {"": transfer(original, article=article, to=info.to or info.outlets[1])}


def _check_judges(folder: Path) -> tuple[dict[str, str], Summary]:
    """Load the judges of a push and let them answer the example of the card.

    Returns:
        Task to the probabilities that its judge answers, as text; and what is known of the judges.

    Raises:
        InputError: they do not belong together, or one is not the one that was measured.
    """
    from change_it.judges.judge import Judge  # torch
    from change_it.scoring.panel import Judges

    metrics = _metrics("judge", folder)
    is_one = "" in metrics
    if is_one:
        judge = Judge.from_pretrained(folder, device="cpu")
        judges = {"": judge}
        by_task = {judge.task: judge}
    else:
        by_task = dict(Judges.from_pretrained(folder, device="cpu").by_task)
        judges = {f"{task}/": judge for task, judge in by_task.items()}
    headline, original, article = example_of(_recorded_language(folder / next(iter(metrics))))
    item = Item(id="", label="", target="", source=original, article=article)
    answers: dict[str, str] = {}
    for prefix, judge in judges.items():
        record = metrics[prefix]
        if record is None or (judge.weights_hash, judge.model_hash) != (
            record.weights_hash,
            record.model_hash,
        ):
            fault = f"the judge in {folder / prefix} is not the one that its metrics.json measured"
            raise InputError(f"{fault}: train it again with {JUDGE_COMMAND}")
        text, other_text = JUDGES[judge.task].reads(headline, item)
        [[first, second]] = judge.probabilities(text, other_text, progress=False)
        answers[judge.task] = f"[[{first:.2f}, {second:.2f}]]"
    if not is_one:
        return answers, read_summary(by_task, folder)
    # a judge alone has no audit: it is rated by what its training measured
    results: dict[str, JudgeMetrics] = {}
    record = metrics[""]
    if isinstance(record, JudgeMetrics):
        results = dict.fromkeys(by_task, record)
    verdicts = rate_judges(by_task, results)
    return answers, Summary(judges=tuple(verdict for verdict in verdicts if verdict.judge in by_task))


def write_readme(folder: Path, kind: Literal["judge", "generator"]) -> None:
    """Write the card of a trained model into its folder, with its metadata, as any tool may upload it."""
    card = model_card(kind, folder, _metrics(kind, folder), CardSettings(repo_id=folder.as_posix()))
    write_text(folder / "README.md", card)


def _metrics(kind: Literal["judge", "generator"], folder: Path) -> Metrics:
    """Read the `metrics.json` of each model in a folder.

    Returns:
        The name of the model's folder with a slash at the end, empty for `folder` itself, to its record.

    Raises:
        InputError: a model is missing or has no weights.
    """
    prefixes = [""]
    if kind == "judge" and not (folder / "config.json").is_file():
        check_tasks(folder, folder)
        prefixes = [f"{task}/" for task in trained_tasks() if (folder / task).is_dir()]
    read_metrics = read_generator_metrics if kind == "generator" else read_judge_metrics
    records: dict[str, TrainingRecord | None] = {}
    for prefix in prefixes:
        weight_files(folder / prefix, command=f"change-it train {kind}")
        records[prefix] = read_metrics(folder / prefix)
    return records


def _model(folder: Path, prefix: str, recorded_files: Collection[str]) -> Files:
    """Collect the files that training wrote, under `prefix`.

    Code lies at the root, where transformers looks for it with `subfolder=`, and beside the weights: a folder
    that is downloaded alone opens, too.

    Args:
        folder: the model.
        prefix: what comes before the names in the repository.
        recorded_files: names of the files that training recorded; empty where it recorded none.

    Raises:
        InputError: the folder has files of others, or lacks code that the model needs.
    """
    names = set()
    for path in folder.iterdir():
        if path.is_file() and not path.name.startswith(".") and path.name != "README.md":
            names.add(path.name)
    known = recorded_files or filter_repo_objects(names, allow_patterns=[*MODEL_FILES, *CODE])
    others = names.difference(known)
    if others:
        fault = f"{folder} holds files that training did not write ({join_truncated(sorted(others))})"
        raise InputError(f"{fault}: move them elsewhere")
    lacking = _code_of(folder) - names
    if lacking:
        fault = f"{folder} lacks code that its configuration names ({join_truncated(sorted(lacking))})"
        raise InputError(f"{fault}: it is of an earlier version, make it again")
    files: Files = {}
    for name in names:
        path = folder / name
        files[f"{prefix}{name}"] = path
        if path.suffix == ".json" and name not in VOCABULARIES:
            files[f"{prefix}{name}"] = _as_json(_record_without_paths(path))
        if path.suffix == ".py":
            files[name] = path
    return files


def _record_without_paths(path: Path) -> Any:
    """Return a JSON file of a model without what tells of this machine: paths, and the names of log files."""
    record = without_paths(read_json(path))
    if path.name == METRICS and isinstance(record, dict) and "files" in record:
        record["files"] = [name for name in record["files"] if "/" not in name]
    return record


def _code_of(folder: Path) -> set[str]:
    """Return the files of code that a model names, and those of its folder that these import."""
    from transformers.dynamic_module_utils import get_relative_imports  # seconds

    modules = _classes_of(folder)
    found: set[str] = set()
    while modules:
        module = modules.pop().partition(".")[0]
        file = f"{module}.py"
        if file not in found and (folder / file).is_file():
            modules += get_relative_imports(folder / file)
        found.add(file)
    return found


def _classes_of(folder: Path) -> list[str]:
    """Return the classes of its own code that the configurations of a model name, as MODULE.CLASS."""
    classes: list[Any] = []
    for path in (folder / "config.json", folder / "tokenizer_config.json"):
        config = read_json(path) or {}
        with record_errors(path):
            for entry in config.get("auto_map", {}).values():
                if isinstance(entry, list):
                    classes += entry
                else:
                    classes.append(entry)
            for pipeline in config.get("custom_pipelines", {}).values():
                classes.append(pipeline["impl"])
    # A class OWNER/NAME--MODULE.CLASS is in another repository.
    return [name for name in classes if name and "--" not in name]


def _page(kind: PushKind, folder: Path, settings: CardSettings) -> Files:
    """Collect a metric or the Space: its folder, and the package's source, which its `app.py` imports.

    The source is without what no page needs. Where the settings have an address of the package, the
    requirements name this address, and no source goes along. The card names the models and data sets of the
    variables.
    """
    requirements = (folder / "requirements.txt").read_text("utf-8")
    requirement = requirements.partition(">=")[0]  # the only line is change-it[EXTRA]>=VERSION
    address = settings.package or f"git+{constants.ENDPOINT}/spaces/{settings.repo_id}"
    install = f"{requirement} @ {address}"
    needed = [install] if settings.package else _requirements(requirement)
    files = _tree(folder, folder)
    files["README.md"] = _page_card(folder, requirement, install, settings).encode()
    files["requirements.txt"] = (CPU_WHEELS + "".join(f"{line}\n" for line in needed)).encode()
    if kind == "metric":
        module = f"{folder.name}.py"
        # evaluate tells users without the package to install what this comment names.
        code = (folder / module).read_text("utf-8")
        code = re.sub(r"(?m)^((?:from|import) change_it\b.*)", rf"\1  # From: '{install}'", code)
        files[module] = code.encode()
        # evaluate.load("owner/name") looks for name.py, app.py for the module by its own name.
        name = settings.repo_id.partition("/")[2]
        files[f"{name}.py"] = code.encode()
    if settings.package:
        return files
    return {**_source(), **files}


def _page_card(folder: Path, requirement: str, install: str, settings: CardSettings) -> str:
    """Return the card of a page, with its address, what pip installs, and its models and data sets.

    Args:
        folder: the shipped page.
        requirement: the package as its requirements name it, with the extra.
        install: what pip installs in its place.
        settings: what is given for the card.
    """
    repo_id = settings.repo_id
    card = (folder / "README.md").read_text("utf-8")
    if settings.package:
        card = card.replace(HOLDS_SOURCE, "pip installs it with git")
    card = re.sub(rf"{re.escape(requirement)} @ git\+[^\"]+", lambda _: install, card)
    card = re.sub(rf"\b(?:owner|metrics)/{folder.name}\b", repo_id, card)
    card = card.replace(SPACE_ADDRESS, re.sub(r"[^a-z0-9]+", "-", repo_id.lower()))
    judges = settings.variables.get("CHANGE_IT_JUDGES", "")
    if is_hub_id(judges):
        card = card.replace(LOCAL_JUDGES, f'"{judges}"')
    return _with_variables(card, settings.variables)


def _source() -> Files:
    """Collect the package's source, as pip installs it, without what no page needs."""
    source: Files = {}
    for name, path in _tree(PACKAGE, PACKAGE.parent).items():
        if not name.startswith(LEFT_OUT):
            source[name] = path
    for name in SHIPPED:
        path = shipped_path(name)
        source.update(_tree(path, path.parent, "change_it/_shipped/"))
    source["pyproject.toml"] = (_own_tables() + BUILD).encode()
    for name in LEGAL:
        source[name] = shipped_path(name)
    return source


def _own_tables() -> str:
    """Return the build system and the project in `pyproject.toml`, without the settings of tools."""
    return shipped_path("pyproject.toml").read_text("utf-8").partition("[tool.")[0]


def _requirements(requirement: str) -> list[str]:
    """Return what the package requires, with the extra of `change-it[EXTRA]`."""
    project = tomllib.loads(_own_tables())["project"]
    extra = requirement.partition("[")[2].rstrip("]")
    return [*project["dependencies"], *project["optional-dependencies"].get(extra, [])]


def _with_variables(text: str, variables: Mapping[str, str]) -> str:
    """Return the card of a page whose metadata names the models and data sets of its variables.

    Models are fetched when the Space is built (`preload_from_hub`), not by the first visitor.
    """
    models = _hub_ids(variables, MODEL_VARIABLES)
    corpora = _hub_ids(variables, DATASET_VARIABLES)
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
    """Return the Hub ids that some variables hold, each once.

    A variable holds an id, or several with commas between them; generators have a name each, as in
    sum=me/sum.
    """
    ids: dict[str, None] = {}
    for variable in names:
        for value in variables.get(variable, "").split(","):
            name = value.strip().rpartition("=")[2]
            if is_hub_id(name):
                ids[name] = None
    return list(ids)


def _tree(root: Path, base: Path, prefix: str = "") -> Files:
    """Return a file, or all files below a folder but hidden and compiled ones.

    Args:
        root: the file or folder.
        base: a folder above it, from which names are counted.
        prefix: what comes before each name.
    """
    files: Files = {}
    for path in [root, *sorted(root.rglob("*"))]:
        name = path.relative_to(base)
        is_hidden = any(part.startswith((".", "__pycache__")) for part in name.parts)
        if path.is_file() and not is_hidden:
            files[f"{prefix}{name.as_posix()}"] = path
    return files


def _as_json(value: object) -> bytes:
    """Return a value as the bytes of a JSON file."""
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
