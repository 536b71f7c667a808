"""The order of batches: a function of the seed and the epoch alone, so that a resumed run sees the same one."""

from collections.abc import Iterator, Sequence

import numpy as np
from torch.utils.data import Sampler


class EpochBatches(Sampler[list[int]]):
    """Batches of indices in a fresh order every epoch; optionally texts of like length share a batch.

    With `lengths`, shuffled examples are sorted by length inside stretches of 50 batches: padding shrinks while the
    order stays random. A batch that is not full always comes last.

    Example:
        >>> batches = EpochBatches(5, batch_size=2, seed=1)
        >>> first = list(batches)
        >>> sorted(index for batch in first for index in batch), [len(batch) for batch in first]
        ([0, 1, 2, 3, 4], [2, 2, 1])
        >>> batches.set_epoch(1)
        >>> first != list(batches)
        True
    """

    STRETCH = 50
    drop_last = False

    def __init__(self, size: int, *, batch_size: int, seed: int, lengths: Sequence[int] | None = None):
        """Order of `size` examples.

        Args:
            size: number of examples.
            batch_size: examples a batch.
            seed: with the epoch, all that the order depends on.
            lengths: length of each example in any unit, to group by; None groups nothing.
        """
        self.size, self.batch_size, self.seed = size, batch_size, seed
        self.lengths = None if lengths is None else np.asarray(lengths)
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Take the order of this epoch (from 0)."""
        self.epoch = epoch

    def __len__(self) -> int:
        return -(-self.size // self.batch_size)

    def __iter__(self) -> Iterator[list[int]]:
        random = np.random.default_rng((self.seed, self.epoch))
        order = random.permutation(self.size)
        if self.lengths is not None:
            stretch = self.STRETCH * self.batch_size
            parts = [order[start : start + stretch] for start in range(0, self.size, stretch)]
            order = np.concatenate([part[np.argsort(-self.lengths[part], kind="stable")] for part in parts])
        batches = [
            order[start : start + self.batch_size].tolist() for start in range(0, self.size, self.batch_size)
        ]
        if self.lengths is not None:
            full = self.size // self.batch_size
            batches = [batches[index] for index in random.permutation(full)] + batches[full:]
        yield from batches
