"""Linear main beside n-grams alone and marks alone: JSON for `tables.py --keep main_judge`.

    python benchmarks/main_judge.py "Vox, Washington Times=runs/vox/corpus" "sample=runs/quickstart/corpus" >
    main_judge.json

F1 on A2 and within-event accuracy with its interval.
"""

import json
from typing import Annotated, Any

import tyro

from change_it.judges.data import load_task
from change_it.judges.linear_training import fit_baselines, fit_main
from change_it.judges.metrics import measure_main, scores
from change_it.judges.options import LINEAR


def measure_corpus(corpus: str, seed: int) -> dict[str, Any]:
    """What is measured of a corpus: system or figure to its values."""
    data = load_task("main", corpus, seed=seed)
    main_judge = fit_main(data.train_and_validation, seed=seed)
    systems = {LINEAR: main_judge.predict_proba, **fit_baselines(data.train_and_validation, seed=seed)}
    within_event, test = measure_main(corpus, systems), data.tests["gold"]
    assert within_event is not None, "the corpus has no pairs to test"
    cells: dict[str, Any] = {}
    for name, share in within_event.systems.items():
        decided = systems[name](test.texts).argmax(axis=1)
        f1 = scores(test.labels, decided, data.outlets).macro_f1
        cells[name] = [f1, share.value, share.low, share.high]
    return cells | {"test pairs, events": f"{within_event.pairs}, {within_event.events}"}


def main(corpora: Annotated[tuple[str, ...], tyro.conf.Positional], seed: int = 1) -> None:
    """Measure each corpus, given as NAME=FOLDER."""
    rows: dict[str, dict[str, Any]] = {}
    for name, corpus in (pair.split("=", 1) for pair in corpora):
        for row, value in measure_corpus(corpus, seed).items():
            rows.setdefault(row, {})[name] = value
    print(json.dumps({"main_judge": rows}, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    tyro.cli(main)
