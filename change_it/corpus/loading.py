"""Reads a corpus back, from a folder of `change-it corpus build` or by its id on the Hub."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from change_it.corpus.schema import CONFIGS
from change_it.errors import InputError

ROWS_A_BATCH = 5_000


def read_table(corpus: str, config: str, split: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """One config and split of a corpus.

    Args:
        corpus: folder or Hub id.
        config: `articles`, `pairs`, `main`, … (`schema.CONFIGS`).
        split: `train`, `validation` or `test`.
        columns: those to read; all when None.

    Returns:
        The rows in order; class labels are numbers. None for a split that this corpus has no rows for.

    Raises:
        InputError: no such corpus, config, split or column.
    """
    from datasets import load_dataset

    _check(corpus)
    # A folder is streamed: nothing of it is copied into the cache of `datasets`.
    streaming = Path(corpus).is_dir()
    try:
        rows = load_dataset(corpus, config, split=split, streaming=streaming)
        rows = rows.select_columns(list(columns)) if columns else rows
        batches = [pl.from_arrow(batch) for batch in rows.with_format("arrow").iter(batch_size=ROWS_A_BATCH)]
        names = list(rows.features)
    except (ValueError, OSError, KeyError) as error:
        unnamed = str(error).startswith(("Bad split", "Unknown split"))  # a folder, a repository
        if unnamed and config in CONFIGS and split in ("train", "test"):
            # A corpus names only the splits that have rows.
            return pl.DataFrame(schema=dict.fromkeys(columns or CONFIGS[config], pl.String))
        raise _not_ours(corpus, f"{config}/{split}", error) from error
    frames = [batch for batch in batches if isinstance(batch, pl.DataFrame)]
    return pl.concat(frames) if frames else pl.DataFrame(schema=dict.fromkeys(names, pl.String))


def read_outlets(corpus: str) -> tuple[str, str]:
    """Short names of the outlets A and B of a corpus.

    Args:
        corpus: folder or Hub id.

    Raises:
        InputError: no such corpus.
    """
    from datasets import load_dataset_builder

    _check(corpus)
    try:
        first, second = load_dataset_builder(corpus, "main").info.features["label"].names
    except (ValueError, OSError, KeyError, TypeError) as error:
        raise _not_ours(corpus, "main", error) from error
    return first, second


def _check(corpus: str) -> None:
    """A path that is no folder must at least look like a Hub id."""
    if not Path(corpus).is_dir() and (corpus.startswith((".", "/", "~")) or corpus.count("/") != 1):
        raise InputError(
            f"there is no corpus folder {corpus}: give one written by `change-it corpus build`, or a Hub id"
        )


def _not_ours(corpus: str, part: str, error: Exception) -> InputError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return InputError(
        f"{corpus} is not a corpus of ours ({part}: {reason}): build one with `change-it corpus build`"
    )
