"""`change-it transfer`: one row an input row, choice by judges, and runs that were killed."""

from dataclasses import replace

import pytest
from csv_files import read_csv, write_rows
from scoring_fakes import FakeJudges, toy_test_set
from tiny_generators import save_generator

from change_it.commands import transfer as transfer_command
from change_it.commands.transfer import TransferOptions
from change_it.errors import InputError
from change_it.generators.headline_transfer import HeadlineTransfer
from change_it.networks.headline_pipeline import Candidate
from change_it.networks.pretrained import hash_of_weights
from change_it.scoring.judges import Judges
from change_it.scoring.signature import parse_reranker
from change_it.scoring.systems import read_prediction_files, systems_of

ROWS = [
    dict(zip(("id", "headline", "article", "label"), cells, strict=True))
    for cells in (
        ("r1", "Crolla il ponte", "Il ponte sulla statale crolla ieri.", "rep"),
        ("g1", "Ecco lo sciopero!", "Sciopero generale dei treni.", "G"),
        ("r2", "", "Approvata la riforma fiscale, è legge.", "R"),
        ("r3", "Senza articolo", " ", "rep"),
        ("x1", "Di un altro", "Festival aperto.", "ansa"),
        ("r1", "Stesso id", "Festival aperto al pubblico.", "rep"),
    )
]


@pytest.fixture(autouse=True)
def paths_are_there(monkeypatch):
    """Judges, corpora and generators are stand-ins here: whether their folders are whole is asked in tests of the program."""
    for name in ("check_judges", "check_model", "check_corpus"):
        monkeypatch.setattr(transfer_command, name, lambda *_, **__: None)


@pytest.fixture(scope="module")
def generators(tmp_path_factory):
    root = tmp_path_factory.mktemp("generators")
    save_generator(root / "sum-gio", seed=1)
    save_generator(root / "sum-rep", to="rep", seed=2)
    return root


@pytest.fixture
def judges(monkeypatch):
    fakes = FakeJudges(fold="0")
    monkeypatch.setattr(Judges, "from_pretrained", lambda name, **_: fakes)
    return fakes


def write(path, rows=ROWS):
    return str(write_rows(path, rows))


def options(generators, tmp_path, **changes):
    return TransferOptions(
        **{"generator": str(generators), "out": tmp_path / "new.csv", "device": "cpu"}
        | {"generation": ("num_beams=2",)}
        | changes
    )


def transferred(chosen):
    transfer_command.run(chosen)
    assert not list(chosen.out.parent.glob("*.partial")) + list(chosen.out.parent.glob(".*.tmp"))
    return read_csv(chosen.out)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_one_row_an_input_row_in_order(generators, tmp_path, kind):
    made = transferred(options(generators, tmp_path, input=write(tmp_path / f"in.{kind}")))
    assert [row["id"] for row in made] == [row["id"] for row in ROWS]
    assert [row["target"] for row in made] == ["gio", "rep", "gio", "gio", "", "gio"]
    assert [row["error"] for row in made] == ["", "", "", "empty article", "unknown label: ansa", ""]
    assert [bool(row["headline"]) for row in made] == [not row["error"] for row in made]
    assert {row["reranker"] for row in made} == {""}
    assert [bool(row["generator"]) for row in made] == [not row["error"] for row in made]
    assert made[0]["generator"] == hash_of_weights(generators / "sum-gio", command="")
    assert made[1]["generator"] == hash_of_weights(generators / "sum-rep", command="")


def test_a_setting_that_fails_as_it_is_used_is_refused(generators, tmp_path):
    given = ("do_sample=true", "temperature=-3")
    with pytest.raises(InputError, match=f"^--generation {' '.join(given)}: "):
        transferred(options(generators, tmp_path, input=write(tmp_path / "in.csv"), generation=given))
    assert not list(tmp_path.glob("*.partial"))


def test_a_corpus_or_items_of_it_give_a_prediction_file(generators, tmp_path, toy_corpus, toy_test, capsys):
    chosen = options(generators, tmp_path, corpus=str(toy_corpus))
    made = transferred(chosen)
    [system] = systems_of(read_prediction_files([f"new={chosen.out}"]), toy_test_set())
    assert list(system.headlines) == [row["headline"] for row in made]
    assert (all(system.headlines), system.reranker) == (True, None)
    printed = " ".join(capsys.readouterr().out.split())
    assert "8 headlines in" in printed
    assert f"Next: change-it score --corpus {toy_corpus} --judges JUDGES --predictions new=" in printed
    order = [item.id for item in toy_test.items if item.reference]
    drawn = [
        tuple(row["id"] for row in transferred(replace(chosen, items=4, seed=seed))) for seed in (1, 2, 3)
    ]
    assert len({*drawn}) > 1
    for ids in drawn:
        assert list(ids) == [id_ for id_ in order if id_ in ids]
        assert ({id_[0] for id_ in ids}, len(ids)) == ({"a", "b"}, 4)


def test_judges_choose_and_sign(generators, tmp_path, judges, monkeypatch):
    asked = []

    def write(self, items, search):
        asked.append(search.candidates)
        endings = ["", " per tutti", " per tutti!"]
        return [[Candidate(item.source.strip("!") + end, -1.0) for end in endings] for item in items]

    monkeypatch.setattr(HeadlineTransfer, "write", write)
    given = {"input": str(write_rows(tmp_path / "in.csv", ROWS)), "rerank": "judges", "candidates": 3}
    made = transferred(options(generators, tmp_path, **given))
    # the fake main judge takes an exclamation mark for gio's; the original alone is edited, and so comes last
    chosen = ["Crolla il ponte per tutti!", "Ecco lo sciopero per tutti"]
    assert [row["headline"] for row in made[:2]] == chosen
    assert [row["candidates"] for row in made[:2]] == ["3", "3"]
    assert made[2]["error"] == "empty headline"  # judges read it, though sum does not
    assert set(asked) == {3}
    assert [bool(row["reranker"]) for row in made] == [not row["error"] for row in made]
    assert parse_reranker(made[0]["reranker"]).fold == "0"


def many(tmp_path):
    texts = [f"{'ponte statale ' * (n % 7 + 1)}numero {n}" for n in range(24)]
    rows = [{"id": str(n), "headline": text, "article": text, "label": "rep"} for n, text in enumerate(texts)]
    return write(tmp_path / "many.csv", rows)


def test_an_interrupted_run_goes_on_with_the_ids_that_are_missing_and_other_options_begin_anew(
    generators, tmp_path, monkeypatch
):
    asked, original = [], HeadlineTransfer.write

    def stop(self, items, search):
        if len(asked) > 8:
            raise KeyboardInterrupt
        asked.extend(item.id for item in items)
        return original(self, items, search)

    monkeypatch.setattr(HeadlineTransfer, "batches_at_once", lambda *_: 1)
    monkeypatch.setattr(HeadlineTransfer, "write", stop)
    chosen = options(generators, tmp_path, input=many(tmp_path), batch_size=8)
    chosen.out.write_text("of an earlier run", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        transfer_command.run(chosen)
    assert chosen.out.read_text(encoding="utf-8") == "of an earlier run"
    [partial] = tmp_path.glob("*.partial")
    kept = read_csv(partial)
    assert [row["id"] for row in kept] == asked
    asked.clear()
    for change in ({"generation": ("num_beams=3",)}, {"generator": str(generators / "sum-gio")}):
        with pytest.raises(KeyboardInterrupt):
            transfer_command.run(replace(chosen, **change))
    for other in {*tmp_path.glob("*.partial")} - {partial}:
        other.unlink()
    asked.clear()
    made = transferred(chosen)
    kept_ids = [row["id"] for row in kept]
    assert sorted([*asked, *kept_ids], key=int) == [str(n) for n in range(24)]
    assert [{"row": str(place), **row} for place, row in enumerate(made) if row["id"] in kept_ids] == sorted(
        kept, key=lambda row: int(row["id"])
    )
