"""Write tables and figures of pages from benchmarks/results/*.json.

The pages are README.md, docs/, benchmarks/README.md, benchmarks/results/*.md and the cards of metrics.

    python benchmarks/tables.py
    python benchmarks/tables.py --check
    python benchmarks/tables.py --keep judges "AllSides: MiniLM" runs/allsides/minilm/ah/metrics.json
    python benchmarks/tables.py --keep main_judge "" main_judge.json

`<!-- table: NAME -->` to `<!-- /table -->` is the table of results/NAME.json: `rows`, name to column to a
value or to [counts of a whole, figures, interval], and their `n`, `seed`, `machine`, `date` and `command`.
--keep adds to them what they need of JSON that `train judge` or a script of this folder, under NAME, has
written. Where NAME is one of `SUMMARIES`, the table is drawn from several of these.

`.84<!-- = NAME/ROW/COLUMN/PLACE -->` is a figure in a sentence, or behind a comma or a bracket: a number of a
cell, the first where no PLACE is given. Of ROW and COLUMN the beginning is enough where no other begins
alike, without backticks. The figure keeps its decimals. NAME may be `quickstart`, whose rows are systems,
with measures as columns, and `run`, with `seconds` and `gigabytes`; or `harbor_street`, with the numbers of
articles and of test pairs.
"""

import csv
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import tyro

from change_it.generators.options import NETWORKS, PRETRAINED
from change_it.hevas.metrics import METRICS
from change_it.judges.options import BILSTM, BILSTM_ARGUMENTS, TOKENS_BY_ENCODER
from change_it.judges.spec import JUDGES, acceptability_tasks, compliancy_tasks, trained_tasks
from change_it.render.tables import figure
from change_it.report.report_files import provenance
from change_it.training.lora import LORA_ALPHA, LORA_RANK, LORA_RATE

#: The page of the benchmarks.
README = Path(__file__).with_name("README.md")
#: Folder of their results.
RESULTS = Path(__file__).with_name("results")
#: Folder of what LLM readers said of headlines and pairs.
LABELS = Path(__file__).with_name("labels")
ROOT = Path(__file__).parents[1]
#: The pages of the benchmarks: the claims, and the long tables of each subject.
BENCHMARKS = [README, *sorted(RESULTS.glob("*.md"))]
PAGES = [
    *BENCHMARKS,
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs").glob("*.md") if not page.is_symlink()),
    *sorted((ROOT / "metrics").glob("*/README.md")),
]
#: Row to column to value.
Rows = dict[str, dict[str, Any]]
#: A figure and where it comes from.
FIGURE = re.compile(r"(?P<figure>[-−]?(?:\d[\d,]*)?\.?\d+)<!-- = (?P<address>[^>]+?) -->")
#: The audit's kinds of headlines whose content is wrong; the others keep the style of the original.
WRONG = (
    "number changed",
    "number mistaken",
    "name mistaken",
    "names swapped",
    "names spliced in",
    "negated",
    "claim added",
    "half and half",
    "looped",
    "key words",
)
#: The pairs of newspapers of the tables `aspects` and `attacks`, the invented one first.
CORPORA = ("sample", "CNN, Fox", "CNN, W. Times", "Vox, W. Times", "Politico, Fox")


@dataclass(kw_only=True)
class Options:
    """Write the tables and figures of README.md, docs/, benchmarks/ and the cards of metrics."""

    check: bool = False
    """Write nothing; exit with 1 where a table differs."""
    keep: tuple[str, str, str] | None = None
    """Results to keep first: name of the table, what they are of, and a JSON file."""


def judge_rows(name: str, metrics: dict[str, Any]) -> Rows:
    """Return the F1 of a linear judge; or of it and of a transformer, whose lead has an interval.

    The name is CORPUS: ENCODER.
    """
    rows: Rows = {}
    corpus, _, encoder = name.partition(": ")
    for test, scores in metrics["results"].items():
        if test == "facts":  # no judge is made to see changed facts
            continue
        task = {"hh": "HH", "ah": "AH"}.get(metrics["task"], metrics["task"])
        row = task if test == "gold" else f"{task}, {test}"
        linear = metrics["baselines"].get("linear", {}).get(test)
        cell = [linear["macro_f1"]] if linear else []
        cell += [scores["macro_f1"], *(linear["lead"].values() if linear else ())]
        rows[f"{row}: {encoder}" if encoder else row] = {corpus: cell}
    systems = metrics.get("within_event", {}).get("systems", {})
    if encoder and "linear" in systems:
        linear, accuracy = systems["linear"], systems["judge"]["value"]
        cell = [linear["value"], accuracy, *linear["lead"]["within_event"].values()]
        rows[f"main within an event: {encoder}"] = {corpus: cell}
    return rows


def keep(name: str, subject: str, path: Path) -> None:
    """Add results to those of a table."""
    out = RESULTS / f"{name}.json"
    results = json.loads(path.read_text(encoding="utf-8"))
    record: dict[str, Any] = {"command": [], "n": "", "seed": 1, "rows": {}}
    if out.exists():
        record = json.loads(out.read_text(encoding="utf-8"))
    if "task" in results:
        rows = judge_rows(subject, results)
    elif name in results:
        rows = results[name]
    else:
        raise SystemExit(f"{path} has nothing under {name}")
    for row, cells in rows.items():
        record["rows"].setdefault(row, {}).update(cells)
    record |= {"machine": provenance()["hardware"], "date": str(date.today())}
    out.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def number(value: float) -> str:
    """Return a count or a figure."""
    if isinstance(value, int):
        return f"{value:,}"
    return figure(value) if value == 0 or 1e-6 < abs(value) <= 1 else f"{value:.3g}"


def cell(value: Any) -> str:
    """Return a value, `12 of 20: .600 (.400–.800)`, or several of them."""
    if value is None or isinstance(value, str):
        return value or "–"
    values = value if isinstance(value, list) else [value]
    if any(isinstance(part, list) for part in values):
        return "; ".join(map(cell, values))
    counts = " of ".join(number(part) for part in values if isinstance(part, int))
    figures = [number(part) if part is not None else "–" for part in values if not isinstance(part, int)]
    ends = f" ({'–'.join(figures[-2:])})" if len(figures) > 2 else ""
    return ": ".join(filter(None, (counts, ", ".join(figures[:-2] if ends else figures) + ends)))


@cache
def read_rows(name: str) -> Rows:
    """Return the rows of results.

    Those of the quickstart are its systems, each measure with the ends of its interval. Those of
    harbor_street are the numbers of articles and test pairs.
    """
    if name == "quickstart":
        record = json.loads(Path(__file__).with_name("quickstart.json").read_text(encoding="utf-8"))
        rows: Rows = {}
        rows["run"] = {name: record[name] for name in ("seconds", "gigabytes")}
        for system, values in record["systems"].items():
            measures = {key: value for key, value in values.items() if isinstance(value, int | float)}
            ends = values["intervals"]
            rows[system] = {key: [value, *ends.get(key, ())] for key, value in measures.items()}
        return rows
    if name == "harbor_street":
        record = json.loads(Path(__file__).with_name("harbor_street.json").read_text(encoding="utf-8"))
        return {"CNN, Fox": {key: record[key] for key in ("articles", "test pairs")}}
    rows = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["rows"]
    return rows


def numbers(value: Any) -> list[float]:
    """Return the numbers of a cell in the order in which they are printed."""
    if isinstance(value, list):
        return [number for part in value for number in numbers(part)]
    if isinstance(value, str):
        return [float(number) for number in re.findall(r"-?\d*\.?\d+", value)]
    return [] if value is None else [float(value)]


def only(names: Iterable[str], beginning: str, address: str) -> str:
    """Return the name that is, or the only one that begins with, a text; backticks do not count."""
    plain = {name: name.replace("`", "") for name in names}
    found = [name for name, text in plain.items() if text == beginning]
    found = found or [name for name, text in plain.items() if text.startswith(beginning)]
    if len(found) != 1:
        raise SystemExit(f"{address}: {len(found)} of {', '.join(plain)} begin with {beginning!r}")
    return found[0]


def look_up(address: str) -> float:
    """Return the number at NAME/ROW/COLUMN/PLACE; the first of its cell without a place."""
    name, row, column, *place = address.split("/")
    rows = read_rows(name)
    cells = rows[only(rows, row, address)]
    value = cells[only(cells, column, address)]
    found = numbers(value)
    at = int(place[0]) if place else 1
    if at > len(found):
        raise SystemExit(f"{address}: the cell has {len(found)} numbers, not {at}")
    return found[at - 1]


def formatted(value: float, like: str) -> str:
    """Return a number with the decimals, the sign and the leading zero of the text that it replaces."""
    decimals = len(like.partition(".")[2])
    text = f"{abs(value):,.{decimals}f}"
    if decimals and not like.lstrip("-−").startswith("0"):
        text = text.removeprefix("0")
    minus = "−" if "−" in like else "-"
    return f"{minus if value < 0 else ''}{text}"


def two(values: list[float] | None) -> str:
    """Return a value with its interval, if it has one, to two decimals."""
    if not values:
        return "–"
    texts = [formatted(value, ".00") for value in values]
    return f"{texts[0]} ({'–'.join(texts[1:3])})" if len(texts) > 2 else texts[0]


def outcomes() -> list[list[str]]:
    """Count the kinds of wrong content that acceptability stops, misses or had too few of, by corpus."""
    lines = [["of the ten kinds of wrong content", *CORPORA]]
    for outcome in ("stopped", "let through", "too few to tell"):
        counts = []
        for corpus in CORPORA:
            kinds = (read_rows("attacks")[kind][corpus] for kind in WRONG)
            counts.append(str(sum(f"({outcome})" in kind for kind in kinds)))
        lines.append([outcome, *counts])
    return lines


def kept() -> list[list[str]]:
    """Return the share of gold's acceptability that each kind of wrong content keeps, by corpus."""
    lines = [["keeps of gold's acceptability", *CORPORA]]
    for kind in WRONG:
        cells = read_rows("attacks")[kind]
        lines.append([kind, *(formatted(numbers(cells[corpus])[0], ".00") for corpus in CORPORA)])
    return lines


def gold_and_floor() -> list[list[str]]:
    """Return compliancy and acceptability of gold, the floor and a copy, by corpus."""
    lines = [["", *CORPORA]]
    for measure, place in {"compliancy": 0, "acceptability": 2}.items():
        for system in ("`gold`", "`floor`", "`copy`"):
            cells = (read_rows("aspects")[corpus][system][place] for corpus in CORPORA)
            lines.append([f"{measure} of {system}", *map(two, cells)])
    return lines


def fresh() -> list[list[str]]:
    """Return what 730 headlines say of each measure: every corpus beside their mean."""
    columns = ("CNN, Washington Times", "Politico, Fox", "sample", "mean")
    sources = {
        "HH for *same story*": "HH: same story; accepted",
        "AH for *supported*": "AH: supported; accepted",
        "fluency for *printable*": "fluency: printable; accepted",
        "acceptability for *accepted*": "acceptability: accepted; preferred",
        "ROUGE-L to the original for *accepted*": "ROUGE-L; words: accepted",
        "acceptability − ROUGE-L": "acceptability − ROUGE-L, written: accepted; preferred",
        "with gold and baselines, without copies: acceptability − ROUGE-L": (
            "acceptability − ROUGE-L, without copies: accepted; preferred"
        ),
    }
    lines = [["AUC among what models wrote", *columns]]
    for title, row in sources.items():
        cells = read_rows("fresh_labels")[row]
        lines.append([title, *(two(cells[column][0]) for column in columns)])
    return lines


def readers() -> list[list[str]]:
    """Return what the older labels say: the AUC of measures for the answers of the LLM reader."""
    columns = ("Vox, Washington Times", "CNN, Fox")
    sources = (
        ("acceptability for *accepted*", "acceptability", "accepted", 0),
        ("compliancy for *accepted*", "compliancy", "accepted", 0),
        ("HH for *same story*", "Story (HH)", "same story", 0),
        ("ROUGE-L to the original for *same story*", "ROUGE-L to the original", "same story", 0),
        ("AH for *supported*", "Article (AH)", "supported", 0),
        ("fluency for *printable*", "Fluency", "printable", 0),
        ("fluency by MiniLM for *printable*", "Fluency by MiniLM", "printable", 0),
        ("**what models wrote:** acceptability for *accepted*", "acceptability", "accepted", 1),
        ("ROUGE-L to the original for *accepted*", "ROUGE-L to the original", "accepted", 1),
        ("HH for *same story*", "Story (HH)", "same story", 1),
        ("ROUGE-L to the original for *same story*", "ROUGE-L to the original", "same story", 1),
    )
    lines = [["AUC", *columns]]
    for title, row, question, place in sources:
        cells = read_rows("readers")[row]
        asked = ((cells.get(f"{column}: {question}") or [None, None])[place] for column in columns)
        lines.append([title, *map(two, asked)])
    return lines


def without_order() -> list[list[str]]:
    """Return the share of gold's compliancy and acceptability that text keeps which is no sentence."""
    lines = [["", "test pairs", "compliancy of gold", "shuffled gold keeps", "one word five times keeps"]]
    for corpus, cells in read_rows("word_order").items():
        pairs = cells["pairs, events"].split(",")[0]
        shares = (two(cells[name][0]) for name in ("gold's words in random order", "one word five times"))
        lines.append([corpus, pairs, formatted(cells["gold"][0], ".00"), *shares])
    return lines


def verdicts_by_pair() -> list[list[str]]:
    """Return whether each measure can rank systems on each pair of newspapers, without what it misses."""
    measures = ("style", "acceptability", "compliancy")
    lines = [["newspapers; judges", "test pairs", *measures]]
    for corpus, cells in read_rows("verdicts").items():
        verdicts = (cells[measure].partition(";")[0] for measure in measures)
        lines.append([corpus, cells["test pairs"], *verdicts])
    return lines


def training_cells(arguments: Mapping[str, Any], *, adapts: bool = False) -> list[str]:
    """Return batch, epochs or updates, rate, early stopping and optimiser of a preset's training."""
    rate = LORA_RATE if adapts else arguments["learning_rate"]
    if "max_steps" in arguments:
        length = f"{arguments['max_steps']:,} updates"
    else:
        epochs = arguments["num_train_epochs"]
        length = f"{epochs} epoch{'s' if epochs > 1 else ''}"
    patience = arguments.get("early_stopping")
    stopping = f"after {patience} evaluations" if patience else "–"
    batch = str(arguments["per_device_train_batch_size"])
    return [batch, length, f"{rate:g}".replace("e-0", "e-"), stopping, arguments.get("optim", "AdamW")]


def judge_presets() -> list[list[str]]:
    """Return what the judges are trained with, by task; the Bi-LSTM is a main."""
    heads = ["judge", "tokens", "batch", "length", "rate", "early stopping", "optimiser"]
    lines = [heads]
    for task in trained_tasks():
        spec = JUDGES[task]
        lines.append([f"{task}, pre-trained encoder", str(spec.tokens), *training_cells(spec.arguments)])
    for task in compliancy_tasks():
        spec = JUDGES[task]
        cells = training_cells(spec.published_arguments)
        lines.append([f"{task}, `--as-published`", str(spec.published_tokens or spec.tokens), *cells])
    lines.append(["main, `bilstm`", f"{TOKENS_BY_ENCODER[BILSTM]} bytes", *training_cells(BILSTM_ARGUMENTS)])
    return lines


def generator_presets() -> list[list[str]]:
    """Return what the generators are trained with, by architecture."""
    heads = ["architecture", "source, target tokens", "vocabulary", "cells", "batch", "length", "rate"]
    lines = [[*heads, "early stopping", "optimiser"]]
    presets = {f"`{name}`": preset for name, preset in NETWORKS.items()}
    presets |= {f"pre-trained, {kind}": preset for kind, preset in PRETRAINED.items()}
    for name, preset in presets.items():
        sizes = [f"{size:,}" if size else "its own" for size in (preset.vocabulary, preset.cells)]
        tokens = f"{preset.source_tokens}, {preset.target_tokens}"
        lines.append([name, tokens, *sizes, *training_cells(preset.arguments)])
    causal = PRETRAINED["causal"]
    tokens = f"{causal.source_tokens}, {causal.target_tokens}"
    adapted = f"the same, causal, with `--lora` (rank {LORA_RANK}, alpha {LORA_ALPHA})"
    lines.append([adapted, tokens, "its own", "its own", *training_cells(causal.arguments, adapts=True)])
    return lines


def hevas_metrics() -> list[list[str]]:
    """Return the metrics of HEvAS with what they measure."""
    lines = [["key", "family", "what", "range", "better"]]
    for name, metric in METRICS.items():
        lines.append([f"`{name}`", metric.family, metric.about, metric.range_text, metric.better])
    return lines


def days_apart() -> list[list[str]]:
    """Return how many pairs report one event by days apart, as two readings by an LLM say."""
    with open(LABELS / "pairs.csv", encoding="utf-8", newline="") as file:
        pairs = list(csv.DictReader(file))
    lines = [["", "pairs", "one event", "pairs above .5", "one event"]]
    for days, words in enumerate(("of the same date", "a day apart", "two days apart", "three days apart")):
        cells = [words]
        for least in (0.0, 0.5):
            chosen = [
                pair for pair in pairs if int(pair["days"]) == days and float(pair["similarity"]) > least
            ]
            same = [pair for pair in chosen if pair["same1"] == pair["same2"] == "yes"]
            cells += [str(len(chosen)), formatted(len(same) / len(chosen), ".00")]
        lines.append(cells)
    return lines


def verdict_meanings() -> list[list[str]]:
    """Return what each verdict on a headline says: the judges by their entries, then what else it has."""
    lines = [["verdict", "meaning"]]
    rules = [task for task, spec in JUDGES.items() if not spec.is_trained]
    for task in (*trained_tasks(), *rules):
        spec = JUDGES[task]
        name = spec.short if spec.in_compliancy else f"{spec.short} (ours)"
        lines.append([name, spec.wording.glossary])
    factors = " × ".join(f"p of {JUDGES[task].short}" for task in acceptability_tasks())
    scale = (
        "its step on a scale of −1 to 2: 0 is the median step of a clause of the article, "
        "1 that of the other newspaper's own headline"
    )
    lines.append(["step", "how far main's log odds of the other newspaper rise from the original to it"])
    lines.append(["style (ours)", scale])
    lines.append(["acceptability (ours)", f"{factors} × evidence, 0 to 1"])
    lines.append(["edited (ours)", "it is the original, or at most a quarter of its words are new"])
    return lines


#: Tables that are drawn from several results, from parts of them, or from the package.
SUMMARIES: dict[str, Callable[[], list[list[str]]]] = {
    "outcomes": outcomes,
    "kept": kept,
    "days apart": days_apart,
    "gold and floor": gold_and_floor,
    "fresh": fresh,
    "older": readers,
    "without order": without_order,
    "judge presets": judge_presets,
    "headline verdicts": verdict_meanings,
    "generator presets": generator_presets,
    "hevas metrics": hevas_metrics,
    "verdicts by pair": verdicts_by_pair,
}


def lined(lines: list[list[str]]) -> str:
    """Return lines of cells, the head first, as a table in Markdown."""
    ruled = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in ruled)


def block(name: str) -> str:
    """Return a table in Markdown; of results it stands below how they were got."""
    if name in SUMMARIES:
        return f"\n{lined(SUMMARIES[name]())}\n"
    record = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    rows, commands = record["rows"], "; ".join(f"`{command}`" for command in record["command"])
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    lines = [["", *columns]]
    lines += [[row, *(cell(cells.get(column)) for column in columns)] for row, cells in rows.items()]
    run = f"Seed {record['seed']}; {record['machine']}; {record['date']}: {commands}."
    return f"{record['n']}. {run}\n\n{lined(lines)}"


def written(text: str) -> str:
    """Return a page with the tables and figures that the results say."""
    tables = re.compile(r"(<!-- table: ([^>]+?) -->\n).*?(<!-- /table -->)", re.DOTALL)
    text = tables.sub(lambda mark: f"{mark[1]}{block(mark[2])}\n{mark[3]}", text)
    return FIGURE.sub(
        lambda mark: formatted(look_up(mark["address"]), mark["figure"]) + mark[0][len(mark["figure"]) :],
        text,
    )


def main(options: Options) -> int:
    """Write or check the pages; 1 where one differs."""
    if options.keep:
        name, subject, file = options.keep
        keep(name, subject, Path(file))
    differ = 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        new = written(text)
        differ += new != text
        if not options.check:
            page.write_text(new, encoding="utf-8")
    return int(options.check and differ > 0)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Options)))
