import json
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from change_it.commands.corpus_curve import CurveOptions, examples, run
from change_it.corpus.alignment import EDGES, histogram
from change_it.errors import InputError
from change_it.results.charts import alignment_chart
from change_it.results.context import histogram as known

SIMILARITIES = np.array([0.97, 0.9, 0.7, 0.52, 0.49, 0.3, 0.21, 0.19])


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    (folder / "pairs").mkdir(parents=True)
    (folder / "README.md").touch()
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
    run(CurveOptions(corpus=corpus, out=tmp_path / "new" / "curve.svg", examples=1))
    printed = capsys.readouterr().out
    assert all(text in printed for text in ("[red] A0", "B0 [/]", "A4", "A7", "0.970", "0.490", "0.190"))
    assert "A2" not in printed
    assert ElementTree.parse(tmp_path / "new" / "curve.svg").getroot().tag.endswith("svg")


def test_the_picture_goes_into_the_corpus_folder(corpus, capsys):
    run(CurveOptions(corpus=corpus, examples=0))
    assert (corpus / "alignment-curve.png").read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out.startswith("Alignment curve:")


def test_lines_and_marks_say_what_the_histogram_says(corpus):
    figure = alignment_chart(known(json.loads((corpus / "alignment.json").read_text())), wide=True)
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    compared, kept = lines["compared"], lines["pairs of the corpus"]
    assert compared.get_ydata()[0] == 508
    assert kept.get_ydata()[0] == kept.get_ydata().max() == 8
    assert kept.get_ydata()[kept.get_xdata() == 0.5] == 4
    assert figure.axes[0].get_yscale() == "log"
    marks = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"strict > 0.5: 4 pairs", "loose > 0.185: 8 pairs"} < set(marks)


def test_no_pair_is_shown_twice(corpus):
    pairs = pl.read_parquet(corpus / "pairs" / "*.parquet")
    shown = examples(pairs, [0.96, 0.5, 0.185], 3)
    assert shown["near"].to_list() == [0.96] * 3 + [0.5] * 3 + [0.185] * 2
    assert shown["pair_id"].n_unique() == 8


def test_bad_input_names_the_fix(corpus, tmp_path):
    with pytest.raises(InputError, match="change-it corpus build"):
        run(CurveOptions(corpus=tmp_path))
    with pytest.raises(InputError, match=r"curve\.pages"):
        run(CurveOptions(corpus=corpus, out=tmp_path / "curve.pages"))
    report = json.loads((corpus / "alignment.json").read_text())
    report["histogram"]["pairs"] = [0] * 190
    (corpus / "alignment.json").write_text(json.dumps(report))
    with pytest.raises(InputError, match="no aligned pairs"):
        run(CurveOptions(corpus=corpus))
