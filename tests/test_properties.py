"""What holds for any input, tried on generated ones: the same few in the fast part, others and more with
`--hypothesis-profile`.
"""

import numpy as np
from corpus_fakes import articles, options, reading
from csv_files import write_rows
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scoring_fakes import OUTLETS, FakeJudges

from change_it.corpus.build import build_corpus
from change_it.corpus.reading.options import ReadingOptions
from change_it.corpus.reading.reading import read_articles
from change_it.corpus.splits import split
from change_it.corpus.test_set import Item
from change_it.errors import InputError
from change_it.hevas.documents import Documents, has_words
from change_it.hevas.evaluation import evaluate
from change_it.hevas.measuring import MetricOptions
from change_it.judges.spec import JUDGES
from change_it.scoring import aspects
from change_it.text.evidence import unsupported

FEW = settings(max_examples=settings.default.max_examples // 20 or 3)  # of what takes a second

#: Headlines: words of all kinds among which some are likely to recur, and whatever Unicode has.
WORDS = (
    "Roma roma governo Il 3 3.500 tre mila 12% 15/6 Maria Rossi l'ex È «no» d'Italia"
    " 1.000.000 II XXI New York, — 😀"
)
TEXT = st.one_of(
    st.lists(st.sampled_from(WORDS.split()), max_size=8).map(" ".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
)
WORDED = TEXT.filter(has_words)
SEEDS = st.integers(0, 2**32 - 1)
CELL = st.one_of(
    TEXT, st.sampled_from(["", " ", "2019-02-30", "2019-03-01", "1/2/19", "A1", "A9", "R", "G", "x"])
)
ROWS = st.lists(
    st.fixed_dictionaries(dict.fromkeys(("id", "headline", "article", "label", "date"), CELL)),
    max_size=12,
)
#: Two rows that can be used, so that no input is refused as a whole.
GOOD = {"headline": "Titolo", "date": ""}
USABLE = [GOOD | {"id": f"good {one}", "article": f"Un articolo di {one}.", "label": one} for one in "RG"]


@given(rows=ROWS, kind=st.sampled_from([".csv", ".tsv", ".jsonl", ".parquet"]), dayfirst=st.booleans())
def test_rows_in_are_rows_kept_and_rows_rejected(tmp_path_factory, rows, kind, dayfirst):
    file = tmp_path_factory.mktemp("rows") / f"rows{kind}"
    rows = [*USABLE, *rows]
    write_rows(file, rows)
    # dates may leave it open
    reading = read_articles(ReadingOptions(files=(str(file),), labels="R:rep,G:gio", dayfirst=dayfirst))
    assert reading.rows == len(rows) == len(reading.articles) + len(reading.rejected)
    assert len(reading.places) == len(reading.articles)
    assert len({article.id for article in reading.articles}) == len(reading.articles)
    assert all(one.headline and one.article and one.label in OUTLETS for one in reading.articles)
    assert all(rejection.reason for rejection in reading.rejected)


@FEW
@given(seed=SEEDS, random=st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(seed, random):
    made = articles(close=12, loose=8, alone=6, seed=seed % 50)
    turned = made.copy()
    random.shuffle(turned)
    one, other = (build_corpus(reading(rows), options()) for rows in (made, turned))
    for config, by_side in one.tables.items():
        for side, rows in by_side.items():
            assert rows.equals(other.tables[config][side]), (config, side)
    assert one.tables["articles"]["test"].height > 0


@st.composite
def linked_articles(draw):
    """Number of articles of each outlet, near-duplicates, candidate pairs best first, and links of events."""
    n = draw(st.integers(2, 15))
    place = st.integers(0, 2 * n - 1)
    clusters = np.arange(2 * n)
    for one, other in draw(st.lists(st.tuples(place, place), max_size=4)):
        clusters[clusters == clusters[one]] = clusters[other]
    across = st.tuples(st.integers(0, n - 1), st.integers(n, 2 * n - 1))
    pairs = draw(st.lists(across, unique=True, min_size=2, max_size=3 * n))
    cosines = draw(st.lists(st.floats(0.06, 1), min_size=len(pairs), max_size=len(pairs)))
    cosines.sort(reverse=True)
    links = draw(st.lists(st.tuples(place, place), max_size=n))
    pairs_and_links = [np.array(found, dtype=np.int64).reshape(-1, 2).T for found in (pairs, links)]
    return n, clusters, (*pairs_and_links[0], np.array(cosines)), tuple(pairs_and_links[1])


@given(linked_articles(), SEEDS)
def test_no_event_and_nothing_close_crosses_the_split(linked, seed):
    n, clusters, pairs, close = linked
    strict = pairs[2] > 0.5
    # the articles of every pair above the strict threshold are close
    close = tuple(np.concatenate([pairs[side][strict], close[side]]) for side in (0, 1))
    try:
        settings_of_split = {"strict": 0.5, "loose": 0.185, "seed": seed, "close": close}
        splits = split(clusters, pairs, np.repeat([0, 1], n), **settings_of_split)
    except InputError as error:
        assume("above 0.5" not in str(error))
        raise
    in_test, there = splits.alignment == "A2", ~np.isin(np.arange(2 * n), list(splits.removed))
    for one, other in zip(*close, strict=True):
        assert in_test[one] == in_test[other] or not (there[one] and there[other])
    for one in range(2 * n):
        same = (clusters == clusters[one]) & there & there[one]
        assert len(set(in_test[same])) <= 1
    a, b = (side[splits.pairs] for side in pairs[:2])
    assert (splits.alignment[a] == splits.alignment[b])[splits.pair_alignment == "A2"].all()
    assert (splits.fold[a] == splits.fold[b]).all()


@FEW
@given(st.data())
def test_scores_of_hevas_are_in_0_1(data):
    several = st.lists(WORDED, min_size=1, max_size=2).map(tuple)
    n = data.draw(st.integers(3, 6))
    texts, references, headlines = (
        tuple(data.draw(st.lists(one, min_size=n, max_size=n))) for one in (WORDED, several, TEXT)
    )
    documents = Documents(tuple(map(str, range(n))), texts, references, "drawn")
    options = MetricOptions(topics=2, stop_words="none")

    def values(*metrics):
        result = evaluate(documents, {"one": headlines}, metrics=metrics, options=options)
        return result.values["one"]

    bounded = values("R-1", "R-2", "R-SU", "TM-C", "TM-S", "JS-C", "JS-S", "PNR", "NR", "PR")
    assert ((bounded >= -1e-9) & (bounded <= 1 + 1e-9)).all()
    assert (abs(values("LSA-S", "LSA-C")) <= 1 + 1e-9).all()  # a cosine of few dimensions may be negative
    assert np.isfinite(values("R-WSU", "KL-C", "Fog", "AWL")).all()


PROBABILITY = st.floats(0, 1)


@given(st.lists(st.tuples(PROBABILITY, PROBABILITY, PROBABILITY, PROBABILITY, st.integers(0, 1)), min_size=1))
def test_compliancy_is_at_most_each_of_its_verdicts(rows):
    *ones, target = (np.array(column) for column in zip(*rows, strict=True))
    hh, ah, main, source = (np.column_stack([1 - one, one]) for one in ones)
    for reversal in ("relative", "target"):
        decisions = aspects.verdicts(
            {"hh": hh, "ah": ah, "main": main}, {"main": source}, target, reversal=reversal
        )
        least = np.minimum.reduce([decisions["hh"], decisions["ah"], decisions["main"]])
        assert (decisions["compliancy"] == least).all()


@given(st.lists(st.tuples(TEXT, WORDED, WORDED, TEXT, st.integers(0, 1)), min_size=1, max_size=5))
def test_acceptability_is_at_most_each_of_its_factors_and_order_changes_nothing(rows):
    items = []
    for prediction, source, article, other, side in rows:
        ways = OUTLETS[side], OUTLETS[1 - side]
        items.append(Item(str(len(items)), *ways, source, article, "", other, prediction))
    judges = FakeJudges(fluency=True)
    judged = judges.judge(items, progress=False)
    reversed_order = judges.judge(items[::-1], progress=False)
    assert judged.equals(reversed_order.reverse())
    for row in judged.to_dicts():
        assert -1 <= row["style"] <= 2
        assert row["acceptability"] <= min(row[name] for name in ("p_hh", "p_ah", "p_fluency", "evidence"))
        refused = {name for name in (*JUDGES, "edited") if row[name] == (name == "edited")}
        reasons = {reason["name"] for reason in row["refused_by"]}
        assert reasons == refused or reasons == {"no headline"}
        assert row["compliancy"] <= min(row["hh"], row["ah"], row["main"])
        probabilities = [row[name] for name in aspects.probability_columns().values()]
        assert all(0 <= p <= 1 for p in probabilities)


@given(TEXT, WORDED)
def test_what_lacks_evidence_stands_in_the_headline_and_a_headline_is_its_own_evidence(headline, article):
    for one in unsupported(headline, [article]):
        assert headline[one.start : one.end] == one.text
    assert unsupported(headline, [article, headline]) == ()
