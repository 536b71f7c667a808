"""Fill cards of data sets and models from the records that a run left; no model is loaded."""

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
from change_it.judges.options import BILSTM, LINEAR, JudgeInfo, read_judge_info
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
from change_it.training.record import METRICS, TrainingRecord
from change_it.version import __version__

#: Path of a model in a folder (`hh/`, or empty for the folder itself) to its `metrics.json`; None where it
#: has none.
Metrics = Mapping[str, TrainingRecord | None]

#: Placeholder in a corpus card that a push replaces: the path of its example.
_LOCAL_PATH = "path/to/this/folder"
#: Heading of the last section of a corpus card, which a push replaces.
_RIGHTS = "## Rights"
#: Licence to its sentence on the card of what was made from texts alone.
_TERMS = {
    "cc-by-nc-sa-4.0": "CC BY-NC-SA 4.0, the licence of CHANGE-IT's data"
    " (De Mattei, Cafagna, Dell'Orletta, Nissim and Gatt, EVALITA 2020):"
    " name the authors, no commercial use, share alike.",
    "unknown": "Nobody has named a licence. The texts that it was made from belong to their publishers.",
}
#: Licence to its sentence on the card of what began from a pre-trained model.
_TERMS_WITH_BASE = {
    "cc-by-nc-sa-4.0": _TERMS["cc-by-nc-sa-4.0"],
    "unknown": "Nobody has named a licence for this model."
    " The texts that it learnt from belong to their publishers.",
}
#: Licence of texts to what it means for a model that began from a pre-trained one, which has its own.
_TERMS_OF_TEXTS = {
    "unknown": "The texts that it learnt from belong to their publishers.",
    "cc-by-nc-sa-4.0": "The texts that it learnt from are under cc-by-nc-sa-4.0, whose terms hold, too.",
    "apache-2.0": "The texts that it learnt from are invented, under apache-2.0.",
}
#: Options of a training that say nothing of how a model was made.
_UNSAID_OPTIONS = frozenset({"corpus", "out", "resume", "max_minutes", "checkpoint_minutes"})
#: What a data set is called in the results of a card where it is on no Hub.
_OWN_CORPUS = "change-it-corpus"
#: Measures of a report that the card of a generator has besides those of compliancy.
_OVERLAP_MEASURES = ("bleu", "rougeL")
#: Language to the example of a card: a headline, the original one, its article. They are invented.
_EXAMPLES = {
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
#: The beginning of an absolute path of any system, or of one into a home folder; behind NAME= as well.
_PATH = re.compile(r"([^/=]*=)?(?:/[^/\s]+/|~/|[A-Za-z]:[\\/])")


@dataclass(frozen=True, kw_only=True)
class CardSettings:
    """What is given for the card of a push.

    Attributes:
        repo_id: where it is pushed to.
        license: the Hub's name of a licence; None for what follows from texts and pre-trained models.
        dataset: Hub id of the data set that models are said to be trained on.
        dataset_digest: digest of that data set; the card names one of another digest as another one.
        package: address from which pip installs this package, as git+https://…; None where there is none.
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
        digest: digest of that corpus; empty where it is not known.
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


@dataclass(frozen=True, kw_only=True)
class _JudgeEntry:
    """What a card says of one judge.

    Attributes:
        prefix: its folder in the repository with a slash at the end; empty at the root.
        info: its configuration.
        type: `model_type` of its configuration.
        encoder: its pre-trained model, or `linear` or `bilstm`.
        weights: SHA-256 of its weights, hexadecimal.
        short_hash: the first six digits of the SHA-256 of weights and configuration.
        corpus_name: the corpus that it was trained on, as it was given.
        trained_on: what is known of that corpus.
        tables: tables of its tests; None for one that was not measured.
        figures: figures of its tests.
        procedure: how it was trained, see `_procedure`.
    """

    prefix: str
    info: JudgeInfo
    type: str
    encoder: str
    weights: str
    short_hash: str
    corpus_name: str
    trained_on: TrainedOn
    tables: list[Table | None]
    figures: list[CardFigure]
    procedure: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class _ModelFacts:
    """What is known of the models in a folder.

    Attributes:
        metadata: metadata of the card, without what `model_card` adds.
        values: variables of the template, without what `model_card` adds.
        figures: figures for `model-index`.
        corpus: name of the corpus that they were trained on.
        outlets: names of A and B.
        language: language of a generator; None for judges.
        pretrained: Hub ids or paths of the models that they began from.
        shown_output: key of the output that the card shows: the task of a judge, or empty for a generator.
    """

    metadata: dict[str, Any]
    values: dict[str, Any]
    figures: list[CardFigure]
    corpus: str
    outlets: tuple[str, str]
    language: str | None
    pretrained: list[str]
    shown_output: str


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
        metrics: path of each model in `folder` to its `metrics.json`, see `Metrics`.
        settings: what is given for the card.
        outputs: what the models answer to the example, by the task of a judge, or under an empty name for a
            generator.
        base_licence: returns the licence of a pre-trained model by its Hub id, or None where the Hub does not
            say; without it no licence is known.
        audit: what is known of judges.
    """
    if kind == "judge":
        facts = _judge_facts(folder, metrics)
    else:
        facts = _generator_facts(folder, metrics[""], settings.base)
    corpus = read_trained_on(folder / next(iter(metrics)))
    dataset, other_dataset = _datasets(corpus, settings)
    language = corpus.language or facts.language
    named_language = None if language == "none" else language
    licence, terms = _licence(settings.license, facts.outlets, _base_licences(facts.pretrained, base_licence))
    metadata = {
        **facts.metadata,
        "language": named_language,
        "datasets": [dataset] if dataset else None,
        "license": licence,
        "tags": ["change-it", "style-transfer", "headline-generation", *facts.metadata["tags"]],
        "model_name": settings.repo_id.rpartition("/")[2],
        "eval_results": _eval_results(facts.figures, dataset, corpus.digest or "") or None,
    }
    headline, original, article = example_of(language)
    values = {
        **facts.values,
        "card_data": ModelCardData(**metadata).to_yaml(),
        "repo_id": settings.repo_id,
        "package": settings.package,
        "outlets": facts.outlets,
        "corpus": {
            **to_json(corpus),
            "name": facts.corpus,
            "dataset": dataset,
            "other_dataset": other_dataset,
        },
        "terms": terms,
        "headline": headline,
        "original": original,
        "article": article,
        "output": (outputs or {}).get(facts.shown_output),
    }
    if kind == "judge":
        values["second_texts"] = _second_texts(facts.values["entries"], headline, original, article)
        values["audit"] = audit
        values["answers"] = []
        values["verdicts"] = None
        if audit.verdicts:
            values["answers"] = verdict_answers(audit.verdicts)
        if audit.judges:
            values["verdicts"] = verdicts_table(audit.judges)
    return TEMPLATES.get_template(f"{kind}.md.jinja").render(values).strip() + "\n"


def example_of(language: str | None) -> tuple[str, str, str]:
    """Return the example of a card in a language, or in English: a headline, the original, its article."""
    return _EXAMPLES.get(language or "", _EXAMPLES["en"])


def _datasets(corpus: TrainedOn, settings: CardSettings) -> tuple[str | None, str | None]:
    """Return the Hub id of the corpus of training, and the given data set where that is another.

    The given data set is the corpus if both have the same digest. Either is None where there is none.
    """
    dataset: str | None = corpus.dataset or ""
    other_dataset = None
    if settings.dataset_digest is not None and settings.dataset_digest == corpus.digest:
        dataset = settings.dataset or dataset
    elif settings.dataset_digest and corpus.digest:
        other_dataset = settings.dataset
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", dataset or ""):
        dataset = None
    return dataset, other_dataset


def _second_texts(
    entries: Iterable[_JudgeEntry], headline: str, original: str, article: str
) -> dict[str, str | None]:
    """Return each task to what its judge reads beside the headline of the example; None for nothing."""
    item = Item(id="", label="", target="", source=original, article=article)
    texts: dict[str, str | None] = {}
    for entry in entries:
        _, second_text = JUDGES[entry.info.task].reads(headline, item)
        texts[entry.info.task] = second_text
    return texts


def _eval_results(
    figures: Iterable[CardFigure], dataset: str | None, training_digest: str
) -> list[EvalResult]:
    """Return the entries of `model-index`.

    The digest of the corpus and the signature say what a figure compares with.

    Args:
        figures: the figures.
        dataset: Hub id of the corpus of training.
        training_digest: digest of that corpus; a figure of another one is not named as one of `dataset`.
    """
    results = []
    for figure in figures:
        own_name = without_markup(figure.corpus) or _OWN_CORPUS
        is_of_training = figure.digest != "" and figure.digest == training_digest
        name_on_hub = dataset if is_of_training else None
        dataset_args = {"signature": figure.signature}
        if figure.digest:
            dataset_args["corpus_digest"] = figure.digest
        result = EvalResult(
            task_type=figure.task_type,
            task_name=figure.task_name,
            dataset_type=name_on_hub or _OWN_CORPUS,
            dataset_name=name_on_hub or own_name,
            dataset_config=figure.dataset_config,
            dataset_split="test",
            dataset_args=dataset_args,
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
    """Return how a model was trained, as names and values for its card: options set, updates, versions."""
    if record is None:
        return {}
    lines = {}
    for name, value in record.options.items():
        is_unset = value in (None, "", [], False)
        if name not in _UNSAID_OPTIONS and not is_unset:
            public_value = without_paths(value)
            if isinstance(public_value, list):
                lines[name] = ", ".join(map(str, public_value))
            else:
                lines[name] = str(public_value)
    if record.training.updates:
        lines["updates"] = f"{record.training.updates:,}"
    if record.versions:
        lines["versions"] = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    return lines


def _judge_facts(folder: Path, metrics: Metrics) -> _ModelFacts:
    """Return what the card says of one judge or several.

    Raises:
        InputError: a judge is not what training writes.
    """
    entries = [_judge_entry(folder, prefix, record) for prefix, record in metrics.items()]
    figures: list[CardFigure] = []
    for entry in entries:
        figures += entry.figures
    first = entries[0]
    last = entries[-1]
    is_one = len(entries) == 1
    encoders = {entry.encoder for entry in entries}
    metadata: dict[str, Any] = {
        "library_name": "change-it",
        "base_model": sorted(filter(is_hub_id, encoders)) or None,
        "tags": ["evaluation"],
    }
    # The root of several judges is no model.
    if is_one:
        metadata["library_name"] = "transformers"
        metadata["pipeline_tag"] = "text-classification"
    trained_specs = [spec for spec in JUDGES.values() if spec.is_trained]
    values = {
        "entries": entries,
        "several": not is_one,
        # Judges of one folder are of one corpus.
        "digest": last.trained_on.digest,
        "specs": JUDGES,
        "blind": enumerated([spec.heading for spec in trained_specs if not spec.sees_order]),
        "seeing": enumerated([spec.heading for spec in JUDGES.values() if spec.sees_order]),
        "signature": _judges_signature(entries),
        "citation": CITATIONS["evalnlgeval2020"],
    }
    return _ModelFacts(
        metadata=metadata,
        values=values,
        figures=figures,
        corpus=last.corpus_name,
        outlets=first.info.outlets,
        language=None,
        pretrained=sorted(encoders - {LINEAR, BILSTM}),
        shown_output=first.info.task if is_one else "hh",
    )


def _judge_entry(folder: Path, prefix: str, record: TrainingRecord | None) -> _JudgeEntry:
    """Return what a card says of the judge in `folder / prefix`; `record` is its `metrics.json`.

    Raises:
        InputError: the judge is not what training writes.
    """
    config = read_json(folder / prefix / "config.json") or {}
    settings: Any = config.get("change_it")
    with record_errors(folder / prefix / "config.json"):
        info = read_judge_info(settings)
    if prefix not in ("", f"{info.task}/"):
        fault = f"{folder / prefix} is no judge of its name"
        raise InputError(f"{fault}: train it with change-it train judge")
    path = folder / prefix / METRICS
    if not isinstance(record, JudgeMetrics):
        raise InputError(f"there is no {path}: train the judge again with change-it train judge")
    with record_errors(path):
        corpus_name = str(settings["corpus"])
        trained_on = read_trained_on(folder / prefix)
        return _JudgeEntry(
            prefix=prefix,
            info=info,
            type=config["model_type"],
            encoder=str(without_paths(settings["encoder"])),
            weights=record.weights_hash,
            short_hash=record.model_hash[:6],
            corpus_name=corpus_name,
            trained_on=trained_on,
            tables=[within_event_table(record.within_event, record.style), results_table(record)],
            figures=_judge_figures(info.task, record, trained_on, corpus_name),
            procedure=_procedure(record),
        )


def _judges_signature(entries: Sequence[_JudgeEntry]) -> str:
    """Return the signature of judges: hashes of what compliancy requires, the fold, hashes of others."""
    required = []
    others = []
    for entry in entries:
        if entry.info.task in compliancy_tasks():
            required.append(entry.short_hash)
        else:
            others.append(f"{entry.info.task}:{entry.short_hash}")
    if required:
        return "|".join([f"judges:{'+'.join(required)}", f"fold:{entries[0].info.fold}", *others])
    return "|".join(others)


def _generator_facts(folder: Path, metrics: TrainingRecord | None, given_base: str | None) -> _ModelFacts:
    """Return what is known of a generator.

    Its scores are those of the nearest report above its folder, where that has a system of its name.

    Args:
        folder: the generator.
        metrics: its `metrics.json`; None where it has none.
        given_base: name on the Hub of the model that its adapters belong to; None for the recorded one.
    """
    info = GeneratorInfo.load(folder)
    if given_base:
        info = replace(info, base=given_base)
    path = folder.resolve()
    report = _scores_above(path, info.outlets)
    names = (path.name, path.parent.name, f"{info.recipe}-{info.architecture}", info.recipe)
    system = _system_of(report, names)
    digest = ""
    if report and report.corpus and Path(report.corpus).is_dir():
        digest = describe_corpus(report.corpus).digest
    tables: list[Table] = []
    figures: list[CardFigure] = []
    if report and system:
        for source, target in permutations(info.outlets):
            direction = f"{source}2{target}"
            # Predictions may be of one direction alone.
            if info.to in (None, target) and direction in report.systems[system]:
                tables.append(_score_table(report, system, direction))
                figures += _generator_figures(report, system, direction, digest)
    base = info.base or info.architecture
    # Without this file the adapters are merged into the model, or there were none.
    has_adapters = (folder / "adapter_config.json").is_file()
    metadata: dict[str, Any] = {
        "library_name": "peft" if has_adapters else "transformers",
        "tags": [f"recipe:{info.recipe}"],
    }
    if not (has_adapters and info.kind == "encoder-decoder"):
        metadata["pipeline_tag"] = "text-generation"
    pretrained = [info.pretrained] if info.pretrained else []
    if is_hub_id(base):
        metadata["base_model"] = base
        if info.pretrained:
            pretrained = [base]
    values = {
        "info": info,
        "recipe": RECIPES[info.recipe],
        "base": without_paths(base),
        "metrics": metrics,
        "system": system,
        "tables": tables,
        "adapters": has_adapters,
        "digest": digest,
        "procedure_lines": _procedure(metrics),
    }
    return _ModelFacts(
        metadata=metadata,
        values=values,
        figures=figures,
        corpus=info.corpus,
        outlets=info.outlets,
        language=info.language,
        pretrained=pretrained,
        shown_output="",
    )


def _system_of(report: ScoresRecord | None, names: Sequence[str]) -> str:
    """Return the first of the names under which a report may have a generator; empty where it has none."""
    if report is None:
        return ""
    for name in names:
        if name in report.systems and name not in BUILT_IN:
            return name
    return ""


def _score_table(report: ScoresRecord, system: str, direction: str) -> Table:
    """Return the table of a generator's card: the baselines and the system in a direction, with intervals."""
    rows = []
    for name in (*BUILT_IN, system):
        scores = report.systems.get(name, {}).get(direction)
        if scores:
            cells: dict[str, Value] = {"system": name, **scores.values}
            for measure, ends in scores.intervals.items():
                cells[f"{measure}_interval"] = ends
            rows.append(Row(cells))
    columns = [Column("system", "text", title=direction)]
    for measure in (*compliancy_measures(), *_OVERLAP_MEASURES):
        if any(row.values.get(measure) is not None for row in rows):
            columns.append(with_interval(measure, title=heading_of(measure)))
    return Table(columns, rows, title=report.systems[system][direction].signature)


def _generator_figures(report: ScoresRecord, system: str, direction: str, digest: str) -> list[CardFigure]:
    """Return what the system reaches in a direction; `digest` is that of the corpus that was scored."""
    scores = report.systems[system][direction]
    figures = []
    for measure in (*compliancy_measures(), *_OVERLAP_MEASURES):
        value = scores.values.get(measure)
        if value is not None:
            figure = CardFigure(
                task_type="text-generation",
                task_name="headline style transfer",
                dataset_config=direction,
                metric_type=measure,
                metric_name=heading_of(measure),
                value=value,
                signature=scores.signature,
                corpus=str(without_paths(report.corpus)),
                digest=digest,
            )
            figures.append(figure)
    return figures


def _scores_above(path: Path, outlets: Sequence[str]) -> ScoresRecord | None:
    """Return the scores of the nearest report of these newspapers above a generator's folder.

    It is looked for three folders up; None where there is none.
    """
    for above in list(path.parents)[:3]:
        report = read_report_record(above / "report")
        if report is not None and set(report.scores.outlets) == set(outlets):
            return report.scores
    return None


def dataset_card(folder: Path, outlets: Sequence[str], repo_id: str, license: str | None) -> str:
    """Return README.md of a corpus: its own, with the licence and the id on the Hub.

    Args:
        folder: the corpus.
        outlets: names of A and B.
        repo_id: where it is pushed to.
        license: the Hub's name of a licence; None for that of its card, or else of its outlets' texts.
    """
    card = DatasetCard.load(folder / "README.md")
    licence, terms = _licence(license or card.data.license, outlets)
    card.data.license = licence
    picture = ""
    if (folder / PICTURE).is_file():
        picture = f"![Number of pairs above each threshold]({PICTURE})\n\n"
    body = card.text.partition(_RIGHTS)[0].replace(_LOCAL_PATH, repo_id).strip()
    card.text = f"\n{body}\n\n{picture}## Licence\n\n{terms}\n"
    return card.content


def _base_licences(
    bases: Iterable[str], base_licence: Callable[[str], str | None] | None
) -> dict[str, str | None]:
    """Map each pre-trained model to its licence.

    None stands for the licence of a model that is on no Hub, or of which the Hub says nothing.
    """
    licences: dict[str, str | None] = dict.fromkeys(bases)
    if base_licence is not None:
        for base in licences:
            if is_hub_id(base):
                licences[base] = base_licence(base)
    return licences


def _licence(
    given: str | None, outlets: Iterable[str], bases: Mapping[str, str | None] | None = None
) -> tuple[str, str]:
    """Return the licence of what is made from the outlets' texts, and its sentences on a card.

    A model that began from pre-trained ones has their licence: that of the texts says nothing of it.

    Args:
        given: the licence that was given; None for the known one.
        outlets: names of A and B.
        bases: pre-trained model to its licence, None where it is unknown.
    """
    text_licence = licence_of_texts(outlets)
    if not bases:
        licence = given or text_licence
        return licence, _TERMS.get(licence, f"{without_markup(licence)}.")
    licences = set(bases.values())
    common_licence = licences.pop() if len(licences) == 1 else None
    if given or not common_licence:
        licence = given or "unknown"
        terms = _TERMS_WITH_BASE.get(licence, f"{without_markup(licence)}.")
    else:
        licence = common_licence
        terms = f"{without_markup(licence)}, the licence of what it was trained from."
        terms += f" {_TERMS_OF_TEXTS[text_licence]}"
    names = []
    for base, licence_of_base in bases.items():
        name = without_markup(base)
        if licence_of_base:
            name += f" ({without_markup(licence_of_base)})"
        names.append(name)
    return licence, f"{terms} Trained from {', '.join(names)}: the terms of that model hold, too."


def without_paths(value: Any) -> Any:
    """Replace every absolute path in a JSON value, also one in NAME=PATH, by its last name."""
    if isinstance(value, str):
        path = _PATH.match(value)
        if path is None:
            return value
        last_name = re.split(r"[\\/]", value.rstrip("\\/"))[-1]
        return (path[1] or "") + last_name
    if isinstance(value, Mapping):
        return {key: without_paths(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_paths(item) for item in value]
    return value


def code(value: object) -> str:
    """Return a stranger's string as code within a line."""
    return f"`{' '.join(str(value).split()).replace('`', chr(39))}`"


def literal(value: str) -> str:
    """Return a stranger's string as a literal in a block of Python, which no mark in it ends."""
    return str(htmlsafe_json_dumps(value)).replace("`", "\\u0060")


#: The templates of the cards.
TEMPLATES: Environment = template_environment(PackageLoader("change_it.hub"), autoescape=False)
# what they call
TEMPLATES.globals.update(
    text=without_markup,
    code=code,
    literal=literal,
    markdown=card_markdown,
    shell=quote,
    is_sample_corpus=is_sample_corpus,
)
# what they name
TEMPLATES.globals.update(version=__version__, question=QUESTION)
