"""Options of `change-it transfer`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from change_it.generators.options import Recipe

#: The system that needs no trained generator.
EXTRACT = "extract"
#: Candidates that judges choose among when no number is given.
CANDIDATES = 10


@dataclass(kw_only=True)
class TransferOptions:
    """Write new headlines in the other outlet's style; with --rerank, judges choose the best of several candidates.

    The file has one row an input row, in order: id, headline, target, error, reranker. A run that was interrupted goes
    on where it stopped when it is called again with the same options; what is finished lies in FILE.partial until then.

    Examples:
        change-it transfer --generator runs/mine/generators --recipe sum --corpus runs/mine/corpus --out runs/mine/predictions/sum.csv
        change-it transfer --generator runs/mine/generators/sum-gio --input articles.csv --out new.csv
        change-it transfer --generator extract --corpus runs/mine/corpus --rerank runs/mine/judges-0 --out runs/mine/predictions/extract.csv
    """

    generator: str
    """Folder or Hub id of a generator, or a folder of them (both directions); or extract, which is learnt from --corpus alone."""
    out: Path
    """CSV file to write; it appears, or is replaced, only when the run is finished."""
    corpus: str | None = None
    """Corpus folder or data set id on the Hub; its A2 headlines are transferred unless there is an --input."""
    input: str | None = None
    """CSV, TSV, JSON lines or parquet file with headline, article and label (the outlet the row comes from); id if there is one."""
    columns: str = ""
    """Column map of --input, ours=theirs: headline=title,article=body."""
    recipe: Recipe | None = None
    """Which generators of a folder that holds several recipes."""
    to: str | None = None
    """Outlet to write for: of a corpus the items that aim at it; of --input every row, and no label is read."""
    rerank: str | None = None
    """Folder or Hub id of judges main, hh and ah that choose; train them with --fold, others of the other fold must score."""
    candidates: int | None = None
    """Candidates a headline that the judges choose among; 10 when not given."""
    reversal: Literal["relative", "target"] = "relative"
    """What the judges choose for: main decides otherwise than on the original (the paper's), or for the target."""
    beams: int = 5
    """Width of the search, at least --candidates; 1 is greedy."""
    sample: bool = False
    """Draw candidates at random instead of searching for the most probable."""
    temperature: float = 1.0
    """Of --sample: above 1 flattens."""
    top_p: float = 0.95
    """Of --sample: the most probable tokens that together have this probability."""
    batch_size: int | None = None
    """Sources a generator reads at once; its own choice when not given."""
    device: str = "auto"
    """Where generators and judges run: auto, cpu, cuda, cuda:1, mps."""
    seed: int = 1
    """Seed of --sample."""
