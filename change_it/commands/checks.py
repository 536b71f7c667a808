"""Checks that several commands make before anything large loads."""

from change_it.errors import InputError


def check_counts(**counts: int | None) -> None:
    """Refuse numbers below 1, by the names of their options; None is a default."""
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InputError(f"--{name.replace('_', '-')} {count} is too few: give at least 1")
