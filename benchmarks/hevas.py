"""HEvAS beside plain implementations: times as fast, same values?

    python benchmarks/hevas.py
    python benchmarks/hevas.py --data articles.parquet --language en

It prints JSON. ROUGE-1, -2 and -L against `rouge-score` with the same Unicode tokenizer, from texts to values; ROUGE-SU and -WSU
against the definition read literally (every word and pair of one headline held against every one of the other), both from words.
The slow side may run on a part of the pairs, its time is then scaled. These seconds are of one core's processor time, which a busy machine
does not blur. With --data all metrics on --articles of its articles with three systems as well: seconds by the clock, and peak memory of the process.
"""

import json
import random
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from rouge_score.rouge_scorer import RougeScorer

from change_it.hevas.analysis import analyse
from change_it.hevas.baseline_systems import baseline
from change_it.hevas.documents import Documents, System, read_documents
from change_it.hevas.evaluation import evaluate
from change_it.hevas.metrics import MetricOptions
from change_it.text.rouge import headline_rouge
from change_it.text.tokens import words

WORDS = ["governo", "riforma", "perché", "è", "così", "l'Italia", "d'oro", "Roma", "tasse", "città"]
WORDS += ["sì", "no"]


@dataclass(kw_only=True)
class Options:
    """Time the metrics of HEvAS against plain implementations."""

    pairs: int = 100_000
    """Headline pairs."""
    literal_pairs: int = 2_000
    """Of them, how many the literal definition of SU and WSU scores."""
    data: Path | None = None
    """Articles with their headlines, in a file that `change-it hevas` reads: all metrics on them too."""
    language: str = "en"
    """Of --data."""
    articles: int | None = None
    """Articles of --data, drawn at random: 5,000 when not given."""
    seed: int = 1
    """Of headlines, articles and metrics."""


def headline_pairs(count: int, seed: int) -> tuple[list[str], list[str]]:
    """References of 6 to 13 words from a Zipf vocabulary, and candidates that share about a third with them."""
    draw = random.Random(seed)
    vocabulary = WORDS + [f"parola{index}" for index in range(20_000)]
    cumulative = np.cumsum(1 / (np.arange(len(vocabulary)) + 10)).tolist()
    references, candidates = [], []
    for _ in range(count):
        reference = draw.choices(vocabulary, cum_weights=cumulative, k=draw.randint(6, 13))
        other = draw.choices(vocabulary, cum_weights=cumulative, k=draw.randint(3, 8))
        candidate = [word for word in reference if draw.random() < 0.33] + other
        references.append(" ".join(reference))
        candidates.append(" ".join(candidate))
    return references, candidates


def timed(run: Callable[[], np.ndarray]) -> tuple[np.ndarray, float]:
    """Result and processor seconds."""
    start = time.process_time()
    result = run()
    return result, time.process_time() - start


class UnicodeTokenizer:
    """Our words, for rouge-score."""

    def tokenize(self, text: str) -> list[str]:
        """Words of a text."""
        return words(text)


def skips(text: list[str]) -> list[tuple[tuple[str, ...], int]]:
    """Different words and pairs with their smallest distance, by definition."""
    results: dict[tuple[str, ...], int] = {(word,): 1 for word in text}
    for i, first in enumerate(text):
        for j in range(i + 1, len(text)):
            pair = (first, text[j])
            results[pair] = min(results.get(pair, j - i), j - i)
    return list(results.items())


def literal_su(reference: list[str], candidate: list[str]) -> float:
    """ROUGE-SU by a double loop."""
    ours, theirs = skips(reference), skips(candidate)
    return sum(1 for one, _ in ours for other, _ in theirs if one == other) / len(ours)


def literal_wsu(reference: list[str], candidate: list[str]) -> float:
    """ROUGE-WSU by a double loop."""
    ours, theirs = skips(reference), skips(candidate)
    common = sum(2 / (near + far) for one, near in ours for other, far in theirs if one == other)
    return common / sum(1 / distance for _, distance in ours)


def against_rouge_score(references: list[str], candidates: list[str]) -> dict[str, object]:
    """ROUGE-1, -2 and -L (recall, clipped counts), from texts."""
    measures = ["rouge1", "rouge2", "rougeL"]

    def ours() -> np.ndarray:
        single = [[text] for text in references]
        return np.column_stack(
            list(headline_rouge(candidates, single, measures=measures, counts="clipped").values())
        )

    def theirs() -> np.ndarray:
        scorer = RougeScorer(measures, tokenizer=UnicodeTokenizer())
        scores = (scorer.score(*pair) for pair in zip(references, candidates, strict=True))
        return np.array([[score[name].recall for name in measures] for score in scores])

    fast, fast_seconds = timed(ours)
    slow, slow_seconds = timed(theirs)
    return _compared(fast, fast_seconds, slow, slow_seconds)


def against_the_definition(
    references: list[str], candidates: list[str], literal_pairs: int
) -> dict[str, dict[str, object]]:
    """ROUGE-SU and -WSU, from words."""
    wanted, given = ([words(text) for text in side] for side in (references, candidates))
    single = [[text] for text in wanted]
    part = list(zip(wanted, given, strict=True))[:literal_pairs]
    scale = len(wanted) / len(part)

    def against(plain: Callable[[list[str], list[str]], float], measure: str) -> dict[str, object]:
        print(f"{measure} against the definition", file=sys.stderr)
        values, seconds = timed(
            lambda: np.column_stack(list(headline_rouge(given, single, measures=[measure]).values()))
        )
        literal, literal_seconds = timed(lambda: np.array([plain(*pair) for pair in part]))
        return _compared(
            values[: len(part)], seconds, literal.reshape(len(part), -1), literal_seconds * scale
        )

    return {
        "ROUGE-SU, and by the definition": against(literal_su, "rougeSU"),
        "ROUGE-WSU, and by the definition": against(literal_wsu, "rougeWSU"),
    }


def _compared(fast: np.ndarray, seconds: float, slow: np.ndarray, slow_seconds: float) -> dict[str, object]:
    """Seconds and values of two sides."""
    return {
        "seconds": round(seconds, 2),
        "plain seconds": round(slow_seconds, 2),
        "times as fast": round(slow_seconds / seconds, 1),
        "largest difference": float(np.abs(fast - slow).max()),
    }


def all_metrics(options: Options, data: Path) -> dict[str, object]:
    """All metrics with statistics on articles with three systems: the baseline first, the headline cut, a piece of the article."""
    start, processor = time.perf_counter(), time.process_time()
    read, draw = read_documents(str(data)), random.Random(options.seed)
    kept = sorted(draw.sample(range(len(read)), min(options.articles or 5000, len(read))))
    assert read.references is not None
    columns = ([column[at] for at in kept] for column in (read.ids, read.texts, read.references))
    documents = Documents(*map(tuple, columns), read.name)
    middles = ((text, len(text) // 2) for text in documents.texts)
    systems = [
        System("first", tuple(baseline("first", documents.texts))),
        System("cut", tuple(several[0][:40] for several in documents.references)),
        System("middle", tuple(text[at : at + 70] for text, at in middles)),
    ]
    settings = MetricOptions(language=options.language, seed=options.seed)
    evaluation = evaluate(documents, systems, options=settings, progress=True)
    analyse(evaluation, seed=options.seed)
    return {
        "articles": len(documents),
        "systems": len(systems),
        "metrics": len(evaluation.metrics),
        "seconds": round(time.perf_counter() - start, 1),
        "processor_seconds": round(time.process_time() - processor, 1),
        "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),  # Linux: KiB
        "means": {
            system: {name: round(value, 4) for name, value in means.items()}
            for system, means in evaluation.means.items()
        },
        "signature": evaluation.signature,
    }


def main() -> None:
    """Run all comparisons."""
    options = tyro.cli(Options)
    results: dict[str, object] = {}
    if options.data:  # first, as the peak is that of the process
        results["all metrics"] = all_metrics(options, options.data)
    references, candidates = headline_pairs(options.pairs, options.seed)
    print("ROUGE-1, -2, -L against rouge-score", file=sys.stderr)
    results |= {
        "pairs": options.pairs,
        "literal_pairs": min(options.pairs, options.literal_pairs),
        "rouge": {
            "ROUGE-1, -2, -L, clipped, and by `rouge-score`": against_rouge_score(references, candidates),
            **against_the_definition(references, candidates, options.literal_pairs),
        },
    }
    print(json.dumps(results, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
