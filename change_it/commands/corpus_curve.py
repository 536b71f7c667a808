"""`change-it corpus curve`: number of alignments against the threshold (LREC 2020, Figure 2) and example pairs (Table 2)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tyro

from change_it.corpus.folder import check_corpus, read_report
from change_it.errors import InputError
from change_it.io import check_writable
from change_it.tables import Column, Row, Table, console, print_table

if TYPE_CHECKING:
    import polars as pl

#: The similarity that LREC 2020's Table 2 starts with; its other two are the thresholds.
NEARLY_EQUAL = 0.96


@dataclass(kw_only=True)
class CurveOptions:
    """Draw the number of alignments against the threshold (LREC 2020, Figure 2) and print example pairs.

    Examples:
        change-it corpus curve runs/quickstart/corpus --out curve.png
    """

    corpus: tyro.conf.Positional[Path]
    """A corpus folder written by `change-it corpus build`."""
    out: Path | None = None
    """Picture to write (.png or .svg); alignment-curve.png inside the corpus folder when not given."""
    examples: int = 1
    """Example pairs printed near each of .96, the strict and the loose threshold."""

    @property
    def picture(self) -> Path:
        """The file that is written."""
        return self.out or self.corpus / "alignment-curve.png"


def check(options: CurveOptions) -> None:
    """Refuse, before anything large loads, a corpus at fault, and a picture that cannot be written."""
    check_corpus(str(options.corpus))
    out = options.picture
    if out.suffix not in (".png", ".svg"):
        raise InputError(f"cannot draw {out.name}: name the picture something.png or something.svg")
    read_report(options.corpus)
    check_writable(out, kind="file")


def run(options: CurveOptions) -> None:
    """Draw the curve of a corpus folder and print example pairs."""
    check(options)

    from change_it.results.charts import alignment_chart, save  # loads matplotlib
    from change_it.results.context import histogram

    out, record = options.picture, read_report(options.corpus)
    pairs = _read_pairs(options.corpus, record)
    outlets, thresholds = record["outlets"], record["thresholds"]
    title = f"Alignments of {outlets['a']} and {outlets['b']}"
    save(alignment_chart(histogram(record), title=title, wide=True), out)
    terminal = console()
    if options.examples > 0:
        targets = [NEARLY_EQUAL, thresholds["strict"], thresholds["loose"]]
        chosen = examples(pairs, targets, options.examples)
        print_table(_table(chosen, (outlets["a"], outlets["b"])), terminal)
    terminal.print(f"Alignment curve: {out}", highlight=False, soft_wrap=True)


def examples(pairs: "pl.DataFrame", targets: list[float], number: int) -> "pl.DataFrame":
    """The pairs whose similarity is nearest to each target, no pair twice, with the target as `near`."""
    import polars as pl

    chosen: list[pl.DataFrame] = []
    for target in targets:
        nearest = pairs.with_columns(near=pl.lit(target)).sort(
            (pl.col("similarity") - target).abs(), "pair_id", maintain_order=True
        )
        chosen.append(nearest.head(number))
        pairs = pairs.join(chosen[-1], on="pair_id", how="anti")
    return pl.concat(chosen)


def _read_pairs(corpus: Path, record: dict[str, Any]) -> "pl.DataFrame":
    """What is shown of the config `pairs` of a corpus folder."""
    if not any(record["histogram"]["pairs"]) or not any((corpus / "pairs").glob("*.parquet")):
        raise InputError(
            f"{corpus} has no aligned pairs to draw: build it with a wider --window-days or a lower --loose"
        )
    import polars as pl

    columns = ["pair_id", "similarity", "a_headline", "a_date", "b_headline", "b_date"]
    return pl.scan_parquet(corpus / "pairs" / "*.parquet").select(columns).collect()


def _table(pairs: "pl.DataFrame", names: tuple[str, str]) -> Table:
    """Example pairs as LREC 2020's Table 2 shows them."""
    columns = [Column(name, "text") for name in ("near", "similarity")]
    columns += [Column(side, "text", title=name) for side, name in zip("ab", names, strict=True)]
    rows = [
        Row(
            {"near": f"{row['near']:g}", "similarity": f"{row['similarity']:.3f}"}
            | {
                side: "\n".join(filter(None, (row[f"{side}_headline"], str(row[f"{side}_date"] or ""))))
                for side in "ab"
            },
            group=row["pair_id"],
        )
        for row in pairs.iter_rows(named=True)
    ]
    return Table(tuple(columns), tuple(rows), title="Aligned headlines (similarity of their articles)")
