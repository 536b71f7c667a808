"""The plan of a paper (`plans.toml`), what runs it, and its tables (`tables.toml`), published and measured."""

import hashlib
import json
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from importlib.resources import files
from inspect import signature
from itertools import combinations, product
from operator import sub
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, get_type_hints

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy.stats import kendalltau, mannwhitneyu

from change_it import __version__
from change_it import published_figures as published
from change_it.commands.hevas import read_with_events
from change_it.commands.reproduce import ReproduceOptions
from change_it.corpus.folder import read_language, read_outlets, read_report, read_table
from change_it.errors import InputError
from change_it.hevas.analysis import drawn_signature, mean_intervals
from change_it.hevas.baseline_systems import baseline
from change_it.hevas.documents import System
from change_it.hevas.evaluation import evaluate
from change_it.hevas.metric_options import MetricOptions
from change_it.io import named_files, read_json, write_json, write_table
from change_it.judges.judge_options import LINEAR, PAPERS, TASKS
from change_it.published_figures import PUBLISHED
from change_it.results.document import Document, Section
from change_it.scoring.columns import BUILT_IN
from change_it.scoring.floors_and_predictions import read_scored_systems
from change_it.scoring.item import read_test_set
from change_it.stats import AVERAGE, Floats, Ints, correlations, holm
from change_it.tables import Column, Row, Table, console, with_interval

#: Bootstrap resamples by scale.
RESAMPLES = {"smoke": 200, "cpu": 1000, "full": 1000}
CLASSES = ("first", "second", "mean")
#: Systems whose p-value is below, after Holm's correction, differ; a metric whose AUC is no further from .5 is blind.
LEVEL, BLIND, DAGGER = 0.05, 0.05, "†"
#: The first of several less the others.
less = partial(reduce, sub)


def read_toml(name: str) -> dict[str, Any]:
    """A file of data of this package."""
    return tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))


def filled(value: Any, names: Mapping[str, str]) -> Any:
    """A value of the data with texts for the names in it."""
    text = json.dumps(value)
    for name, each in names.items():
        text = text.replace(f"{{{name}}}", json.dumps(each)[1:-1])
    return json.loads(text)


@dataclass(frozen=True)
class Step:
    """A command with its settings, in which `{run}` stands for the folder of the run."""

    out: str  # what it makes, below that folder; its name
    command: str
    settings: Mapping[str, Any]
    last: str = ""  # the file of a folder that it makes which is there once it is finished
    read: tuple[str, ...] = ()  # digests of files of the user


def plan(options: ReproduceOptions) -> list[Step]:
    """The steps of a paper at a scale, each after those that it reads."""
    outlets, scale = read_outlets(options.corpus), options.scale
    encoder = options.encoder or (PAPERS if scale == "full" else LINEAR)
    steps = []
    for entry in read_toml("plans.toml")["step"]:
        if options.paper in entry["papers"] and scale in entry.get("scales", RESAMPLES):
            of_scale = entry.get(f"{scale}_encoder") if options.encoder else None
            settings = entry.get("options", {}) | (of_scale or entry.get(scale, {}))
            sides = [outlets if name in entry["out"] else ("",) for name in ("{to}", "{of}")]
            for each, to, of in product(entry.get("each", [{}]), *sides):
                names = {**each, "to": to, "of": of, "a": outlets[0], "b": outlets[1], "encoder": encoder}
                out, given = filled(entry["out"], names), filled(settings, names)
                steps.append(Step(out, entry["command"], given, entry.get("last", "")))
    if options.submissions:
        taken = (*BUILT_IN, "baseline")
        named = named_files(options.submissions, option="--submissions", example="team=team.csv", taken=taken)
        read = tuple(hashlib.sha256(file.read_bytes()).hexdigest() for _, file in named)
        read_scored_systems(options.submissions, read_test_set(options.corpus))  # refused before the training
        predictions = [*steps[-1].settings["predictions"], *options.submissions]
        steps[-1] = replace(steps[-1], settings={**steps[-1].settings, "predictions": predictions}, read=read)
    return steps


def keys_of(steps: Sequence[Step]) -> list[str]:
    """Digests of all that a step's result depends on but the corpus: its settings, and the steps before it."""
    texts = [json.dumps([step.out, step.command, step.settings, step.read], sort_keys=True) for step in steps]
    return [hashlib.sha256("".join(texts[: at + 1]).encode()).hexdigest() for at in range(len(steps))]


class Run:
    """The finished steps of a folder; papers share one, and what several of them need is made once."""

    def __init__(self, options: ReproduceOptions, *, corpus: str) -> None:
        """Open the folder; InputError where it holds something else than a run on that corpus (a hash)."""
        self.options, self.out = options, options.out
        self.about = {"scale": options.scale, "seed": options.seed, "corpus": corpus, "version": __version__}
        record = read_json(self.out / "steps.json")
        if record is None and self.out.is_dir() and any(self.out.iterdir()):
            raise InputError(f"{self.out} holds other files and no run: choose a folder that is new or empty")
        if record is not None and record["about"] != self.about:
            raise InputError(f"{self.out} holds another run ({record['about']}): choose another --out")
        self.finished: dict[str, str] = {} if record is None else record["finished"]

    def left(self, steps: Sequence[Step]) -> list[Step]:
        """The first step that is not finished with these settings, or whose result is gone, and all after it."""
        for at, (step, key) in enumerate(zip(steps, keys_of(steps), strict=True)):
            made = (self.out / step.out / step.last).exists()
            if self.finished.get(step.out) != key or not made:
                return list(steps[at:])
        return []

    def table(self, steps: Sequence[Step]) -> Table:
        """The plan."""
        left = self.left(steps)
        rows = [Row({"step": step.out, "state": "to do" if step in left else "finished"}) for step in steps]
        columns = [Column(name, "text") for name in ("step", "state")]
        return Table(columns, rows, "Plan", [f"To do: {len(left)} of {len(steps)} steps."])

    def run(self, steps: Sequence[Step]) -> None:
        """Run what is left, and record each step once it is finished."""
        left = self.left(steps)
        for step in left:
            self.finished.pop(step.out, None)
        self._write()
        keys = keys_of(steps)[len(steps) - len(left) :]
        for number, (step, key) in enumerate(zip(left, keys, strict=True), start=1):
            console().rule(f"{number} of {len(left)}: {step.out}", align="left", style="dim")
            self.call(step)()
            self.finished[step.out] = key
            self._write()

    def call(self, step: Step) -> Callable[[], None]:
        """The function of a step with its options, from its settings and the run's."""
        function = resolve_name(f"change_it.{step.command}")
        of_command = get_type_hints(function).get("options")
        settings = filled(dict(step.settings), {"run": str(self.out)})
        common = {name: getattr(self.options, name) for name in ("corpus", "seed", "device")}
        common |= {"resume": True, "out": self.out / step.out}
        if "input" in settings:  # in the place of the corpus
            del common["corpus"]
        accepted = signature(of_command or function).parameters.keys() - settings.keys()
        settings |= {name: value for name, value in common.items() if name in accepted}
        return partial(function, of_command(**settings)) if of_command else partial(function, **settings)

    def _write(self) -> None:
        write_json(self.out / "steps.json", {"about": self.about, "finished": self.finished})


def read_headlines(file: Path) -> pl.DataFrame:
    """Ids and headlines of a file of `transfer`, or of `write_inputs`."""
    return pl.read_csv(file, columns=["id", "headline"], infer_schema=False).fill_null("")


def write_inputs(corpus: str, out: Path) -> None:
    """Write the A2 articles of each outlet."""
    columns = ["id", "label", "headline", "article"]
    for (label,), rows in read_table(corpus, "articles", "test", columns).group_by("label"):
        write_table(out / f"{label}.csv", columns, rows.sort("id").iter_rows())


def classify(corpus: str, out: Path, tests: Mapping[str, Sequence[str]]) -> None:
    """Ask classifiers, named by training set, about a split or files of headlines that are to be taken for each outlet; failed ones are left out."""
    from change_it.judges.judge import Judge  # loads torch

    load, answers = cache(Judge.from_pretrained), []
    for test, (name, *sources) in tests.items():
        if sources[1:]:
            texts = [read_headlines(out.parent / "predictions" / file) for file in sources]
            labelled = [each.with_columns(label=pl.lit(label, pl.Int64)) for label, each in enumerate(texts)]
            rows = pl.concat(labelled).filter(pl.col("headline") != "")
        else:
            rows = read_table(corpus, name, sources[0], ["id", "headline", "label"])
        if not rows.height:
            raise InputError("a test set has no headline to classify: give a corpus of more articles")
        judge = load(out.parent / "classifiers" / name)
        given = judge.probabilities(rows["headline"].to_list(), progress=False).argmax(axis=1)
        answers.append(rows.with_columns(test=pl.lit(test), answer=pl.Series(given)))
    asked = pl.concat(answers)
    articles = pl.concat(read_table(corpus, "articles", side, ["id", "event"]) for side in ("train", "test"))
    of = dict(articles.filter(pl.col("id").is_in(asked["id"].to_list())).iter_rows())
    numbers = {event: at for at, event in enumerate(dict.fromkeys(of.values()))}
    events = [numbers[of[id_]] for id_ in asked["id"]]
    write_json(out, {**asked.drop("id").to_dict(as_series=False), "event": events})


def measure(corpus: str, out: Path, documents: int, seed: int) -> None:
    """Measure HEvAS's baselines on A2 articles with their own headlines as references; AUC is by headlines of the next article."""
    language, names = read_language(corpus) or "it", list(published.HEVAS_MEANS)
    chosen = read_with_events(corpus).drawn(documents, seed)
    written = [tuple(baseline(name, chosen.texts, seed=seed, language=language)) for name in names]
    systems = [System(name, each) for name, each in zip(names, written, strict=True)]
    systems += [System(f"elsewhere {each.name}", each.headlines[1:] + each.headlines[:1]) for each in systems]
    found = evaluate(chosen, systems, options=MetricOptions(language=language, seed=seed))
    rows: Any = {name: {"mean": found.means[name] | {"intervals": {}}, "AUC": {}} for name in names}
    for metric in found.metrics:
        right, wrong = np.split(found.scores(metric), 2, axis=1)
        ends = mean_intervals(right, names, found.events, resamples=RESAMPLES["cpu"], seed=seed)
        areas = mannwhitneyu(right, wrong, method="asymptotic").statistic / len(right) ** 2
        for name, area in zip(names, areas.tolist(), strict=True):
            rows[name]["mean"]["intervals"][metric] = ends[name]
            rows[name]["AUC"] |= {} if metric in published.PUBLISHED_READABILITY else {metric: area}
    first = {metric: found.scores(metric)[:, names.index("first")] for metric in published.INFORMATIVENESS}
    about = {"documents": len(found.ids), "signature": drawn_signature(found, RESAMPLES["cpu"])}
    write_json(out, about | {"systems": rows, "correlations": correlations(first).pearson})


class Tables:
    """The tables of a paper; what makes the rows of each is named in `tables.toml`."""

    def __init__(self, options: ReproduceOptions) -> None:
        """The tables of a run whose steps are finished."""
        self.options, self.about = options, read_toml("tables.toml")[options.paper]
        self.draws = RESAMPLES[options.scale], options.seed
        self.outlets = a, b = read_outlets(options.corpus)
        note = f"{a} stands where the paper has la Repubblica (rep), {b} where it has Il Giornale (gio)."
        self.facts = {"a": a, "b": b, "outlets": note, "version": __version__, "scale": options.scale}
        self.facts |= {"resamples": str(self.draws[0]), "seed": str(options.seed)}
        self.facts["citation"] = published.CITATIONS[options.paper]

    def document(self) -> Document:
        """All tables."""
        for name, (key, *sources) in self.about["facts"].items():
            values = [str(self.read(source)[key]) for source in sources]
            self.facts[name] = "+".join(each[:6] if key == "weights_hash" else each for each in values)
        sections = []
        for spec in map(self.spec, self.about["tables"]):
            if self.options.scale in spec.get("scales", RESAMPLES):
                table = self.table(spec)
                sections.append(Section(spec["name"], table, filled(spec["text"], self.facts)))
        texts = filled({key: self.about[key] for key in ("title", "lead", "signatures")}, self.facts)
        return Document(sections=sections, **texts)

    def spec(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The entry of a table in `tables.toml` at the scale, merged with the entry that it is like."""
        found = {"text": "", "notes": []}
        for like in [each for each in self.about["tables"] if each["name"] == entry.get("as")]:
            found = self.spec(like)
        return {**found, **entry, **entry.get(self.options.scale, {})}

    def table(self, spec: Mapping[str, Any]) -> Table:
        """A table that is described."""
        rows = tuple(getattr(self, f"_{spec['rows']}")(spec))
        notes = spec["notes"] + (spec["flagged"] if any(row.marks for row in rows) else [])
        columns = [
            Column(name, *others) if others[:1] not in ([], ["±"]) else with_interval(name, *others[1:])
            for name, *others in filled(spec["columns"], self.facts)
        ]
        return Table(tuple(columns), rows, spec["title"], tuple(filled(notes, self.facts)))

    def read(self, name: str) -> Any:
        """A JSON file that a step wrote."""
        if (found := read_json(path := self.options.out / name)) is None:
            raise InputError(f"{path} is gone: run change-it reproduce again, and leave the folder as it is")
        return found

    def figures(self, name: str) -> dict[str, dict[str, Any]]:
        """The figures of a step by the name of the row."""
        found = self.read(name)
        if "systems" in found:
            systems = found["systems"].items()
            rows = {f"{name} {way}": row for name, ways in systems for way, row in ways.items()}
            for row in rows.values():
                row |= {f"{name}_interval": tuple(each) for name, each in row.get("intervals", {}).items()}
            return rows
        if "results" in found:
            cells: dict[str, ArrayLike] = {test: counts_of(found, test) for test in found["results"]}
        else:
            cells = {test: cells_of(found, [test])[test] for test in dict.fromkeys(found["test"])}
        return {test: bootstrapped(each, *self.draws)["f1"] for test, each in cells.items()}

    def lines(self, spec: Mapping[str, Any]) -> Iterator[list[str]]:
        """The described rows of a table."""
        for names, line in product(spec.get("each", [{}]), spec["lines"]):
            yield filled(line, {**names, **self.facts})

    def _figures(self, spec: Mapping[str, Any]) -> Iterator[Row]:
        measured, shown = self.figures(spec["of"]), {name for name, *_ in spec["columns"]}
        for group, name, key, theirs, title in self.lines(spec):
            rows = measured.get(key, {}), PUBLISHED.get(theirs, {}), measured.get(f"{group} AUC", {})
            ours, printed, areas = ({name: row[name] for name in shown & row.keys()} for row in rows)
            if printed:
                yield Row({"row": f"{title or name}, published", **printed}, group)
            if key:
                blind = {metric: DAGGER for metric, area in areas.items() if abs(area - 0.5) <= BLIND}
                yield Row({"row": f"{name}, measured", **measured[key]}, group, highlight=True, marks=blind)
            if printed and key:
                both = {name: (ours[name], value) for name, value in printed.items()}
                apart = {name: a - b for name, (a, b) in both.items() if None not in (a, b)}
                yield Row({"row": f"{name}, difference", **apart}, group)
            if areas:
                yield Row({"row": f"{name}, AUC", **areas}, group)

    def _means(self, spec: Mapping[str, Any]) -> Iterator[Row]:
        yield from self._figures(spec)
        measured = self.figures(spec["of"])
        sides = [(measured[key], PUBLISHED[theirs]) for _, _, key, theirs, _ in self.lines(spec)]
        names = [name for name, *_ in spec["columns"] if name in sides[0][1]]
        orders = {name: tau(*zip(*((a[name], b[name]) for a, b in sides), strict=True)) for name in names}
        yield Row({"row": "τ of the order", **orders}, "τ")

    def _correlations(self, spec: Mapping[str, Any]) -> Iterator[Row]:
        measured, pairs = self.read(spec["of"])["correlations"], []
        for at, above in enumerate(published.HEVAS_CORRELATIONS):
            name, *later = published.INFORMATIVENESS[at:]
            printed, ours = (dict(zip(later, of, strict=True)) for of in (above, measured[at][at + 1 :]))
            pairs += [(ours[other], printed[other]) for other in later if ours[other] is not None]
            yield Row({"row": f"{name}, published", **printed}, name)
            yield Row({"row": f"{name}, measured", **ours}, name, highlight=True)
        agreement = np.corrcoef(*np.array(pairs).T)[0, 1]
        self.facts |= {"cells": str(len(pairs)), "agreement": f"{agreement:.2f}"}

    def _judges(self, spec: Mapping[str, Any]) -> Iterator[Row]:
        for task, kind in product(TASKS, spec["kinds"]):
            metrics = self.read(f"judges/{kind}/{task}/metrics.json")
            scores = bootstrapped(counts_of(metrics, "gold" if task == "main" else "random"), *self.draws)
            printed = [row._asdict() for row in published.PUBLISHED_JUDGES if row.judge == task]
            for which, name, row in zip(CLASSES, metrics["classes"], printed, strict=False):
                cells = {"class": name, "judge": f"{task}, {kind}"}
                for key, of in scores.items():
                    cells |= {key: of[which], f"{key}_interval": of[f"{which}_interval"]}
                    cells |= {f"published_{key}": row[key], f"difference_{key}": of[which] - row[key]}
                yield Row(cells, task, highlight=kind == "papers")

    def _order(self, spec: Mapping[str, Any]) -> Iterator[Row]:
        measured, systems = self.figures(spec["of"]), spec["systems"]
        for measure in spec["measures"]:
            printed = {theirs: PUBLISHED[f"{theirs} {AVERAGE}"][measure] for theirs in systems.values()}
            ours = {theirs: measured[f"{name} {AVERAGE}"][measure] for name, theirs in systems.items()}
            first, second = (" > ".join(sorted(of, key=lambda name: -of[name])) for of in (printed, ours))
            order = tau(printed.values(), ours.values())
            yield Row({"measure": measure, "published": first, "measured": second, "tau": order})

    def _ranking(self, spec: Mapping[str, Any]) -> Iterator[Row]:
        """Systems share a rank where they do not differ from the best of it; those that need no model stand below without one."""
        found, figures = self.read(spec["of"]), self.figures(spec["of"])
        named = {name: figures[f"{name} {AVERAGE}"] for name in found["systems"]}
        ranked = [name for name in named if name not in BUILT_IN]
        ranked.sort(key=lambda name: -named[name]["compliancy"])
        pairs = list(combinations(ranked, 2))
        corrected = holm([found["p_values"][first][second] for first, second in pairs])
        p_values, rank, best = dict(zip(pairs, corrected, strict=True)), {}, ""
        for position, name in enumerate(ranked, start=1):
            if not best or p_values[best, name] < LEVEL:
                best, place = name, position
            rank[name] = place
        for name in dict.fromkeys([*ranked, *named]):
            cells = {**named[name], "system": name, "rank": rank.get(name)}
            yield Row(cells, "ranked" if name in rank else "for comparison", highlight=name in rank)

    def _examples(self, spec: Mapping[str, Any]) -> Iterator[Row]:
        items = pl.read_csv(self.options.out / spec["of"], infer_schema=False).fill_null("")
        for row in items.group_by("direction", maintain_order=True).head(2).to_dicts():
            yield Row({name: row[name] for name in ("source", "headline")}, row["direction"])

    def _aligned(self, spec: Mapping[str, Any]) -> Iterator[Row]:
        corpus, columns = self.options.corpus, ["pair_id", *(name for name, *_ in spec["columns"])]
        pairs = pl.concat(read_table(corpus, "pairs", side, columns) for side in ("train", "test"))
        thresholds = read_report(Path(corpus))["thresholds"]
        for target in (0.96, thresholds["strict"], thresholds["loose"]):
            pairs = pairs.sort((pl.col("similarity") - target).abs(), "pair_id", maintain_order=True)
            yield Row(pairs.row(0, named=True))
            pairs = pairs[1:]

    def _classified(self, spec: Mapping[str, Any]) -> Iterator[Row]:
        rows = pl.DataFrame(self.read(spec["of"])).filter(~pl.col("test").str.contains("validation"))
        for test, label in product(rows["test"].unique(maintain_order=True), (0, 1)):
            for row in rows.filter(test=test, label=label).head(2).to_dicts():
                cells = {"outlet": self.outlets[label], "classifier": self.outlets[row["answer"]]}
                yield Row({"headline": row["headline"], "condition": test, **cells}, test)

    def _settings(self, spec: Mapping[str, Any]) -> Iterator[Row]:
        for group, model, file in self.lines(spec):
            _, headline = min(read_headlines(self.options.out / file).iter_rows())
            yield Row({"model": model, "headline": headline}, group, highlight=model == "gold")

    def _expectations(self, spec: Mapping[str, Any]) -> Iterator[Row]:
        """Paired: what is compared on the test set is of the same articles, so a resample draws events, once for all conditions."""
        drawn: dict[str, Floats] = {}  # each the value and then what was drawn
        for tests in filled([spec["validation"], spec["test"]], {"network": spec["network"]}):
            cells = cells_of(self.read(spec["of"]), tests.values())
            for key, test in tests.items():
                measures = measures_of(cells[test], *self.draws)
                drawn |= {key: measures["f1"][:, 2], f"chance {key}": measures["recall"][:, 2] - 0.5}
        for expectation, parts in spec["asked"].items():
            found = {what: less(less(map(drawn.get, two)) for two in pairs) for what, pairs in parts.items()}
            every = together([values[1:] for values in found.values()])
            yield Row({"what": "all", "answer": every}, expectation, highlight=True)
            for what, values in found.items():
                row: dict[str, Any] = {"what": what, "value": float(values[0])}
                row["answer"], row["interval"] = answer(values[1:])
                yield Row(row, expectation)


def tau(*orders: Collection[float]) -> float | None:
    """Kendall's τ of two orders of systems."""
    found = float(kendalltau(*map(list, orders)).statistic)
    return None if np.isnan(found) else found


def counts_of(metrics: Mapping[str, Any], test: str) -> list[list[int]]:
    """Counts of a judge on a test set, true by given class, from recall and support."""
    classes = [metrics["results"][test][name] for name in metrics["classes"]]
    first, second = (round(each["recall"] * each["support"]) for each in classes)
    return [[first, classes[0]["support"] - first], [classes[1]["support"] - second, second]]


def cells_of(classified: Mapping[str, Any], tests: Collection[str]) -> dict[str, Ints]:
    """Test to (events, 2, 2) how often each outlet was taken for each, by event of any of the tests."""
    rows = pl.DataFrame(classified).filter(pl.col("test").is_in(list(tests)))
    events, at = np.unique(rows["event"], return_inverse=True)
    cells = {test: np.zeros((len(events), 2, 2), np.int64) for test in tests}
    for event, test, truth, given in zip(at, *rows.select("test", "label", "answer"), strict=True):
        cells[test][event, truth, given] += 1
    return cells


def measures_of(cells: ArrayLike, resamples: int, seed: int) -> dict[str, Floats]:
    """(1 + resamples, 3) precision, recall and F1 of both classes and their mean, from counts, true by given class, and from resamples: of (2, 2) counts of the answers, of (events, 2, 2) of the events, the same for all of as many."""
    counts, random = np.asarray(cells), np.random.default_rng(seed)
    if counts.ndim == 3:
        events = np.full(len(counts), 1 / len(counts))
        drawn = np.tensordot(random.multinomial(len(counts), events, resamples), counts, axes=1)
    else:
        drawn = random.multinomial(counts.sum(), counts.ravel() / counts.sum(), resamples)
    drawn = np.concatenate([counts.reshape(-1, 2, 2).sum(axis=0, keepdims=True), drawn.reshape(-1, 2, 2)])
    right, given, true = np.diagonal(drawn, axis1=1, axis2=2), drawn.sum(axis=1), drawn.sum(axis=2)
    parts = {"precision": (right, given), "recall": (right, true), "f1": (2 * right, given + true)}
    found = {key: part / np.maximum(whole, 1) for key, (part, whole) in parts.items()}
    return {key: np.column_stack([each, each.mean(axis=1)]) for key, each in found.items()}


def bootstrapped(cells: ArrayLike, resamples: int, seed: int) -> dict[str, dict[str, Any]]:
    """Each measure of counts, as `measures_of` takes them, to the cells of `CLASSES` with 95% intervals."""
    found = {}
    for key, (values, *drawn) in measures_of(cells, resamples, seed).items():
        found[key] = dict(zip(CLASSES, values.tolist(), strict=True))
        for name, ends in zip(CLASSES, np.quantile(drawn, [0.025, 0.975], axis=0).T.tolist(), strict=True):
            found[key][f"{name}_interval"] = tuple(ends)
    return found


def answer(drawn: Floats, comparisons: int = 1) -> tuple[str, tuple[float, float]]:
    """Whether drawn values are above 0, and their 95% interval, corrected for a number of comparisons."""
    tail = 0.025 / comparisons
    low, high = np.quantile(drawn, [tail, 1 - tail]).tolist()
    return "yes" if low > 0 else "no" if high < 0 else "undecided", (low, high)


def together(drawn: Sequence[Floats]) -> str:
    """Yes where the answer to each of several questions is, which as an intersection of tests needs no correction; no where one is, at Holm's level of the smallest p-value."""
    if all(answer(each)[0] == "yes" for each in drawn):
        return "yes"
    return "no" if any(answer(each, len(drawn))[0] == "no" for each in drawn) else "undecided"
