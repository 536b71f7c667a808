"""Print a paper's tables in Markdown, published and measured, from what the scripts of this folder wrote.

    python examples/tables.py lrec2020 RUN CORPUS

Outlet A of the corpus is compared with la Repubblica (rep), B with Il Giornale (gio). Intervals are 95%.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import polars as pl
import tyro

from change_it.corpus.folder import read_outlets
from change_it.corpus.test_set import BUILT_IN, GOLD
from change_it.judges.spec import compliancy_tasks
from change_it.readers.agreement import score_cells
from change_it.readers.published import CITATIONS
from change_it.render.tables import Column, Row, Table, to_markdown, with_interval
from change_it.report.record import read_report_record
from change_it.scoring import overlap
from change_it.stats import AVERAGE

Paper = Literal["lrec2020", "evalnlgeval2020", "changeit2020", "hevas2019"]
F1 = ("first", "second", "mean")
MEASURES = ("compliancy", "hh", "ah", "main", "bleu", "rougeL")
JUDGES = {"main": ("rep", "gio"), "hh": ("no_match", "match"), "ah": ("no_match", "match")}
QUALITY = ("precision", "recall", "f1")
HEVAS = ["R-1", "R-2", "R-SU", "R-WSU", "LSA-C", "LSA-S", "TM-C", "TM-S", "WE-C", "WE-S", "KL-C", "KL-S"]
READABILITY = ["Fog", "NR", "PNR", "PR", "AWL"]
BASELINES = ("random", "tfidf", "first", "stextrank", "wtextrank")
SUM = dict.fromkeys(("baseline", "sum-pn", "sum-pnc"), "sum")  # PN by the text, PNC by the organisers' file
# LREC 2020, Tables 1 (a person: 100 headlines) and 5, section 5.2: F1 of each newspaper and their mean.
# EvalNLGEval 2020, Tables 1 and 2 and gold's compliancy of its section: as MEASURES; S2S2's average of main
# is printed as .849, the mean of its directions is .846. HEvAS 2019, Tables 1 and 2: means of 50 English
# articles; the formula of Fog as printed cannot give its figures: the paper calls all metrics [0,
# 1]-normalized and does not say how.
PUBLISHED = """
random split: .813 .812 .813
a person: .619 .640 .630
train-D, validation gold: .819 .815 .817
train-D, test gold: .755 .703 .729
train-D, in-generated: .701 .630 .666
train-D, cross-generated: .682 .548 .615
train-M, validation gold: .810 .809 .810
train-M, test gold: .782 .770 .776
train-M, in-generated: .690 .653 .672
train-M, cross-generated: .646 .567 .607
train-M, agnostic: - - .47
main rep: .77 .83 .80
main gio: .84 .78 .81
hh no_match: .95 .98 .96
hh match: .98 .95 .96
ah no_match: .99 .96 .97
ah match: .96 .99 .98
gold rep2gio: .743
gold gio2rep: .781
sum rep2gio: .449 .649 .876 .799 .020 .145
sum gio2rep: .240 .639 .871 .435 .026 .156
sum average: .345 .644 .874 .616 .023 .151
s2s1 rep2gio: .436 .632 .842 .815 .011 .136
s2s1 gio2rep: .321 .444 .846 .864 .012 .130
s2s1 average: .379 .538 .844 .840 .012 .133
s2s2 rep2gio: .549 .860 .845 .845 .018 .159
s2s2 gio2rep: .442 .612 .846 .847 .016 .151
s2s2 average: .496 .736 .846 .849 .017 .155
s2s3 rep2gio: .520 .728 .844 .845 .012 .139
s2s3 gio2rep: .420 .760 .848 .649 .013 .156
s2s3 average: .470 .744 .846 .747 .013 .148
random: .046 .000 .011 .018 .869 .721 .783 .586 .693 .445 .593 .954 .740 .471 .004 .004 6.318
tfidf: .008 .000 .002 .003 .980 .731 .338 .470 .650 .390 .578 .951 .786 .511 .000 .000 6.853
first: .408 .177 .176 .236 .892 .828 .925 .691 .734 .735 .664 .959 .410 .396 .006 .017 5.154
stextrank: .191 .066 .061 .096 .904 .781 .794 .608 .732 .579 .692 .932 .446 .357 .005 .020 4.987
wtextrank: .263 .009 .082 .114 .857 .768 .923 .663 .735 .613 .719 .906 .863 .584 .002 .000 6.040
"""
# HEvAS 2019, Table 3: Pearson's correlations for First, above the diagonal, row by row.
CORRELATIONS = """
.74 .99 .99 -.30 .43 .24 .19 .07 .85 .34 .09 .76 .78 -.16 .35 .07 .07 -.09 .66 .11
.21 1.00 -.32 .41 .23 .18 .03 .84 .32 .12 -.31 .42 .23 .18 .05 .85 .32 .11 .28 -.17
-.11 -.14 -.21 -.21 .01 .26 .24 -.08 .44 -.03 .05 .60 .28 .38 .18 -.03 .11 .28 .06 -.05
.26 .44 -.39 .29 .00 -.34"""


def printed(name: str, columns: Sequence[str]) -> dict[str, float]:
    """What was published of a row, by column."""
    lines = dict(line.split(": ") for line in PUBLISHED.strip().split("\n"))
    values = zip(columns, lines.get(name, "").split(), strict=False)
    return {column: float(value) for column, value in values if value != "-"}


def beside(name: str, theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[Row]:
    """Rows of what was published and of what was measured."""
    for words, values in (("published", theirs), ("measured", ours)):
        if values:
            yield Row({"row": f"{name}, {words}", **values})


def table(title: str, names: Sequence[str], rows: Sequence[Row], *notes: str) -> Table:
    """A table of figures with intervals."""
    return Table([Column("row", "text", " "), *map(with_interval, names)], rows, title, notes)


def order(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> Row:
    """Kendall's τ of both orders of the systems, by measure; none where all are equal."""
    found = pd.DataFrame(theirs).T.corrwith(pd.DataFrame(ours).T, method="kendall").dropna()
    return Row({"row": "Kendall's τ", **found})


def with_ends(name: str, drawn: Any) -> dict[str, Any]:
    """A measured value and its interval, from it and what was drawn."""
    return {name: float(drawn[0]), f"{name}_interval": tuple(np.quantile(drawn[1:], [0.025, 0.975]).tolist())}


def correlations(items: Mapping[str, pd.DataFrame]) -> Table:
    """Correlate BLEU and ROUGE-L of each headline with the judges' probabilities.

    EvalNLGEval 2020 left this to future work (sections 5 and 6).
    """
    rows = []
    every = {"all systems": pd.concat(items.values())} if len(items) > 1 else {}
    for name, of in {**items, **every}.items():
        n = int((of["gold"].fillna("") != "").sum())
        for key, judges in overlap.correlations(pl.from_pandas(of)).items():
            rows.append(Row({"row": f"{name}, {key}", "n": n, **score_cells(judges)}))
    columns = [Column("row", "text", " "), Column("n", "count"), *map(with_interval, compliancy_tasks())]
    note = (
        "Headline by headline: with the probability of a match, of main that of the outlet aimed at."
        " Intervals are over events."
    )
    return Table(columns, rows, "Spearman's correlation of BLEU and ROUGE-L with the judges", [note])


def examples(rows: pd.DataFrame, side: str) -> Table:
    """Show all headlines of two articles of each value of `side` beside each other.

    The columns are id, by, headline, and what machines say of it.
    """
    ids = [rows[rows[side] == value]["id"].drop_duplicates() for value in sorted(rows[side].unique())]
    drawn = pd.concat(each.sample(min(2, len(each)), random_state=1) for each in ids)
    shown = [row for id_ in drawn for row in rows[rows["id"] == id_].to_dict("records")]
    columns = [Column(name, "text") for name in ("id", "by", "headline", "machine")]
    return Table(columns, [Row(row) for row in shown], "Examples: the systems of both newspapers")


def systems(run: Path, corpus: Path, paper: str) -> Iterator[Table]:
    """Judges and systems: Tables 1 and 2 of EvalNLGEval 2020, Tables 2 to 4 of CHANGE-IT 2020."""
    rows: list[Row] = []
    for judge, classes in JUDGES.items():
        metrics = json.loads((run / f"judges/{judge}/metrics.json").read_text("utf-8"))
        found = metrics["results"]["gold" if judge == "main" else "random"]
        for published, name in zip(classes, metrics["classes"], strict=True):
            values = printed(f"{judge} {published}", QUALITY)
            rows += beside(f"{judge}, {name}", values, found[name])
    yield table("Judges on gold data", QUALITY, rows)
    report = read_report_record(run / paper)
    if report is None:
        raise SystemExit(f"there is no report in {run / paper}: run examples/{paper}.sh")
    scores, (a, b) = report.scores, read_outlets(str(corpus))
    rows, both = list[Row](), (dict[str, Any](), dict[str, Any]())
    for name, found in scores.systems.items():
        if name in BUILT_IN and name != GOLD:
            continue
        for way, theirs in ((f"{a}2{b}", "rep2gio"), (f"{b}2{a}", "gio2rep"), (AVERAGE, AVERAGE)):
            ours, values = found[way], printed(f"{SUM.get(name, name)} {theirs}", MEASURES)
            ends = {f"{key}_interval": each for key, each in ours.intervals.items()}
            rows += beside(f"{name}, {way}", values, {**ours.values, **ends})
        if values and name != "sum-pnc":
            both[0][name], both[1][name] = values, {key: ours.values[key] for key in MEASURES}
    rows.append(order(*both))
    yield table("Systems", MEASURES, rows, "τ is of the averages, SUM by PN.", f"`{scores.signature}`")
    theirs = [name for name in scores.systems if name not in BUILT_IN or name == GOLD]
    items = {name: pd.read_csv(run / paper / f"items/{name}.csv", dtype={"id": str}) for name in theirs}
    every = [
        of.assign(by=name, machine=np.where(of["compliancy"], "compliant", "")) for name, of in items.items()
    ]
    gold = items.pop(GOLD)
    yield correlations(items)
    originals = gold.assign(by="original", headline=gold["source"], machine="")
    yield examples(pd.concat([originals, *every]).fillna({"headline": ""}), "direction")


def hevas(run: Path, *_: Any) -> Iterator[Table]:
    """The tables of HEvAS 2019."""
    summary, names = json.loads((run / "hevas2019/summary.json").read_text("utf-8")), HEVAS + READABILITY
    theirs = {name: printed(name, names) for name in BASELINES}
    ours = {name: {key: summary["systems"][name]["means"][key] for key in names} for name in BASELINES}
    rows, ends = list[Row](), {name: dict[str, Any]() for name in BASELINES}
    for key in names:
        for each in summary["comparisons"][key]["systems"]:
            ends[each["system"]][f"{key}_interval"] = tuple(each["interval"])
    for name in BASELINES:
        rows += beside(name, theirs[name], ours[name] | ends[name])
    yield table("Tables 1 and 2", names, [*rows, order(theirs, ours)], f"`{summary['signature']}`")
    cells = pd.read_csv(run / "hevas2019/items/first.csv")[HEVAS].corr().to_numpy()[np.triu_indices(12, 1)]
    found, published = pd.Series(cells), pd.Series(CORRELATIONS.split(), dtype=float)
    note = f"They correlate at {found.corr(published):.2f}."
    known = found.astype(object).where(found.notna(), None)
    pairs = zip(combinations(HEVAS, 2), published, known, strict=True)
    rows = [Row({"row": " and ".join(pair), "published": one, "measured": two}) for pair, one, two in pairs]
    yield table("Table 3: correlations for First", ("published", "measured"), rows, note)


def classified(run: Path, corpus: Path) -> pd.DataFrame:
    """Return the Bi-LSTMs' answers: test, event, label and answer.

    The label is 0 or 1: the outlet that wrote the headline, or whose generator did.
    """
    from change_it.judges.judge import Judge  # loads torch

    outlets, answers = read_outlets(str(corpus)), []
    written = partial(pd.read_csv, dtype=str, keep_default_na=False)
    articles = pd.concat(pd.read_parquet(corpus / f"articles/{part}.parquet") for part in ("train", "test"))
    wrote, event = articles.set_index("id")["label"], articles.set_index("id")["event"]
    for name, title in (("train_d", "train-D"), ("train_m", "train-M")):
        tests = []
        for part in ("validation", "test"):
            rows = pd.read_parquet(corpus / name / f"{part}.parquet")
            tests.append(rows.assign(test=f"{part} gold"))
        for label, outlet in enumerate(outlets):
            rows = written(run / f"predictions/{name}-{outlet}.csv")
            kind = np.where(rows["id"].map(wrote) == outlet, "in-generated", "cross-generated")
            tests.append(rows.assign(test=kind, label=label))
        if name == "train_m":
            rows = written(run / "predictions/agnostic.csv")
            tests.append(rows.assign(test="agnostic", label=rows["id"].map(wrote).map(outlets.index)))
        every = pd.concat(tests).query("headline != ''")
        judge = Judge.from_pretrained(run / "classifiers" / name)
        given = judge.probabilities(every["headline"].tolist(), progress=False).argmax(axis=1)
        every = every.assign(
            test=f"{title}, " + every["test"], event=every["id"].map(event), article=every["id"].map(wrote)
        )
        answers.append(every.assign(answer=given))
    return pd.concat(answers)


def measured(answers: pd.DataFrame, tests: Sequence[str]) -> Any:
    """Return F1 of both outlets, their mean, and balanced accuracy: (tests, 4, 1 + resamples).

    A resample draws events, the same for all.
    """
    rows = answers[answers["test"].isin(tests)]
    events, at = np.unique(rows["event"], return_inverse=True)
    n, cells = len(events), np.zeros((len(events), len(tests), 2, 2))
    np.add.at(cells, (at, rows["test"].map(tests.index), rows["label"], rows["answer"]), 1)
    draws = np.random.default_rng(1).multinomial(n, np.full(n, 1 / n), 1000)
    drawn = np.tensordot(np.vstack([np.ones(n), draws]), cells, axes=1)
    right, given, true = np.diagonal(drawn, axis1=2, axis2=3), drawn.sum(axis=2), drawn.sum(axis=3)
    f1, recall = 2 * right / np.maximum(given + true, 1), right / np.maximum(true, 1)
    return np.stack([*np.moveaxis(f1, 2, 0), f1.mean(axis=2), recall.mean(axis=2)]).transpose(2, 0, 1)


def answer(*drawn: Any) -> str:
    """Return yes where all 95% intervals are above 0.

    Return no where one is below it at Holm's level of the smallest p-value.
    """
    if all(np.quantile(each[1:], 0.025) > 0 for each in drawn):
        return "yes"
    below = any(np.quantile(each[1:], 1 - 0.025 / len(drawn)) < 0 for each in drawn)
    return "no" if below else "undecided"


def expectations(answers: pd.DataFrame) -> Table:
    """Return what E1 to E4 compare (section 5.3).

    These are differences of mean F1, and balanced accuracy above chance, as any F1 from .33 to .5 is chance.
    """
    kinds = ("in-generated", "cross-generated", "test gold", "validation gold")
    tests = [f"{name}, {kind}" for kind in kinds for name in ("train-D", "train-M")]
    tested, validation = measured(answers, tests[:6]), measured(answers, tests[6:])[:, 2]
    f1 = dict(zip([*"1234DM", "vD", "vM"], [*tested[:, 2], *validation], strict=True))

    def less(pairs: str) -> dict[str, Any]:
        return {pair: np.subtract(*(f1[name] for name in pair.split("-"))) for pair in pairs.split()}

    above = {f"{at}, balanced accuracy - .5": tested[at - 1, 3] - 0.5 for at in range(1, 5)}
    lost = less("vD-D vM-M")
    expected = {
        "E1: above chance, and less well than gold": above | less("D-1 M-2 D-3 M-4"),
        "E2: setting 2 better than setting 1, on gold too": less("2-1 M-D"),
        "E3: validation above test, most so for D": lost | {"vD-D-(vM-M)": np.subtract(*lost.values())},
        "E4: crossed above chance, below in-generated": dict([*above.items()][2:]) | less("1-3 2-4"),
    }
    rows: list[Row] = []
    for name, parts in expected.items():
        rows.append(Row({"row": name, "answer": answer(*parts.values())}))
        for part, drawn in parts.items():
            rows.append(Row({"row": part, "answer": answer(drawn), **with_ends("value", drawn)}))
    columns = [Column("row", "text", " "), with_interval("value"), Column("answer", "text")]
    note = "1, 2: in-generated, of train-D and M; 3, 4: cross-generated; D, M: test gold; v: validation gold."
    return Table(columns, rows, "Expectations E1 to E4", [note])


def lrec(run: Path, corpus: Path, _: str) -> Iterator[Table]:
    """The tables of LREC 2020."""
    metrics = json.loads((run / "classifiers/random/metrics.json").read_text("utf-8"))
    gold, answers = metrics["results"]["gold"], classified(run, corpus)
    split = dict(zip(F1, [*(gold[name]["f1"] for name in metrics["classes"]), gold["macro_f1"]], strict=True))
    rows = [*beside("random split", printed("random split", F1), split)]
    rows += beside("a person", printed("a person", F1), {})
    for test in answers["test"].unique():
        first, second, mean, _ = measured(answers, [test])[0]
        ours = with_ends("first", first) | with_ends("second", second) | with_ends("mean", mean)
        rows += beside(test, printed(test, F1), ours)
    yield table("Tables 1 and 5, and the newspaper-agnostic generator: F1", F1, rows)
    yield expectations(answers)
    said, names = answers[~answers["test"].str.contains("validation")], np.array(read_outlets(str(corpus)))
    by = said["test"] + " of " + names[said["label"]]
    yield examples(said.assign(by=by, machine=names[said["answer"]]), "article")


def main(paper: Paper, run: Path, corpus: Path, /) -> None:
    """Print the tables of a paper: RUN is the folder of its script."""
    found = {"lrec2020": lrec, "hevas2019": hevas}.get(paper, systems)(run, corpus, paper)
    print(f"# {paper}, published and measured\n\n{CITATIONS[paper]}")
    for each in found:
        print(f"\n## {each.title}\n\n{to_markdown(each)}", *(f"\n{note}" for note in each.notes), sep="\n")


if __name__ == "__main__":
    tyro.cli(main)
