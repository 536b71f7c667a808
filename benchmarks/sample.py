"""Measure the embedded sample: alignment mix, style and content baselines, honesty, variety, speed; prints JSON."""

import argparse
import json
import random
import re
import time
from collections import Counter, defaultdict
from datetime import timedelta
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from change_it.corpus.article import Article
from change_it.scoring.facts import FactChecker
from change_it.text.names import Casing, Headline
from change_it.text.stopwords import stop_words
from change_it.text.tokens import words
from tools.sample.write import sample_articles

WINDOW, STRICT, LOOSE = 3, 0.5, 0.185


def aligned(articles: list[Article], tfidf: object) -> tuple[list[tuple[float, int, int]], float]:
    """Greedy one-to-one pairs above the loose threshold, and the share of all compared pairs above it."""
    days: dict[object, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, article in enumerate(articles):
        days[article.date][article.label].append(index)
    results, compared = [], 0
    for day, outlets in days.items():
        left = outlets["colle"]
        right = [
            i
            for d in range(-WINDOW, WINDOW + 1)
            for i in days.get(day + timedelta(days=d), {}).get("faro", [])
        ]
        if left and right:
            similar = (tfidf[left] @ tfidf[right].T).tocoo()
            compared += len(left) * len(right)
            keep = similar.data > LOOSE
            results += [
                (s, left[i], right[j])
                for s, i, j in zip(similar.data[keep], similar.row[keep], similar.col[keep], strict=True)
            ]
    results.sort(key=lambda pair: (-pair[0], pair[1], pair[2]))
    used: set[int] = set()
    pairs = []
    for similarity, a, b in results:
        if a not in used and b not in used:
            used |= {a, b}
            pairs.append((float(similarity), a, b))
    return pairs, len(results) / max(1, compared)


def style(articles: list[Article], train: list[int], test: list[int], change: object) -> float:
    """Macro F1 of a character n-gram logistic regression."""
    vectorizer = TfidfVectorizer(
        analyzer="char",
        ngram_range=(1, 5),
        lowercase=False,
        min_df=2,
        sublinear_tf=True,
        max_features=150_000,
    )
    x = vectorizer.fit_transform([change(articles[i].headline) for i in train])
    model = LogisticRegression(C=4, max_iter=200, solver="liblinear").fit(
        x, [articles[i].label for i in train]
    )
    guess = model.predict(vectorizer.transform([change(articles[i].headline) for i in test]))
    return float(f1_score([articles[i].label for i in test], guess, average="macro"))


def plain(text: str) -> str:
    """Lower-cased, quotation marks straightened."""
    return text.lower().replace("«", '"').replace("»", '"')


def told(articles: list[Article]) -> dict[str, float]:
    """Shares of the headlines' quotations, numbers and names that their articles have, and of headlines that have them all."""
    casing = Casing.from_texts(article.article for article in articles)
    checker = FactChecker("it", casing)
    quoted, asked, lacking = [], Counter(), Counter()
    supported = 0
    for article in articles:
        for quotation in re.findall(r'[«"]([^«»"]+)[»"]', article.headline):
            quoted.append(quotation.lower().removesuffix("...") in article.article.lower())
        headline = Headline(article.headline, "it")
        asked["number"] += sum(number.claimed for number in headline.numbers())
        asked["name"] += len(headline.full_names(casing))
        facts = checker.check(article.headline, source="", article=article.article)
        lacking.update(each.kind for each in facts.unsupported)
        supported += facts.supported
    return {
        "quotations_told": round(sum(quoted) / len(quoted), 3),
        "numbers_told": round(1 - lacking["number"] / asked["number"], 3),
        "names_told": round(1 - lacking["name"] / asked["name"], 3),
        "headlines_told": round(supported / len(articles), 3),
    }


def threshold_f1(train: tuple[np.ndarray, np.ndarray], test: tuple[np.ndarray, np.ndarray]) -> float:
    """F1 of matches against mismatches, the threshold chosen on training scores."""

    def f1(positive: np.ndarray, negative: np.ndarray, t: float) -> float:
        hits = (positive > t).sum()
        return 2 * hits / (hits + (negative > t).sum() + len(positive))

    best = max(np.linspace(0, 0.6, 121), key=lambda t: f1(*train, t))
    return float(f1(*test, best))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--articles", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start = time.perf_counter()
    articles = list(sample_articles(options.articles, options.seed))
    seconds = time.perf_counter() - start
    rng = random.Random(0)
    stop = list(stop_words("it"))
    tfidf = TfidfVectorizer(stop_words=stop, min_df=2).fit_transform([a.article for a in articles])
    pairs, above = aligned(articles, tfidf)
    strict = [p for p in pairs if p[0] > STRICT]
    rng.shuffle(strict)
    half = len(strict) // 2
    held, known = strict[:half], strict[half:]
    test = [i for p in held for i in p[1:]]
    train = sorted(set(range(len(articles))) - set(test))

    headline_words = TfidfVectorizer(stop_words=stop, min_df=1).fit(
        [a.headline for a in articles] + [a.article for a in articles]
    )
    h = headline_words.transform([a.headline for a in articles])
    d = headline_words.transform([a.article for a in articles])

    def cosines(some: Any, others: Any) -> np.ndarray:
        return np.asarray(some.multiply(others).sum(1)).ravel()

    def content(some: list[tuple[float, int, int]]) -> tuple[np.ndarray, np.ndarray]:
        a, b = [p[1] for p in some], [p[2] for p in some]
        wrong = b[1:] + b[:1]
        return cosines(h[a], h[b]), cosines(h[a], h[wrong])

    def own(some: list[int]) -> tuple[np.ndarray, np.ndarray]:
        sides = defaultdict(list)
        for i in some:
            sides[articles[i].label].append(i)
        order = [i for side in sides.values() for i in side]
        wrong = [i for side in sides.values() for i in side[1:] + side[:1]]
        return cosines(h[order], d[order]), cosines(h[order], d[wrong])

    grams: dict[tuple[str, ...], list[int]] = defaultdict(list)

    def fours(i: int) -> set[tuple[str, ...]]:
        tokens = words(articles[i].headline)
        return {tuple(tokens[k : k + 4]) for k in range(len(tokens) - 3)}

    for i in train:
        for gram in fours(i):
            grams[gram].append(i)
    copied = 0
    for i in test:
        mine = fours(i)
        shared = Counter(j for gram in mine for j in grams.get(gram, ()))
        copied += bool(mine) and bool(shared) and max(shared.values()) >= 0.6 * len(mine)

    lengths = [len(words(a.article)) for a in articles]
    print(
        json.dumps(
            {
                "articles": options.articles,
                "seed": options.seed,
                "seconds": round(seconds, 2),
                "days": (articles[-1].date - articles[0].date).days,
                "colle": round(sum(a.label == "colle" for a in articles) / len(articles), 3),
                "strict": round(2 * len(strict) / len(articles), 3),
                "loose": round(2 * (len(pairs) - len(strict)) / len(articles), 3),
                "compared_above_loose": round(above, 5),
                "main_f1": round(style(articles, train, test, str), 3),
                "main_f1_plain": round(style(articles, train, test, plain), 3),
                "hh_tfidf_f1": round(threshold_f1(content(known), content(held)), 3),
                "ah_tfidf_f1": round(threshold_f1(own(train), own(test)), 3),
                **told(articles),
                "word_types": len({w for a in articles for w in words(a.headline + " " + a.article)}),
                "copied_test_headlines": round(copied / len(test), 4),
                "article_words": [int(q) for q in np.percentile(lengths, (1, 25, 50, 75, 99))],
                "headline_words": [
                    int(q)
                    for q in np.percentile([len(words(a.headline)) for a in articles], (1, 25, 50, 75, 99))
                ],
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
