import dataclasses

import numpy as np
import polars as pl
import pytest
from corpus_fakes import articles, options, reading

from change_it.corpus.build import build_corpus
from change_it.corpus.leak_check import leak_check
from change_it.corpus.record import Neighbours
from change_it.corpus.splits import CLOSE, NEAR_DUPLICATE, split


def ranked(count, *, start=0.9, step=0.001):
    """`count` one-to-one pairs of articles 0…count-1 with count…2·count-1."""
    rows = np.arange(count)
    return rows, rows + count, start - step * rows


def labels(count):
    return np.repeat([0, 1], count)


def split_of(clusters, pairs, *, seed=1, **changes):
    chosen = {"strict": 0.5, "loose": 0.185} | changes
    return split(np.asarray(clusters), pairs, labels(len(clusters) // 2), seed=seed, **chosen)


def counts_of(result):
    return [int((result.pair_alignment == name).sum()) for name in ("A1", "A2", "A3")]


#: 60 strict pairs, 25 loose ones, 15 of neither kind.
SIXTY = np.arange(100), np.arange(100, 200), np.repeat([0.8, 0.3, 0.1], [60, 25, 15])


class TestSplit:
    def test_deals_strict_pairs_evenly_keeps_pairs_whole_and_balances_folds(self):
        a, b, _ = pairs = ranked(100, start=0.8, step=0.005)  # 61 above .5 (0.5 itself is not), 62 loose
        result = split_of(np.arange(200), pairs)
        assert counts_of(result) == [30, 30, 40]
        assert (result.alignment[a] == result.alignment[b]).all()
        assert (result.fold[a] == result.fold[b]).all()
        assert (result.removed, result.dropped) == ({}, 0)
        for name in ("A1", "A2", "A3", "R"):
            for side in (0, 1):
                fold = result.fold[(result.alignment == name) & (labels(100) == side)]
                assert abs((fold == 0).sum() - (fold == 1).sum()) <= 1

    def test_near_duplicates_stay_on_one_side_and_leave_where_they_would_leak(self):
        clusters = np.arange(200)
        clusters[1] = clusters[0]  # both strictly paired: the same side
        clusters[90] = clusters[2]  # the near-duplicate is only in R
        clusters[80] = clusters[3]  # the near-duplicate is loosely paired with 180
        seen = set()
        for seed in range(12):
            result = split_of(clusters, SIXTY, seed=seed)
            assert result.alignment[0] == result.alignment[1]
            assert result.fold[0] == result.fold[1] == result.fold[100] == result.fold[101]
            assert result.alignment[90] == ("" if result.alignment[2] == "A2" else "R")
            if result.alignment[3] == "A2":
                gone = [80, 90] if result.alignment[2] == "A2" else [80]
                assert result.removed == dict.fromkeys(gone, NEAR_DUPLICATE)
                assert result.alignment[180] == "R"
                assert result.dropped == 1
            else:
                assert result.alignment[80] == result.alignment[180] == "A3"
            seen.add((result.alignment[2], result.alignment[3]))
        assert len(seen) == 4

    def test_what_is_close_to_a_test_article_leaves_in_one_step(self):
        """A chain 2 – 90 – 91 – 92: of a test article the next one leaves alone; 90 is of no pair, 80 of a
        loose one.
        """
        chain = [(2, 90), (90, 91), (91, 92), (3, 80), (4, 5)]
        seen = set()
        for seed in range(12):
            result = split_of(np.arange(200), SIXTY, seed=seed, close=tuple(np.array(chain).T))
            is_tested = {row: result.alignment[row] == "A2" for row in (2, 3, 4, 5)}
            gone = [row for row, of in ((90, 2), (80, 3)) if is_tested[of]]
            assert result.removed == dict.fromkeys(gone, CLOSE)
            assert result.alignment[[91, 92]].tolist() == ["R", "R"]
            assert result.alignment[180] == ("R" if is_tested[3] else "A3")
            assert result.dropped == int(is_tested[3])
            assert is_tested[4] == is_tested[5]  # strict pairs that are close are dealt together
            assert result.event[4] != result.event[5] != result.event[90]
            seen.add((is_tested[2], is_tested[3]))
        assert len(seen) == 4

    def test_a_chain_of_many_pairs_is_dealt_pair_by_pair(self):
        chain = np.arange(59)
        result = split_of(np.arange(120), ranked(60, start=0.9, step=0.0), close=(chain, chain + 1))
        training, test, _ = counts_of(result)
        assert test == 30
        assert 0 < training < 30  # those beside a test article left, with their partners in R
        assert {*result.removed.values()} == {CLOSE}
        assert training + test + result.dropped == 60

    def test_sizes_go_by_rank(self):
        a, _, _ = pairs = ranked(100)
        result = split_of(np.arange(200), pairs, sizes={"A1": 10, "A2": 20, "A3": 30})
        assert counts_of(result) == [10, 20, 30]
        assert set(result.alignment[a[:30]]) == {"A1", "A2"}
        assert set(result.alignment[a[30:60]]) == {"A3"}
        assert set(result.alignment[a[60:]]) == {"R"}

    def test_the_splits_of_the_input_win(self):
        alignments = ["A1", "A2", "A3", None] * 2
        clusters = [0, 1, 2, 1, 4, 5, 6, 7]  # article 3 repeats a test article
        rows = np.arange(3)
        result = split_of(clusters, (rows, rows + 4, np.array([0.2, 0.3, 0.9])), alignments=alignments)
        assert result.alignment.tolist() == ["A1", "A2", "A3", "", "A1", "A2", "A3", "R"]
        assert result.pair_alignment.tolist() == ["A1", "A2", "A3"]


@pytest.fixture(scope="module")
def corpus():
    return build_corpus(reading(close=60, loose=30, alone=40), options())


class TestLeakCheck:
    @pytest.mark.parametrize(
        ("config", "column", "kind"),
        [("main", "id", "ids"), ("ah", "article", "texts"), ("hh", "headline1", "foreign_headlines")],
    )
    def test_finds_a_planted_leak(self, corpus, config, column, kind):
        tables = {name: dict(by_side) for name, by_side in corpus.tables.items()}
        leak = pl.lit(tables["articles"]["test"][column.strip("1")][0]).alias(column)
        row = tables[config]["train"].head(1).with_columns(leak)
        tables[config]["train"] = pl.concat([tables[config]["train"], row])
        alone = pl.DataFrame({"id": [a.id for a in articles(60, 30, 40)]}).with_row_index("cluster")
        with pytest.raises(RuntimeError, match=f"'{kind}': [1-9]"):
            leak_check(tables, alone, Neighbours(articles=0, other_outlet=0))

    def test_finds_a_near_duplicate(self, corpus):
        ids = [corpus.tables["articles"][side]["id"][0] for side in ("test", "train")]
        clusters = pl.DataFrame({"id": ids, "cluster": [0, 0]})
        with pytest.raises(RuntimeError, match=r"'ids': 0, 'near_duplicates': [1-9]"):
            leak_check(corpus.tables, clusters, Neighbours(articles=0, other_outlet=0))


def by(table, key):
    return {row[key]: row for row in table.iter_rows(named=True)}


class TestMatches:
    """Sets of HH and AH have three kinds of wrong rows.

    A partner is `random` or `hard`, which is that of the nearest wrong article, or has changed `facts`.
    """

    @pytest.mark.parametrize(("config", "side"), [("hh", "train"), ("hh", "test"), ("hh_random", "test")])
    def test_headline_pairs(self, corpus, config, side):
        tables = corpus.tables
        sides = ("train", "validation") if side == "train" else (side,)
        rows = pl.concat([tables[config][name] for name in sides])
        pairs = tables["pairs"][side].filter(pl.col("alignment") != "A3")
        right = set(pairs.select("a_headline", "b_headline").iter_rows())
        articles_by_headline = by(tables["articles"][side], "headline")
        is_rep_first = []
        seen = []
        for row in rows.filter(pl.col("kind") != "facts").iter_rows(named=True):
            one = articles_by_headline[row["headline1"]]
            two = articles_by_headline[row["headline2"]]
            assert {one["label"], two["label"]} == {"rep", "gio"}
            assert row["fold"] == one["fold"] == two["fold"]
            assert row["event"] in (one["event"], two["event"])
            rep, gio = (one, two) if one["label"] == "rep" else (two, one)
            headlines = rep["headline"], gio["headline"]
            assert (headlines in right) == bool(row["label"]) == (row["kind"] == "match")
            seen.append((headlines, row["kind"]))
            is_rep_first.append(one["label"] == "rep")
        assert len(seen) == len({*seen})
        assert 0.4 < np.mean(is_rep_first) < 0.6
        assert (rows["label"] == 1).sum() == pairs.height
        if (config, side) != ("hh", "test"):
            assert (rows["label"] == 0).sum() == pairs.height

    @pytest.mark.parametrize("config", ["ah", "ah_random"])
    def test_headline_articles_take_wrong_headlines_of_the_same_outlet_and_fold(self, corpus, config):
        articles = corpus.tables["articles"]["train"]
        rows = corpus.tables[config]["train"]
        articles_by_headline = by(articles, "headline")
        articles_by_text = by(articles, "article")
        for row in rows.filter(pl.col("kind") != "facts").iter_rows(named=True):
            of_headline = articles_by_headline[row["headline"]]
            of_text = articles_by_text[row["article"]]
            assert (of_headline["id"] == of_text["id"]) == bool(row["label"])
            assert of_headline["label"] == of_text["label"]
            assert of_headline["fold"] == of_text["fold"]
            assert row["event"] == of_text["event"]
        assert (rows["label"] == 0).sum() == (rows["label"] == 1).sum()

    @pytest.mark.parametrize(
        ("config", "changed", "same"), [("hh", "headline2", "headline1"), ("ah", "headline", "article")]
    )
    def test_a_changed_fact_is_of_a_matching_row(self, config, changed, same):
        """Each article has a number and a name that may be changed."""
        made = []
        for article in articles(60, 30, 40):
            headline = f"{article.id} {article.headline} 12 e Roma"
            text = f"{article.article} 12 Roma"
            made.append(dataclasses.replace(article, headline=headline, article=text))

        rows = build_corpus(reading(made), options()).tables[config]

        for side in ("train", "test"):
            right = rows[side].filter(kind="match")
            facts = rows[side].filter(kind="facts")
            true_texts = dict(right.select(same, changed).iter_rows())
            assert facts.height
            for row in facts.iter_rows(named=True):
                true = true_texts[row[same]]
                assert row[changed] != true
                assert len(set(row[changed].split()) ^ set(true.split())) <= 3
        assert rows["train"].filter(kind="facts").height == round(0.1 * rows["train"].filter(label=0).height)


class TestTaskSets:
    def test_who_trains_on_what(self, corpus):
        train = corpus.tables["articles"]["train"]
        a1, a3, r = (set(train.filter(alignment=name)["id"]) for name in ("A1", "A3", "R"))
        expected = {"sum": r | a3, "s2s1": a3, "s2s2": a3 | a1, "s2s3": a1}
        for config, ids in expected.items():
            assert set(corpus.tables[config]["train"]["id"]) == ids, config

    def test_main_learns_all_training_articles_and_holds_out_events(self, corpus):
        train = corpus.tables["articles"]["train"]
        event_of = dict(train.select("id", "event").iter_rows())
        learnt = set(corpus.tables["main"]["train"]["id"])
        held_out = set(corpus.tables["main"]["validation"]["id"])
        assert learnt | held_out == set(train.filter(pl.col("alignment").is_in(["R", "A3", "A1"]))["id"])
        assert {event_of[id_] for id_ in learnt}.isdisjoint(event_of[id_] for id_ in held_out)
        assert 0.05 < len(held_out) / len(learnt) < 0.2

    @pytest.mark.parametrize(
        "config", ["main", "sum", "s2s1", "s2s2", "s2s3", "train_d", "train_m", "agnostic"]
    )
    def test_all_are_tested_on_the_test_articles(self, corpus, config):
        tables = corpus.tables
        assert set(tables[config]["test"]["id"]) == set(tables["articles"]["test"]["id"])

    def test_lrec_sets(self, corpus):
        tables = corpus.tables
        alignment = dict(tables["articles"]["train"].select("id", "alignment").iter_rows())
        parts = {
            name: pl.concat(tables[name][side] for side in ("train", "validation"))
            for name in ("train_d", "train_m")
        }
        assert parts["train_d"].height == parts["train_m"].height
        for rows in parts.values():
            assert rows["id"].is_unique().all()
            assert (rows["label"] == 0).sum() == (rows["label"] == 1).sum()
        assert {alignment[id_] for id_ in parts["train_d"]["id"]} == {"R"}
        weak = [alignment[id_] for id_ in parts["train_m"]["id"]].count("A3")
        assert weak == list(alignment.values()).count("A3")
        assert tables["train_d"]["validation"].height == 2 * round(0.1 * parts["train_d"].height / 2)
        assert set(tables["agnostic"]["train"]["id"]) <= set(tables["train_m"]["train"]["id"])
        assert set(tables["agnostic"]["train"]["direction"]) == {"agnostic"}

    def test_directions(self, corpus):
        tables = corpus.tables
        articles = pl.concat(tables["articles"].values())
        label, owner = (dict(articles.select(key, "label").iter_rows()) for key in ("id", "headline"))
        for config, side in (("sum", "test"), ("s2s2", "test"), ("sum", "train")):
            for row in tables[config][side].iter_rows(named=True):
                writer, to = label[row["id"]], owner[row["target"]]
                assert (writer == to) == (side == "train")
                assert row["direction"] == f"{'gio' if to == 'rep' else 'rep'}2{to}"

    def test_train_d_has_no_article_with_any_partner(self):
        made = articles(close=30, loose=20, alone=40)
        taken = next(article for article in made if article.id == "rep40")  # loosely aligned with gio40
        text = " ".join(taken.article.split()[::-1])
        twin = dataclasses.replace(taken, id="rep-twin", headline="Un altro titolo", article=text)
        corpus = build_corpus(reading([*made, twin]), options())
        rest = corpus.tables["articles"]["train"].filter(alignment="R")["id"].to_list()
        assert {"rep40", "rep-twin"} & set(rest)  # one of the two found its partner taken
        assert not {"rep40", "rep-twin"} & set(corpus.tables["train_d"]["train"]["id"])
