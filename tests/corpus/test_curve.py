import json
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from change_it.corpus.alignment import EDGES, histogram
from change_it.corpus.command import run_curve
from change_it.corpus.curve import draw, examples
from change_it.corpus.options import CurveOptions
from change_it.errors import InputError

SIMILARITIES = np.array([0.97, 0.9, 0.7, 0.52, 0.49, 0.3, 0.21, 0.19])


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    (folder / "pairs").mkdir(parents=True)
    pairs = pl.DataFrame(
        {
            "pair_id": [f"p{k}" for k in range(len(SIMILARITIES))],
            "similarity": SIMILARITIES,
            "a_headline": [f"[red] A{k}" for k in range(len(SIMILARITIES))],
            "a_date": [None] * len(SIMILARITIES),
            "b_headline": [f"B{k} [/]" for k in range(len(SIMILARITIES))],
            "b_date": [None] * len(SIMILARITIES),
        },
        schema_overrides={"a_date": pl.Date, "b_date": pl.Date},
    )
    pairs[:3].write_parquet(folder / "pairs" / "test.parquet")
    pairs[3:].write_parquet(folder / "pairs" / "train.parquet")
    compared = np.concatenate([SIMILARITIES, np.linspace(0.051, 0.18, 500)])
    report = {
        "outlets": {"a": "rep", "b": "gio", "a_label": "R", "b_label": "G"},
        "thresholds": {"strict": 0.5, "loose": 0.185},
        "pairs": {"above_strict": 4, "above_loose": 8},
        "histogram": {
            "edges": EDGES.tolist(),
            "compared": histogram(compared).tolist(),
            "pairs": histogram(SIMILARITIES).tolist(),
        },
    }
    (folder / "alignment.json").write_text(json.dumps(report))
    return folder


def test_prints_the_pairs_nearest_to_each_threshold_and_writes_a_picture(corpus, capsys, tmp_path):
    run_curve(CurveOptions(corpus=corpus, out=tmp_path / "new" / "curve.svg", examples=1))
    printed = capsys.readouterr().out
    assert all(text in printed for text in ("[red] A0", "B0 [/]", "A4", "A7", "0.970", "0.490", "0.190"))
    assert "A2" not in printed
    assert ElementTree.parse(tmp_path / "new" / "curve.svg").getroot().tag.endswith("svg")


def test_the_picture_goes_into_the_corpus_folder(corpus, capsys):
    run_curve(CurveOptions(corpus=corpus, examples=0))
    assert (corpus / "alignment-curve.png").read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out.startswith("Alignment curve:")


def test_lines_and_marks_say_what_the_histogram_says(corpus):
    axes = draw(json.loads((corpus / "alignment.json").read_text())).axes[0]
    lines = {line.get_label(): line for line in axes.get_lines()}
    compared, kept = lines["all pairs compared"].get_ydata(), lines["pairs of the corpus"].get_ydata()
    assert compared[0] == 508
    assert np.isnan(kept[0])
    assert np.nanmax(kept) == 8
    assert kept[90] == 4
    assert axes.get_yscale() == "log"
    assert [text.get_text() for text in axes.texts] == ["strict > 0.5\n4 pairs", "loose > 0.185\n8 pairs"]


def test_no_pair_is_shown_twice(corpus):
    pairs = pl.read_parquet(corpus / "pairs" / "*.parquet")
    shown = examples(pairs, [0.96, 0.5, 0.185], 3)
    assert shown["near"].to_list() == [0.96] * 3 + [0.5] * 3 + [0.185] * 2
    assert shown["pair_id"].n_unique() == 8


def test_bad_input_names_the_fix(corpus, tmp_path):
    with pytest.raises(InputError, match="change-it corpus build"):
        run_curve(CurveOptions(corpus=tmp_path))
    with pytest.raises(InputError, match=r"curve\.pages"):
        run_curve(CurveOptions(corpus=corpus, out=tmp_path / "curve.pages"))
    report = json.loads((corpus / "alignment.json").read_text())
    report["histogram"]["pairs"] = [0] * 190
    (corpus / "alignment.json").write_text(json.dumps(report))
    with pytest.raises(InputError, match="no aligned pairs"):
        run_curve(CurveOptions(corpus=corpus))
