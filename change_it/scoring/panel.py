"""The judges that score together, and what they say of a headline: verdicts, probabilities, style and acceptability."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import compress
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl

from change_it.corpus.folder import hash_article
from change_it.corpus.reading.article import outlet_names
from change_it.corpus.test_set import Item, TestSet
from change_it.errors import InputError
from change_it.files.texts import listed, texts_by_name
from change_it.judges.judge import Judge
from change_it.judges.options import COMMAND, check_tasks
from change_it.judges.spec import TASKS, TRAINED, Task
from change_it.models.pretrained import local_folder
from change_it.scoring.aspects import (
    LEAST_EVIDENCE,
    PROBABILITIES,
    STYLE_RANGE,
    VERDICT_NAMES,
    VERDICTS,
    Reversal,
    acceptability,
    choosing,
    decide,
    is_edited,
    new_words,
    style,
    verdicts,
)
from change_it.stats import Bools, Floats
from change_it.text.evidence import Unsupported, unsupported
from change_it.text.folding import composed
from change_it.training.training_options import Arithmetic


@dataclass(frozen=True)
class JudgedHeadline:
    """A new headline with what the judges say of it.

    Attributes:
        text: the headline, composed as it was judged.
        compliant: HH and AH say match, main's decision is reversed.
        style: how far it goes from no newspaper's style, 0, to that of the outlet aimed at, 1, cut to -1 to 2; None where main has
            no scale for it.
        acceptability: p_hh times p_ah times p_fluency times evidence, in 0-1; None without a fluency judge.
        edited: whether it is the original, or hardly another one.
        marks: each of `VERDICT_NAMES` to whether it holds; None where there is no such judge.
        probabilities: hh and ah (match), main (the new headline is of the outlet aimed at), source (the original is),
            fluency (printed), each in 0-1; None where there is no such judge.
        unsupported: numbers, names and quotations that no source has, with their places in `text`.
        refused_by: the reasons against it, `main; evidence: Verdi; edited: 2 of 9 words new`; empty where there are none.
    """

    text: str
    compliant: bool
    style: float | None
    acceptability: float | None
    edited: bool
    marks: dict[str, bool | None]
    probabilities: dict[str, float | None]
    unsupported: tuple[Unsupported, ...]
    refused_by: str

    @classmethod
    def of(cls, text: str, row: dict[str, Any]) -> Self:
        """A headline and its row of verdicts."""
        return cls(
            text=composed(text),
            compliant=row["compliancy"],
            **{name: row[name] for name in ("style", "acceptability", "edited", "refused_by")},
            marks={name: row[name] for name in VERDICT_NAMES},
            probabilities={name: row[column] for name, column in PROBABILITIES.items()},
            unsupported=tuple(Unsupported(**part) for part in row["unsupported"]),
        )


@dataclass(frozen=True)
class Judges:
    """The judges that score headlines: outlet (main), two headlines (hh), headline and article (ah), and perhaps fluency.

    Raises:
        InputError: a judge is of another task, they are not of the same outlets and fold, or main is of an earlier version that
            has not measured its scale of style.

    Examples:
        >>> Judges(*(Judge.from_pretrained(f"owner/{task}") for task in ("main", "hh", "ah")))  # doctest: +SKIP
    """

    main: Judge
    hh: Judge
    ah: Judge
    fluency: Judge | None = None

    def __post_init__(self) -> None:
        for task, judge in self.by_task.items():
            if judge.task != task:
                raise InputError(
                    f"the judge for {task} is one for {judge.task}: train one with --task {task}"
                )
        learnt = {task: (*judge.outlets, judge.fold) for task, judge in self.by_task.items()}
        if len({*learnt.values()}) > 1:
            differing = "; ".join(
                f"{task}: {a} and {b}, fold {fold}" for task, (a, b, fold) in learnt.items()
            )
            raise InputError(
                f"the judges differ in outlets or fold ({differing}): train them on one corpus with the same --fold"
            )
        if self.main.style is None:
            raise InputError(
                "main has not measured its scale of style (it is of an earlier version, or of --train-on random): "
                f"train it again with {COMMAND} --task main --fold {self.fold}"
            )

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
            to: the outlet aimed at, for all or for each; None: the one that main does not assign the original to.
            progress: whether bars are shown.

        Returns:
            n judged headlines, each with its marks and their probabilities.

        Raises:
            InputError: numbers differ, a text is empty, or an outlet is not one of these judges'.

        Examples:
            >>> judges = Judges.from_pretrained("runs/quickstart/judges")  # doctest: +SKIP
            >>> [judged] = judges(["Ponte giù"], originals=["Crolla il ponte"], articles=["Il ponte ..."], to="faro")  # doctest: +SKIP
            >>> judged.style, judged.acceptability, judged.marks, judged.refused_by  # doctest: +SKIP
        """
        texts = texts_by_name(headlines=headlines, originals=originals, articles=articles)
        if to is None:
            targets = self.opposite_outlets(texts["originals"])
        else:
            targets = outlet_names("to", to, self.outlets, len(texts["headlines"]))
        items = [
            Item("", self.outlets[1 - self.outlets.index(target)], target, source, article, prediction=text)
            for text, source, article, target in zip(*texts.values(), targets, strict=True)
        ]
        rows = self.judge(items, progress=progress).iter_rows(named=True)
        return [JudgedHeadline.of(text, row) for text, row in zip(texts["headlines"], rows, strict=True)]

    def judge(
        self, items: Sequence[Item], *, reversal: Reversal = "relative", progress: bool = True
    ) -> pl.DataFrame:
        """Judge new headlines, and look their numbers, names and quotations up; what recurs among n items is read once.

        Evidence are the original headline, its article and, of an item that has a reference, the reference's article: the
        event as both outlets tell it. The reference itself is not evidence, or `gold` would be supported by definition. An empty new
        headline is not judged and leaves the original in its place, so it is never better than a copy: its probabilities are 0, no
        verdict holds, its style is the least, and it is edited.

        Args:
            items: n items with predictions.
            reversal: when style counts as reversed, see `compliancy.verdicts`.
            progress: whether bars are shown.

        Returns:
            n rows of `compliancy.VERDICTS`. Null is what no judge can tell: fluency and acceptability without a fluency judge, style
            where main has no scale for it (`StyleScale.faults`), evidence where the corpus's articles are too short for it.
        """
        new, sources = [item.prediction for item in items], [item.source for item in items]
        written = np.array([bool(text.strip()) for text in new], dtype=bool)

        def ask(
            task: Task, texts: list[str], pairs: list[str] | None = None, *, only: Bools = written
        ) -> Floats:
            """(n, 2) probabilities; zeros where there is no headline."""
            answers = np.zeros((len(texts), 2))
            asked = list(compress(texts, only)), pairs and list(compress(pairs, only))
            answers[only] = self.by_task[task].probabilities(*asked, progress=progress)
            return answers

        of_main = ask("main", sources + new, only=np.concatenate([np.ones_like(written), written]))
        main_source, main = np.split(of_main, [len(items)])
        hh, ah = ask("hh", sources, new), ask("ah", new, [item.article for item in items])
        target = np.array([self.outlets.index(item.target) for item in items], dtype=np.int64)
        p_source, p_new = (values[np.arange(len(items)), target] for values in (main_source, main))
        p = {"hh": hh[:, 1], "ah": ah[:, 1], "main": p_new}
        columns: dict[str, Any] = {**verdicts(hh, ah, main, main_source, target, reversal=reversal)}
        if self.fluency is not None:
            printed = ask("fluency", new)
            columns["fluency"], p["fluency"] = decide(printed) == 1, printed[:, 1]
        texts = [(item.source, item.article, item.reference_article) for item in items]
        lacking = [
            unsupported(text, read_texts) if text.strip() else ()
            for text, read_texts in zip(new, texts, strict=True)
        ]
        evidence: Bools | None = None
        if self.has_evidence:
            columns["evidence"] = evidence = np.array([not parts for parts in lacking], dtype=bool)
        edited = np.array([is_edited(*texts) for texts in zip(new, sources, strict=True)], dtype=bool)
        columns |= {"edited": edited, **{PROBABILITIES[name]: values for name, values in p.items()}}
        graded, faults = None, self.style_faults
        unmeasured = np.array([item.target in faults for item in items], dtype=bool)
        if self.main.style and not unmeasured.all():
            graded = style(p["main"], p_source, self.main.style, target == 0)
            columns["style"] = np.where(unmeasured, np.nan, graded)
            graded = np.where(unmeasured, 1.0, graded)
        if self.fluency is not None:
            columns["acceptability"] = acceptability(p, evidence)
        failed: dict[str, float] = {"style": STYLE_RANGE[0], "edited": True}
        columns = {
            name: np.where(
                written | np.isnan(values), values, np.array(failed.get(name, 0), values.dtype)
            ).tolist()
            for name, values in columns.items()
        }
        order = np.where(written, choosing(p, evidence, graded, edited), -2.0)
        columns |= {"choosing": order.tolist(), "p_target_source": p_source.tolist()}
        columns["unsupported"] = [list(map(asdict, parts)) for parts in lacking]
        columns["refused_by"] = []
        for row, (text, source) in enumerate(zip(new, sources, strict=True)):
            reasons = [name for name in VERDICT_NAMES if name in columns and not columns[name][row]]
            parts = ", ".join(part.text.replace(";", ",") for part in lacking[row])
            reasons = [f"evidence: {parts}" if name == "evidence" else name for name in reasons]
            if columns["edited"][row]:
                reasons.append("edited: {} of {} words new".format(*new_words(text, source)))
            columns["refused_by"].append("; ".join(reasons) if written[row] else "no headline")
        cells = {name: columns.get(name, [None] * len(items)) for name in VERDICTS}
        return pl.DataFrame(cells, schema=VERDICTS).with_columns(pl.col("style").fill_nan(None))

    def opposite_outlets(self, headlines: Sequence[str]) -> list[str]:
        """For each headline the outlet that main does not assign it to."""
        style = self.main.probabilities(headlines, progress=False)
        return [self.outlets[int(a >= b)] for a, b in style]

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path | None = None,
        *,
        precision: Arithmetic = "float32",
        device: str = "auto",
        **places: str | Path,
    ) -> "Judges":
        """Load the judges `main`, `hh` and `ah`, and `fluency` where it is there.

        Args:
            name: folder with folders of these names, or the Hub id of such a repository; may be left out where main, hh and ah have places.
            precision: float32; or bf16, which is faster where the processor multiplies bfloat16 matrices.
            device: auto, cpu, cuda, cuda:1, mps.
            places: main, hh, ah, fluency: folder or Hub id of one judge, in the place of that in `name`.

        Raises:
            InputError: one is missing, or they do not belong together, see `Judges`.

        Examples:
            >>> Judges.from_pretrained(main="owner/main", hh="owner/hh", ah="owner/ah")  # doctest: +SKIP
        """
        if unknown := places.keys() - set(TRAINED):
            raise InputError(f"there is no judge {listed(sorted(unknown))}: name {listed(TRAINED)}")
        folders: dict[str, str | Path] = {}
        if name is not None:
            folder = local_folder(name, command=COMMAND)
            check_tasks(folder, name)
            folders = {task: folder / task for task in TRAINED if (folder / task).is_dir()}
        folders |= {task: place for task, place in places.items() if place is not None}
        if lacking := [task for task in TASKS if task not in folders]:
            raise InputError(f"judges require {listed(lacking)}: give a folder or Hub id of all, or of each")
        how: dict[str, Any] = {"precision": precision, "device": device}
        return cls(**{task: Judge.from_pretrained(place, **how) for task, place in folders.items()})

    @property
    def by_task(self) -> dict[Task, Judge]:
        """The judges by task."""
        judges: dict[Task, Judge] = {"main": self.main, "hh": self.hh, "ah": self.ah}
        return judges | ({"fluency": self.fluency} if self.fluency else {})

    @property
    def outlets(self) -> tuple[str, str]:
        """Short names of A and B."""
        return self.main.outlets

    @property
    def fold(self) -> str:
        """The fold they were trained on."""
        return self.main.fold

    @property
    def style_faults(self) -> dict[str, str]:
        """Outlet aimed at to why style cannot be measured; see `StyleScale.faults`."""
        return self.main.style.faults(self.outlets) if self.main.style else {}

    @property
    def has_evidence(self) -> bool:
        """Whether the articles of their corpus are long enough to be evidence for numbers, names and quotations."""
        return self.main.style is None or self.main.style.evidence >= LEAST_EVIDENCE

    @property
    def signature(self) -> str:
        """Six digits of the hashes of main, hh and ah, the fold, and bf16 where they run in it: `1a2b3c+4d5e6f+0a1b2c|fold:all`."""
        hashes = "+".join(self.by_task[task].model_hash[:6] for task in TASKS)
        others = sorted({judge.precision for judge in self.by_task.values()} - {"float32"})
        precision = f"|precision:{'+'.join(others)}" if others else ""
        return f"{hashes}|fold:{self.fold}{precision}"

    def check_outlets(self, outlets: tuple[str, str], corpus: str) -> None:
        """Refuse judges that were trained on other outlets, in name or order, than the corpus has."""
        if self.outlets != tuple(outlets):
            wanted, learnt = (" and ".join(names) for names in (outlets, self.outlets))
            raise InputError(
                f"the judges were trained on {learnt}, the corpus {corpus} has {wanted}: train judges on this corpus"
            )

    def check_corpus(self, test: TestSet) -> str:
        """Refuse judges of other outlets or that learnt from test articles; the digests of their corpora where they are of another one."""
        self.check_outlets(test.outlets, test.name)
        articles = {hash_article(item.source, item.article) for item in test.items} if test.digest else set()
        for task, judge in self.by_task.items():
            if shared := len(articles & judge.corpus.learnt_articles):
                raise InputError(
                    f"the judge {task} has learnt from {shared:,} of the {len(articles):,} test articles of {test.name}: give "
                    "the corpus that the judges were trained on, or train judges on this one"
                )
        digests = {judge.corpus.digest or "unknown" for judge in self.by_task.values()}
        return "+".join(sorted(digests - {test.digest})) if test.digest else ""
