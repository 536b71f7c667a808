"""Transfer and judge: what is answered, what is refused, and that nothing a person writes is ever run."""

import json
import re
import shutil
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qsl
from urllib.request import Request, urlopen

import numpy as np
import polars as pl
import pytest
from csv_files import write_csv
from gradio_client.exceptions import AppError
from processes import run_program
from scoring_fakes import FakeJudges

from change_it import space_path
from change_it.audit.verdicts import Summary, Verdict
from change_it.errors import InputError
from change_it.generators.decoding import Candidate
from change_it.generators.headline_transfer import Proposer
from change_it.scoring.facts import Facts, Unsupported
from change_it.space import app
from change_it.space import transfer_tab as tab
from change_it.space.examples import examples
from change_it.space.fragments import changed_words, headline_pieces, notice
from change_it.space.limits import LIMITS, text_of
from change_it.space.models import Models
from change_it.text.names import Casing
from change_it.translation import Message, load_texts, localized, translate

HEADLINE = "Crolla il ponte sulla statale"
ARTICLE = "Il ponte sulla statale crolla ieri. Sciopero generale dei treni."
HOSTILE = '<script>alert(1)</script> <img src=x onerror="alert(2)"> {{value}} ${alert(3)} statale'


class Fixed(Proposer):
    """Offers always the same headlines; counts what it is asked."""

    def __init__(self, *texts, targets=("rep", "gio"), reads="article"):
        super().__init__("fixed", ("rep", "gio"), targets, (reads,))
        self.texts, self.asked = texts, []

    def _propose(self, items, decoding, batch_size, progress):
        self.asked += items
        return [[Candidate(text, -1.0) for text in self.texts[: decoding.candidates]] for _ in items]


def fixed(*texts, judges=None, **about):
    system = Fixed(*texts, **about)
    return Models(judges or FakeJudges(), {"fixed": system}), system


def ask(models, headline=HEADLINE, article=ARTICLE, direction="rep2gio", count=5, own=""):
    return tab.transfer(models, headline, article, direction, "fixed", count, own)


def test_candidates_come_with_verdicts_and_the_best_first():
    models, _ = fixed("Piove", "Il ponte sulla statale", "Statale, il ponte!")
    answer = ask(models)
    assert [one["headline"] for one in answer["candidates"]] == [
        "Statale, il ponte!",
        "Il ponte sulla statale",
        "Piove",
    ]
    best, unchanged, other = (one["verdicts"] for one in answer["candidates"])
    strict = {"strict_compliancy": None, "fluency": None, "facts": True}
    assert (
        best == {"compliancy": True, "hh": True, "ah": True, "main": True, "main_normalised": True} | strict
    )
    same = {"main": False, "main_normalised": False}
    assert unchanged == {"compliancy": False, "hh": True, "ah": True} | same | strict
    assert other == {"compliancy": False, "hh": False, "ah": False} | same | strict
    first = answer["candidates"][0]
    assert first["probabilities"] == {"hh": 0.8, "ah": 0.7, "main": 0.9, "fluency": None, "style": 0.74}
    assert first["strict_joint"] == first["joint"]
    # Reversed: it was rep's (.8) and is now gio's (.9), or the other way round (.2 · .1).
    assert first["joint"] == pytest.approx(0.8 * 0.7 * (0.8 * 0.9 + 0.2 * 0.1), abs=1e-4)
    assert first["looks_like"] == {"original": "rep", "new": "gio"}
    assert (answer["from"], answer["to"]) == ("rep", "gio")


def test_the_best_is_the_one_that_is_strictly_compliant():
    printed, repeated, invented = "Statale, il ponte!", "Statale, statale, il ponte!", "Statale, 17 ponti!"
    worst = "Statale, statale, 17 ponti!"
    models, _ = fixed(worst, invented, repeated, printed, judges=FakeJudges(digits="abcd"))
    answer = ask(models)
    assert [one["headline"] for one in answer["candidates"]] == [printed, repeated, invented, worst]
    names = ("compliancy", "strict_compliancy", "fluency", "facts")
    verdicts = [[one["verdicts"][name] for name in names] for one in answer["candidates"]]
    assert verdicts[:3] == [[True, True, True, True], [True, False, False, True], [True, False, True, False]]
    first, second, last, _ = answer["candidates"]
    assert first["strict_joint"] == pytest.approx(first["joint"] * 0.6, abs=1e-4)
    assert second["strict_joint"] == pytest.approx(second["joint"] * 0.4, abs=1e-4)
    assert last["strict_joint"] == 0
    assert [last["headline"][one["start"] : one["end"]] for one in last["unsupported"]] == ["17"]
    html = tab.candidates_html(answer, "en")
    assert "4 of 4 compliant for gio, 1 strictly" in html
    assert '<mark class="ci-unsupported" tabindex="0" aria-description="neither the original headline' in html
    assert "neither the original headline nor the article has: 17" in html


def test_what_the_sources_rather_say_stands_where_the_mark_is(monkeypatch):
    def refused(*_, **__):
        return [Facts(False, (Unsupported("ponte", 4, 9, "name", "viadotto"),))]

    monkeypatch.setattr("change_it.scoring.compliancy.check_all_facts", refused)
    models, _ = fixed("Un, ponte!")
    answer = ask(models)
    html = tab.candidates_html(answer, "en")
    assert "the sources rather say “viadotto” than “ponte”" in html
    assert 'aria-description="the sources rather say: viadotto">' in html
    assert "le fonti dicono piuttosto «viadotto» che «ponte»" in tab.candidates_html(answer, "it")
    assert "Then a reader" not in html
    assert "Then a reader" in tab.candidates_html(answer | {"reader": True}, "en")


def test_without_a_fluency_judge_its_marks_are_unknown():
    models, _ = fixed("Statale, il ponte!")
    html = tab.candidates_html(ask(models), "en")
    assert "n/a: there is no such judge here" in html
    assert "strictly: n/a" in html


def test_a_text_far_from_what_the_judges_learnt_from_is_flagged():
    casing = Casing.from_texts([ARTICLE])
    models, _ = fixed("Statale, il ponte!", judges=FakeJudges().with_casing(casing))
    near, far = ask(models), ask(models, headline="Ballano nuvole azzurre")
    assert (near["foreign"], near["known_words"]) == (False, 1.0)
    assert far["foreign"]
    assert "far from what the judges learnt" not in tab.candidates_html(near, "en")
    assert f"they know {far['known_words']:.0%} of its words" in tab.candidates_html(far, "en")


def test_unsupported_words_are_marked_where_they_stand():
    pieces = headline_pieces("Crolla il ponte", "Crolla il 17", [{"start": 10, "end": 99, "kind": "number"}])
    assert pieces == [("Crolla il ", False, False), ("17", True, True)]


def test_the_other_direction():
    models, system = fixed("Il ponte sulla statale")
    answer = ask(models, headline="Statale: il ponte!", direction="gio2rep")
    assert system.asked[0][2] == "rep"
    assert answer["candidates"][0]["verdicts"]["compliancy"]
    assert answer["candidates"][0]["probabilities"]["main"] == pytest.approx(0.8)


def test_a_wrong_direction_is_flagged_and_has_no_verdict_on_style():
    models, _ = fixed("Statale, il ponte!", "Il ponte sulla statale", judges=FakeJudges(digits="abcd"))
    answer = ask(models, headline="Statale: il ponte!")  # gio's already
    assert answer["wrong_direction"].startswith(
        "Wrong direction? The style judge takes the original for a headline of gio"
    )
    for one in answer["candidates"]:
        assert [one["verdicts"][name] for name in ("compliancy", "strict_compliancy", "main")] == [None] * 3
        assert one["verdicts"]["hh"]
    html = tab.candidates_html(answer, "en")
    assert "takes the original for a headline of gio already (90%)" in html
    assert "Choose gio → rep." in html
    assert "no verdict: the original looks like gio already, this one like rep" in html
    assert "✓ compliant" not in html
    assert "of 2 compliant" not in html
    right = ask(models, headline="Statale: il ponte!", direction="gio2rep")
    assert not right["wrong_direction"]
    assert "Wrong direction" not in tab.candidates_html(right, "en")


def test_the_bar_of_style_shows_what_its_mark_says():
    models, _ = fixed("Statale, il ponte!", "Il ponte sulla statale")
    answer = ask(models, headline="Il ponte sulla statale, oggi")
    for one in answer["candidates"]:
        assert (one["probabilities"]["style"] > 0.5) == one["verdicts"]["main"]
    html = tab.candidates_html(answer, "en")
    assert [html.count(f"<span>{share}</span>") for share in ("74%", "32%", "90%", "20%")] == [1, 1, 0, 0]


def test_own_headlines_are_judged_with_the_others():
    models, _ = fixed("Piove")
    answer = ask(models, own="Statale, che ponte!")
    assert [(one["system"], one["headline"]) for one in answer["candidates"]] == [
        ("own", "Statale, che ponte!"),
        ("fixed", "Piove"),
    ]
    alone = tab.judge(models, "Statale, che ponte!", HEADLINE, ARTICLE, "rep2gio")
    assert alone["candidates"][0]["verdicts"] == answer["candidates"][0]["verdicts"]


def test_what_was_asked_before_is_not_computed_again():
    judges = FakeJudges()
    models, system = fixed("Statale, il ponte!", "Piove", judges=judges)
    assert ask(models) == ask(models)
    assert len(system.asked) == 1
    assert len(judges.ah.asked) == 2


def test_the_judges_read_all_candidates_in_one_batch():
    judges = FakeJudges()
    calls = []
    judges.hh.probabilities = lambda texts, pairs, **_: (
        calls.append(len(texts)) or np.tile([0.5, 0.5], (len(texts), 1))
    )
    models, _ = fixed("Uno", "Due", "Tre", judges=judges)
    ask(models)
    assert calls == [3]


def test_readability_stands_beside_that_of_the_original():
    models, _ = fixed("Statale!")
    answer = ask(models)
    assert answer["original"]["readability"]["words"] == 5
    assert set(answer["candidates"][0]["readability"]) == {"words", "PNR", "NR", "PR", "Fog", "AWL"}
    assert tab.readability_figures(["drei Worte hier"], "de") == [{"words": 3}]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"headline": ""}, "limits.no_headline"),
        ({"headline": " … \n"}, "limits.no_headline"),
        ({"headline": None}, "limits.no_headline"),
        ({"article": "\x00\x01"}, "limits.no_article"),
        ({"headline": "a" * 301}, "limits.long"),
        ({"article": "a" * 1_000_000}, "limits.long"),
        ({"own": "a" * 301}, "limits.long"),
        ({"headline": ["x"]}, "limits.text"),
        ({"article": 3}, "limits.text"),
        ({"direction": "rep2rep"}, "limits.direction"),
        ({"direction": ["rep2gio"]}, "limits.direction"),
        ({"count": 0}, "limits.candidates"),
        ({"count": 9}, "limits.candidates"),
        ({"count": 2.5}, "limits.candidates"),
        ({"count": float("nan")}, "limits.candidates"),
        ({"count": float("inf")}, "limits.candidates"),
        ({"count": "3"}, "limits.candidates"),
    ],
)
@pytest.mark.parametrize("language", ["it", "en"])
def test_what_cannot_be_transferred_is_refused_in_the_readers_language(changes, key, language):
    models, system = fixed("Piove")
    with pytest.raises(InputError) as caught:
        ask(models, **changes)
    pattern = re.sub(r"\\\{\w+\\\}", ".+", re.escape(load_texts(language)[key]))
    assert re.fullmatch(pattern, localized(language, caught.value), re.DOTALL)
    assert system.asked == []


def test_a_system_of_one_direction_says_so():
    models, _ = fixed("Piove", targets=("gio",))
    with pytest.raises(InputError, match="fixed does not write for rep"):
        ask(models, direction="gio2rep")


def test_a_system_that_finds_nothing_says_so():
    models, _ = fixed("", " … ")
    with pytest.raises(InputError, match="finds nothing"):
        ask(models)


def test_emoji_and_right_to_left_pass():
    models, _ = fixed("שלום 👩‍👩‍👧 statale!")
    answer = ask(models, headline="مرحبا 🎉 statale \ud800")
    assert answer["original"]["headline"] == "مرحبا 🎉 statale"
    assert "👩‍👩‍👧" in tab.candidates_html(answer, "it")


def test_html_is_shown_and_never_run():
    models, _ = fixed(HOSTILE, "<b>Piove</b>")
    shown = tab.candidates_html(ask(models, headline=HOSTILE, own="<i>io</i>"), "it")
    assert not re.findall(r"<(?:script|img|b>P|i>)", shown)
    assert re.findall(r"</?([a-z]+\d?)", shown)
    tags = set(re.findall(r"</?([a-zA-Z]+\d?)", shown))
    known = {"div", "p", "ol", "li", "article", "header", "span", "h3", "mark", "del", "ul", "b", "dl", "dt"}
    assert tags <= known | {"dd", "small", "details", "summary", "a", "code"}
    assert "&lt;" in shown
    assert "<script" not in notice(HOSTILE)


def test_marks_are_in_words():
    models, _ = fixed("Statale!", "Piove!", "Il ponte sulla statale")
    found = tab.candidates_html(ask(models), "en")
    assert "1 of 3 compliant for gio" in found
    assert translate("en", "transfer.hh_no") in found
    assert translate("en", "transfer.ah_no") in found
    assert "the style is reversed: the original looks like rep, this one like gio" in found
    assert "the style is not reversed: it looks like rep, as the original does" in found
    assert translate("it", "transfer.hh_no").split("'")[0] in tab.candidates_html(ask(models), "it")


def test_changed_words_are_those_that_the_original_has_not():
    pieces, gone = changed_words("La casa, la scala", "La scala la LA nuova")
    assert [piece for piece, added in pieces if added] == ["LA nuova"]
    assert gone == ["casa,"]
    assert "".join(piece for piece, _ in pieces) == "La scala la LA nuova"


def test_a_number_and_what_was_left_out_stay_in_one_piece():
    pieces, gone = changed_words("Il ponte: l'odore costa 1.500 euro", "Il ponte costa 1.400 euro")
    assert [piece for piece, added in pieces if added] == ["1.400"]
    assert gone == [": l'odore", "1.500"]


def test_changed_marks_are_shown_too():
    pieces, gone = changed_words("«Basta» dice Rossi", '"Basta" dice Rossi!')
    assert [piece for piece, added in pieces if added] == ['"', '"', "!"]
    assert gone == ["«", "»"]


def test_a_word_that_stands_too_often_is_new_each_time():
    pieces, gone = changed_words("La scala", "La, la, la, la scala")
    assert [piece for piece, added in pieces if added] == [", la, la, la"]
    assert gone == []


def test_the_slider_orders_candidates_by_story_or_by_style():
    near, far = "Il ponte sulla statale", "Piove!"  # one keeps the story, the other changes the style
    models, _ = fixed(near, far)

    def order(weight):
        answer = tab.transfer(models, HEADLINE, ARTICLE, "rep2gio", "fixed", 1, "", weight)
        return [one["headline"] for one in answer["candidates"]]

    assert order(0.0) == [near]
    assert order(1.0) == [far]
    for wrong in (-0.1, 1.1, float("nan"), "1", None):
        with pytest.raises(InputError, match="from 0 to 1"):
            order(wrong)


def test_the_best_of_all_that_a_system_can_offer_are_shown_and_the_readers_own():
    models, system = fixed("Piove", "Nevica", "Statale, il ponte!")
    answer = ask(models, count=1, own="Grandina")
    assert [one["headline"] for one in answer["candidates"]] == ["Grandina", "Statale, il ponte!"]
    ask(models, count=3, own="Grandina")
    assert len(system.asked) == 1


def test_the_page_opens_with_the_first_example_whatever_the_judges_say():
    first, second = examples("it")[:2]
    models, _ = fixed("Piove", f"{second['headline']} davvero!")  # liked better
    found = tab.opening(models, "en")
    title = first["headline"]
    assert found["asked"][:4] == [title, first["article"], list(models.directions)[first["outlet"]], "fixed"]
    boxes = {
        block.elem_id: block.value
        for block in app.build(models, "en").blocks.values()
        if hasattr(block, "value")
    }
    assert boxes["headline"] == title
    assert boxes["candidates-found"] == tab.candidates_html(found, "en")
    alone, _ = fixed("")  # it never finds anything to write
    assert tab.opening(alone, "en") is None
    assert "Write a headline" in tab.candidates_html(None, "en")


def test_a_link_asks_the_same_again():
    models, _ = fixed("Statale, il ponte!")
    asked = [f"{HEADLINE} & «co»", ARTICLE, "rep2gio", "fixed", 2, 0.3, "Piove?"]
    link = tab.transfer_inputs(models, asked, "en")["link"]
    assert tab.linked(models, dict(parse_qsl(link[1:]))) == [*asked, "en"]
    assert tab.transfer_inputs(models, [HEADLINE, "parola " * 2000, *asked[2:]], "en")["link"] is None


def test_a_link_that_somebody_wrote_wrongly_changes_only_what_it_names_rightly():
    models, _ = fixed("Piove")
    unchanged = [{"__type__": "update"}] * 8
    assert tab.linked(models, {"__theme": "dark"}) == unchanged
    odd = {
        "headline": "Titolo",
        "direction": "rep2rep",
        "system": "x",
        "candidates": "many",
        "style": "9",
        "language": "xx",
    }
    found = tab.linked(models, odd)
    assert found == ["Titolo", "", *[{"__type__": "update"}] * 3, 1.0, "", {"__type__": "update"}]


def test_a_judge_that_must_not_be_relied_on_is_named_beside_its_mark():
    models, _ = fixed("Statale, il ponte!")
    html = tab.candidates_html(ask(models), "en")
    assert "do not rely on this judge" not in html
    models = Models(
        FakeJudges(), models.systems, audit=Summary((Verdict("hh", "distrust", (Message("verdict.none"),)),))
    )
    html = tab.candidates_html(ask(models), "en")
    assert html.count("do not rely on this judge") == 1
    assert translate("en", "transfer.hh_about") in html


def test_numbers_are_written_as_the_language_writes_them():
    models, _ = fixed("Statale!")
    answer = ask(models)
    awl = f"{answer['candidates'][0]['readability']['AWL']:.2f}"
    assert f"<dd>{awl} <small>" in tab.candidates_html(answer, "en")
    assert f"<dd>{awl.replace('.', ',')} <small>" in tab.candidates_html(answer, "it")


def test_control_characters_are_taken_out():
    assert text_of("a\x00b\ud800c\u202ed", 10, "transfer.headline") == "a b c\u202ed"
    assert text_of(None, 10, "transfer.headline") == ""
    assert text_of("e\u0301", 10, "transfer.headline") == "é"


def test_systems_and_judges_of_other_outlets_are_refused():
    with pytest.raises(InputError, match="left and right"):
        Models(FakeJudges(outlets=("left", "right")), {"fixed": Fixed("a")})
    with pytest.raises(InputError, match="no system"):
        Models(FakeJudges(), {})


def test_examples_fit_and_are_of_both_outlets():
    for language in ("it", "en"):
        some = examples(language)
        assert {one["outlet"] for one in some} == {0, 1}
        assert all(len(one["headline"]) <= LIMITS.headline for one in some)
        assert all(len(one["article"]) <= LIMITS.article for one in some)
    assert examples("de") == examples("it")


def test_the_models_of_a_run(tiny_run):
    models = Models.from_run(tiny_run)
    models.warm_up()
    assert list(models.systems) == ["sum"]
    assert models.outlets == ("rep", "gio")
    answer = tab.transfer(models, HEADLINE, ARTICLE, "rep2gio", "sum", 2)
    again = tab.judge(
        Models.from_run(tiny_run), answer["candidates"][0]["headline"], HEADLINE, ARTICLE, "rep2gio"
    )
    assert again["candidates"][0]["probabilities"] == pytest.approx(
        answer["candidates"][0]["probabilities"], abs=1e-3
    )
    assert answer["signature"].endswith("|fold:all")


def test_the_models_that_variables_name(tiny_run):
    folder = tiny_run / "generators"
    variables = {
        "CHANGE_IT_JUDGES": str(tiny_run / "judges"),
        "CHANGE_IT_GENERATORS": f"mine={folder / 'sum-rep'}, mine={folder / 'sum-gio'},one={folder / 'sum-gio'}",
    }
    models = Models.from_environment(variables)
    assert {name: system.targets for name, system in models.systems.items()} == {
        "mine": ("rep", "gio"),
        "one": ("gio",),
    }
    assert Models.from_environment({}) is None
    with pytest.raises(InputError, match="NAME=ID"):
        Models.from_environment(variables | {"CHANGE_IT_GENERATORS": str(folder)})
    with pytest.raises(InputError, match="no folder"):
        Models.from_environment(variables | {"CHANGE_IT_JUDGES": "./missing"})


def test_the_language_is_that_of_the_corpus(corpus_run, monkeypatch):
    monkeypatch.setattr("change_it.space.models.corpus_examples", lambda *_: ())
    file = corpus_run / "corpus" / "alignment.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    record["options"]["language"] = "en"
    file.write_text(json.dumps(record), encoding="utf-8")
    models = Models.from_run(corpus_run)
    assert models.language == "en"
    answer = tab.judge(models, "Mayors out", "The mayors resigned", "The mayors resigned.", "colle2faro")
    english = tab.readability_figures(["The mayors resigned"], "en")[0]
    assert answer["original"]["readability"] == english
    assert tab.readability_figures(["The mayors resigned"], "it")[0] != english


def test_outlets_may_have_a_2_in_their_names():
    names = ("rai2", "tg2oggi")
    system = Fixed("Statale!")
    system.outlets = system.targets = names
    models = Models(FakeJudges(outlets=names), {"fixed": system})
    [direction] = [block for block in app.build(models).blocks.values() if block.elem_id == "direction"]
    assert direction.choices == [("rai2 → tg2oggi", "rai22tg2oggi"), ("tg2oggi → rai2", "tg2oggi2rai2")]
    assert ask(models, direction="rai22tg2oggi")["to"] == "tg2oggi"


def test_a_run_without_judges(tmp_path):
    with pytest.raises(InputError, match="holds no judges"):
        Models.from_run(tmp_path)


def test_the_endpoint_transfer(client):
    answer = client.predict(HEADLINE, ARTICLE, "rep2gio", "sum", 2, api_name="/transfer")
    assert 1 <= len(answer["candidates"]) <= 2
    assert {"compliancy", "hh", "ah", "main", "fluency", "facts"} < set(answer["candidates"][0]["verdicts"])
    by_name = client.predict(headline=HEADLINE, article=ARTICLE, system="extract", api_name="/transfer")
    assert by_name["system"] == "extract"


def test_the_endpoint_judge(client):
    answer = client.predict("Che statale! " + HOSTILE, HEADLINE, ARTICLE, "rep2gio", api_name="/judge")
    assert answer["candidates"][0]["verdicts"]["main"]
    assert answer["candidates"][0]["headline"].endswith(HOSTILE)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("", "b"), "Write the original headline"),
        ((None, None), "Write the original headline"),
        ((7, "b"), "a text is needed"),
        (("a", "b", "<b>"), "choose one of rep2gio, gio2rep"),
        (("a", "b", "rep2gio", "<script>"), "choose one of sum, extract"),
        (("a", "b", "rep2gio", "sum", 10**30), "from 1 to 8"),
    ],
)
def test_endpoints_refuse_in_one_sentence(client, values, message):
    defaults = ("a", "b", "rep2gio", "sum", 3, "en")
    with pytest.raises(AppError, match=message) as failure:
        client.predict(*values, *defaults[len(values) :], api_name="/transfer")
    assert "Traceback" not in str(failure.value)
    assert "<" not in str(failure.value)


def test_a_fault_of_ours_is_one_sentence_too(client, models, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(models.systems["sum"], "propose", broken)
    with pytest.raises(AppError) as failure:
        client.predict(f"{HEADLINE} oggi", ARTICLE, "rep2gio", "sum", 3, "en", api_name="/transfer")
    assert str(failure.value) == translate("en", "page.fault")


def test_only_documented_endpoints_are_public(client):
    found = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    assert {"/transfer", "/judge"} <= set(found) <= {"/transfer", "/judge", "/score"}
    assert "candidates: 1 to 8" in found["/transfer"]["description"]


def post(client, path, body):
    """Status and JSON of a request to the API."""
    address = f"{client.src.rstrip('/')}/gradio_api/{path}"
    request = Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=60) as reply:
            return reply.status, json.load(reply)
    except HTTPError as error:
        return error.code, json.load(error)


def event(client, endpoint, body, form="call"):
    """The kind of the last event of a request, and its data."""
    status, answer = post(client, f"{form}/{endpoint}", body)
    assert status == 200
    address = f"{client.src.rstrip('/')}/gradio_api/{form}/{endpoint}/{answer['event_id']}"
    with urlopen(address, timeout=60) as reply:
        kind, data = reply.read().decode().strip().split("\n\n")[-1].split("\n", 1)
    return kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def test_last_arguments_that_are_left_out_have_their_defaults(client, caplog):
    new = "Che statale!"
    kind, [whole] = event(client, "judge", {"data": [new, HEADLINE, ARTICLE, "rep2gio", "en"]})
    assert kind == "complete"
    assert event(client, "judge", {"data": [new, HEADLINE, ARTICLE]}) == (kind, [whole])
    named = {"headline": new, "original": HEADLINE, "article": ARTICLE}
    assert event(client, "judge", named, form="call/v2") == (kind, [whole])
    status, direct = post(client, "run/judge", {"data": [new, HEADLINE, ARTICLE]})
    assert (status, direct["data"]) == (200, [whole])
    kind, [answer] = event(client, "transfer", {"data": [HEADLINE, ARTICLE]})
    assert (kind, answer["system"], answer["to"]) == ("complete", "sum", "gio")
    assert caplog.text == ""


def test_arguments_that_are_missing_or_unknown_are_one_sentence(client, capfd):
    kind, error = event(client, "judge", {"data": ["Che statale!"]})
    assert (kind, error["error"]) == ("error", "/judge needs 3 values in data, here are 1")
    for body, sentence in (
        ({"headline": "Che statale!"}, "No value provided for required argument: original"),
        ({"title": "Che statale!"}, "Parameter `title` is not a valid key-word argument."),
    ):
        assert post(client, "call/v2/judge", body) == (422, {"error": sentence})
    assert "Traceback" not in "".join(capfd.readouterr())


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_commands_of_the_card_run_with_200_headlines(client, tmp_path):
    card = (Path(space_path()) / "README.md").read_text(encoding="utf-8")
    address = client.src.rstrip("/")
    script = "\n".join(re.findall(r"```bash\n(.*?)```", card, re.DOTALL))
    assert "https://owner-headline-transfer.hf.space" in script
    rows = [[str(n), HEADLINE, ARTICLE, "rep", f"Statale, {n} ponti!"] for n in range(200)]
    write_csv(tmp_path / "new.csv", rows, ["id", "source", "article", "label", "headline"])
    command = ["bash", "-euc", script.replace("https://owner-headline-transfer.hf.space", address)]
    done = run_program(command, cwd=tmp_path, check=True, timeout=300)
    assert done.stderr == ""
    assert done.stdout.count("event: complete") == 2
    assert "error" not in done.stdout
    verdicts = pl.read_csv(tmp_path / "verdicts.csv")
    assert verdicts["headline"].to_list() == [row[-1] for row in rows]
    assert {"compliant", "hh", "ah", "main", "facts"} < set(verdicts.columns)
