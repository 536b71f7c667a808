"""The tables and figures of the documentation are those of benchmarks/results/."""

import json
import re
import runpy
from pathlib import Path

import pytest

from change_it.audit.verdict import KindShare, MeasureVerdict
from change_it.report import pages

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SCRIPT = runpy.run_path(str(BENCHMARKS / "tables.py"))
LOOK_UP, LIKE = SCRIPT["look_up"], SCRIPT["formatted"]


def test_tables_and_results_agree():
    assert SCRIPT["main"](SCRIPT["Options"](check=True)) == 0
    text = "".join(page.read_text(encoding="utf-8") for page in SCRIPT["BENCHMARKS"])
    tables = {*re.findall(r"(?m)^<!-- table: (.+?) -->$", text)}
    records = {path.stem: json.loads(path.read_text("utf-8")) for path in SCRIPT["RESULTS"].glob("*.json")}
    assert tables - SCRIPT["SUMMARIES"].keys() == records.keys()
    for record in records.values():
        assert all(map(record.get, ("command", "n", "seed", "machine", "date")))


def shuffled_shares() -> list[float]:
    """Shares of gold's compliancy that its words in random order keep, by corpus."""
    rows = SCRIPT["read_rows"]("word_order").values()
    return [cells["gold's words in random order"][0][0] for cells in rows]


def worst(row: str) -> float:
    """The least AUC of a judge for its own question among the corpora."""
    return min(cell[0][0] for cell in SCRIPT["read_rows"]("fresh_labels")[row].values())


HH = "HH: same story; accepted"
AH = "AH: supported; accepted"
ORDER = "pairs of systems in the reader's order"
#: What each claim of the report states, in its order; a text is an address, None a definition.
FIGURES = {
    "COMPLIANCY": [
        lambda: min(shuffled_shares()),
        lambda: max(shuffled_shares()),
        "fresh_labels/HH:/mean",
        "fresh_labels/AH:/mean",
        lambda: worst(HH),
        lambda: worst(AH),
        None,
        "fresh_thresholds/rewrite/sample/7",
        "fresh_thresholds/rewrite/sample/3",
        "fresh_thresholds/rewrite/sample/4",
    ],
    "STYLE": [],
    "ACCEPTABILITY": [
        lambda: len((SCRIPT["ROOT"] / "benchmarks/labels/fresh.csv").read_text().splitlines()) - 1,
        "fresh_labels/acceptability:/mean",
        "fresh_labels/ROUGE-L; words/mean",
        lambda: sum(right for right, _ in SCRIPT["read_rows"]("fresh_labels")[ORDER].values()),
    ],
}


@pytest.mark.parametrize("claim", FIGURES)
def test_figures_of_the_reports_claims_are_those_of_the_tables(claim):
    stated = re.findall(r"\d*\.?\d+", getattr(pages, claim))
    sources = FIGURES[claim]
    assert len(stated) == len(sources)
    for figure, source in zip(stated, sources, strict=True):
        if source is not None:
            assert figure == LIKE(source() if callable(source) else LOOK_UP(source), figure)


def test_claims_in_words_are_those_of_the_tables():
    """The words say: on four real pairs no judge stops any of ten kinds, and ROUGE-L is ahead on two.

    The lead without copies is sure on the sample alone.
    """
    _, stopped, *_ = SCRIPT["outcomes"]()
    assert (len(SCRIPT["WRONG"]), stopped[2:]) == (10, ["0"] * 4)
    written = "fresh_labels/acceptability − ROUGE-L, written"
    without = "fresh_labels/acceptability − ROUGE-L, without copies"
    for corpus in ("CNN", "Politico"):
        assert LOOK_UP(f"{written}/{corpus}/1") < 0 < LOOK_UP(f"{written}/{corpus}/3")
        assert LOOK_UP(f"{without}/{corpus}/2") < 0
    assert LOOK_UP(f"{without}/sample/2") > 0
    faults = [cells["style n/a"] for cells in SCRIPT["read_rows"]("aspects").values()]
    assert faults == ["0 of 3 seeds", *["3 of 3 seeds"] * 4]


def row_of(claim: str) -> str:
    """Return the row of the table of claims that begins so."""
    lines = SCRIPT["README"].read_text(encoding="utf-8").splitlines()
    [row] = [line for line in lines if line.startswith(f"| {claim}")]
    return row


def test_counts_in_the_table_of_claims_are_those_of_the_results():
    """Counts over whole tables, which no mark can name."""
    orders = SCRIPT["read_rows"]("fresh_labels")[ORDER].values()
    assert [sum(counts) for counts in zip(*orders, strict=True)] == [61, 61]
    assert "all 61 pairs of systems" in row_of("acceptability orders systems")
    _, stopped, *_ = SCRIPT["outcomes"]()
    assert f"{stopped[1]} of [ten kinds]" in row_of("judges stop wrong content")
    columns = ("Vox, Washington Times", "CNN, Fox")
    accepted = {
        name: " and ".join(f"{LOOK_UP(f'older_systems/{name}/{column}/4'):g}" for column in columns)
        for name in ("clause", "floor", "gold")
    }
    said = f"{accepted['clause']} of 40, of the floor's {accepted['floor']}, of gold {accepted['gold']}"
    assert said in row_of("readers accept clauses")
    leads = [
        cell[3:5]
        for cells in SCRIPT["read_rows"]("judges").values()
        for corpus, cell in cells.items()
        if corpus != "sample" and len(cell) == 5
    ]
    ahead, behind = sum(low > 0 for low, _ in leads), sum(high < 0 for _, high in leads)
    encoders = row_of("a fine-tuned encoder is better")
    assert f"beyond its interval in {ahead} of {len(leads)} cells, behind in {behind}" in encoders
    held = [cells["held"] for cells in SCRIPT["read_rows"]("accepted").values()]
    assert f"{LIKE(min(held), '.00')} to {LIKE(max(held), '.00')} of the time" in row_of(
        "the interval of `accepted`"
    )


def test_claims_on_the_verdicts_are_those_of_the_table():
    """Compliancy ranks nowhere without a condition, and style on the sample alone.

    Acceptability ranks where there are 69 pairs.
    """
    rows = {row: cells for row, cells in SCRIPT["read_rows"]("verdicts").items() if row.endswith("; linear")}
    for row, cells in rows.items():
        assert not re.search(r"ranks(,| \d)", cells["compliancy"]), row
        assert cells["style"].startswith("ranks," if row.startswith("sample") else "cannot rank (n/a),"), row
        number = int(cells["test pairs"])
        given = "ranks," if number >= 69 else "ranks 2, not known 1 of 3" if number == 63 else "not known,"
        assert cells["acceptability"].startswith(given), row
    shares = SCRIPT["read_rows"]("verdict_shares")
    shuffled = [
        SCRIPT["numbers"](cells["gold's words in random order"])[0]
        for row, cells in shares.items()
        if row.endswith("linear; compliancy")
    ]
    lowest = LOOK_UP("verdict_shares/Vox, W. Times; linear; compliancy/gold's words")
    highest = LOOK_UP("verdict_shares/CNN, Fox; linear; compliancy/gold's words")
    assert (min(shuffled), max(shuffled)) == (lowest, highest)
    assert rows["Politico, Fox; linear"]["compliancy"].startswith(
        "cannot rank 2, ranks sentences 1 of 3 seeds"
    )
    of_politico_wt = rows["Politico, W. Times; linear"]["compliancy"]
    assert of_politico_wt.startswith("ranks sentences 2, cannot rank 1 of 3 seeds")


def test_a_figure_in_a_sentence_is_written_from_its_cell():
    written = SCRIPT["written"]
    figures = (
        "AUC .1<!-- = fresh_labels/HH:/mean -->",
        "−9.00<!-- = aspects/Vox/copy/4 -->",
        "1<!-- = fresh_thresholds/rewrite/sample/3 -->",
    )
    text = ", ".join(figures)
    assert re.sub(r"<!--.*?-->", "", written(text)) == "AUC .8, −.27, 39"
    with pytest.raises(SystemExit, match="2 of"):
        written("1<!-- = aspects/CNN/copy -->")


def test_growth_is_by_step_and_checkout_with_the_exponent_of_the_two_largest_sizes():
    growth = runpy.run_path(str(BENCHMARKS / "growth.py"))
    table = growth["Table"]({"old": Path(), "new": Path()})
    table.costs["corpus build", "old"] = {
        size: growth["Cost"](seconds, 2 * seconds, 0.5)
        for size, seconds in ((10, 9.0), (100, 1.0), (400, 8.0))
    }
    table.costs["corpus build", "new"] = {400: growth["Cost"](4.04, 5.0, 0.25)}
    rows = table.rows()
    assert rows["corpus build, 400"] == {
        "old: seconds": 8.0,
        "old: of the processor": 16.0,
        "old: GB": 0.5,
        "new: seconds": 4.0,
        "new: of the processor": 5.0,
        "new: GB": 0.25,
    }
    # eight times as long for four times as many
    assert rows["corpus build: exponent"] == {"old: seconds": 1.5, "new: seconds": None}


def test_verdicts_of_seeds_that_disagree_stand_in_one_cell():
    script = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks/verdicts.py"))
    missed, unclear = KindShare(0.9, 0.8, 1.0, 90, 80), KindShare(0.7, 0.6, 0.8, 90, 80)
    stopped = MeasureVerdict(
        "ranks sentences", "", {"negated": missed, "half and half": unclear, "lead": missed}, ()
    )
    given = [
        stopped,
        stopped,
        MeasureVerdict("not known", "", {"negated": unclear, "half and half": unclear}, ()),
    ]
    cell = "ranks sentences 2, not known 1 of 3 seeds; of 2 kinds of wrong content misses 0–1, not known 1–2"
    assert script["_verdicts"](given) == cell
    of_style = MeasureVerdict("cannot rank", "cannot rank systems here: it is n/a on this corpus", {}, ())
    assert script["_verdicts"]([of_style] * 3) == "cannot rank (n/a), 3 of 3 seeds"
    assert script["_kept"]([missed, unclear]) == ".80 (.60–1.00)"
    assert script["_outcomes"]([missed, unclear, missed]) == "misses 2, not known 1"
