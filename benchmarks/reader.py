"""What a reader, the judge of facts, lets through: printed headlines, their edits, and systems of the audit that break facts, as JSON.

    python benchmarks/reader.py --judges runs/quickstart/judges --corpus runs/quickstart/corpus
    python benchmarks/reader.py --judges runs/real/judges --corpus runs/real/corpus --items 60 --precision bf16

`--judges` needs the folder `facts` alone. `reader` is the share that the reader accepts, `facts` the share that the rules accept
as well; `roles swapped`, `name mistaken` and the like are the audit's, the kinds of edit are those that the reader itself compares.
Headlines a second are those of the clock: nothing else may run.
"""

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from scipy.stats import binomtest

from change_it.audit.measure import AuditCorpus, read_corpus
from change_it.audit.perturbations import PERTURBATIONS, perturbed
from change_it.judges.reader import HeadlineReading, Reader
from change_it.judges.reader_training import one_edit_a_kind
from change_it.scoring.facts import check_all_facts
from change_it.scoring.item import Item, directions_in_turn
from change_it.text.edits import Mentions
from change_it.text.names import Casing, Headline
from change_it.training.settings import Arithmetic


@dataclass(kw_only=True)
class Options:
    """Measure a reader."""

    judges: Path
    """Folder with the folder facts; where fluency lies beside it, its capitals are used."""
    corpus: str
    """Corpus folder; its A2 pairs are read."""
    items: int = 150
    """Headlines of each kind, at most, in turn from both directions."""
    texts: bool = False
    """Give ten refused headlines of each side with the edits that fit better; of newspapers they must not be published."""
    precision: Arithmetic = "float32"
    """bf16 takes half the time on a processor that has it."""
    seed: int = 1
    """Of the items and of the edits."""


def made(corpus: AuditCorpus, items: list[Item], options: Options) -> list[tuple[str, int, str]]:
    """Kind, place of the item and text of each headline."""
    language, casing = corpus.resources.language, corpus.resources.casing
    random = np.random.default_rng(options.seed)
    headlines = []
    for place, item in enumerate(items[: options.items]):
        headlines.append(("printed", place, item.reference))
        mentions = Mentions.of((item.source, item.article, item.reference_article), language, casing)
        changed = one_edit_a_kind(Headline(item.reference, language), mentions, casing, random)
        headlines += [(f"edit: {kind}", place, text) for kind, text in changed.items()]
    for system in PERTURBATIONS.values():
        if "facts" in system.breaks:
            some = perturbed(items, system, corpus.resources, seed=options.seed, at_most=options.items)
            headlines += [(system.name, place, text) for place, text in some]
    return headlines


def read(
    reader: Reader, items: list[Item], texts: list[str], language: str, casing: Casing
) -> tuple[list[HeadlineReading], dict[str, float]]:
    """What the reader makes of the headlines, and how long it takes."""
    start, before = time.perf_counter(), time.process_time()
    readings = reader.read(
        texts,
        sources=[item.source for item in items],
        articles=[item.article for item in items],
        reference_articles=[item.reference_article for item in items],
        targets=[item.target for item in items],
        language=language,
        casing=casing,
    )
    clock, processor = time.perf_counter() - start, time.process_time() - before
    return readings, {
        "headlines": len(texts),
        "a_second": round(len(texts) / clock, 2),
        "processor_seconds_each": round(processor / len(texts), 3),
    }


def share(accepted: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Share and 95% interval."""
    ends = binomtest(int(accepted.sum()), len(accepted)).proportion_ci(method="wilson")
    return {"share": round(float(accepted.mean()), 3), "interval": [round(ends.low, 3), round(ends.high, 3)]}


def main(options: Options) -> None:
    reader = Reader.from_pretrained(options.judges / "facts", precision=options.precision, device="cpu")
    corpus = read_corpus(options.corpus, casing=Casing.load(options.judges / "fluency"), seed=options.seed)
    language, casing = corpus.resources.language, corpus.resources.casing
    items = directions_in_turn([item for item in corpus.test.items if item.reference], options.seed)
    headlines = made(corpus, items, options)
    some, texts = [items[place] for _, place, _ in headlines], [text for _, _, text in headlines]
    kinds = np.array([kind for kind, _, _ in headlines])
    print(f"{len(headlines)} headlines", file=sys.stderr)
    printed = [place for place, kind in enumerate(kinds) if kind == "printed"]
    _, alone = read(reader, [some[p] for p in printed], [texts[p] for p in printed], language, casing)
    print(alone, file=sys.stderr)
    readings, together = read(reader, some, texts, language, casing)
    rules = check_all_facts(
        texts,
        sources=[item.source for item in some],
        articles=[item.article for item in some],
        reference_articles=[item.reference_article for item in some],
        language=language,
        casing=casing,
    )
    accepted = np.array([reader.objection(reading) is None for reading in readings])
    supported = np.array([results.supported for results in rules])
    report: dict[str, Any] = {
        "reader": reader.weights_hash[:6],
        "margins": dict(reader.settings.margins),
        "precision": options.precision,
        "accepted": {
            kind: {
                "n": int((kinds == kind).sum()),
                "reader": share(accepted[kinds == kind]),
                "rules": share(supported[kinds == kind]),
                "facts": share((accepted & supported)[kinds == kind]),
            }
            for kind in dict.fromkeys(kinds.tolist())
        },
        "speed": {"printed, each with its own sources": alone, "all of them, several of an item": together},
    }
    if options.texts:
        refused = [place for place in range(len(texts)) if not accepted[place]]
        for name, is_printed in (("printed_refused", True), ("changed_refused", False)):
            own = [place for place in refused if (kinds[place] == "printed") == is_printed]
            report[name] = [
                {
                    "kind": kinds[p],
                    "headline": texts[p],
                    "rather": edit.text,
                    "gap": round(readings[p].gaps[edit.kind], 2),
                }
                for p in own[:: max(1, len(own) // 10)][:10]
                if (edit := reader.objection(readings[p])) is not None
            ]
    print(json.dumps(report, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main(tyro.cli(Options))
