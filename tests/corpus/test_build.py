import dataclasses
import json
import random
import re
from dataclasses import replace
from datetime import timedelta
from functools import cache, partial

import polars as pl
import pytest
from corpus_fakes import a_report, articles, options, reading, words, write_articles
from csv_files import read_csv
from datasets import ClassLabel, Value, get_dataset_config_names, load_dataset
from datasets.info import DatasetInfosDict
from huggingface_hub import DatasetCard, DatasetCardData

from change_it.cli import corpus as corpus_commands
from change_it.cli import main
from change_it.corpus import build
from change_it.corpus.build import build_corpus, write_corpus
from change_it.corpus.folder import CONFIGS, read_language, read_outlets, read_report
from change_it.corpus.pairing.groups import NO_POSITIONS
from change_it.corpus.reading.options import BuildOptions
from change_it.corpus.record import BuiltWith, DaysApart, EventCounts
from change_it.corpus.report import summary
from change_it.errors import InputError
from change_it.files.atomic import write_json
from change_it.files.records import to_json


@cache
def built(seed=1):
    """A corpus that tests read."""
    return build_corpus(reading(), options(seed=seed))


def with_near_duplicates(made):
    """A second, hardly changed version of every `rep` article, undated so that it is in no pair."""

    def again(a):
        texts = {"id": f"{a.id}-again", "article": f"{a.article} fine", "headline": f"{a.headline} bis"}
        return dataclasses.replace(a, date=None, **texts)

    return made + [again(a) for a in made if a.label == "rep"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the command writes, from a CSV with two bad rows and near-duplicates of test articles."""
    where = tmp_path_factory.mktemp("build")
    made = with_near_duplicates(articles())
    bad = [dataclasses.replace(made[0], id="empty", headline=""), dataclasses.replace(made[1])]
    write_articles(where / "news.csv", [*made, *bad])
    given = {"files": (str(where / "news.csv"),), "labels": "R:rep,G:gio", "test_articles": 2}
    corpus_commands.build(options(where / "corpus", **given))
    return where / "corpus"


@pytest.fixture(scope="module")
def loaded(folder, tmp_path_factory):
    """Return the splits of each config of the folder, as `datasets` loads them."""
    cache_dir = str(tmp_path_factory.mktemp("cache"))
    return {config: load_dataset(str(folder), config, cache_dir=cache_dir) for config in CONFIGS}


class TestFolder:
    def test_near_duplicates_of_test_articles_are_rejected_with_their_line(self, folder):
        lines = (folder.parent / "news.csv").read_text(encoding="utf-8").splitlines()
        rejected = read_csv(folder / "rejected.csv")
        removed = [row for row in rejected if row["reason"] == "near-duplicate of a test article"]
        test = set(pl.read_parquet(folder / "articles/test.parquet").filter(pl.col("label") == "rep")["id"])
        assert {row["id"] for row in removed} == {f"{id_}-again" for id_ in test}
        assert all(lines[int(row["line"]) - 1].startswith(row["id"] + ",") for row in removed)

    def test_every_config_loads_with_its_columns_and_class_labels(self, folder, loaded):
        report = json.loads((folder / "alignment.json").read_text())
        assert get_dataset_config_names(str(folder)) == list(CONFIGS)
        for config, columns in CONFIGS.items():
            data = loaded[config]
            assert {side: len(rows) for side, rows in data.items()} == report["rows_by_config"][config]
            assert list(data["test"].features) == list(columns)
        streamed = load_dataset(str(folder), "hh", split="test", streaming=True)
        assert list(streamed) == list(loaded["hh"]["test"])
        outlets, match = (loaded[config]["train"].features["label"] for config in ("main", "hh"))
        assert (outlets, match) == (ClassLabel(names=["rep", "gio"]), ClassLabel(names=["no_match", "match"]))


def test_the_card_says_types_rows_and_licence_in_its_metadata(folder, loaded):
    data = DatasetCard.load(folder / "README.md").data
    infos = DatasetInfosDict.from_dataset_card_data(data)
    for config in CONFIGS:
        info, data_of_config = infos[config], loaded[config]
        assert info.features == next(iter(data_of_config.values())).features
        assert {side: split.num_examples for side, split in info.splits.items()} == data_of_config.num_rows
        files = folder.glob(f"{config}/*.parquet")
        assert info.download_size == sum(file.stat().st_size for file in files)
        assert info.dataset_size > 0
    assert infos["articles"].features["label"] == Value("string")  # by its name, as further outlets are
    assert data.license == "cc-by-nc-sa-4.0"
    assert (data.source_datasets, data.annotations_creators) == (["original"], ["machine-generated"])


def test_the_card_has_types_and_rows_as_datasets_writes_them(folder):
    card = folder / "README.md"
    rewritten = DatasetCardData()
    infos = DatasetInfosDict.from_dataset_card_data(DatasetCard.load(card).data)
    infos.to_dataset_card_data(rewritten)
    assert rewritten.to_yaml() in card.read_text(encoding="utf-8")


def test_the_same_seed_gives_the_same_rows_and_another_does_not():
    first, again, other = (
        corpus.tables for corpus in (built(), build_corpus(reading(), options()), built(2))
    )
    for config, by_side in first.items():
        assert all(rows.equals(again[config][side]) for side, rows in by_side.items())
    assert not first["articles"]["test"].equals(other["articles"]["test"])


def test_folders_of_one_name_are_not_taken_for_one_another(tmp_path):
    for seed in (1, 2):
        out = tmp_path / f"run{seed}/corpus"
        write_corpus(built(seed=seed), out)
        assert read_outlets(str(out)) == ("rep", "gio")
        rows = load_dataset(str(out), "pairs", split="test")
        assert rows["a_headline"][:] == built(seed=seed).tables["pairs"]["test"]["a_headline"].to_list()


def test_headlines_that_are_the_text_of_a_test_article_leave_training():
    made = articles()
    test = built().tables["articles"]["test"]
    text = test["article"][0]
    quoting = next(a for a in made if a.id not in set(test["id"]) and a.label == "rep")
    changed = [dataclasses.replace(a, headline=text) if a is quoting else a for a in made]
    corpus = build_corpus(reading(changed), options())
    rejected = {item.id: item.reason for item in corpus.rejected}
    side = "train" if quoting.id in set(corpus.tables["articles"]["train"]["id"]) else "test"
    assert quoting.id in rejected or text in corpus.tables["articles"][side]["article"]
    assert corpus.report.kept + len(rejected) == len(made)


CHANGE_IT = {
    "released": ("id,headline,article,label", "{id},{headline},{article},{label}"),
    "released with alignment": (
        "id,headline,article,label,alignment",
        "{id},{headline},{article},{label},{alignment}",
    ),
    "Hub": ("id,headline,full_text,alignment", "{number},{headline},{article},{alignment}"),
}


@pytest.mark.parametrize("layout", CHANGE_IT)
def test_change_it_as_released_and_as_on_the_hub_needs_no_option(layout, tmp_path):
    header, row = CHANGE_IT[layout]
    files: dict[str, list[str]] = {}
    for a in articles():
        number = int(a.id[3:])
        of_hub = layout.startswith("Hub")
        name = {"rep": "repubblica", "gio": "ilgiornale"}[a.label] if of_hub else "change-it"
        alignment = ("A1", "A2", "A3")[number % 3] if number < 32 else "R"
        cells = {"number": number, "alignment": alignment, "label": "RG"[a.label == "gio"]}
        files.setdefault(f"{name}.csv", [header]).append(
            row.format(id=a.id, headline=a.headline, article=a.article, date=a.date, **cells)
        )
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    paths = [str(tmp_path / name) for name in files]
    assert main(["corpus", "build", *paths, "--out", str(tmp_path / "corpus")]) == 0
    report = json.loads((tmp_path / "corpus/alignment.json").read_text())
    assert report["outlets"] == {"a": "rep", "b": "gio", "a_label": "R", "b_label": "G"}
    assert (report["rows"], report["kept"]) == (94, 94)
    assert report["pairs"]["kept"]["A2"] == (11 if "alignment" in header else 10)
    assert ("No row has a date" in " ".join(report["notes"])) == (layout == "released")


def lasting():
    """The articles of `articles`, and of each strict event one of `gio` two days later in the same words:
    another event.
    """
    made = articles(close=40)
    rng = random.Random(3)
    late = []
    for a in made:
        if a.label == "gio" and int(a.id[3:]) < 40:
            text = [*a.article.split()[:22], *words(rng, 8)]
            day = a.date + timedelta(days=2)
            texts = {"headline": f"late {a.headline}", "article": " ".join(text)}
            late.append(dataclasses.replace(a, id=f"{a.id}-late", date=day, **texts))
    return [*made, *late]


def test_what_a_corpus_says_of_its_pairs_and_events():
    report = build_corpus(reading(lasting()), options()).report
    [same_day] = (row for row in report.days_apart if row.days == 0)
    assert (same_day.strict, same_day.strict_one_event) == (40, 1.0)  # nothing three days apart
    assert report.events == EventCounts(
        largest=2, largest_days=1, largest_pairs=1, effective=20.0, test_pairs=20, test_events=20
    )
    assert report.rejected == {"close to a test article": 20}


def test_the_leak_check_searches_for_itself(monkeypatch):
    """It finds the training articles that a split without guard leaves beside test articles."""
    careless = partial(build.split, close=(NO_POSITIONS, NO_POSITIONS))
    monkeypatch.setattr(build, "split", lambda *given, close, **options: careless(*given, **options))
    with pytest.raises(RuntimeError, match=r"test articles close to training ones: Neighbours\(articles=\d+"):
        build_corpus(reading(lasting()), options())


@pytest.mark.parametrize(
    ("share", "largest", "days", "most", "tests", "says"),
    [
        (0.79, 2, 1, 1, 100, "only 79% of the strict pairs .*: raise --strict to 0.6"),
        (0.79, 2, 1, 1, 99, "only 79% of the strict pairs .*: more articles allow a higher --strict"),
        (0.81, 21, 3, 4, 10, "an event has 21 articles in 3 days, more than one event has: more art"),
        (0.81, 20, 15, 1, 10, "the 20 articles of the largest event span 15 days, longer"),
        (0.81, 21, 15, 5, 10, "an event has 5 of the 20 strict pairs: more articles allow"),
    ],
)
def test_warnings_of_pairs_and_events(share, largest, days, most, tests, says):
    report = built().report
    lag = DaysApart(days=0, compared=9, strict=50, strict_one_event=share, loose=0, loose_one_event=None)
    events = replace(report.events, largest=largest, largest_days=days, largest_pairs=most)
    pairs = replace(report.pairs, kept=report.pairs.kept | {"A2": tests})
    lowest = 0.6 if share < 0.8 else 0.4
    report = replace(report, days_apart=[lag], events=events, pairs=pairs, lowest_strict=lowest)
    *few, warning = build.warnings_of(report)
    assert re.match(says, warning)
    assert ("--strict 0.4" in "".join(few)) == (share > 0.8 and most < 5)


def few_pairs(strict=6, tests=3, **changes):
    """A report of so many strict pairs of one date, and as many a day apart."""
    report = built().report
    kept = {"A1": strict - tests, "A2": tests, "A3": 0}
    days = []
    for lag, share in ((0, 0.92), (1, 0.899)):
        days.append(
            DaysApart(
                days=lag,
                compared=9,
                strict=strict,
                strict_one_event=share,
                loose=0,
                loose_one_event=None,
            )
        )
    pairs = replace(report.pairs, kept=kept)
    return replace(report, pairs=pairs, days_apart=days, lowest_strict=None, **changes)


def test_what_helps_where_pairs_are_few():
    """A denser archive comes first; the estimate of a handful of pairs a day apart is not advice."""
    helps = "archives that cover the same days more densely"
    [warning] = build.warnings_of(few_pairs())
    assert f"what helps is {helps} or more months of articles (see" in warning
    [warning] = build.warnings_of(few_pairs(strict=20))
    a_day_apart = "--window-days 1 (elsewhere LLM readers called half of such pairs one event)"
    assert f"what helps is {helps}, more months of articles or {a_day_apart} (see" in warning


def test_an_event_of_two_articles_and_many_days_is_no_reason_for_another_threshold():
    """Pairs are of one date: what joins two dates is the same text, printed again."""
    events = replace(built().report.events, largest=2, largest_days=239, largest_pairs=1)
    _, warning = build.warnings_of(few_pairs(events=events))
    assert warning == (
        "the 2 articles of the largest event span 239 days, longer than an event lasts: "
        "their texts are nearly the same, so check that they are articles and no notices"
    )
    a_day_apart = replace(built().report.options, window_days=1)
    _, warning = build.warnings_of(few_pairs(events=events, options=a_day_apart))
    assert "their texts are nearly the same" in warning
    chained = replace(events, largest=15, largest_days=15)
    _, warning = build.warnings_of(few_pairs(events=chained, options=a_day_apart))
    assert warning.endswith("near-duplicates or one pair after the other join them, so read them")
    events = replace(events, largest=21, largest_days=3)
    _, warning = build.warnings_of(few_pairs(events=events))
    assert warning.endswith("more than one event has: read its articles")


def test_the_share_of_one_event_of_a_handful_of_pairs_is_not_shown():
    shares = []
    for strict in (19, 20):
        [table] = [t for t in summary(few_pairs(strict=strict)) if t.title == "Pairs by days apart"]
        shares.append(table.rows[0].values["strict_one_event"])
        assert "Of pairs a day apart it may be too high" in table.notes[-1]
    assert shares == [None, 0.92]


@pytest.mark.parametrize(("close", "can_train"), [(4, False), (40, True)])
def test_a_build_says_whether_judges_can_be_trained_next(close, can_train, tmp_path, capsys):
    news = write_articles(tmp_path / "news.csv", articles(close=close, loose=6, alone=10))
    assert main(["corpus", "build", str(news), "--out", str(tmp_path / "corpus")]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert ("Next: change-it train judge --task all" in printed) == can_train
    says = (
        "Warning: 2 training pairs and 2 test pairs are too few to train judges (HH has no training example"
    )
    assert (says in printed) != can_train


def test_names_of_the_input_are_no_markup_in_the_card(tmp_path):
    odd, script = reading(), "<img src=x onerror=alert(1)>|`"
    odd.outlets = dataclasses.replace(odd.outlets, a=script)
    names = {"rep": script, "gio": "gio"}
    odd.articles = [dataclasses.replace(a, label=names[a.label]) for a in odd.articles]
    write_corpus(build_corpus(odd, options()), tmp_path / "corpus")
    body = (tmp_path / "corpus/README.md").read_text().split("\n---\n", 1)[1]
    assert "&#60;img src&#61;x onerror&#61;alert(1)&#62;&#124;&#96;" in body
    assert "<img" not in body


def test_an_input_in_its_own_output_is_refused(tmp_path, capsys):
    article, link = tmp_path / "out/mine.csv", tmp_path / "link.csv"
    article.parent.mkdir()
    article.write_text("mine")
    article.with_name("alignment.json").write_text("{}")
    link.symlink_to(article)
    assert main(["corpus", "build", str(link), "--out", str(article.parent)]) == 2
    assert "would overwrite the input" in capsys.readouterr().err
    assert article.read_text() == "mine"


def test_the_record_of_a_corpus_comes_back_as_it_was(folder):
    report = read_report(folder)
    assert (report.rows, report.thresholds.strict, report.outlets.names) == (143, 0.5, ("rep", "gio"))
    written = json.loads((folder / "alignment.json").read_text())
    assert written.pop("files")
    assert to_json(report) == written


def test_every_option_that_decides_is_recorded():
    of_place = {"out", "engine", "address"}
    recorded = {part.name for part in dataclasses.fields(BuiltWith)}
    assert recorded == {part.name for part in dataclasses.fields(BuildOptions)} - of_place


@pytest.mark.parametrize(
    ("part", "content", "says"),
    [
        ("kept", None, "it lacks kept"),
        ("pairs", {"above_strict": 1}, "it lacks pairs.above_loose"),
        ("rows", "many", "rows is 'many'"),
        ("days_apart", [3], "days_apart is 3"),
    ],
)
def test_the_record_of_another_version_is_refused_in_a_sentence(part, content, says, tmp_path):
    record = to_json(a_report()) | {part: content}
    if content is None:
        del record[part]
    write_json(tmp_path / "alignment.json", record)
    sentence = rf"alignment.json is not as this version writes it \({says}\): build the corpus again with"
    with pytest.raises(InputError, match=sentence):
        read_language(str(tmp_path))
