"""README and its sentences are short; its figures are those of the tables and of what was judged."""

import csv
import json
import re
import runpy
from pathlib import Path

import pytest

from tools.pictures import draw_card, draw_chart, reasons_against
from tools.readability import measure, sentences_of

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BENCHMARKS = ROOT / "benchmarks"
HARBOR_STREET = json.loads((BENCHMARKS / "harbor_street.json").read_text(encoding="utf-8"))
QUICKSTART = json.loads((BENCHMARKS / "quickstart.json").read_text(encoding="utf-8"))
REAL_PAIRS = ("CNN, Fox", "CNN, W. Times", "Vox, W. Times", "Politico, Fox")
#: Kinds of wrong headlines of the audit that keep the original's style, and are no wrong facts.
STYLE_KINDS = ("capitals", "first sentence", "style words exchanged", "style words added")


def rows_of(name):
    """Return the rows of a table of benchmarks/results."""
    return json.loads((BENCHMARKS / f"results/{name}.json").read_text(encoding="utf-8"))["rows"]


def two_decimals(value):
    return f"{value:.2f}".removeprefix("0")


def row_of(measure_name):
    """Return the lines of a measure in the table of what holds.

    The line that follows with empty cells is one of them.
    """
    lines = README[README.index("| measure | what holds") :].splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith(f"| {measure_name} |"))
    rest = [line for line in lines[first + 1 : first + 2] if line.startswith("| | |")]
    return " ".join([lines[first], *rest])


def test_readme_is_short_and_its_sentences_are():
    found = measure(README)
    assert found.lines <= 150
    assert found.longest_line <= 120
    assert found.share_of_long_sentences <= 0.05


def test_no_line_of_text_begins_with_a_comment():
    """GitHub takes such a line for HTML: it shows backticks and tears the paragraph."""
    assert re.findall(r"(?m)^<!--.*?-->.+$", README) == []
    assert "OWNER" not in README


def test_readability_counts_sentences_and_leaves_out_code_links_and_figures():
    page = "# A title\n\nOne sentence has [five](there.md) words. And another\none has six words?\n\n"
    page += (
        "```sh\nthis is code and no sentence\n```\n\n| .76 | a cell of five words |\n|---|---|\n\n* "
        + "word " * 26
    )
    sentences = sentences_of(page)
    assert sentences[:2] == ["One sentence has five words.", "And another one has six words?"]
    assert sentences[2] == "a cell of five words"
    found = measure(page)
    assert (found.lines, len(found.sentences), len(found.long_sentences)) == (13, 4, 1)
    assert found.share_of_long_sentences == 0.25


def test_short_table_has_two_decimals_and_leaves_out_intervals_of_one_point():
    script = runpy.run_path(str(BENCHMARKS / "quickstart.py"))
    wide = {"value": 0.8154, "interval": [0.7884, 0.8406]}
    point = {"value": -1.0, "interval": [-1.0, -1.0]}
    cells = {"compliancy": wide, "style": point, "acceptability": wide, "edited": wide}
    row = {name: cell["value"] for name, cell in cells.items()}
    row["intervals"] = {name: cell["interval"] for name, cell in cells.items()}
    table = script["short_table"]({"systems": dict.fromkeys(script["SHORT"], row)})
    assert table.splitlines()[0] == "| system | what it is | compliancy | style | acceptability | edited |"
    assert table.splitlines()[-1] == (
        "| `copy` | the original headline, unchanged | .82 (.79–.84) | −1.00 | .82 (.79–.84) | .82 |"
    )
    assert [script["two_decimals"](value) for value in (0.996, -0.004, -0.35)] == ["1.00", ".00", "−.35"]


def test_what_the_llm_reader_said_is_what_the_tables_say():
    tests = rows_of("fresh_labels")
    hh, ah, fluency = (
        tests[f"{judge}; accepted"] for judge in ("HH: same story", "AH: supported", "fluency: printable")
    )
    assert f"mean AUC {two_decimals(hh['mean'][0][0])} |" in row_of("HH")
    assert f"fails its test on the sample: {two_decimals(hh['sample'][0][0])} |" in row_of("HH")
    assert hh["sample"][0][1] < 0.7  # the bound that was written down
    assert f"mean AUC {two_decimals(ah['mean'][0][0])} |" in row_of("AH")
    assert f"fails its test: mean AUC {two_decimals(fluency['mean'][0][0])} |" in row_of("fluency")
    acceptability, others = (
        tests[row] for row in ("acceptability: accepted; preferred", "ROUGE-L; words: accepted")
    )
    real = ("CNN, Washington Times", "Politico, Fox")
    ours, shared_words = (
        " and ".join(two_decimals(row[corpus][0][0]) for corpus in real) for row in (acceptability, others)
    )
    assert f"AUC {ours}; of shared words alone (ROUGE-L) {shared_words} |" in row_of("acceptability")
    orders = tests["pairs of systems in the reader's order"].values()
    right, pairs = (sum(column) for column in zip(*orders, strict=True))
    assert f"{right} of {pairs} pairs of systems" in row_of("acceptability")


def test_what_was_said_of_rewrite_is_what_the_labels_say():
    with open(BENCHMARKS / "labels/fresh.csv", encoding="utf-8") as file:
        labels = [row for row in csv.DictReader(file) if row["system"] == "rewrite"]
    fits = sum(float(row["p_ah"]) > 0.5 for row in labels)
    answers, _, _ = rows_of("fresh_systems")["`rewrite`"]["sample"].partition(" of ")
    _, supported, _, accepted, _ = answers.split(", ")
    assert f"accepts {fits} of {len(labels)} of `rewrite`, the LLM reader {supported} |" in row_of("AH")
    assert f"take\n{accepted} of {len(labels)} of its headlines in place of the original" in README


def test_what_stops_wrong_facts_and_what_pairs_are_is_what_the_tables_say():
    kinds = [kind for kind in rows_of("attacks") if kind not in STYLE_KINDS]
    stopped = sum("(stopped)" in rows_of("attacks")[kind]["sample"] for kind in kinds)
    of_sample = f"stops [{stopped} of {len(kinds)} kinds](docs/limits.md#what-still-passes)"
    assert of_sample in row_of("wrong facts")
    outcomes = [rows_of("attacks")[kind][pair] for kind in kinds for pair in REAL_PAIRS]
    assert sum("(stopped)" in outcome for outcome in outcomes) == 0
    assert ", on real pairs 0 |" in row_of("wrong facts")
    pairs, all_pairs, *_ = rows_of("pairs_rule")["same day"]["all"]
    blind, all_blind, *_ = rows_of("pairs_blind")["same day"]["third, blind"]
    assert f"{pairs} of {all_pairs} real ones report one event" in row_of("pairs")
    assert f"says so of {blind} of {all_blind} |" in row_of("pairs")


def test_style_is_known_on_one_of_four_real_pairs():
    known = [pair for pair in REAL_PAIRS if rows_of("aspects")[pair]["`gold`"][1] is not None]
    assert known == ["Vox, W. Times"]  # in one of its two directions
    assert "n/a in seven of eight directions" in row_of("style")


@pytest.mark.skipif(
    not (BENCHMARKS / "results/word_order.json").exists(),
    reason="the table of the order of words is not there",
)
def test_what_shuffled_words_keep_is_what_the_table_says():
    shares = [cells["gold's words in random order"][0][0] for cells in rows_of("word_order").values()]
    assert (
        f"shuffled gold has {two_decimals(min(shares))} to {two_decimals(max(shares))} of gold's |"
        in row_of("compliancy")
    )


def test_how_many_articles_and_pairs_is_what_was_counted():
    counted = f"{HARBOR_STREET['articles']:,} of CNN and Fox gave {HARBOR_STREET['test pairs']} test pairs"
    low, high = QUICKSTART["systems"]["gold"]["intervals"]["compliancy"]
    assert counted in README
    assert f"known to ±{two_decimals((high - low) / 2)}" in README


def test_harbor_street_is_what_was_judged():
    text = " ".join(README.split())
    assert f"**{HARBOR_STREET['original']}**" in text
    assert f"*{HARBOR_STREET['article']}*" in text
    rows = re.findall(r"(?m)^\| ([1-4]) \| (.+?) \| (\S+) \| (.+?) \| .+ \|$", README)
    names = ("right", "wrong number", "nearly unchanged", "roles swapped")
    said = ("nothing against it", "40 is in no source", "edited: one new word", "nothing against it")
    reasons = ([], ["evidence: 40"], ["edited: 1 of 9 words new"], [])
    for (_, headline, acceptability, verdict), name, words, against in zip(
        rows, names, said, reasons, strict=True
    ):
        judged = HARBOR_STREET["headlines"][name]
        assert acceptability == two_decimals(judged["acceptability"]), name
        assert headline == judged["headline"] or name == "wrong number"
        assert verdict == words
        assert reasons_against(judged) == against


def test_main_gives_no_reason_where_style_cannot_be_measured():
    assert reasons_against({"refused_by": "main; fluency", "style": None}) == ["fluency"]
    assert reasons_against({"refused_by": "main; fluency", "style": 0.1}) == ["main", "fluency"]
    assert reasons_against({"refused_by": "", "style": None}) == []


def texts_of(figure):
    return [text.get_text().replace("\n", " ") for text in figure.axes[0].texts]


def test_the_card_says_what_catches_each_headline_and_what_is_missed():
    texts = texts_of(draw_card(HARBOR_STREET))
    verdicts = [text for text in texts if text[0] in "✓✗"]
    assert verdicts == ["✓ caught", "✓ passes", "✓ caught", "✗ missed", "✓ caught"]
    headlines = HARBOR_STREET["headlines"]
    for name in ("unchanged", "right", "wrong number", "roles swapped", "words shuffled"):
        assert headlines[name]["headline"] in texts
        assert two_decimals(headlines[name]["acceptability"]) in texts


def test_the_chart_names_four_points_and_four_corners():
    figure = draw_chart(QUICKSTART["systems"])
    texts = texts_of(figure)
    assert {"unchanged original", "the other newspaper's own", "best clause of the article"} <= {*texts}
    assert "style changed, story kept" in texts
    points = {
        tuple(line.get_xydata()[0].round(3)) for line in figure.axes[0].lines if len(line.get_xydata()) == 1
    }
    for name in ("rewrite", "gold", "floor", "copy"):
        row = QUICKSTART["systems"][name]
        assert (round(row["style"], 3), round(row["acceptability"], 3)) in points
