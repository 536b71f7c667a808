import random

import pytest
from corpus_fakes import options, reading

from change_it.corpus.build import build_corpus, write_corpus
from change_it.corpus.folder import read_outlets, read_table
from change_it.errors import InputError
from change_it.generators.decoding import Decoding
from change_it.generators.extract import Extract, StyleProfile, pieces, repeats, titled
from change_it.text.tokens import words

OUTLETS = ("north", "south")
PLACES = ("Alvera", "Bormida", "Cestello", "Dorvano", "Elmeto", "Fusigno")
THINGS = ("bridge", "harbour", "market", "library", "tunnel", "mill", "station", "garden")
DEEDS = ("closes", "reopens", "burns", "floods", "grows", "shrinks")


def event(rng):
    return rng.choice(THINGS), rng.choice(DEEDS), rng.choice(PLACES), rng.randint(2, 90)


def north(thing, deed, place, number, rng):
    """Place in front, straight quotes, a loud end."""
    end = rng.choice((". What now?", ". Enough!", ": all the figures"))
    quote = ', "nobody told us"' if number % 3 == 0 else ""
    return f"{place}: the old {thing} {deed} after {number} years{quote}{'' if number % 4 == 0 else end}"


def south(thing, deed, place, number, rng):
    """Place at the end, guillemets, another word for old."""
    quote = "«Nobody told us», " if number % 3 == 0 else ""
    return f"{quote}{'the' if quote else 'The'} ancient {thing} in {place} {deed}, {number} years on"


@pytest.fixture(scope="module")
def learnt():
    rng = random.Random(1)
    events = [event(rng) for _ in range(300)]
    return Extract(
        {
            "north": [north(*known, rng) for known in events],
            "south": [south(*known, rng) for known in events],
        },
        OUTLETS,
    )


ARTICLE = (
    "The council of Dorvano has shut the old bridge on Monday, after cracks were found in 3 arches. "
    "“We saw it coming for years”, said the engineer Carla Bassetti. Works begin in May, and the detour is long."
)
HEADLINE = "The ancient bridge in Dorvano closes, 44 years on"


def test_pieces_keep_quotations_numbers_and_abbreviations_whole():
    assert [part.text for part in pieces("Sen. Rossi: “No, never. Go”, then 3,5 percent. End")] == [
        "Sen. Rossi",
        "“No, never. Go”",
        "then 3,5 percent",
        "End",
    ]
    assert pieces("   ") == []


def test_pieces_lose_no_word():
    rng = random.Random(2)
    for _ in range(300):
        text = "".join(rng.choice("ab cD.,:;?!«»\"'’ -–|1") for _ in range(30))
        assert words(" ".join(part.text for part in pieces(text))) == words(text), text


def test_the_profile_is_what_an_outlet_does(learnt):
    profiles = learnt.profiles
    assert (profiles["north"].quotes, profiles["south"].quotes) == (('"', '"'), ("«", "»"))
    assert profiles["north"].colon == 1.0
    assert profiles["south"].colon == 0.0
    assert StyleProfile.learn(["Wind Over the Long Bridge", "wind"]).title_case == 0.5
    lengths = StyleProfile.learn(["a"] * 9 + ["b " * 20])
    assert (lengths.shortest, lengths.length) == (1, 20)


def test_no_candidate_says_what_headline_and_lead_do_not(learnt):
    rng = random.Random(5)
    for to, other in (("north", south), ("south", north)):
        headlines = [other(*event(rng), rng) for _ in range(30)]
        for headline, found in zip(
            headlines, learnt.propose(headlines, [ARTICLE] * 30, to, Decoding(candidates=60)), strict=True
        ):
            known = set(words(headline)) | set(words(ARTICLE))
            assert len(found) > 5
            assert all(set(words(one.text)) <= known for one in found), (headline, found)


def test_parts_of_the_headline_can_be_left_out(learnt):
    headline = "Elmeto: the old mill burns after 8 years. What now?"
    (found,) = learnt.propose([headline], [""], "south", Decoding(candidates=60))
    texts = [one.text for one in found]
    assert "Elmeto, the old mill burns after 8 years" in texts
    assert "The old mill burns after 8 years. What now?" in texts


def test_candidates_are_distinct_best_first_and_not_the_original(learnt):
    (found,) = learnt.propose([HEADLINE], [ARTICLE], "north", Decoding(candidates=16))
    texts, scores = [one.text for one in found], [one.score for one in found]
    assert len(set(texts)) == len(texts) > 8
    assert learnt.propose([HEADLINE], [ARTICLE], "north", Decoding(candidates=3)) == [found[:3]]
    assert HEADLINE not in texts
    assert scores == sorted(scores, reverse=True)
    assert max(scores) <= 0
    assert all(text == " ".join(text.split()) and text for text in texts)


def test_the_first_candidate_keeps_the_content(learnt):
    rng = random.Random(11)
    for to, other in (("north", south), ("south", north)):
        headlines = [other(*event(rng), rng) for _ in range(20)]
        found = learnt.propose(headlines, [""] * 20, to, Decoding(candidates=1))
        for headline, (one,) in zip(headlines, found, strict=True):
            things = set(words(headline)) & {*THINGS, *DEEDS}
            assert things <= set(words(one.text)), (headline, one.text)


def test_candidates_draw_on_the_lead_and_its_quotations_in_the_targets_marks(learnt):
    (found,) = learnt.propose([HEADLINE], [ARTICLE], "north", Decoding(candidates=60))
    texts = [one.text for one in found]
    assert any("council of Dorvano" in text for text in texts)
    assert any('"We saw it coming for years"' in text for text in texts)
    assert any(text.startswith("The ancient bridge in Dorvano closes: ") for text in texts)
    assert not any(mark in text for text in texts for mark in "“”«»")


def test_directions_mix_and_items_do_not_touch_each_other(learnt):
    both = learnt.propose([HEADLINE] * 2, [ARTICLE, ""], ["north", "south"], Decoding(candidates=8))
    alone = [
        learnt.propose([HEADLINE], [article], to, Decoding(candidates=8))[0]
        for article, to in ((ARTICLE, "north"), ("", "south"))
    ]
    assert both == alone


def test_odd_items_raise_nothing(learnt):
    odd = [
        "",
        "?",
        "«",
        "A",
        "!!! ...",
        '"Half a quotation, and',
        "word " * 300,
        "日本の橋が閉まる",
        "1, 2, 3",
    ]
    for headline in odd:
        for article in ("", "\n\n", "...", '"', "One. " * 50, "word " * 900, "橋が閉まった。", ARTICLE):
            (found,) = learnt.propose([headline], [article], "south", Decoding(candidates=16))
            assert bool(found) == bool(words(headline) or words(article)), (headline, article)
            assert all(one.text and one.score <= 0 for one in found)


def test_title_case_is_put_on_and_taken_off():
    upper = [f"The {thing.title()} {deed.title()} Again in the Night" for thing in THINGS for deed in DEEDS]
    lower = [f"The {thing} {deed} again in the night" for thing in THINGS for deed in DEEDS]
    system = Extract({"north": upper, "south": lower}, OUTLETS)
    (raised,) = system.propose(["A quiet garden burns near Elmeto"], [""], "north", Decoding(candidates=1))
    assert raised[0].text == "A Quiet Garden Burns Near Elmeto"
    article = "The quiet garden burns again near Elmeto."
    (small,) = system.propose(["Quiet Garden Burns Again Near Elmeto"], [article], "south", Decoding())
    assert "uiet garden burns again near Elmeto" in small[0].text
    assert not titled(small[0].text)


def test_short_words_have_the_capitals_that_titles_give_them():
    upper = [f"The {thing.title()} {deed.title()} in a New War" for thing in THINGS for deed in DEEDS]
    lower = [f"The {thing} {deed} in a new war" for thing in THINGS for deed in DEEDS]
    system = Extract({"north": upper, "south": lower}, OUTLETS)
    (raised,) = system.propose(["The harbour's new war in a day"], [""], "north", Decoding(candidates=1))
    assert raised[0].text == "The Harbour's New War in a day"


def test_what_says_a_word_twice_comes_last(learnt):
    article = "The bridge at Dorvano “closes for years and years on”, they say. It rains."
    (found,) = learnt.propose([HEADLINE], [article], "north", Decoding(candidates=60))
    twice = [one for one in found if repeats(one.text, HEADLINE)]
    short = [one for one in found if len(one.text.split()) < learnt.profiles["north"].shortest]
    others = [one for one in found if one not in (*twice, *short)]
    assert twice
    assert found[: len(others)] == others


def test_no_clause_is_cut_where_another_is_whole(learnt):
    clause = "the council " + "and the council " * 12 + "met"
    (found,) = learnt.propose(
        [HEADLINE], [f"On Monday {clause}. It closes."], "north", Decoding(candidates=60)
    )
    assert not any("council" in one.text for one in found)
    (found,) = learnt.propose([clause], [""], "north", Decoding(candidates=1))
    assert len(found[0].text.split()) == learnt.profiles["north"].length


def test_a_list_stays_whole(learnt):
    headline = "Rossi, Bassetti close the old bridge at Dorvano in public, private talks"
    (found,) = learnt.propose([headline], [""], "north", Decoding(candidates=60))
    assert not any(one.text.startswith("Bassetti") or one.text.endswith("public") for one in found)


def test_unknown_outlets_and_missing_headlines_are_refused(learnt):
    with pytest.raises(InputError, match="no extract generator for east: these write for north and south"):
        learnt.propose([HEADLINE], [ARTICLE], "east")
    with pytest.raises(InputError, match="no training headlines of south"):
        Extract({"north": ["One here"], "south": ["...", ""]}, OUTLETS)
    with pytest.raises(InputError, match="1 headlines, 0 articles"):
        learnt.propose([HEADLINE], [], "north")


def test_two_headlines_an_outlet_are_enough():
    system = Extract({"north": ["One day here"], "south": ["«Two»"]}, OUTLETS)
    assert system.propose(["A day out"], ["Some day it rains. Then not."], "south", Decoding(candidates=4))[0]


def test_a_corpus_is_learnt_from_its_training_side_alone(tmp_path):
    corpus = str(tmp_path / "corpus")
    write_corpus(build_corpus(reading(), options()), tmp_path / "corpus")
    system = Extract.from_corpus(corpus)
    assert system.outlets == read_outlets(corpus)
    articles = read_table(corpus, "articles", "train")
    headlines = {outlet: articles.filter(label=outlet)["headline"].to_list() for outlet in system.outlets}
    again = Extract(headlines, system.outlets)
    assert (again.profiles, again.digest) == (system.profiles, system.digest)
    assert len(articles) > 20
    headlines[system.outlets[0]][0] += "!"
    assert Extract(headlines, system.outlets).digest != system.digest
    with pytest.raises(InputError, match="no corpus folder"):
        Extract.from_corpus("./nowhere")
