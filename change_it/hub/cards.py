"""Cards of data sets, models, metrics and Spaces, filled from what a run recorded."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from huggingface_hub import DatasetCard, EvalResult, ModelCard, ModelCardData, RepoCard
from jinja2 import Template
from jinja2.utils import htmlsafe_json_dumps

from change_it import __version__
from change_it.corpus.folder import MODEL_CORPUS, PICTURE
from change_it.corpus.sample import OUTLETS, is_sample_corpus
from change_it.generators.folder import GeneratorInfo
from change_it.hub.push_options import PushOptions
from change_it.io import is_hub_id, read_json
from change_it.judges.judge_options import no_better_than, within_event_table
from change_it.published_figures import CITATIONS, PUBLISHED_JUDGES
from change_it.scoring.columns import BUILT_IN
from change_it.tables import to_markdown
from change_it.templates import without_markup

if TYPE_CHECKING:
    from change_it.judges.judge import Judge

#: Where `corpus build` leaves the example's and the last section's texts of its README.
LOCAL_PATH, RIGHTS = "path/to/this/folder", "## Rights"
#: How the package is installed, on the cards of metrics, and in the place of `<!-- install -->` on that of the Space.
INSTALL = """\
The package is not on PyPI: this repository holds its source (`change_it/` and `pyproject.toml`), which pip installs with git and git-lfs:

```bash
pip install "{requirement}"
```"""
#: Texts of CHANGE-IT may be passed on under the shared task's licence alone; the sample's are invented, under the package's own.
LICENSES = {frozenset({"rep", "gio"}): "cc-by-nc-sa-4.0", frozenset(OUTLETS): "apache-2.0"}
#: Scores that an older report lacks, or one without the judges that they need.
OURS = ("style", "acceptability", "edited", "fluency", "evidence")
#: Scores of a system on a card, as the report names them.
SCORES = {
    "compliancy": "compliancy",
    "hh": "HH",
    "ah": "AH",
    "main": "main",
    **{name: name for name in OURS},
    "bleu": "BLEU",
    "rougeL": "ROUGE-L",
}
#: An absolute path of any system, or one into a home folder.
_PATH = re.compile(r"([^/=]*=)?(?:/[^/\s]+/|~/|[A-Za-z]:[\\/])")


@dataclass(frozen=True)
class JudgeEntry:
    """A judge on a card."""

    prefix: str  # its folder in the repository with a slash at the end; empty for the root
    judge: "Judge"
    metrics: dict[str, Any]  # its `metrics.json`, empty where there is none

    @property
    def own_code(self) -> bool:
        """Whether transformers alone cannot load it."""
        return str(self.judge.model.config.model_type).startswith("change_it")

    @property
    def encoder(self) -> str:
        """The model that it was trained from: a Hub id, a folder's name, linear or bilstm."""
        return str(public(self.judge.model.config.change_it["encoder"]))


def judge_card(entries: Sequence[JudgeEntry], folder: Path, options: PushOptions) -> dict[str, bytes]:
    """Write README.md of one judge or several, from a folder."""
    first = entries[0]
    outlets = first.judge.outlets
    corpus = _corpus(folder / first.prefix, first.judge.model.config.change_it["corpus"], options)
    result = partial(_result, "text-classification", corpus)
    results = []
    for entry in entries:
        if within := entry.metrics.get("within_event"):
            value = within["systems"]["judge"]["value"]
            results.append(result("main-within-event", "accuracy", value, "within-event accuracy"))
        for test, found in entry.metrics.get("results", {}).items():
            task = entry.judge.task if test in ("gold", "random") else f"{entry.judge.task}-{test}"
            results.append(result(task, "f1", found["macro_f1"], "mean F1"))
            results.append(result(task, "accuracy", found["accuracy"], "accuracy"))
    several = bool(first.prefix)
    data = ModelCardData(
        model_name=options.repo_id.partition("/")[2],
        pipeline_tag=None if several else "text-classification",  # the root of several is no model
        library_name="change-it" if several else "transformers",
        base_model=sorted({entry.encoder for entry in entries if is_hub_id(entry.encoder)}) or None,
        tags=["change-it", "style-transfer", "headline-generation", "evaluation"],
        metrics=["f1", "accuracy", "precision", "recall"],
        eval_results=results or None,
    )
    values = {
        "entries": entries,
        "fold": first.judge.fold,
        "signature": _signature([entry.judge for entry in entries]),
        "citation": CITATIONS["evalnlgeval2020"],
        "published": PUBLISHED_JUDGES,
        "no_better_than": no_better_than,
        "within_event": {entry.prefix: within_event_table(entry.metrics) for entry in entries},
    }
    return _model_files("judge", data, values, options, corpus, outlets)


def _signature(judges: Sequence["Judge"]) -> str:
    """The judges as in the signatures of scores: `judges:1a2b3c+4d5e6f+0a1b2c|fold:all|fluency:3c4d5e`."""
    papers = [judge.model_hash[:6] for judge in judges if judge.task != "fluency"]
    parts = [f"judges:{'+'.join(papers)}", f"fold:{judges[0].fold}"] if papers else []
    parts += [f"fluency:{judge.model_hash[:6]}" for judge in judges if judge.task == "fluency"]
    return "|".join(parts)


def generator_card(
    info: GeneratorInfo, metrics: dict[str, Any], folder: Path, options: PushOptions
) -> dict[str, bytes]:
    """Write README.md of a generator; `metrics` is its `metrics.json`, or empty."""
    corpus = _corpus(folder, info.corpus, options)
    report = _report(folder, info.outlets)
    scores = report.get("systems", {})
    system = _system(info, folder, scores)
    first, second = info.outlets
    directions = [
        f"{other}2{to}" for other, to in ((first, second), (second, first)) if info.to in (None, to)
    ]
    scored = scores[system] if system else {}
    results = [
        _result("text-generation", corpus, direction, key, scored[direction][key], title)
        for direction in directions
        for key, title in SCORES.items()
        if scored.get(direction, {}).get(key) is not None
    ]
    base = info.base or info.architecture
    data = ModelCardData(
        model_name=options.repo_id.partition("/")[2],
        language=info.language,
        # The licence of the texts is not that of the model behind it.
        license="unknown" if info.pretrained else None,
        pipeline_tag=None if info.base and info.kind == "encoder-decoder" else "text-generation",
        library_name="peft" if info.base else "transformers",
        base_model=base if is_hub_id(base) else None,
        tags=["change-it", "style-transfer", "headline-generation", f"recipe:{info.recipe}"],
        metrics=["compliancy", "bleu", "rouge"],
        eval_results=results or None,
    )
    values = {
        "info": info,
        "base": public(base),
        "metrics": metrics,
        "directions": directions,
        "system": system,
        "systems": [name for name in (*BUILT_IN, system) if name in scores],
        "scores": scores,
        "shown": {
            key: title
            for key, title in SCORES.items()
            if key not in OURS or any(row.get(key) is not None for row in scored.values())
        },
    }
    return _model_files("generator", data, values, options, corpus, info.outlets)


def dataset_card(folder: Path, record: dict[str, Any], options: PushOptions) -> dict[str, bytes]:
    """Write README.md of a corpus: its own, with the licence and the picture of the alignment curve."""
    card = DatasetCard.load(folder / "README.md")
    outlets = record["outlets"]["a"], record["outlets"]["b"]
    card.data.license = options.license or card.data.license or license_of(outlets)
    picture = folder / PICTURE
    page = DatasetCard.from_template(
        card.data,
        template_str=_template("dataset"),
        body=card.text.partition(RIGHTS)[0].replace(LOCAL_PATH, options.repo_id).strip(),
        thresholds=record["thresholds"],
        picture=PICTURE if picture.is_file() else "",
        **FUNCTIONS,
    )
    pictures = {PICTURE: picture.read_bytes()} if picture.is_file() else {}
    return {"README.md": _readme(page), **pictures}


def space_card(text: str, name: str, requirement: str, options: PushOptions) -> bytes:
    """Write README.md of the Space, for use from the Hub; pip installs the package from `requirement`."""
    text = text.replace(f"owner/{name}", options.repo_id)
    return text.replace("<!-- install -->\n", INSTALL.format(requirement=requirement)).encode()


def metric_card(text: str, module: str, name: str, requirement: str, options: PushOptions) -> bytes:
    """Write README.md of a metric: its own, with what all metrics have and what its module says of arguments and citation."""
    title, _, body = text.removeprefix("# ").partition("\n")
    measures, example, rest = body.partition("## Example")
    constants = {
        ast.unparse(node.targets[0]): ast.literal_eval(node.value).strip()
        for node in ast.parse(module).body
        if isinstance(node, ast.Assign) and "\n" in str(getattr(node.value, "value", ""))
    }
    page = Template(_template("metric"), autoescape=False).render(
        title=title,
        description=" ".join(constants["_DESCRIPTION"].split()),
        measures=measures.strip(),
        install=INSTALL.format(requirement=requirement),
        rest=(example + rest).strip(),
        arguments=constants["_KWARGS_DESCRIPTION"],
        citation=constants["_CITATION"],
    )
    return f"{page.strip()}\n".replace(f"metrics/{name}", options.repo_id).encode()


def license_of(outlets: Sequence[str]) -> str:
    """Find the licence of these outlets' texts, and of what is made from them; `unknown` where nobody has named one.

    Examples:
        >>> license_of(("gio", "rep")), license_of(("colle", "faro")), license_of(("left", "right"))
        ('cc-by-nc-sa-4.0', 'apache-2.0', 'unknown')
    """
    return LICENSES.get(frozenset(outlets), "unknown")


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


def _result(
    kind: str, corpus: Mapping[str, Any], task: str, metric: str, value: float, label: str
) -> EvalResult:
    """One number of `model-index`."""
    return EvalResult(
        task_type=kind,
        task_name="headline style transfer",
        dataset_type=corpus["dataset"] or "change-it-corpus",
        dataset_name=corpus["name"],
        dataset_config=task,
        dataset_split="test",
        metric_type=metric,
        metric_name=label,
        metric_value=round(value, 4),
    )


def _system(info: GeneratorInfo, folder: Path, systems: Mapping[str, object]) -> str | None:
    """Name of a generator's system in the run's report."""
    path = folder.resolve()
    usual = (path.name, path.parent.name, f"{info.recipe}-{info.architecture}", info.recipe)
    return next((name for name in usual if name in systems and name not in BUILT_IN), None)


def _model_files(
    template: str,
    data: ModelCardData,
    values: dict[str, Any],
    options: PushOptions,
    corpus: Mapping[str, Any],
    outlets: Sequence[str],
) -> dict[str, bytes]:
    """README.md with what is known of the corpus."""
    language = corpus.get("language") or data.language
    data.language = None if language == "none" else language
    data.datasets = [corpus["dataset"]] if corpus["dataset"] else None
    license = options.license or license_of(outlets)
    data.license = options.license or data.license or license
    values |= {"options": options, "corpus": corpus, "outlets": outlets, "license": license}
    card = ModelCard.from_template(data, template_str=_template(template), **FUNCTIONS, **values)
    return {"README.md": _readme(card)}


def public(value: Any) -> Any:
    """Replace every absolute path in a JSON value, also one in NAME=PATH, by its last name."""
    if isinstance(value, str):
        path = _PATH.match(value)
        return (path[1] or "") + re.split(r"[\\/]", value.rstrip("\\/"))[-1] if path else value
    if isinstance(value, Mapping):
        return {key: public(item) for key, item in value.items()}
    return [public(item) for item in value] if isinstance(value, list) else value


def _readme(card: RepoCard) -> bytes:
    return f"{card.content.strip()}\n".encode()


def _code(value: object) -> str:
    """A stranger's string as code within a line."""
    return f"`{' '.join(str(value).split()).replace('`', chr(39))}`"


def _literal(value: str) -> str:
    """A stranger's string as a literal in a block of Python, which no mark in it ends."""
    return str(htmlsafe_json_dumps(value)).replace("`", "\\u0060")


def _share(*values: float | None, between: str = " | ") -> str:
    return between.join("" if value is None else f"{value:.3f}" for value in values)


#: What all templates call.
FUNCTIONS: dict[str, Any] = {
    "text": without_markup,
    "code": _code,
    "literal": _literal,
    "share": _share,
    "markdown": to_markdown,
    "is_sample_corpus": is_sample_corpus,
    "version": __version__,
}


def _template(name: str) -> str:
    """Load a template behind the macros of all; lines that hold only tags leave nothing."""
    folder = resources.files("change_it.hub") / "templates"
    texts = [(folder / f"{one}.md.jinja").read_text(encoding="utf-8") for one in ("data", name)]
    return "".join(texts).replace("%}\n", "%}")
