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


def _load(settings: GeneratorSettings, data: RecipeData) -> Judges:
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


def keep_accepted(settings: GeneratorSettings, data: RecipeData, file: Path) -> tuple[RecipeData, str]:
    """The data with those training pairs alone whose printed headline has strict compliancy and the style of its outlet, and who judged them.

    The answer is kept in `file`, so a run that is resumed learns from the same pairs and asks nobody.
    """
    assert data.pairs is not None
    if (record := read_json(file)) is None:
        judges = _load(settings, data)
        label = dict(zip(data.outlets, reversed(data.outlets), strict=True))
        items = [
            Item(
                row["id"], label[row["to"]], row["to"], row["given"], row["article"], prediction=row["target"]
            )
            for row in data.pairs.iter_rows(named=True)
        ]
        judged = judge_items(judges, items, language=read_language(settings.corpus) or None)
        kept = judged["strict_compliancy"].to_numpy() & (judged["p_target"].to_numpy() > 0.5)
        rows = np.flatnonzero(kept).tolist()
        write_json(file, record := {"rows": rows, "judges": Reranker.of(judges).signature})
        print(
            f"learning from the {len(rows):,} of {len(items):,} pairs whose headline the judges accept",
            file=sys.stderr,
        )
    if not record["rows"]:
        raise InputError(
            f"the judges of --filter-by accept no headline of the {len(data.pairs):,} pairs in {settings.corpus}: train other "
            "judges, or leave it out"
        )
    return replace(data, train=data.train.select(record["rows"]), pairs=None), record["judges"]
