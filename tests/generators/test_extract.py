import random

import pytest
from corpus_fakes import options, reading

from change_it.corpus.builder import build, write
from change_it.corpus.loading import read_outlets, read_table
from change_it.errors import InputError
from change_it.generators.bodies import condensed, plain
from change_it.generators.extract import Extract
from change_it.generators.formats import Decoding
from change_it.generators.habits import Habits, Headlines, Style, pieces, requote, synonyms, titled
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
    pairs = [(north(*known, rng), south(*known, rng)) for known in events]
    return Extract.learn(
        {"north": [one for one, _ in pairs], "south": [two for _, two in pairs]}, OUTLETS, pairs
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


def test_habits_are_what_one_outlet_does_more_often(learnt):
    assert learnt.habits["north"].marks == ('"', '"')
    assert learnt.habits["south"].marks == ("«", "»")
    assert learnt.habits["north"].colon > 2 > -2 > learnt.habits["south"].colon
    assert {phrase.text for phrase in learnt.habits["north"].closings} >= {
        ". What now?",
        ". Enough!",
        ": all the figures",
    }
    assert not any("figures" in phrase.text for phrase in learnt.habits["south"].closings)


def test_capitals_title_case_and_endings_are_habits():
    loud = ["NEWS of the Old Harbour Today...", "WIND in the Long Bridge Again..."] * 20
    calm = ["News of the old harbour today", "Wind in the long bridge again"] * 20
    habits, others = (Habits.learn(*map(Headlines, sides)) for sides in ((loud, calm), (calm, loud)))
    assert habits.capitals == 1.0
    assert habits.titled == 1.0
    assert habits.endings == ("...",)
    assert "the" in habits.small
    assert (others.capitals, others.titled, others.endings) == (0.0, 0.0, ())


def test_openings_without_a_mark_know_what_follows_them():
    rng = random.Random(3)
    own = [f"See why {rng.choice(('the', 'a', 'one'))} {rng.choice(THINGS)} burns today" for _ in range(60)]
    own += [f"{rng.choice(('The', 'A', 'One'))} {rng.choice(THINGS)} burns today" for _ in range(60)]
    openings = Habits.learn(Headlines(own), Headlines(own[60:])).openings
    by_text = {phrase.text: phrase for phrase in openings}
    assert by_text["See why "].after == {"the", "a", "one"}
    assert "See " not in by_text  # no headline begins with "why"


def test_synonyms_need_the_same_events_and_the_same_neighbours(learnt):
    assert learnt.replacements["south"] == {"old": "ancient"}
    assert learnt.replacements["north"] == {"ancient": "old"}
    assert synonyms([("a b", "a b")] * 9) == {}


def test_style_tells_unseen_headlines_apart(learnt):
    rng = random.Random(7)
    style = Style.learn(
        [north(*event(rng), rng) for _ in range(100)], [south(*event(rng), rng) for _ in range(100)]
    )
    assert all(style.logit(north(*event(rng), rng)) < 0 for _ in range(50))
    assert all(style.logit(south(*event(rng), rng)) > 0 for _ in range(50))


def test_the_other_outlets_dress_is_taken_off(learnt):
    headline = "Elmeto: the old mill burns after 8 years. What now?"
    (found,) = learnt.propose([headline], [""], "south", Decoding(candidates=60))
    assert not any("What now" in one.text for one in found)
    assert any("Elmeto" in one.text for one in found)
    assert [part.text for part in plain(headline, {". What now?"})] == [
        "Elmeto",
        "the old mill burns after 8 years",
    ]
    assert [part.text for part in plain("What now?", {"?", "What now?"})] == ["What now"]


def test_candidates_are_sixteen_distinct_best_first_and_not_the_original(learnt):
    (found,) = learnt.propose([HEADLINE], [ARTICLE], "north", Decoding(candidates=16))
    texts, scores = [one.text for one in found], [one.score for one in found]
    assert len(texts) == 16 == len(set(texts))
    assert HEADLINE not in texts
    assert scores == sorted(scores, reverse=True)
    assert max(scores) <= 0
    assert all(text == " ".join(text.split()) and text for text in texts)


def test_the_first_candidate_keeps_the_content_and_takes_the_style(learnt):
    rng = random.Random(11)
    style = Style.learn(
        [north(*event(rng), rng) for _ in range(200)], [south(*event(rng), rng) for _ in range(200)]
    )
    for to, told in (("north", south), ("south", north)):
        headlines = [told(*event(rng), rng) for _ in range(20)]
        found = learnt.propose(headlines, [""] * 20, to, Decoding(candidates=1))
        assert [len(one) for one in found] == [1] * 20
        sign = 1 if to == "south" else -1
        assert sum(sign * style.logit(one.text) > 0 for (one,) in found) >= 18
        for headline, (one,) in zip(headlines, found, strict=True):
            things = set(words(headline)) & {*THINGS, *DEEDS}
            assert things <= set(words(one.text)), (headline, one.text)


def test_candidates_draw_on_the_lead_its_quotations_and_synonyms(learnt):
    (found,) = learnt.propose([HEADLINE], [ARTICLE], "north", Decoding(candidates=60))
    texts = [one.text for one in found]
    assert any("council of Dorvano" in text for text in texts)
    assert any('Bassetti: "We saw it coming for years"' in text for text in texts)
    assert any("old bridge" in text and "44 years" in text for text in texts)
    assert not any(mark in text for text in texts for mark in "“”«»")


def test_no_candidate_names_what_neither_headline_nor_article_names():
    named = [f"Moretti: the {thing} {deed}" for thing in THINGS for deed in DEEDS]
    bare = [f"The {thing} {deed}, as Moretti says" for thing in THINGS for deed in DEEDS]
    system = Extract.learn({"north": named, "south": bare}, OUTLETS)
    assert "Moretti: " in {phrase.text for phrase in system.habits["north"].openings}
    (found,) = system.propose([HEADLINE], [ARTICLE], "north", Decoding(candidates=60))
    assert not any("Moretti" in one.text for one in found)
    (found,) = system.propose([HEADLINE], [f"Moretti spoke. {ARTICLE}"], "north", Decoding(candidates=60))
    assert any(one.text.startswith("Moretti: ") for one in found)


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


def test_a_long_lead_is_cut_where_a_headline_can_end():
    common = {"the", "in", "of", "and"}
    assert [
        part.text for part in condensed("Rome — The mayor opens the new line of the tram", 7, common)
    ] == ["The mayor opens the new line"]
    cut = condensed('He said "this is a long and winding quotation" to them', 6, common)
    assert [part.text for part in cut] == ["He said this is a long"]
    assert condensed("...", 5, common) == []


def test_case_and_quotation_marks():
    assert requote("He: “Go now.” and 'that's it'", ("«", "»")) == "He: «Go now» and «that's it»"
    assert titled("Wind Over the Long Bridge")
    assert not titled("WHO warns")


def test_title_case_is_put_on_and_taken_off():
    upper = [f"The {thing.title()} {deed.title()} Again in the Night" for thing in THINGS for deed in DEEDS]
    lower = [f"The {thing} {deed} again in the night" for thing in THINGS for deed in DEEDS]
    system = Extract.learn({"north": upper, "south": lower}, OUTLETS)
    (raised,) = system.propose(["A quiet garden burns near Elmeto"], [""], "north", Decoding(candidates=1))
    assert raised[0].text == "A Quiet Garden Burns Near Elmeto"
    article = "The quiet garden burns again near Elmeto."
    (small,) = system.propose(["Quiet Garden Burns Again Near Elmeto"], [article], "south", Decoding())
    assert "uiet garden burns again near Elmeto" in small[0].text
    assert not titled(small[0].text)


def test_unknown_outlets_and_missing_headlines_are_refused(learnt):
    with pytest.raises(InputError, match="no outlet 'east': choose north or south"):
        learnt.propose([HEADLINE], [ARTICLE], "east")
    with pytest.raises(InputError, match="no training headlines of south"):
        Extract.learn({"north": ["One here"], "south": ["...", ""]}, OUTLETS)
    with pytest.raises(ValueError, match="zip"):
        learnt.propose([HEADLINE], [], "north")


def test_two_headlines_an_outlet_are_enough():
    system = Extract.learn({"north": ["One day here"], "south": ["«Two»"]}, OUTLETS)
    assert system.propose(["A day out"], ["Some day it rains. Then not."], "south", Decoding(candidates=4))[0]


def test_a_corpus_is_learnt_from_its_training_side_alone(tmp_path):
    corpus = str(tmp_path / "corpus")
    write(build(reading(), options()), tmp_path / "corpus")
    system = Extract.from_corpus(corpus)
    assert system.outlets == read_outlets(corpus)
    articles = read_table(corpus, "articles", "train")
    pairs = read_table(corpus, "pairs", "train", ["a_headline", "b_headline"])
    again = Extract.learn(
        {outlet: articles.filter(label=outlet)["headline"].to_list() for outlet in system.outlets},
        system.outlets,
        list(pairs.iter_rows()),
    )
    assert (again.habits, again.replacements) == (system.habits, system.replacements)
    assert len(articles) > 20
    with pytest.raises(InputError, match="no corpus folder"):
        Extract.from_corpus("./nowhere")
