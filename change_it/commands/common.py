"""What several commands check and print."""

import json

from change_it.errors import InputError, escaped


def check_counts(**counts: int | None) -> None:
    """Refuse numbers below 1, by the names of their options; None is a default."""
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InputError(f"--{name.replace('_', '-')} {count} is too few: give at least 1")


def print_json(value: object, *, allow_nan: bool = True) -> None:
    """Print a value as indented JSON."""
    print(escaped(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=allow_nan)))
