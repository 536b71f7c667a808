"""Ask the judges that score together: verdicts on headlines, probabilities, style and acceptability."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import compress
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from change_it.corpus.folder import hash_article
from change_it.corpus.reading.article import outlet_names
from change_it.corpus.test_set import Item, TestSet
from change_it.errors import InputError
from change_it.files.atomic import replace_folder
from change_it.files.model_folders import HubSource
from change_it.files.texts import join_truncated, texts_by_name
from change_it.judges.judge import Judge
from change_it.judges.options import COMMAND, check_tasks
from change_it.judges.spec import (
    EVIDENCE,
    JUDGES,
    MAIN,
    Task,
    acceptability_tasks,
    compliancy_tasks,
    resolve,
    trained_tasks,
)
from change_it.models.saved import local_folder
from change_it.models.saving import Pushable, PushedModel
from change_it.scoring.aspects import (
    ASPECTS,
    LEAST_EVIDENCE,
    P_SOURCE,
    Judged,
    Reason,
    Reversal,
    choosing,
    probability_columns,
    refusals,
    style,
    verdict_schema,
    verdicts,
)
from change_it.stats import Bools, Floats, Ints
from change_it.text.evidence import Unsupported, unsupported
from change_it.text.folding import composed


@dataclass(frozen=True)
class JudgedHeadline:
    """A new headline with what the judges say of it.

    Attributes:
        text: the headline, composed as it was judged.
        compliant: HH and AH say match, main's decision is reversed.
        style: how far it goes from no newspaper's style, 0, to that of the outlet aimed at, 1, cut to -1 to
            2; None where main has no scale for it.
        acceptability: p_hh times p_ah times p_fluency times evidence, in 0-1; None without a fluency judge.
        edited: whether it is the original, or hardly another one.
        marks: each judge (`spec.JUDGES`) to whether it accepts the headline; None where there is no such
            judge.
        probabilities: hh and ah (match), main (the new headline is of the outlet aimed at), source (the
            original is), fluency (printed), each in 0-1; None where there is no such judge.
        unsupported: numbers, names and quotations that no source has, with their places in `text`.
        reasons: the reasons against it.
    """

    text: str
    compliant: bool
    style: float | None
    acceptability: float | None
    edited: bool
    marks: dict[str, bool | None]
    probabilities: dict[str, float | None]
    unsupported: tuple[Unsupported, ...]
    reasons: tuple[Reason, ...]

    @classmethod
    def from_row(cls, text: str, row: Mapping[str, Any]) -> Self:
        """Make a judged headline of its row of verdicts."""
        columns = probability_columns()
        unsupported_parts = [Unsupported(**part) for part in row["unsupported"]]
        reasons = [Reason(**reason) for reason in row["refused_by"]]
        return cls(
            text=composed(text),
            compliant=row["compliancy"],
            style=row["style"],
            acceptability=row["acceptability"],
            edited=row["edited"],
            marks={name: row[name] for name in JUDGES},
            probabilities={name: row[column] for name, column in columns.items()},
            unsupported=tuple(unsupported_parts),
            reasons=tuple(reasons),
        )

    @property
    def refused_by(self) -> str:
        """Return the reasons against it as a text, `main; evidence: Verdi; edited: 2 of 9 words new`."""
        return refusals(self.reasons)

    def as_dict(self) -> dict[str, Any]:
        """Return the headline as a JSON object: its attributes and `refused_by`."""
        reasons = [reason._asdict() for reason in self.reasons]
        return {**asdict(self), "reasons": reasons, "refused_by": self.refused_by}


class Judges(Pushable):
    """The judges that score headlines together: main, hh and ah, and perhaps others.

    Attributes:
        by_task: the judges by their names in `spec.JUDGES`, main first.

    Args:
        by_task: the judges by their names.
        judges: the same by keyword, such as `main=…`; None stands for no judge.

    Raises:
        InputError: a judge is missing or of another task, they are not of the same outlets and fold, or main
            is of an earlier version that has not measured its scale of style.

    Examples:
        >>> tasks = ("main", "hh", "ah")
        >>> Judges({task: Judge.from_pretrained(f"owner/{task}") for task in tasks})  # doctest: +SKIP
    """

    push_kind: ClassVar[PushedModel] = "judge"

    def __init__(self, by_task: Mapping[Task, Judge] | None = None, **judges: Judge | None) -> None:
        given = {**(by_task or {}), **judges}
        known = {task: judge for task, judge in given.items() if judge is not None}
        _check_names(known)
        _check_complete(known)
        self.by_task: dict[Task, Judge] = {}
        for task in trained_tasks():
            if task in known:
                self.by_task[task] = known[task]
        self._check_together()

    def _check_together(self) -> None:
        """Refuse judges of other tasks than their names, or of several folds, and main without a scale."""
        learnt = {}
        for task, judge in self.by_task.items():
            if judge.task != task:
                raise InputError(
                    f"the judge for {task} is one for {judge.task}: train one with --task {task}"
                )
            a, b = judge.outlets
            learnt[task] = f"{a} and {b}, fold {judge.fold}"
        if len(set(learnt.values())) > 1:
            differing = "; ".join(f"{task}: {what}" for task, what in learnt.items())
            raise InputError(
                f"the judges differ in outlets or fold ({differing}): "
                "train them on one corpus with the same --fold"
            )
        if self.main.style is None:
            raise InputError(
                "main has not measured its scale of style (it is of an earlier version, or of --train-on "
                f"random): train it again with {COMMAND} --task main --fold {self.fold}"
            )

    @property
    def main(self) -> Judge:
        """Return the judge that says which outlet wrote a headline."""
        return self.by_task[MAIN]

    @property
    def hh(self) -> Judge:
        """Return the judge of two headlines."""
        return self.by_task["hh"]

    @property
    def ah(self) -> Judge:
        """Return the judge of headline and article."""
        return self.by_task["ah"]

    @property
    def fluency(self) -> Judge | None:
        """Return the judge of printed headlines, if there is one."""
        return self.by_task.get("fluency")

    @property
    def has_acceptability(self) -> bool:
        """Tell whether all judges are there that acceptability multiplies."""
        return all(task in self.by_task for task in acceptability_tasks())

    def __call__(
        self,
        headlines: Sequence[str],
        *,
        originals: Sequence[str],
        articles: Sequence[str],
        to: str | int | Sequence[str] | Sequence[int] | None = None,
        progress: bool = False,
    ) -> list[JudgedHeadline]:
        """Judge new headlines.

        Args:
            headlines: n new headlines: a list, a column of a data set or frame.
            originals: n original headlines.
            articles: n articles of the originals.
            to: the outlet aimed at, for all or for each; None: the one that main does not assign the original
                to.
            progress: whether bars are shown.

        Returns:
            n judged headlines, each with its marks and their probabilities.

        Raises:
            InputError: numbers differ, a text is empty, or an outlet is not one of these judges'.

        Examples:
            >>> judges = Judges.from_pretrained("runs/quickstart/judges")  # doctest: +SKIP
            >>> [judged] = judges(  # doctest: +SKIP
            ...     ["Ponte giù"], originals=["Crolla il ponte"], articles=["Il ponte ..."], to="faro"
            ... )
            >>> judged.style, judged.acceptability, judged.marks, judged.refused_by  # doctest: +SKIP
        """
        texts = texts_by_name(headlines=headlines, originals=originals, articles=articles)
        if to is None:
            targets = self.opposite_outlets(texts["originals"])
        else:
            targets = outlet_names("to", to, self.outlets, len(texts["headlines"]))
        a, b = self.outlets
        items = []
        for text, source, article, target in zip(*texts.values(), targets, strict=True):
            label = b if target == a else a
            item = Item(id="", label=label, target=target, source=source, article=article, prediction=text)
            items.append(item)
        rows = self.judge(items, progress=progress).iter_rows(named=True)
        judged = zip(texts["headlines"], rows, strict=True)
        return [JudgedHeadline.from_row(text, row) for text, row in judged]

    def judge(
        self, items: Sequence[Item], *, reversal: Reversal = "relative", progress: bool = True
    ) -> pl.DataFrame:
        """Judge new headlines, and look their numbers, names and quotations up.

        What recurs among the items is read once. Evidence are the original headline, its article and, of an
        item that has a reference, the reference's article: the event as both outlets tell it. The reference
        itself is not evidence, or `gold` would be supported by definition. An empty new headline is not
        judged: its probabilities are 0, no verdict holds, its style is the least, and it is edited. So it is
        never better than a copy.

        Args:
            items: n items with predictions.
            reversal: when style counts as reversed: `relative`, main decides for another outlet than on the
                original; `target`, for the outlet aimed at.
            progress: whether bars are shown.

        Returns:
            n rows of `aspects.verdict_schema`. Null is what no judge can tell: fluency and acceptability
            without a fluency judge, style where main has no scale for it (`StyleScale.faults`), evidence
            where the corpus's articles are too short for it.
        """
        is_written = np.array([bool(item.prediction.strip()) for item in items], dtype=bool)
        answers, of_sources = self._ask(items, is_written, progress)
        target = np.array([self.outlets.index(item.target) for item in items], dtype=np.int64)
        probabilities = _probabilities(answers, of_sources, target)
        p_source = of_sources[MAIN][np.arange(len(items)), target]
        lacking = _unsupported_parts(items)
        decided = verdicts(answers, of_sources, target, reversal=reversal)
        if self.has_evidence:
            decided[EVIDENCE] = np.array([not parts for parts in lacking], dtype=bool)
        judged = Judged(
            items=items,
            verdicts=decided,
            probabilities=probabilities,
            style=self._style(items, probabilities[MAIN], p_source, target),
            has_acceptability=self.has_acceptability,
        )
        return _table(judged, p_source, lacking, is_written)

    def _ask(
        self, items: Sequence[Item], is_written: Bools, progress: bool
    ) -> tuple[dict[Task, Floats], dict[Task, Floats]]:
        """Ask every judge about the new headlines, and judges that tell outlets apart about the originals.

        Args:
            items: n items with predictions.
            is_written: (n,) whether there is a new headline.
            progress: whether bars are shown.

        Returns:
            Each judge to the probabilities of its two classes for the new headlines, (n, 2), zeros where
            there is none; and each judge that tells outlets apart to the same for the originals.
        """
        written = list(compress(items, is_written))
        answers: dict[Task, Floats] = {}
        of_sources: dict[Task, Floats] = {}
        for task, judge in self.by_task.items():
            spec = JUDGES[task]
            tells_outlets = spec.classes is None
            questions = []
            if tells_outlets:
                questions += [spec.reads(item.source, item) for item in items]
            first_answer = len(questions)
            questions += [spec.reads(item.prediction, item) for item in written]
            texts = [text for text, _ in questions]
            seconds = None
            if spec.pairs:
                seconds = [second or "" for _, second in questions]
            found = judge.probabilities(texts, seconds, progress=progress)
            answers[task] = np.zeros((len(items), 2))
            answers[task][is_written] = found[first_answer:]
            if tells_outlets:
                of_sources[task] = found[:first_answer]
        return answers, of_sources

    def _style(self, items: Sequence[Item], p_new: Floats, p_source: Floats, target: Ints) -> Floats | None:
        """Return the style of n new headlines; None where no item has a scale.

        Args:
            items: n items.
            p_new: (n,) main's probabilities that the new headlines are of the outlet aimed at.
            p_source: (n,) the same of the originals.
            target: (n,) the outlets aimed at, 0 for A and 1 for B.

        Returns:
            Style, (n,), NaN in a direction without a scale.
        """
        faults = self.style_faults
        has_no_scale = np.array([item.target in faults for item in items], dtype=bool)
        if self.main.style is None or has_no_scale.all():
            return None
        # what aims at A comes from B
        styles = style(p_new, p_source, self.main.style, from_b=target == 0)
        return np.where(has_no_scale, np.nan, styles)

    def opposite_outlets(self, headlines: Sequence[str]) -> list[str]:
        """Return for each headline the outlet that main does not assign it to."""
        probabilities = self.main.probabilities(headlines, progress=False)
        a, b = self.outlets
        is_of_a = probabilities[:, 0] >= probabilities[:, 1]
        return [b if of_a else a for of_a in is_of_a]

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path | None = None,
        *,
        dtype: Any = None,
        device_map: Any = None,
        revision: str | None = None,
        token: str | bool | None = None,
        cache_dir: str | Path | None = None,
        local_files_only: bool = False,
        subfolder: str = "",
        precision: str = "float32",
        device: Any = "auto",
        **places: str | Path,
    ) -> "Judges":
        """Load the judges `main`, `hh` and `ah`, and each of the others, such as `fluency`, that is there.

        Args:
            name: folder with folders of these names, or the Hub id of such a repository; may be left out
                where main, hh and ah have places.
            dtype: arithmetic of the judges, float32 or bfloat16, as in `Judge.from_pretrained`.
            device_map: the one device on which they run, as in `Judge.from_pretrained`.
            token: the token of the Hub.
            cache_dir: folder of downloads.
            local_files_only: whether only what has been downloaded before is read.
            precision: older name of `dtype`: float32 or bf16.
            device: older name of `device_map`.
            revision: branch, tag or commit of the Hub id `name`.
            subfolder: folder in `name` that holds the judges.
            places: main, hh, ah or fluency to the folder or Hub id of this judge, which replaces the one in
                `name`.

        Raises:
            InputError: one is missing, or they do not belong together, see `Judges`.

        Examples:
            >>> Judges.from_pretrained(main="owner/main", hh="owner/hh", ah="owner/ah")  # doctest: +SKIP
        """
        _check_names(places)
        folders: dict[str, str | Path] = {}
        download: dict[str, Any] = {
            "token": token,
            "cache_dir": cache_dir,
            "local_files_only": local_files_only,
        }
        if name is not None:
            source = HubSource(revision=revision, subfolder=subfolder, **download)
            folder = local_folder(name, command=COMMAND, source=source)
            check_tasks(folder, name)
            folders = {task: folder / task for task in trained_tasks() if (folder / task).is_dir()}
        for task, place in places.items():
            if place is not None:
                folders[task] = place
        _check_complete(folders)
        if name is None and (revision or subfolder):
            raise InputError("revision and subfolder are of all judges together: give their name")
        judges: dict[Task, Judge] = {}
        for task, place in folders.items():
            open_judge = resolve(JUDGES[task].open)
            judges[task] = open_judge(
                place,
                dtype=dtype,
                device_map=device_map,
                precision=precision,
                device=device,
                **download,
            )
        return cls(judges)

    def save_pretrained(self, save_directory: str | Path) -> None:
        """Save the judges in a new or empty folder, each in its own folder, as training saved them."""
        with replace_folder(Path(save_directory)) as partial:
            for task, judge in self.by_task.items():
                judge.write(partial / task)

    def to(self, device: Any) -> Self:
        """Move the judges to a device (auto, cpu, cuda:1, mps), and return them."""
        for judge in self.by_task.values():
            judge.to(device)
        return self

    @property
    def outlets(self) -> tuple[str, str]:
        """Return the short names of A and B."""
        return self.main.outlets

    @property
    def fold(self) -> str:
        """Return the fold that they were trained on."""
        return self.main.fold

    @property
    def style_faults(self) -> dict[str, str]:
        """Return why style cannot be measured, by outlet aimed at; see `StyleScale.faults`."""
        return self.main.style.faults(self.outlets) if self.main.style else {}

    @property
    def has_evidence(self) -> bool:
        """Tell whether the articles of their corpus are long enough to be evidence."""
        return self.main.style is None or self.main.style.evidence >= LEAST_EVIDENCE

    @property
    def signature(self) -> str:
        """Return six digits of the hash of each judge that compliancy requires, and the fold.

        Another arithmetic than float32 is added: `1a2b3c+4d5e6f+0a1b2c|fold:all|precision:bf16`.
        """
        hashes = "+".join(self.by_task[task].model_hash[:6] for task in compliancy_tasks())
        parts = [hashes, f"fold:{self.fold}"]
        precisions = {judge.precision for judge in self.by_task.values()}
        others = sorted(precisions - {"float32"})
        if others:
            parts.append(f"precision:{'+'.join(others)}")
        return "|".join(parts)

    def check_outlets(self, outlets: tuple[str, str], corpus: str) -> None:
        """Refuse judges that were trained on other outlets, in name or order, than the corpus has."""
        if self.outlets != tuple(outlets):
            learnt = " and ".join(self.outlets)
            wanted = " and ".join(outlets)
            raise InputError(
                f"the judges were trained on {learnt}, the corpus {corpus} has {wanted}: "
                "train judges on this corpus"
            )

    def check_corpus(self, test: TestSet) -> str:
        """Refuse judges of other outlets, and judges that learnt from test articles.

        Returns:
            The digests of the corpora that they learnt from, without that of the test set and joined by `+`;
            empty where they learnt from no other corpus, and for a test set that is of no corpus.
        """
        self.check_outlets(test.outlets, test.name)
        if not test.digest:
            # headlines that were given without a corpus, as to `compute_compliancy`
            return ""
        articles = {hash_article(item.source, item.article) for item in test.items}
        for task, judge in self.by_task.items():
            shared = len(articles & judge.corpus.learnt_articles)
            if shared:
                raise InputError(
                    f"the judge {task} has learnt from {shared:,} of the {len(articles):,} test articles of "
                    f"{test.name}: give the corpus that the judges were trained on, or train judges on this "
                    "one"
                )
        digests = {judge.corpus.digest or "unknown" for judge in self.by_task.values()}
        return "+".join(sorted(digests - {test.digest}))


def _check_names(tasks: Iterable[Task]) -> None:
    """Refuse names that are no trained judge's."""
    unknown = set(tasks) - set(trained_tasks())
    if unknown:
        raise InputError(
            f"there is no judge {join_truncated(sorted(unknown))}: name {join_truncated(trained_tasks())}"
        )


def _check_complete(tasks: Container[Task]) -> None:
    """Refuse judges without one that compliancy requires."""
    lacking = [task for task in compliancy_tasks() if task not in tasks]
    if lacking:
        raise InputError(
            f"judges require {join_truncated(lacking)}: give a folder or Hub id of all, or of each"
        )


def _nested(rows: Sequence[Sequence[Mapping[str, Any]]], kind: Any) -> pl.Series:
    """Return n lists of records as a column of a type, `pl.List(pl.Struct(…))`.

    The records are read as one table, which is much faster than cell by cell.
    """
    owners: list[int] = []
    records: list[Mapping[str, Any]] = []
    for number, own in enumerate(rows):
        owners += [number] * len(own)
        records += own
    values = pl.DataFrame(records, schema=kind.inner.to_schema()).to_struct("records")
    row = pl.Series("row", owners, dtype=pl.Int64)
    lists = pl.DataFrame([row, values]).group_by("row").agg("records")
    every_row = pl.DataFrame({"row": range(len(rows))}, schema={"row": pl.Int64})
    return every_row.join(lists, on="row", how="left", maintain_order="left")["records"].fill_null([])


def _probabilities(
    answers: Mapping[Task, Floats], of_sources: Mapping[Task, Floats], target: Ints
) -> dict[Task, Floats]:
    """Return each judge to the probabilities, (n,), that its verdicts on the new headlines rest on.

    They are those of class 1. Of a judge that tells outlets apart they are those of the outlet aimed at.

    Args:
        answers: each judge to the probabilities of its two classes, (n, 2), for the new headlines.
        of_sources: has each judge that tells outlets apart.
        target: (n,) the outlets aimed at, 0 for A and 1 for B.
    """
    rows = np.arange(len(target))
    probabilities = {}
    for task, values in answers.items():
        columns = target if task in of_sources else 1
        probabilities[task] = values[rows, columns]
    return probabilities


def _table(
    judged: Judged, p_source: Floats, lacking: Sequence[Sequence[Unsupported]], is_written: Bools
) -> pl.DataFrame:
    """Return the table of verdicts, see `aspects.verdict_schema`.

    Args:
        judged: n headlines and what the judges answered.
        p_source: (n,) main's probabilities that the originals are of the outlet aimed at.
        lacking: for each headline the numbers, names and quotations that no source has.
        is_written: (n,) whether there is a headline.
    """
    figures = _figures(judged)
    columns: dict[str, Any] = {}
    for name, values in figures.items():
        columns[name] = _failed(name, values, is_written).tolist()
    is_edited = figures["edited"].astype(bool)
    order = choosing(judged.probabilities, judged.evidence, _known_style(judged), is_edited)
    # a written headline has at least -1, so one that is missing comes last
    columns["choosing"] = np.where(is_written, order, -2.0).tolist()
    columns[P_SOURCE] = p_source.tolist()
    verdict_names = [name for name in (*JUDGES, *ASPECTS) if name in columns]
    passages = []
    refused = []
    for row, item in enumerate(judged.items):
        marks = {name: columns[name][row] for name in verdict_names}
        reasons = _reasons(item, marks, lacking[row])
        refused.append([reason._asdict() for reason in reasons])
        passages.append([vars(part) for part in lacking[row]])
    schema = verdict_schema()
    columns["unsupported"] = _nested(passages, schema["unsupported"])
    columns["refused_by"] = _nested(refused, schema["refused_by"])
    unknown = [None] * len(judged.items)
    cells = {name: columns.get(name, unknown) for name in schema}
    table = pl.DataFrame(cells, schema=schema)
    return table.with_columns(pl.col("style").fill_nan(None))


def _figures(judged: Judged) -> dict[str, NDArray[Any]]:
    """Return verdicts, aspects and probabilities, (n,) each, by their columns in the table of verdicts.

    An aspect that no headline can have is left out, such as acceptability without a fluency judge.
    """
    figures: dict[str, NDArray[Any]] = dict(judged.verdicts)
    for name, aspect in ASPECTS.items():
        values = aspect.compute(judged)
        if values is not None:
            figures[name] = values
    columns = probability_columns()
    for task, probabilities in judged.probabilities.items():
        figures[columns[task]] = probabilities
    return figures


def _known_style(judged: Judged) -> Floats | None:
    """Return the (n,) style that judges choose by; None where no headline has one.

    Headlines of a direction without a scale get 1, the style aimed at: there style decides nothing.
    """
    if judged.style is None:
        return None
    return np.where(np.isnan(judged.style), 1.0, judged.style)


def _unsupported_parts(items: Sequence[Item]) -> list[tuple[Unsupported, ...]]:
    """Return for each new headline the numbers, names and quotations that none of its sources has.

    Headlines of one event are looked up one after the other, so that their sources are read once.
    """
    found: list[tuple[Unsupported, ...]] = [()] * len(items)
    for row in sorted(range(len(items)), key=lambda row: items[row].event):
        item = items[row]
        if item.prediction.strip():
            sources = (item.source, item.article, item.reference_article)
            found[row] = unsupported(item.prediction, sources)
    return found


def _failed(name: str, values: NDArray[Any], is_written: Bools) -> NDArray[Any]:
    """Return a column of the table of verdicts with the worst value where there is no headline.

    NaN stays NaN.

    Args:
        name: the column; one that is no aspect has 0 as its worst value.
        values: (n,) its values.
        is_written: (n,) whether there is a headline.
    """
    worst = ASPECTS[name].worst if name in ASPECTS else 0
    stays = is_written | np.isnan(values)
    return np.where(stays, values, np.array(worst, values.dtype))


def _reasons(item: Item, marks: Mapping[str, bool], lacking: Sequence[Unsupported]) -> list[Reason]:
    """Return the reasons against a new headline in the order in which they are shown.

    First come the judges that refuse it, then aspects such as edited.

    Args:
        item: the item with its new headline.
        marks: judge or aspect to its verdict; one that is missing gives no reason.
        lacking: the numbers, names and quotations that no source has.
    """
    if not item.prediction.strip():
        return [Reason("no headline")]
    reasons = []
    for name in JUDGES:
        if marks.get(name, True):
            continue
        detail = ""
        if name == EVIDENCE:
            # a semicolon would end the reason where it is printed
            detail = ", ".join(part.text.replace(";", ",") for part in lacking)
        reasons.append(Reason(name, detail))
    for name, aspect in ASPECTS.items():
        if aspect.reason and marks.get(name):
            reasons.append(Reason(name, aspect.reason(item)))
    return reasons
