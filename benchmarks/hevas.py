"""How long do all metrics of HEvAS take, and how much memory? It prints JSON: seconds by the clock, and peak memory of the process.

python benchmarks/hevas.py --data articles.parquet --language en
"""

import json
import random
import resource
import time
from dataclasses import dataclass
from pathlib import Path

import tyro

from change_it.hevas.analysis import analyse
from change_it.hevas.baseline_systems import baseline
from change_it.hevas.documents import Documents, read_documents
from change_it.hevas.evaluation import MetricOptions, evaluate


@dataclass(kw_only=True)
class Options:
    """Time all metrics with statistics on articles with three systems: the baseline first, the headline cut, a piece of the article."""

    data: Path
    """Articles with their headlines, in a file that `change-it hevas` reads."""
    language: str = "en"
    """Of --data."""
    articles: int = 5000
    """Articles of --data, drawn at random."""
    seed: int = 1
    """Of the draw and the metrics."""


def main() -> None:
    """Measure the three systems."""
    options = tyro.cli(Options)
    start, processor = time.perf_counter(), time.process_time()
    read, draw = read_documents(str(options.data)), random.Random(options.seed)
    rows = sorted(draw.sample(range(len(read)), min(options.articles, len(read))))
    assert read.references is not None
    columns = (tuple(column[row] for row in rows) for column in (read.ids, read.texts, read.references))
    documents = Documents(*columns, read.name)
    middles = ((text, len(text) // 2) for text in documents.texts)
    systems = {
        "first": baseline("first", documents.texts),
        "cut": [several[0][:40] for several in documents.references],
        "middle": [text[half : half + 70] for text, half in middles],
    }
    settings = MetricOptions(language=options.language, seed=options.seed)
    evaluation = evaluate(documents, systems, options=settings, progress=True)
    analyse(evaluation, seed=options.seed)
    means = evaluation.means.items()
    results = {
        "articles": len(documents),
        "seconds": round(time.perf_counter() - start, 1),
        "processor_seconds": round(time.process_time() - processor, 1),
        "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),  # Linux: KiB
        "means": {system: {name: round(mean, 4) for name, mean in row.items()} for system, row in means},
        "signature": evaluation.signature,
    }
    print(json.dumps(results, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
