"""How good the check of facts is on test headlines that are true, and on the same headlines with one fact changed, as JSON.

Of quotations it says how many of those printed stand in their own articles, and how many invented ones do.

    python benchmarks/facts.py
    python benchmarks/facts.py --corpus runs/real/corpus

Also what the corpus's split leaks: test articles that have a training article of the same event.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import tyro

from change_it.commands import corpus_build, corpus_sample
from change_it.commands.corpus_sample import SampleOptions
from change_it.corpus.alignment import day_numbers
from change_it.corpus.corpus_options import BuildOptions
from change_it.corpus.folder import read_casing, read_outlets, read_table
from change_it.corpus.pairing import related
from change_it.corpus.splits import test_neighbours
from change_it.corpus.vectors import tfidf, tokenise
from change_it.judges.negatives import name_pool, swap_names, swap_numbers
from change_it.scoring.facts import FactChecker
from change_it.scoring.item import Item, read_test_set
from change_it.text.folding import fold
from change_it.text.names import Headline
from change_it.text.quotations import Words, quotations
from change_it.text.stopwords import function_words, guess_language, stop_words
from change_it.text.tokens import words

#: Words of an invented quotation, at least.
LEAST_INVENTED = 4


@dataclass(kw_only=True)
class Options:
    """Measure the check of facts on a corpus."""

    corpus: str | None = None
    """Corpus folder; the embedded sample's is built when not given."""
    window_days: int = 3
    """Articles of one event are at most as far apart."""
    strict: float = 0.5
    """Cosine above which two articles are of one event."""
    seed: int = 1
    """Of the changed facts."""


def share(verdicts: Sequence[bool]) -> dict[str, float | int]:
    return {"share": round(float(np.mean(verdicts)), 4) if verdicts else 0.0, "n": len(verdicts)}


def own_headlines(
    checker: FactChecker, headlines: Sequence[str], articles: Sequence[str]
) -> dict[str, dict[str, float | int]]:
    """Headlines held against their own articles alone: those of which all numbers, or names, are there."""
    results: dict[str, list[bool]] = {}
    for headline, article in zip(headlines, articles, strict=True):
        read = Headline(headline, checker.language)
        missing = {one.kind for one in checker.check(headline, source="", article=article).unsupported}
        has = {
            "quotation": bool(quotations(headline, checker.language)),
            "number": any(number.claimed for number in read.numbers()),
            "name": bool(read.names(checker.casing)),
        }
        for kind in has:
            results.setdefault(f"{kind}s, all headlines", []).append(kind not in missing)
            if has[kind]:
                results.setdefault(f"{kind}s, headlines that have one", []).append(kind not in missing)
    return {name: share(verdicts) for name, verdicts in sorted(results.items())}


def caught(
    checker: FactChecker, items: Sequence[Item], change: Callable[[Headline], str | None]
) -> dict[str, float | int]:
    """Headlines of the other outlet of which one fact is changed: the share that is refused."""
    results = []
    for item in items:
        if text := change(Headline(item.reference, checker.language)):
            facts = checker.check(
                text, source=item.source, article=item.article, reference_article=item.reference_article
            )
            results.append(not facts.supported)
    return share(results)


def quoted_words(headline: str, language: str) -> list[list[str]]:
    """The words of each quotation, its parts joined."""
    return [
        [word for part in quotation.parts for word in part] for quotation in quotations(headline, language)
    ]


def quotations_supported(
    headlines: Sequence[str], articles: Sequence[str], language: str, rng: Random
) -> dict[str, dict[str, float | int]]:
    """Quotations as printed, and invented ones, held against the headlines' own articles.

    Invented are quotations of four words or more: another headline's; its own with one content word, or half of
    them, replaced by words of the article; and four to six words of the headline, in a row or shuffled, where the
    article does not have them to the letter.
    """
    checker, functions = FactChecker(language), function_words(language)
    results: dict[str, list[bool]] = {}
    printed = [quoted_words(headline, language) for headline in headlines]
    everyone = [quoted for each in printed for quoted in each if len(quoted) >= LEAST_INVENTED]
    for headline, article, own in zip(headlines, articles, printed, strict=True):
        kinds = {one.kind for one in checker.check(headline, source="", article=article).unsupported}
        lost = kinds == {"quotation"}
        results.setdefault("all headlines: lose nothing by quotations", []).append(not lost)
        if not own:
            continue
        results.setdefault("headlines that quote: quotations stand", []).append("quotation" not in kinds)
        text = Words(article)
        known = sorted(set(text.words) - functions)
        plain = words(fold(headline))
        invented = {"another headline's": [rng.choice(everyone)]}
        for quoted in own:
            results.setdefault("printed, to the letter", []).append(
                text.says(tuple(quoted), to_the_letter=True)
            )
            results.setdefault("printed", []).append(text.says(tuple(quoted)))
            content = [place for place, word in enumerate(quoted) if word not in functions]
            if len(quoted) >= LEAST_INVENTED and content and text.says(tuple(quoted), to_the_letter=True):
                for name, n in (("a word replaced", 1), ("half replaced", -(-len(content) // 2))):
                    changed = {place: rng.choice(known) for place in rng.sample(content, n)}
                    invented[name] = [[changed.get(place, word) for place, word in enumerate(quoted)]]
        for n in range(LEAST_INVENTED, min(7, len(plain) - 1)):
            start = rng.randrange(len(plain) - n + 1)
            invented.setdefault("the headline's words in a row", []).append(plain[start : start + n])
            invented.setdefault("the headline's words shuffled", []).append(rng.sample(plain, n))
        for name, some in invented.items():
            results.setdefault(f"invented: {name}", []).extend(
                text.says(tuple(quoted))
                for quoted in some
                if not text.says(tuple(quoted), to_the_letter=True) or name == "another headline's"
            )
    return {name: share(verdicts) for name, verdicts in sorted(results.items())}


def leaks(corpus: str, options: Options) -> dict[str, int]:
    """Test articles, and those of them with a training article of the same event, in and across outlets."""
    tables = {
        side: read_table(corpus, "articles", side, ["label", "date", "article", "alignment"])
        for side in ("train", "test")
    }
    rows = tables["train"].vstack(tables["test"])
    texts = rows["article"].to_list()
    of_a = (rows["label"] == read_outlets(corpus)[0]).to_numpy()
    vectors = tfidf(tokenise(texts), stop_words=stop_words(guess_language(texts[:100]))).matrix
    related_pairs = related(
        vectors,
        of_a,
        day_numbers(rows["date"].to_list()),
        window_days=options.window_days,
        floor=options.strict,
    )
    parts = [(part.a_index, part.b_index) for part in related_pairs]
    events = np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])
    of_b = (~of_a).astype(np.int64)
    results = test_neighbours(rows["alignment"].to_numpy().astype(str), of_b, events)
    return {"test_articles": tables["test"].height, **results}


def main(options: Options) -> None:
    with tempfile.TemporaryDirectory() as temporary, redirect_stdout(sys.stderr):
        corpus = options.corpus
        if corpus is None:
            file, corpus = Path(temporary) / "sample.csv", str(Path(temporary) / "corpus")
            corpus_sample.run(SampleOptions(out=file, seed=options.seed))
            corpus_build.run(BuildOptions(files=(str(file),), out=Path(corpus), seed=options.seed))
        report = measure(corpus, options)
    print(json.dumps(report, indent=2))


def measure(corpus: str, options: Options) -> dict[str, Any]:
    rows = read_table(corpus, "articles", "test", ["headline", "article"])
    language = guess_language(rows["headline"].to_list())
    casing = read_casing(corpus)
    items = [item for item in read_test_set(corpus).items if item.reference]
    pool = name_pool([Headline(item.reference, language) for item in items], casing)
    start = time.perf_counter()
    results: dict[str, Any] = {
        "language": language,
        "own headlines supported": own_headlines(
            FactChecker(language, casing), rows["headline"].to_list(), rows["article"].to_list()
        ),
    }
    checker, rng = FactChecker(language, casing), Random(options.seed)
    results["gold supported"] = share(
        [
            checker.check(
                item.reference,
                source=item.source,
                article=item.article,
                reference_article=item.reference_article,
            ).supported
            for item in items
        ]
    )
    changes: dict[str, Callable[[Headline], str | None]] = {
        "one number changed": lambda headline: swap_numbers(headline, rng),
        "one name swapped": lambda headline: swap_names(headline, rng, pool, casing),
    }
    results["changed facts refused"] = {
        name: caught(checker, items, change) for name, change in changes.items()
    }
    every = rows.vstack(read_table(corpus, "articles", "train", ["headline", "article"]))
    results["quotations supported"] = quotations_supported(
        every["headline"].to_list(), every["article"].to_list(), language, rng
    )
    results["seconds"] = round(time.perf_counter() - start, 1)
    results["leaks"] = leaks(corpus, options)
    return results


if __name__ == "__main__":
    main(tyro.cli(Options))
