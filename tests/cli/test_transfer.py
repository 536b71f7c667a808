"""`change-it transfer`: one row an input row, choice by judges, and runs that were killed."""

from dataclasses import replace
from importlib.metadata import version

import pytest
from csv_files import read_csv, write_rows
from scoring_fakes import FakeJudges, toy_test_set
from tiny_generators import save_generator

from change_it.cli import transfer as transfer_command
from change_it.cli.transfer import TransferOptions
from change_it.errors import InputError
from change_it.generators.networks.headline_pipeline import Candidate
from change_it.generators.transfer import HeadlineTransfer
from change_it.models.saved import hash_of_weights
from change_it.scoring.panel import Judges
from change_it.scoring.prediction_files import read_prediction_files, systems_of
from change_it.scoring.signature import parse_reranker

ROWS = [
    {"id": "r1", "headline": "Crolla il ponte", "article": "Il ponte crolla ieri.", "label": "rep"},
    {"id": "g1", "headline": "Ecco lo sciopero!", "article": "Sciopero generale dei treni.", "label": "G"},
    {"id": "r2", "headline": "", "article": "Approvata la riforma fiscale, è legge.", "label": "R"},
    {"id": "r3", "headline": "Senza articolo", "article": " ", "label": "rep"},
    {"id": "x1", "headline": "Di un altro", "article": "Festival aperto.", "label": "ansa"},
    {"id": "r1", "headline": "Stesso id", "article": "Festival aperto al pubblico.", "label": "rep"},
]


@pytest.fixture(autouse=True)
def paths_are_there(monkeypatch):
    """Skip the checks of folders: judges, corpora and generators are stand-ins here.

    Tests of the whole program ask whether folders are complete.
    """
    for name in ("check_model", "check_corpus"):
        monkeypatch.setattr(transfer_command, name, lambda *_, **__: None)


@pytest.fixture(scope="module")
def generators(tmp_path_factory):
    root = tmp_path_factory.mktemp("generators")
    save_generator(root / "sum-gio", seed=1)
    save_generator(root / "sum-rep", to="rep", seed=2)
    return root


def options(generators, tmp_path, rows=None, **changes):
    settings = {"generator": str(generators), "out": tmp_path / "new.csv", "device": "cpu"} | changes
    if rows:
        settings["input"] = str(write_rows(tmp_path / "in.csv", rows))
    return TransferOptions(**{"generation": ("num_beams=2",)} | settings)


def transferred(chosen):
    transfer_command.run(chosen)
    assert not list(chosen.out.parent.glob("*.partial")) + list(chosen.out.parent.glob(".*.tmp"))
    return read_csv(chosen.out)


def test_one_row_an_input_row_in_order(generators, tmp_path):
    made = transferred(options(generators, tmp_path, ROWS))
    assert [row["id"] for row in made] == [row["id"] for row in ROWS]
    assert [row["target"] for row in made] == ["gio", "rep", "gio", "gio", "", "gio"]
    assert [row["error"] for row in made] == ["", "", "", "empty article", "unknown label: ansa", ""]
    for column in ("headline", "generator"):
        assert [bool(row[column]) for row in made] == [not row["error"] for row in made]
    assert {row["reranker"] for row in made} == {""}
    assert made[0]["generator"] == hash_of_weights(generators / "sum-gio", command="")
    assert made[1]["generator"] == hash_of_weights(generators / "sum-rep", command="")


def test_a_setting_that_fails_as_it_is_used_is_refused(generators, tmp_path):
    settings = ("do_sample=true", "temperature=-3")
    with pytest.raises(InputError, match=f"^--generation {' '.join(settings)}: "):
        transferred(options(generators, tmp_path, ROWS, generation=settings))
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("num_beams=x", "give num_beams a number"),
        ("num_beams=", "give num_beams a number"),
        ("length_penalty=x", "give length_penalty a number"),
        ("num_beams=1.5", "give a whole number from 1 on"),
    ],
)
def test_a_setting_that_is_no_number_is_refused_before_models_load(
    generators, tmp_path, monkeypatch, setting, words
):
    monkeypatch.setattr(HeadlineTransfer, "from_pretrained", lambda *_, **__: pytest.fail("loaded"))
    with pytest.raises(InputError, match=words):
        transferred(options(generators, tmp_path, ROWS, generation=(setting,)))


def test_a_fault_of_a_library_keeps_its_traceback_and_names_the_versions(generators, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise ValueError("model_kwargs are not used by the model: ['cache']")

    monkeypatch.setattr("change_it.generators.transfer.search_headlines", fail)
    with pytest.raises(ValueError, match=r"\['cache'\]") as caught:
        transferred(options(generators, tmp_path, ROWS))  # with num_beams=2, which is not at fault
    assert not isinstance(caught.value, InputError)
    [note] = caught.value.__notes__
    assert f"Installed: torch {version('torch')} and transformers {version('transformers')}." in note
    assert "Tried with: torch>=2.6" in note
    assert ", transformers>=5.20" in note


def test_a_corpus_or_items_of_it_give_a_prediction_file(generators, tmp_path, toy_corpus, toy_test, capsys):
    chosen = options(generators, tmp_path, corpus=str(toy_corpus))
    made = transferred(chosen)
    [system] = systems_of(read_prediction_files([f"new={chosen.out}"]), toy_test_set())
    assert list(system.headlines) == [row["headline"] for row in made]
    assert (all(system.headlines), system.reranker) == (True, None)
    printed = " ".join(capsys.readouterr().out.split())
    assert "8 headlines in" in printed
    assert f"Next: change-it score --corpus {toy_corpus} --judges JUDGES --predictions new=" in printed
    drawn = [[row["id"] for row in transferred(replace(chosen, items=4, seed=seed))] for seed in (1, 2, 3)]
    assert len({*map(tuple, drawn)}) > 1
    for ids in drawn:
        assert ids == [item.id for item in toy_test.items if item.reference and item.id in ids]
        assert ({id_[0] for id_ in ids}, len(ids)) == ({"a", "b"}, 4)


def test_judges_choose_and_sign(generators, tmp_path, monkeypatch):
    """The fake main takes an exclamation mark for gio's. The original alone is edited, and so comes last."""

    def write(self, items, search):
        endings = ["", " per tutti", " per tutti!"][: search.candidates]
        return [[Candidate(item.source.strip("!") + end, -1.0) for end in endings] for item in items]

    monkeypatch.setattr(Judges, "from_pretrained", lambda name, **_: FakeJudges(fold="0"))
    monkeypatch.setattr(HeadlineTransfer, "write", write)
    made = transferred(options(generators, tmp_path, ROWS, rerank="judges", candidates=3))
    chosen = ["Crolla il ponte per tutti!", "Ecco lo sciopero per tutti"]
    assert [(row["headline"], row["candidates"]) for row in made[:2]] == [(text, "3") for text in chosen]
    assert made[2]["error"] == "empty headline"  # judges read it, though sum does not
    assert [bool(row["reranker"]) for row in made] == [not row["error"] for row in made]
    assert parse_reranker(made[0]["reranker"]).fold == "0"


def test_an_interrupted_run_goes_on_with_the_ids_that_are_missing_and_other_options_begin_anew(
    generators, tmp_path, monkeypatch
):
    asked, original = [], HeadlineTransfer.write

    def stop(self, items, search):
        if len(asked) > 8:
            raise KeyboardInterrupt
        asked.extend(item.id for item in items)
        return original(self, items, search)

    texts = [f"{'ponte statale ' * (n % 7 + 1)}numero {n}" for n in range(24)]
    rows = [{"id": str(n), "headline": text, "article": text, "label": "rep"} for n, text in enumerate(texts)]
    chosen = options(generators, tmp_path, rows, batch_size=8)
    monkeypatch.setattr(HeadlineTransfer, "batches_at_once", lambda *_: 1)
    monkeypatch.setattr(HeadlineTransfer, "write", stop)
    chosen.out.write_text("of an earlier run", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        transfer_command.run(chosen)
    assert chosen.out.read_text(encoding="utf-8") == "of an earlier run"
    [partial] = tmp_path.glob("*.partial")
    finished = read_csv(partial)
    assert [row["id"] for row in finished] == asked
    asked.clear()
    for change in ({"generation": ("num_beams=3",)}, {"generator": str(generators / "sum-gio")}):
        with pytest.raises(KeyboardInterrupt):
            transfer_command.run(replace(chosen, **change))
    for other in {*tmp_path.glob("*.partial")} - {partial}:
        other.unlink()
    asked.clear()
    made = transferred(chosen)
    finished_ids = [row["id"] for row in finished]
    assert sorted([*asked, *finished_ids], key=int) == [str(n) for n in range(24)]
    again = [{"row": str(place), **row} for place, row in enumerate(made) if row["id"] in finished_ids]
    assert again == sorted(finished, key=lambda row: int(row["id"]))
