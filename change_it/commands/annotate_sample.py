"""`change-it annotate sample`: draws a sheet and writes it with its key."""

from change_it.annotation.options import SheetOptions
from change_it.errors import InputError
from change_it.io import check_writable
from change_it.scoring.columns import check_predictions


def run(options: SheetOptions) -> None:
    """Draw and write."""
    first, _, second = map(str.strip, options.names.partition(","))
    if options.names and (not first or not second or first == second or "," in second):
        raise InputError(
            f'--names {options.names!r} is not two names: write --names "la Repubblica,Il Giornale"'
        )
    files = [options.corpus, *(spec.partition("=")[2] for spec in options.predictions)]
    for out in (options.out, options.key_file):
        check_writable(out, kind="file", inputs=files)
    check_predictions(options.predictions)

    from change_it.annotation.sheets import GOLD, draw, write_key, write_sheet  # loads polars
    from change_it.scoring.item import read_test_set
    from change_it.scoring.systems import built_in_systems, read_systems

    test = read_test_set(options.corpus)
    gold = [system for system in built_in_systems(test) if system.name == GOLD]
    systems = [*gold, *read_systems(options.predictions, test)]
    rows = draw(test, systems, options.items, options.seed)
    write_key(options.key_file, rows)
    write_sheet(
        options.out, rows, (first, second) if options.names else test.outlets, ratings=options.ratings
    )
    conditions = ", ".join(system.name for system in systems)
    print(f"{len(rows)} headlines, {options.items} each of {conditions}: {options.out}")
    print(f"The key, which annotators must not see: {options.key_file}")
