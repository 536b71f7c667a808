"""Which printed headlines a generator learns from: those that judges of one fold accept."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from change_it.corpus.folder import read_casing, read_language
from change_it.errors import InputError
from change_it.generators.generator_options import GeneratorSettings
from change_it.generators.recipes import RecipeData
from change_it.io import read_json, write_json
from change_it.judges.judge import Judges
from change_it.scoring.compliancy import judge_items
from change_it.scoring.item import Item
from change_it.scoring.signature import Reranker

#: Where a run keeps which examples were accepted: one that is resumed learns from the same.
ACCEPTED = "accepted.json"


def load_filter(settings: GeneratorSettings, data: RecipeData) -> Judges:
    """The judges that choose what is learnt."""
    judges = Judges.from_pretrained(str(settings.filter_by))
    judges.check_outlets(data.outlets, settings.corpus)
    if judges.fluency is None:
        raise InputError(
            f"--filter-by {settings.filter_by}: strict compliancy needs a fluency judge beside the others, train one with "
            f"change-it train judge --task fluency --fold {judges.fold}"
        )
    if judges.fold == "all":
        print(
            "Warning: the judges of --filter-by train on all folds, so change-it score will refuse every judge for what this "
            "generator writes: train them with change-it train judge --fold 0",
            file=sys.stderr,
        )
    return judges.with_casing(read_casing(settings.corpus))


def signature_of(judges: Judges) -> str:
    """Who chose, as files of headlines say it."""
    return Reranker.of(judges).signature


def keep_accepted(data: RecipeData, judges: Judges, corpus: str, file: Path) -> RecipeData:
    """The data with those training pairs alone whose printed headline has strict compliancy and the style of its outlet; remembered in a file."""
    assert data.pairs is not None
    if (record := read_json(file)) is None:
        label = dict(zip(data.outlets, reversed(data.outlets), strict=True))
        items = [
            Item(
                row["id"], label[row["to"]], row["to"], row["given"], row["article"], prediction=row["target"]
            )
            for row in data.pairs.iter_rows(named=True)
        ]
        judged = judge_items(judges, items, language=read_language(corpus) or None)
        kept = judged["strict_compliancy"].to_numpy() & (judged["p_target"].to_numpy() > 0.5)
        write_json(file, record := {"of": len(items), "rows": np.flatnonzero(kept).tolist()})
    rows = record["rows"]
    if not rows:
        raise InputError(
            f"the judges accept none of the {record['of']} headlines of pairs in {corpus}: train other judges, or leave out "
            "--filter-by"
        )
    print(
        f"learning from the {len(rows):,} of {record['of']:,} pairs whose headline the judges accept",
        file=sys.stderr,
    )
    return replace(data, train=data.train.select(rows), pairs=None)
