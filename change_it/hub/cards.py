"""Cards of data sets and models, filled from the records that a run left; no model is loaded."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from pathlib import Path
from shlex import quote
from typing import Any, Literal

from huggingface_hub import DatasetCard, EvalResult, ModelCardData
from jinja2 import Environment, PackageLoader
from jinja2.utils import htmlsafe_json_dumps

from change_it.audit.record import NO_AUDIT, Summary
from change_it.corpus.folder import PICTURE, describe_corpus, read_trained_on
from change_it.corpus.reading.licence import licence_of_texts
from change_it.corpus.reading.sample import is_sample_corpus
from change_it.corpus.record import TrainedOn
from change_it.corpus.test_set import BUILT_IN, Item
from change_it.errors import InputError
from change_it.files.atomic import read_json, record_errors
from change_it.files.model_folders import is_hub_id
from change_it.files.records import to_json
from change_it.files.texts import enumerated
from change_it.generators.folder import GeneratorInfo
from change_it.generators.recipes import RECIPES
from change_it.judges.options import BILSTM, LINEAR, read_judge_info
from change_it.judges.record import JudgeMetrics
from change_it.judges.reliability import results_table, verdicts_table, within_event_table
from change_it.judges.spec import JUDGES, compliancy_tasks
from change_it.readers.published import CITATIONS
from change_it.render.tables import Column, Row, Table, Value, card_markdown, with_interval
from change_it.render.templates import template_environment, without_markup
from change_it.report.ranking import QUESTION, verdict_answers
from change_it.report.record import read_report_record
from change_it.report.score_tables import heading_of
from change_it.scoring.aspects import compliancy_measures
from change_it.scoring.record import ScoresRecord
from change_it.training.record import TrainingRecord
from change_it.version import __version__

#: Prefix of a model in a folder to its `metrics.json`; None where it has none.
Metrics = Mapping[str, TrainingRecord | None]

#: Placeholders in a corpus card that a push replaces: the path of its example, and its last section.
LOCAL_PATH, RIGHTS = "path/to/this/folder", "## Rights"
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
#: Licence of texts to what it means for a model that began from a pre-trained one, which has its own.
TEXTS = {
    "unknown": "The texts that it learnt from belong to their publishers.",
    "cc-by-nc-sa-4.0": "The texts that it learnt from are under cc-by-nc-sa-4.0, whose terms hold, too.",
    "apache-2.0": "The texts that it learnt from are invented, under apache-2.0.",
}
#: Options of a training that say nothing of how a model was made.
UNSAID = frozenset({"corpus", "out", "resume", "max_minutes", "checkpoint_minutes"})
#: What a dataset is called in the results of a card where it is on no Hub.
OWN_CORPUS = "change-it-corpus"
#: The example of a card, by language: a headline, the original one, its article. They are invented.
EXAMPLES = {
    "it": (
        "Statale senza ponte dopo il crollo",
        "Crolla il ponte sulla statale",
        "Il ponte sulla statale crolla di mattina. Nessuno resta ferito.",
    ),
    "en": (
        "Bridge down on the highway",
        "Bridge on the highway collapses",
        "The bridge on the highway collapsed yesterday morning. Nobody is hurt.",
    ),
}
#: An absolute path of any system, or one into a home folder.
_PATH = re.compile(r"([^/=]*=)?(?:/[^/\s]+/|~/|[A-Za-z]:[\\/])")


@dataclass(frozen=True, kw_only=True)
class CardSettings:
    """What is given for the card of a push.

    Attributes:
        repo_id: where it is pushed to.
        license: the Hub's name of a licence; None for what follows from texts and pre-trained models.
        dataset: Hub id of the data set that models are said to be trained on.
        dataset_digest: digest of that data set; the card names one of another digest as another one.
        package: address from which pip installs this package, as git+https://…; None where it is on no server.
        variables: variables of a metric or Space, by name.
        base: name on the Hub of the model that adapters belong to; None for the recorded one.
    """

    repo_id: str
    license: str | None = None
    dataset: str | None = None
    dataset_digest: str | None = None
    package: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    base: str | None = None


@dataclass(frozen=True, kw_only=True)
class CardFigure:
    """A figure of a model, for the Hub's `model-index`.

    Attributes:
        task_type: the Hub's name of the task.
        task_name: what people call it.
        dataset_config: config or direction, and the test.
        metric_type: name of the measure.
        metric_name: what people call it.
        value: the figure.
        signature: what it depends on.
        corpus: name of the corpus that it was measured on.
        digest: of that corpus; empty where it is not known.
    """

    task_type: str
    task_name: str
    dataset_config: str
    metric_type: str
    metric_name: str
    value: float
    signature: str
    corpus: str
    digest: str


def model_card(
    kind: Literal["judge", "generator"],
    folder: Path,
    metrics: Metrics,
    settings: CardSettings,
    outputs: Mapping[str, str] | None = None,
    base_licence: Callable[[str], str | None] | None = None,
    audit: Summary = NO_AUDIT,
) -> str:
    """Return README.md of judges or a generator.

    Args:
        kind: what is in the folder.
        folder: the models.
        metrics: by prefix in `folder` the `metrics.json` of each model.
        settings: what is given for the card.
        outputs: what the models answer to the example, by task of a judge, under an empty name of a generator.
        base_licence: Hub id of a pre-trained model to its licence, or None where the Hub does not say; without it no
            licence is known.
        audit: what is known of judges.
    """
    if kind == "judge":
        metadata, values = _judges(folder, metrics)
    else:
        metadata, values = _generator(folder, metrics[""], settings.base)
    corpus = read_trained_on(folder / next(iter(metrics)))
    given, given_digest = settings.dataset, settings.dataset_digest
    is_same = given_digest is not None and given_digest == corpus.digest
    other_dataset = given if corpus.digest and given_digest and not is_same else None
    dataset = given if is_same and given else corpus.dataset or ""
    named = dataset if re.fullmatch(r"[\w.-]+(/[\w.-]+)?", dataset) else None
    language = corpus.language or metadata.get("language")
    digest = corpus.digest or ""
    bases = _base_licences(values["pretrained"], base_licence)
    licence, terms = _licence(settings.license, values["outlets"], bases)
    metadata |= {
        "language": None if language == "none" else language,
        "datasets": [named] if named else None,
        "license": licence,
        "tags": ["change-it", "style-transfer", "headline-generation", *metadata["tags"]],
        "model_name": settings.repo_id.rpartition("/")[2],
        "eval_results": _eval_results(values.pop("figures"), named, digest) or None,
    }
    first = values["entries"][0]["info"].task if kind == "judge" else ""
    if kind == "judge":
        values["audit"] = audit
        values["answers"] = verdict_answers(audit.verdicts) if audit.verdicts else []
        values["verdicts"] = verdicts_table(audit.judges) if audit.judges else None
    headline, original, article = example_of(language)
    values |= {"headline": headline, "original": original, "article": article}
    if kind == "judge":
        item = Item("", "", "", original, article)
        tasks = [entry["info"].task for entry in values["entries"]]
        values["second_texts"] = {task: JUDGES[task].reads(headline, item)[1] for task in tasks}
    values |= {
        "package": settings.package,
        "output": (outputs or {}).get("hh" if values.get("several") else first),
    }
    values |= {
        "repo_id": settings.repo_id,
        "corpus": to_json(corpus) | {"name": values["corpus"], "dataset": named},
    }
    values["corpus"]["other_dataset"] = other_dataset
    values |= {"terms": terms, "card_data": ModelCardData(**metadata).to_yaml()}
    return TEMPLATES.get_template(f"{kind}.md.jinja").render(values).strip() + "\n"


def example_of(language: str | None) -> tuple[str, str, str]:
    """Return the example of a card in a language, or in English: a headline, the original one, its article."""
    return EXAMPLES.get(language or "", EXAMPLES["en"])


def _eval_results(figures: Iterable[CardFigure], dataset: str | None, trained: str) -> list[EvalResult]:
    """Return the entries of `model-index`; the digest of the corpus and the signature say what a figure compares with.

    Args:
        figures: the figures.
        dataset: Hub id of the corpus of training.
        trained: its digest; a figure of another corpus is not named as one of `dataset`.
    """
    results = []
    for figure in figures:
        digest, corpus = figure.digest, without_markup(figure.corpus)
        args = {"signature": figure.signature} | ({"corpus_digest": digest} if digest else {})
        named = dataset if digest and digest == trained else None
        result = EvalResult(
            task_type=figure.task_type,
            task_name=figure.task_name,
            dataset_type=named or OWN_CORPUS,
            dataset_name=named or corpus or OWN_CORPUS,
            dataset_config=figure.dataset_config,
            dataset_split="test",
            dataset_args=args,
            metric_type=figure.metric_type,
            metric_name=figure.metric_name,
            metric_value=round(figure.value, 4),
        )
        results.append(result)
    return results


def _judge_figures(task: str, record: JudgeMetrics, corpus: TrainedOn, name: str) -> list[CardFigure]:
    """Return the mean F1 of a judge on each of its tests; `name` is that of its corpus."""
    figures = []
    for test, result in record.results.items():
        figure = CardFigure(
            task_type="text-classification",
            task_name=JUDGES[task].heading,
            dataset_config=f"{task}, {test}",
            metric_type="f1",
            metric_name=f"mean F1 of both classes, {test}",
            value=result.macro_f1,
            signature=f"{task}:{record.model_hash[:6]}",
            corpus=name,
            digest=corpus.digest,
        )
        figures.append(figure)
    return figures


def _procedure(record: TrainingRecord | None) -> dict[str, str]:
    """Return how a model was trained: options that were set, updates, versions, by what a card calls them."""
    if record is None:
        return {}
    options = {name: value for name, value in record.options.items() if name not in UNSAID}
    lines = {
        name: _shown(public(value)) for name, value in options.items() if value not in (None, "", [], False)
    }
    if record.training.updates:
        lines["updates"] = f"{record.training.updates:,}"
    if record.versions:
        lines["versions"] = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    return lines


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _judges(folder: Path, metrics: Metrics) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the metadata of the card of one judge or several, and the values of its template."""
    judges: list[dict[str, Any]] = []
    figures: list[CardFigure] = []
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
        with record_errors(path):
            tables = [within_event_table(record.within_event, record.style), results_table(record)]
            hashes[info.task] = record.model_hash[:6]
            corpus = read_trained_on(folder / prefix)
            figures += _judge_figures(info.task, record, corpus, str(settings["corpus"]))
            encoder = str(public(settings["encoder"]))
            judge = {"prefix": prefix, "info": info, "encoder": encoder, "tables": tables}
            judge["procedure"] = _procedure(record)
            judges.append(judge | {"type": config["model_type"], "weights": record.weights_hash})
    info, is_one = judges[0]["info"], len(judges) == 1
    required = [hashes[task] for task in hashes if task in compliancy_tasks()]
    signature = [f"judges:{'+'.join(required)}", f"fold:{info.fold}"] if required else []
    signature += [f"{task}:{hashes[task]}" for task in hashes if task not in compliancy_tasks()]
    metadata = {
        "pipeline_tag": "text-classification" if is_one else None,  # the root of several is no model
        "library_name": "transformers" if is_one else "change-it",
        "base_model": sorted({judge["encoder"] for judge in judges if is_hub_id(judge["encoder"])}) or None,
        "tags": ["evaluation"],
    }
    return metadata, {
        "entries": judges,
        "several": not is_one,
        "figures": figures,
        "digest": corpus.digest,
        "specs": JUDGES,
        "blind": enumerated(
            [spec.heading for spec in JUDGES.values() if spec.is_trained and not spec.sees_order]
        ),
        "seeing": enumerated([spec.heading for spec in JUDGES.values() if spec.sees_order]),
        "signature": "|".join(signature),
        "citation": CITATIONS["evalnlgeval2020"],
        "corpus": settings["corpus"],
        "outlets": info.outlets,
        "pretrained": sorted({judge["encoder"] for judge in judges} - {LINEAR, BILSTM}),
    }


def _generator(
    folder: Path, metrics: TrainingRecord | None, base: str | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the metadata of a generator's card and the values of its template: scores are those of the report above it that names it."""
    info = GeneratorInfo.load(folder)
    if base:
        info = replace(info, base=base)
    path = folder.resolve()
    report = _scores_above(path, info.outlets)
    scores = report.systems if report else {}
    scored_corpus = report.corpus if report else ""
    is_here = bool(scored_corpus) and Path(scored_corpus).is_dir()
    digest = describe_corpus(scored_corpus).digest if is_here else ""
    names = (path.name, path.parent.name, f"{info.recipe}-{info.architecture}", info.recipe)
    system = next((name for name in names if name in scores and name not in BUILT_IN), "")
    tables = []
    figures: list[CardFigure] = []
    for source, target in permutations(info.outlets):
        direction = f"{source}2{target}"
        if info.to not in (None, target) or direction not in scores.get(system, {}):
            continue  # predictions may be of one alone
        rows = []
        for name in (*BUILT_IN, system):
            if row := scores.get(name, {}).get(direction):
                cells: dict[str, Value] = {"system": name, **row.values}
                for measure, ends in row.intervals.items():
                    cells[f"{measure}_interval"] = ends
                rows.append(Row(cells))
        known = [
            name
            for name in (*compliancy_measures(), "bleu", "rougeL")
            if any(row.values.get(name) is not None for row in rows)
        ]
        columns = [with_interval(name, heading_of(name)) for name in known]
        of_system = scores[system][direction]
        for name in known:
            value = of_system.values.get(name)
            if value is None:
                continue
            figure = CardFigure(
                task_type="text-generation",
                task_name="headline style transfer",
                dataset_config=direction,
                metric_type=name,
                metric_name=heading_of(name),
                value=value,
                signature=of_system.signature,
                corpus=str(public(scored_corpus)),
                digest=digest,
            )
            figures.append(figure)
        tables.append(Table([Column("system", "text", direction), *columns], rows, of_system.signature))
    base = info.base or info.architecture
    adapters = (folder / "adapter_config.json").is_file()  # else they are merged, or there were none
    metadata = {
        "language": info.language,
        "pipeline_tag": None if adapters and info.kind == "encoder-decoder" else "text-generation",
        "library_name": "peft" if adapters else "transformers",
        "base_model": base if is_hub_id(base) else None,
        "tags": [f"recipe:{info.recipe}"],
    }
    values = {
        "info": info,
        "recipe": RECIPES[info.recipe],
        "base": public(base),
        "metrics": metrics,
        "system": system,
        "tables": tables,
    }
    values["adapters"] = adapters
    values |= {"digest": digest, "figures": figures, "procedure_lines": _procedure(metrics)}
    pretrained = [base if is_hub_id(base) else info.pretrained] if info.pretrained else []
    return metadata, values | {"corpus": info.corpus, "outlets": info.outlets, "pretrained": pretrained}


def _scores_above(path: Path, outlets: Sequence[str]) -> ScoresRecord | None:
    """Return the scores of the nearest report of these newspapers above a generator's folder; None where there is none."""
    for above in [*path.parents][:3]:
        report = read_report_record(above / "report")
        if report is not None and {*report.scores.outlets} == {*outlets}:
            return report.scores
    return None


def dataset_card(folder: Path, outlets: Sequence[str], repo_id: str, license: str | None) -> str:
    """README.md of a corpus: its own, with the licence and the id on the Hub."""
    card = DatasetCard.load(folder / "README.md")
    card.data.license, terms = _licence(license or card.data.license, outlets)
    picture = f"![Number of pairs above each threshold]({PICTURE})\n\n" * (folder / PICTURE).is_file()
    body = card.text.partition(RIGHTS)[0].replace(LOCAL_PATH, repo_id).strip()
    card.text = f"\n{body}\n\n{picture}## Licence\n\n{terms}\n"
    return card.content


def _base_licences(
    bases: Iterable[str], licence_of: Callable[[str], str | None] | None
) -> dict[str, str | None]:
    """Return each pre-trained model with its licence; None for one that is on no Hub, or of which the Hub says nothing."""
    return {base: licence_of(base) if licence_of and is_hub_id(base) else None for base in bases}


def _licence(
    name: str | None, outlets: Iterable[str], bases: Mapping[str, str | None] | None = None
) -> tuple[str, str]:
    """Return the licence of what is made from the outlets' texts, and its sentences on a card.

    A model that began from pre-trained ones (`bases`) has their licence: that of the texts says nothing of it.

    Args:
        name: the licence that was given; None for the known one.
        outlets: names of A and B.
        bases: pre-trained model to its licence, None where it is unknown.
    """
    texts = licence_of_texts(outlets)
    if not bases:
        name = name or texts
        return name, TERMS.get(name, f"{without_markup(name)}.")
    licences = {*bases.values()}
    of_bases = licences.pop() if len(licences) == 1 else None
    if name or not of_bases:
        name = name or "unknown"
        terms = NO_LICENCE.get(name, f"{without_markup(name)}.")
    else:
        name = of_bases
        terms = f"{without_markup(name)}, the licence of what it was trained from. {TEXTS[texts]}"
    known = [
        f"{without_markup(base)} ({without_markup(licence)})" if licence else without_markup(base)
        for base, licence in bases.items()
    ]
    return name, f"{terms} Trained from {', '.join(known)}: the terms of that model hold, too."


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
TEMPLATES.globals["shell"] = quote
TEMPLATES.globals |= {"is_sample_corpus": is_sample_corpus, "version": __version__, "question": QUESTION}
