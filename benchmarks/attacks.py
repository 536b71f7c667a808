"""Joint of saved headlines beside strict v5 of the same ones (results/strict_v5): JSON for `tables.py --keep joint` and `attacks`.

    python benchmarks/attacks.py --name Vox --corpus data/vox/corpus --judges runs/vox/judges-1 --choosers runs/vox/judges-0 --headlines data/vox
        --strict benchmarks/results/strict_v5/vox.parquet

`--headlines` holds prediction files: `systems/NAME.csv` of all paired items, `attacks/NAME.csv` of some of them. Floor is chosen
anew, for joint. An attack is given relative to gold on its items.
"""

import json
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import tyro
from judged import gap_z, means, read_pairs, relative

from change_it.generators.rerank import floor
from change_it.scoring.compliancy import judge_items
from change_it.scoring.floors_and_predictions import built_in_systems, on_same_items
from change_it.scoring.item import Item, read_test_set
from change_it.scoring.judges import Judges

STRICT = "strict v5"
SCORES = ("compliancy", "joint", "style", "hh", "ah", "fluency", "evidence")
#: The attacks of the table, most of those that are left out have less.
SHOWN = (
    *(
        "first sentence",
        "articles first eight words",
        "numbers mistaken",
        "name mistaken",
        "speaker exchanged",
    ),
    *("roles swapped", "negated", "contrary", "claim added", "gold rumour in front", "gold label in front"),
    *("gold emoji", "gold open quotation", "half and half", "random ending", "word exchanged", "misspelt"),
    *(
        "names spliced in",
        "numbers changed",
        "neighbours",
        "looped",
        "key words",
        "keyword list",
        "bigram soup",
    ),
    *("typography", "capitals", "plus clause", "plus clause best by judges"),
    *(
        f"{count} {kind}{how}"
        for kind in ("added", "exchanged")
        for count in (2, 3, 5)
        for how in ("", " best by judges")
    ),
)
#: Those of the table `choosers`.
CROSSED = ("first sentence", "negated", "looped", "keyword list", "3 exchanged best by judges")
#: Ends the rows of pairs that report one event (labels/pairs.csv).
ONE_EVENT = ", one event"
SYSTEMS = (
    "gold",
    "floor",
    f"gold{ONE_EVENT}",
    f"floor{ONE_EVENT}",
    "clause",
    "lead",
    "copy",
    "random-target",
    "rewrite",
)


@dataclass(kw_only=True)
class Options:
    """Score, and compare."""

    name: str
    """The pair of outlets, in tables."""
    corpus: str
    """Corpus folder."""
    judges: str
    """Judges that score."""
    choosers: str
    """Judges of the other fold, which choose the floor."""
    headlines: Path
    """Folder of prediction files."""
    kinds: str | None = None
    """Kinds of the choosers and of the judges, `linear (0) → e5 (1)`, for the table `choosers`."""
    strict: Path | None = None
    """Saved verdicts of strict v5, where there are any."""


def main(options: Options) -> dict[str, Any]:
    """Judge everything at once."""
    test, _ = on_same_items(read_test_set(options.corpus), [])
    item_of = {item.id: item for item in test.items}
    named: list[tuple[str, Item]] = []
    for system in [*built_in_systems(test), floor(test, Judges.from_pretrained(options.choosers))]:
        named += [(system.name, item) for item in test.predicted(system.headlines)]
    attacked = sorted(options.headlines.glob("attacks/*.csv"))
    for file in [*options.headlines.glob("systems/rewrite.csv"), *attacked]:
        rows = pl.read_csv(file, schema_overrides={"id": pl.String}).select("id", "headline").rows()
        found = [replace(item_of[id_], prediction=text or "") for id_, text in rows if id_ in item_of]
        named += [(file.stem, item) for item in found]
    judges = Judges.from_pretrained(options.judges)
    about = {"system": [name for name, _ in named]}
    about |= {key: [getattr(item, key) for _, item in named] for key in ("id", "direction", "event")}
    judged = judge_items(judges, [item for _, item in named], progress=False)
    table = pl.DataFrame(about).hstack(judged.select(pl.col(SCORES).cast(pl.Float64)))
    compared = ("compliancy", *((STRICT,) if options.strict else ()), "style", "joint")
    if options.strict:
        saved = pl.read_parquet(options.strict).filter(pl.col("kind") != "labels")
        key = pl.col("system").str.replace_all(",|'", "").str.replace_all(" ", "_")
        strict = saved.select(key, "id", pl.col("strict_compliancy").cast(pl.Float64).alias(STRICT))
        strict = strict.unique(["system", "id"])  # of clause and floor those of then, which were cut
        table = table.join(strict, on=["system", "id"], how="left", maintain_order="left")
    gold, systems, attacks = table.filter(system="gold"), {}, {}
    for (name,), rows in table.group_by("system", maintain_order=True):
        if name in SYSTEMS:
            systems[str(name)] = _cells(rows)
        elif (shown := str(name).replace("_", " ")) in SHOWN:
            attacks[shown] = {options.name: list(relative(rows, gold))}
    read = read_pairs(options.name).filter("one_event")
    of_one = table.filter(pl.col("id").is_in([*read["a_id"], *read["b_id"]]))
    for system in ("gold", "floor") if of_one.height else ():
        systems[f"{system}{ONE_EVENT}"] = _cells(of_one.filter(system=system))
    for end, rows in (("", table), (ONE_EVENT, of_one)):
        for score in compared:
            if (z := gap_z(rows, score)) is not None:
                systems[f"gold{end}"][f"z of gold − floor: {score}"] = f"{z:.1f}"
    found = {
        "joint": {f"{options.name}: `{name}`": systems[name] for name in SYSTEMS if name in systems},
        "attacks": {name: attacks[name] for name in SHOWN if name in attacks},
    }
    if options.kinds:
        cells = {f"`{name}`": systems[name]["joint"] for name in ("gold", "floor", "clause", "lead")}
        cells["z of gold − floor"] = systems["gold"].get("z of gold − floor: joint")
        cells |= {name: attacks[name][options.name] for name in CROSSED if name in attacks}
        found["choosers"] = {f"{options.name}: {options.kinds}": cells}
    return found


def _cells(rows: pl.DataFrame) -> dict[str, Any]:
    """Counts and scores of a system, those of the first three with intervals."""
    cells: dict[str, Any] = {"n": rows.height, "events": rows["event"].n_unique()}
    for name, score in means(rows, (*SCORES, STRICT)).items():
        cells[name] = list(score) if name in ("joint", "compliancy", STRICT) else score.value
    return cells


if __name__ == "__main__":
    given = tyro.cli(Options, description=__doc__)
    with redirect_stdout(sys.stderr):
        result = main(given)
    print(json.dumps(result, indent=1))
