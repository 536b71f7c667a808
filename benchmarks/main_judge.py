"""Linear main beside n-grams alone and marks alone, and its style step, as JSON for `tables.py --keep main_judge`.

    python benchmarks/main_judge.py "Vox, Washington Times=runs/vox/corpus" "sample=runs/quickstart/corpus" > main_judge.json

F1 on A2 and within-event accuracy with its interval; the step of all folds; seconds of training and of 10,000 headlines.
"""

import json
import time
from typing import Annotated, Any

import tyro

from change_it.corpus.folder import read_table
from change_it.judges.data import load_task
from change_it.judges.judge_options import LINEAR, MARKS, NGRAMS
from change_it.judges.linear_training import fit_main
from change_it.judges.train import Ask
from change_it.judges.within_event import fit_marks, measure_main, style_step

#: Headlines that the speed is measured with.
HEADLINES = 10_000


def measure_corpus(corpus: str, seed: int) -> dict[str, Any]:
    """What is measured of a corpus: system or figure to its values."""
    data = load_task("main", corpus, seed=seed)

    def refit(examples: Any) -> Ask:
        return fit_main(examples, seed=seed).predict_proba

    begun = time.perf_counter()
    main = refit(data.known)
    fitted = time.perf_counter()
    known = data.known.texts
    texts = (known * (HEADLINES // len(known) + 1))[:HEADLINES]
    main(texts)
    judged = time.perf_counter()
    asked = {
        LINEAR: main,
        NGRAMS: fit_main(data.known, seed=seed, ngrams_alone=True).predict_proba,
        MARKS: fit_marks(data.known, seed=seed),
    }
    found = measure_main(corpus, data.outlets, asked)["within_event"]
    cells: dict[str, Any] = {
        name: [each["macro_f1"], each["value"], each["low"], each["high"]]
        for name, each in found["systems"].items()
    }
    found_step = style_step(corpus, main, data.known, refit=refit, seed=seed)
    step = found_step._asdict() if found_step else {}
    return cells | {
        "style step": step.get("value"),
        "training pairs with a step above 0": [step.get("pairs"), step.get("accuracy")],
        "test pairs, events": f"{found['pairs']}, {found['events']}",
        "training headlines": len(known),
        "aligned training pairs": read_table(corpus, "pairs", "train", ["event"]).height,
        "seconds: fit, 10,000 headlines": f"{fitted - begun:.1f}, {judged - fitted:.1f}",
    }


def main(corpora: Annotated[tuple[str, ...], tyro.conf.Positional], seed: int = 1) -> None:
    """Measure each corpus, given as NAME=FOLDER."""
    rows: dict[str, dict[str, Any]] = {}
    for name, corpus in (each.split("=", 1) for each in corpora):
        for row, value in measure_corpus(corpus, seed).items():
            rows.setdefault(row, {})[name] = value
    print(json.dumps({"main_judge": rows}, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    tyro.cli(main)
