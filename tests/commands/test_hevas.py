import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from PIL import Image

from change_it import InputError
from change_it.cli import main
from change_it.commands.hevas import HevasOptions, run
from change_it.hevas.metrics import METRICS
from change_it.results import report_files as files

EVENTS = ("governo", "squadra", "pane", "neve", "treno", "scuola")
FILES = ["charts", "items", "report.html", "summary.csv", "summary.json"]
CHEAP = ("R-1", "KL-S", "JS-C", "Fog")


@pytest.fixture
def news(tmp_path):
    rows = [
        {
            "id": f"n{at}",
            "headline": f"Il {event} cambia, Roma protesta",
            "article": f"A Roma il {event} cambia tutto. La gente protesta per il {event} numero {at}. Poi si vota.",
        }
        for at, event in enumerate(EVENTS)
    ]
    path = tmp_path / "news.csv"
    pl.DataFrame(rows).write_csv(path)
    (tmp_path / "mine.txt").write_text(
        "\n".join(f"Roma, {event} & <proteste>" if at else "" for at, event in enumerate(EVENTS)) + "\n",
        encoding="utf-8",
    )
    return path


def options(news, **changed):
    given = {
        "documents": str(news),
        "system": (f"mine={news.parent / 'mine.txt'}",),
        "baselines": ("first", "stextrank"),
        "metrics": CHEAP,
        "resamples": 20,
    }
    return HevasOptions(**{**given, **changed})


def command(*arguments):
    return main(["hevas", *map(str, arguments)])


def test_both_articles_of_a_pair_are_one_event(toy_corpus, capsys):
    arguments = ["--documents", toy_corpus, "--baselines", "first", "random", "--metrics", "R-1", "--json"]
    assert command(*arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert {(each["documents"], each["events"]) for each in found["comparisons"].values()} == {(8, 4)}
    assert "|events:4|resamples:1000|" in found["signature"]


class Page(HTMLParser):
    """Collects what a page refers to, its ids, and the cells of its first table."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.pictures = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.links += [found[name] for name in ("src", "href", "xlink:href") if found.get(name)]
        self.ids += [found["id"]] if "id" in found else []
        self.pictures += [found["aria-label"]] if tag == "svg" else []


def test_all_metrics_from_the_command_line(news, tmp_path, capsys):
    out = tmp_path / "runs" / "out"
    code = command(
        *("--documents", news, "--system", f"mine={tmp_path / 'mine.txt'}", "--baselines", "first", "tfidf"),
        *("--topics", 2, "--lsi", 3, "--resamples", 20, "--out", out),
    )
    printed = capsys.readouterr()
    assert code == 0, printed.err
    assert sorted(path.name for path in out.iterdir()) == FILES
    assert sorted(path.name for path in out.parent.iterdir()) == ["out"]
    assert "mine: 1 of 6 headlines are empty" in printed.out
    table = pl.read_csv(out / "summary.csv")
    assert table["system"].to_list()[-1] == "mine"
    assert sorted(table["average"], reverse=True) == table["average"].to_list()
    assert table["rank"].to_list() == [1, 2, 3]
    assert table["signature"][0] in printed.out
    assert table["empty"].to_list() == [0, 0, 1]
    for system in ("mine", "first", "tfidf"):
        items = pl.read_csv(out / "items" / f"{system}.csv")
        assert items.columns == ["id", "headline", *METRICS]
        assert items["id"].to_list() == [f"n{at}" for at in range(6)]
        row = table.filter(pl.col("system") == system)
        assert row["R-SU"].item() == pytest.approx(items["R-SU"].mean())
    record = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert list(record["systems"]) == table["system"].to_list()
    assert set(record["comparisons"]) == {"average", *METRICS}
    assert len(record["correlations"]["pearson"]) == len(METRICS)
    assert sorted(path.name for path in (out / "charts").iterdir()) == [
        "bar.png", "box.png", "interval.png", "scatter.png",
    ]  # fmt: skip
    for path in (out / "charts").iterdir():
        with Image.open(path) as picture:
            assert picture.width > 400


def test_the_page_stands_alone_with_all_charts(news, tmp_path):
    run(options(news, out=tmp_path / "out"))
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert len(page.pictures) == 4
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith(("#", "data:")) for link in page.links)
    assert all(link[1:] in page.ids for link in page.links if link.startswith("#"))
    assert "#010203" not in text
    assert "currentColor" in text
    shown = " ".join(re.sub(r"<[^>]+>", " ", text).split())
    for words in (
        "1 empty",
        "Friedman: χ²",
        "hevas|lang:it|",
        "Less is better for KL-S, Fog",
        "Pearson above",
    ):
        assert words.lower() in shown.lower(), words


def test_a_single_metric_has_no_scatter_and_one_of_ours_no_rank(news, tmp_path):
    run(options(news, metrics=("JS-C",), baselines=(), out=tmp_path / "js"))
    assert not (tmp_path / "js" / "charts" / "scatter.png").exists()
    [row] = csv.DictReader((tmp_path / "js" / "summary.csv").open(encoding="utf-8"))
    assert (row["rank"], row["average"]) == ("", "")


def test_json(news, capsys):
    run(options(news, json=True))
    record = json.loads(capsys.readouterr().out)
    assert set(record["systems"]) == {"mine", "first", "stextrank"}
    assert list(record["systems"]["mine"]["means"]) == list(CHEAP)
    assert set(CHEAP) - set(record["systems"]["mine"]["ranks"]) == {"JS-C"}


def test_a_second_run_replaces_the_first_and_leaves_other_files(news, tmp_path):
    out = tmp_path / "out"
    cheap = {"metrics": ("R-1",), "resamples": 2, "out": out}
    run(options(news, **cheap))
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    run(options(news, baselines=("random",), **cheap))
    assert sorted(path.name for path in out.iterdir()) == sorted([*FILES, "notes.txt"])
    assert sorted(path.name for path in (out / "items").iterdir()) == ["mine.csv", "random.csv"]


def test_the_same_options_give_the_same_bytes(news, tmp_path):
    for name in ("one", "two"):
        run(options(news, baselines=("random",), seed=5, out=tmp_path / name))
    one, two = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("one", "two")
    )
    assert one == two


def test_a_fault_leaves_nothing_behind(news, tmp_path, monkeypatch):
    out = tmp_path / "out"
    cheap = {"metrics": ("R-1",), "resamples": 2}
    run(options(news, out=out, **cheap))
    before = {path: path.read_bytes() for path in out.rglob("*.*")}

    def broken(*_, **__):
        raise RuntimeError("fault")

    monkeypatch.setattr(files, "hevas_page", broken)
    with pytest.raises(RuntimeError, match="fault"):
        run(options(news, baselines=("random",), out=out, **cheap))
    assert {path: path.read_bytes() for path in out.rglob("*.*")} == before
    with pytest.raises(RuntimeError, match="fault"):
        run(options(news, out=tmp_path / "new", **cheap))
    assert not any(path.name.endswith(".partial") for path in tmp_path.iterdir())
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metrics", "R-1", "ROUGE"], "no metric called ROUGE: choose from R-1,"),
        (["--language", "xx"], "no stop words for language 'xx'"),
        (["--metrics", "TM-C"], "6 documents are fewer than 10 LDA topics"),
        (["--metrics", "LSA-C", "--lsi", "7"], "6 documents are fewer than 7 LSI dimensions"),
        (["--metrics", "WE-C", "--vectors", "{news}"], "is no word2vec file"),
        (["--system", "mine=none.txt"], "none.txt does not exist: check the path"),
        (["--system", "first={mine}"], "the name first is taken"),
        (["--resamples", "0"], "--resamples 0 is too few"),
        (["--n-words", "0", "--baselines", "first"], "a headline of 0 words is none"),
        (["--out", "{news}/out"], "Not a directory; choose another place"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(news, tmp_path, capsys, arguments, message):
    filled = [part.format(news=news, mine=tmp_path / "mine.txt") for part in arguments]
    base = [] if "--system" in filled else ["--system", f"mine={tmp_path / 'mine.txt'}"]
    cheap = [] if "--metrics" in filled else ["--metrics", *CHEAP]
    place = [] if "--out" in filled else ["--out", tmp_path / "out"]
    before = sorted(tmp_path.rglob("*"))
    code = command("--documents", news, *base, *cheap, *place, *filled)
    printed = capsys.readouterr()
    assert code == 2
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_no_system_and_an_empty_article(news, tmp_path):
    with pytest.raises(InputError, match="there is no system to measure: give one, or baselines"):
        run(options(news, system=(), baselines=()))
    text = Path(news).read_text(encoding="utf-8")
    Path(news).write_text(re.sub(r"A Roma il pane[^\n]*", '" "', text), encoding="utf-8")
    with pytest.raises(InputError, match=r"1 document has an empty article \(n2\)"):
        run(options(news))
