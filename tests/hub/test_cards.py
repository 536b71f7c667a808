"""Cards say what the run recorded, and nothing that it did not."""

import json
import re
import shutil
from functools import partial
from html import unescape
from pathlib import Path

import pytest
from datasets import load_dataset
from hub_server import serve
from huggingface_hub import DatasetCard, HfApi, ModelCard
from malformed import edit
from report_records import a_report, a_row
from saved_judges import save_judge
from tiny_generators import save_generator, save_pretrained_generator

from change_it import HeadlineTransfer
from change_it.cli import main
from change_it.hub import packaging
from change_it.hub.cards import CardSettings, example_of
from change_it.hub.packaging import write
from change_it.judges.judge import Judge
from change_it.report.record import write_report_record


def model_card(files):
    return ModelCard(files["README.md"].decode())


def test_the_data_set_loads_with_its_card(run, files_of, tmp_path):
    files = files_of("dataset", run / "corpus", "me/news")
    card = DatasetCard(files["README.md"].decode())
    assert card.data.license == "cc-by-nc-sa-4.0"  # of the outlets rep and gio
    assert card.data.configs == DatasetCard.load(run / "corpus/README.md").data.configs
    assert 'load_dataset("me/news", "pairs", split="test")' in card.text
    assert "](curve.png)" in card.text

    write(files, tmp_path / "corpus")
    loaded = load_dataset(str(tmp_path / "corpus"), "hh", cache_dir=tmp_path / "cache", split="test")
    assert loaded.num_rows == json.loads(files["alignment.json"])["rows_by_config"]["hh"]["test"]


def test_judges_show_their_tables_and_signature(run, files_of):
    card = model_card(files_of("judge", run / "judges", "me/judges"))
    assert (card.data.pipeline_tag, card.data.language) == (None, "it")
    assert re.search(r"\| judge +\| +\.625 \| +\.123–\.987 \| +– \|", card.text)
    assert re.search(r"\| hard +\| judge +\|", card.text)
    records = [json.loads((run / f"judges/{task}/metrics.json").read_text()) for task in ("main", "hh", "ah")]
    hashes = "+".join(record["model_hash"][:6] for record in records)
    assert f"`judges:{hashes}|fold:all`" in card.text
    assert 'Judges.from_pretrained("me/judges")' in card.text


def test_cards_say_first_what_a_thing_is_for_and_where_its_limits_are(run, files_of):
    judges = files_of("judge", run / "judges")["README.md"].decode()
    generator = files_of("generator", run / "generators" / "sum-gio")["README.md"].decode()
    for card in (judges, generator):
        first, rest = card.split("**Not for**", 1)
        assert "**For** " in first
        assert "\n## " not in first
        assert rest.count("`docs/limits.md` of the package") == 1
    assert "no judge reads who did what, or who said it" in judges.partition("## ")[0]
    data = (run / "corpus" / "README.md").read_text(encoding="utf-8")
    assert "**For** training and testing systems" in data.split("```python")[0]


def test_cards_install_show_an_answer_and_how_a_model_was_trained(run):
    judges = run / "judges"
    card = model_card(
        packaging.files_of(
            "judge", judges, CardSettings(repo_id="me/judges", package="git+https://x.org/me/it@v1")
        )
    )
    assert 'pip install "change-it @ git+https://x.org/me/it@v1"' in card.text
    headline, original, _ = example_of("it")
    judge = Judge.from_pretrained(judges / "hh", device="cpu")
    [[no, yes]] = judge.probabilities(headline, original, progress=False)
    line = f'judges.hh.probabilities("{headline}", "{original}")  # columns: no match, match'
    assert f"{line}\n# [[{no:.2f}, {yes:.2f}]]" in card.text
    assert "| updates | 7 |" in card.text
    assert "/home/somebody" not in card.text
    assert "@inproceedings{de-mattei-etal-2020-interaction," in card.text
    writer = run / "generators/sum-gio"
    text = model_card(packaging.files_of("generator", writer, CardSettings(repo_id="me/sum"))).text
    assert "It is not on PyPI: `pip install .` in a copy of its source" in text
    _, original, article = example_of("it")
    written = HeadlineTransfer.from_pretrained(writer, device="cpu")(original, article=article)
    assert f'transfer("{original}", article="{article}")\n# {json.dumps(written)}' in text


def test_figures_say_their_corpus_and_signature(run, tmp_path):
    folder = Path(shutil.copytree(run, tmp_path / "mine"))
    digest = json.loads((folder / "judges/hh/corpus.json").read_text())["digest"]
    given = {"dataset": "me/news", "dataset_digest": digest}
    card = model_card(
        packaging.files_of("judge", folder / "judges/hh", CardSettings(repo_id="me/hh", **given))
    )
    record = json.loads((folder / "judges/hh/metrics.json").read_text())
    assert card.data.model_name == "hh"
    assert {result.dataset_config for result in card.data.eval_results} == {"hh, random", "hh, hard"}
    for result in card.data.eval_results:
        assert (result.dataset_type, result.metric_type) == ("me/news", "f1")
        assert result.dataset_args == {"corpus_digest": digest, "signature": f"hh:{record['model_hash'][:6]}"}
        test = result.dataset_config.partition(", ")[2]
        assert result.metric_value == round(record["results"][test]["macro_f1"], 4)
    assert f"digest `{digest}`" in card.text

    def figures_of_writer(corpus):
        edit(folder / "report/scores.json", lambda record: record.update(corpus=corpus))
        writer = folder / "generators/sum-gio"
        results = model_card(
            packaging.files_of("generator", writer, CardSettings(repo_id="me/sum", **given))
        ).data.eval_results
        [share] = [result for result in results if result.metric_type == "compliancy"]
        assert (share.metric_value, share.dataset_config) == (0.43, "rep2gio")
        assert share.dataset_args["signature"] == "compliancy|judges:abc|rep2gio"
        return share.dataset_type, share.dataset_args.get("corpus_digest")

    assert figures_of_writer(str(folder / "corpus")) == ("me/news", digest)
    assert figures_of_writer(str(folder / "gone")) == ("change-it-corpus", None)


@pytest.mark.parametrize("kind", ["judge", "generator"])
def test_a_readme_of_training_has_its_metadata(run, tmp_path, kind):
    name = "judges/hh" if kind == "judge" else "generators/sum-gio"
    folder = Path(shutil.copytree(run / name, tmp_path / "model"))
    packaging.write_readme(folder, kind)
    data = ModelCard.load(folder / "README.md").data
    assert (data.language, data.license, data.model_name) == ("it", "cc-by-nc-sa-4.0", "model")
    assert data.pipeline_tag == ("text-classification" if kind == "judge" else "text-generation")


def test_a_generator_shows_its_system_between_gold_and_copy(run, files_of):
    card = model_card(files_of("generator", run / "generators/sum-gio"))
    assert (card.data.library_name, card.data.pipeline_tag) == ("transformers", "text-generation")
    rows = re.findall(r"^\| (\w+) +\| +(-?\.\S+) \(([^)]+)\)", card.text, re.MULTILINE)
    expected = [
        ("gold", ".750", ".650–.850"),
        ("copy", ".000", "-.100 to .100"),
        ("sum", ".430", ".330–.530"),
    ]
    assert rows == expected
    assert "judges:abc|rep2gio" in card.text
    assert "gio2rep" not in card.text


def test_strings_of_strangers_are_text(files_of, tmp_path):
    """Outlets, systems and names of folders can hold whatever somebody calls them."""
    name = "a|b <img src=x onerror=alert(1)> [c](javascript:d)"
    folder = save_generator(tmp_path / "sum", to=name, outlets=("rep", name))
    row = a_row({"compliancy": 0.5}, {}, f"abc|rep2{name} `x`")
    (tmp_path / "report").mkdir()
    write_report_record(tmp_path / "report", a_report(("rep", name), {"sum": {f"rep2{name}": row}}))
    text = model_card(files_of("generator", folder)).text
    outside_code = re.sub(r"`[^`\n]*`", "", text)
    assert "<img" not in outside_code
    assert "](javascript" not in outside_code
    assert "a&#124;b &#60;img src&#61;x onerror&#61;alert(1)&#62; &#91;c&#93;(javascript:d)" in text
    header = next(line for line in text.splitlines() if line.startswith("| rep2a"))
    assert header.count("|") == 3  # the outlet's bar opens no cell


def test_a_data_set_is_named_as_the_one_of_training_only_where_its_articles_are_the_same(run):
    judges = run / "judges"
    digest = json.loads((judges / "main/corpus.json").read_text())["digest"]
    given = {"dataset": "me/news", "repo_id": "me/judges"}
    same = model_card(packaging.files_of("judge", judges, CardSettings(**given, dataset_digest=digest)))
    assert same.data.datasets == ["me/news"]
    assert "Data set: [`me/news`]" in same.text
    other = model_card(packaging.files_of("judge", judges, CardSettings(**given, dataset_digest="0" * 16)))
    assert other.data.datasets is None
    assert "Corpus: `corpus`, another one than the data set [`me/news`]" in other.text
    unknown = model_card(packaging.files_of("judge", judges, CardSettings(**given)))
    assert unknown.data.datasets is None
    assert "me/news" not in unknown.text


def save_of_base(folder, kind, base):
    """Save a model that says that it began from `base`."""
    if kind == "judge":
        save_judge(folder, "main", ["Il ponte", "La neve"], ("rep", "gio"), transformer=True)
        edit(folder / "config.json", lambda config: config["change_it"].update(encoder=base))
        judge = Judge.from_pretrained(folder, device="cpu")
        edit(folder / "metrics.json", lambda record: record.update(model_hash=judge.model_hash))
        return folder
    save_pretrained_generator(folder, "encoder-decoder")
    edit(folder / "generator.json", lambda record: record.update(architecture=base))
    return folder


@pytest.mark.parametrize("kind", ["judge", "generator"])
def test_models_of_pretrained_ones_have_the_licence_of_their_base(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    folder = save_of_base(tmp_path / "main", kind, "nina/base")
    with serve() as hub:
        monkeypatch.setattr(packaging, "HfApi", partial(HfApi, endpoint=hub.url))
        hub.put("nina/base", {"README.md": b"---\nlicense: mit\n---\nA base."})
        card = model_card(packaging.files_of(kind, folder, CardSettings(repo_id="me/it")))
        given = model_card(
            packaging.files_of(kind, folder, CardSettings(repo_id="me/it", license="cc-by-4.0"))
        )
        hub.put("nina/base", {"README.md": b"A base."})
        silent = model_card(packaging.files_of(kind, folder, CardSettings(repo_id="me/it")))
    unreachable = model_card(packaging.files_of(kind, folder, CardSettings(repo_id="me/it")))
    assert card.data.license == "mit"
    assert card.data.base_model in ("nina/base", ["nina/base"])
    texts = "The texts that it learnt from are under cc-by-nc-sa-4.0, whose terms hold, too."
    of_base = "Trained from nina/base (mit): the terms of that model hold, too."
    assert f"mit, the licence of what it was trained from. {texts} {of_base}" in unescape(card.text)
    assert given.data.license == "cc-by-4.0"
    assert f"cc-by-4.0. {of_base}" in unescape(given.text)
    for other in (silent, unreachable):
        assert other.data.license == "unknown"
        assert "Nobody has named a licence for this model." in other.text
        assert "Trained from nina/base: the terms of that model hold, too." in unescape(other.text)


def test_judges_say_how_far_to_rely_on_them(run, tmp_path):
    folder = Path(shutil.copytree(run, tmp_path / "mine"))
    card = model_card(packaging.files_of("judge", folder / "judges", CardSettings(repo_id="me/judges")))
    assert "`change-it audit` has not tried them on wrong headlines" in card.text
    assert re.search(r"\| Story \(HH\) +\| refuses random wrong stories +\|", card.text)
    one = model_card(packaging.files_of("judge", folder / "judges/hh", CardSettings(repo_id="me/hh")))
    assert re.search(r"\| Story \(HH\) +\| refuses random wrong stories +\|", one.text)
    assert "there is none" not in one.text
    assert main(f"audit --judges {folder}/judges --corpus {folder}/corpus --out {folder}/audit".split()) == 0
    verdicts = json.loads((folder / "audit/audit.json").read_text())["verdicts"]
    audited = model_card(packaging.files_of("judge", folder / "judges", CardSettings(repo_id="me/judges")))
    assert "Can these measures rank systems here? By the audit of these judges" in audited.text
    for measure in verdicts:
        assert f"* {measure}: " in audited.text


@pytest.mark.parametrize("kind", ["judge", "generator"])
def test_models_of_pretrained_ones_say_so_and_claim_no_licence_of_their_own(tmp_path, kind):
    if kind == "judge":
        folder = tmp_path / "main"
        save_judge(folder, "main", ["Il ponte", "La neve"], ("rep", "gio"), transformer=True)
    else:
        folder = save_pretrained_generator(tmp_path / "t5", "encoder-decoder")
    card = model_card(packaging.files_of(kind, folder, CardSettings(repo_id="me/it")))
    assert card.data.license == "unknown"
    base = "bert" if kind == "judge" else "t5-base"
    assert f"Trained from {base}: the terms of that model hold, too." in card.text
    named = model_card(packaging.files_of(kind, folder, CardSettings(repo_id="me/it", license="mit")))
    assert named.data.license == "mit"
    assert f"mit. Trained from {base}: the terms" in named.text
