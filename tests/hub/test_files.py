"""What exactly is pushed: weights untouched, code at the root, nothing of this machine."""

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from huggingface_hub import ModelCard, SpaceCard
from malformed import edit, edit_weights, spoil

from change_it.corpus.reading import sample
from change_it.errors import InputError
from change_it.hub import packaging
from change_it.hub.cards import CardSettings, without_paths
from change_it.hub.packaging import RECORD
from change_it.version import __version__

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 5168946\n"
CHECKOUT = Path(__file__).parents[2]


def content(files, name):
    return files[name] if isinstance(files[name], bytes) else files[name].read_bytes()


def test_a_corpus_goes_with_its_tables_and_without_paths(run, files_of):
    files = files_of("dataset", run / "corpus")
    tables = {path.relative_to(run / "corpus").as_posix() for path in (run / "corpus").glob("*/*.parquet")}
    assert files.keys() == {*tables, "README.md", "alignment.json", "curve.png", RECORD}
    assert json.loads(files[RECORD])["files"] == sorted(files.keys() - {RECORD})
    assert json.loads(files["alignment.json"])["options"]["files"] == ["articles.csv"]
    assert not any(str(run).encode() in content(files, name) for name in files.keys() - tables)


def test_a_generator_goes_with_what_training_wrote_and_its_code(run, files_of):
    files = files_of("generator", run / "generators/sum-gio")
    written = {path.name for path in (run / "generators/sum-gio").iterdir()}
    assert files.keys() == {*written, "README.md", RECORD}
    code = json.loads(files["tokenizer_config.json"])["auto_map"]
    assert code == {"AutoTokenizer": ["tokenizer.HeadlineTokenizer", None]}


def edited(name, **changes):
    """Return what changes entries of a JSON file of a folder."""
    return lambda folder: edit(folder / name, lambda record: record.update(changes))


def of_fold(fold, task):
    """Return what makes one judge of several one of another fold."""
    return lambda folder: edit(
        folder / task / "config.json", lambda record: record["change_it"].update(fold=fold)
    )


def other_weights(folder):
    """Change the weights of one judge of several."""
    edit_weights(folder / "hh", lambda tensors: spoil(tensors, number=0.25))


def without(name):
    """Return what removes a file of a folder."""
    return lambda folder: (folder / name).unlink()


def with_empty(name):
    """Return what puts an empty file into a folder."""
    return lambda folder: (folder / name).touch()


def with_link(name):
    """Return what puts a link to a file of the machine into a folder."""
    return lambda folder: (folder / name).symlink_to("/etc/hostname")


def with_pointer(name):
    """Return what puts a pointer of git-lfs in the place of a file."""
    return lambda folder: (folder / name).write_bytes(POINTER)


WRITER = "generators/sum-gio"
#: What is wrong to the folder, what damages it, and what the refusal says.
DAMAGES = {
    "a key": (WRITER, with_empty("credentials.json"), "write .credentials.json"),
    "code": (WRITER, with_empty("mine.py"), r"did not write \(mine\.py\): move"),
    "a link": ("judges/hh", with_link("a.txt"), r"a\.txt is a link that"),
    "a base in a folder": (
        WRITER,
        edited("generator.json", base="/home/me/t5"),
        "on the Hub, --base OWNER/NAME",
    ),
    "weights": ("judges/hh", without("model.safetensors"), "holds no model.safetensors: train one"),
    "settings": (
        "judges/hh",
        edited("config.json", change_it={"task": "hh"}),
        "hh cannot be loaded as a judge",
    ),
    "code that lacks": (WRITER, without("tokenizer.py"), r"lacks code .* \(tokenizer\.py\)"),
    "code of code": (WRITER, without("formats.py"), r"lacks code .* \(formats\.py\)"),
    "a pointer": ("judges/hh", with_pointer("model.safetensors"), "only a pointer of git-lfs"),
    "main of another fold": (
        "judges",
        of_fold("0", "main"),
        r"differ in outlets or fold \(main: rep and gio, fold 0; hh: .*fold all",
    ),
    "ah of another fold": ("judges", of_fold("1", "ah"), "differ in outlets or fold"),
    "another signature": (
        "judges",
        edited("hh/metrics.json", model_hash="0" * 64),
        "hh is not the one that its metrics.json measured",
    ),
    "other weights": ("judges/hh", edited("metrics.json", weights_hash="0" * 64), "hh is not the one that"),
    "weights of another": ("judges", other_weights, "judges/hh is not the one that"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_what_must_not_go_out_is_refused(run, files_of, tmp_path, kind):
    model, damage, says = DAMAGES[kind]
    folder = Path(shutil.copytree(run / model, tmp_path / model))
    damage(folder)
    with pytest.raises(InputError, match=says):
        files_of("judge" if model.startswith("judge") else "generator", folder)


def test_adapters_of_a_local_base_go_under_its_name_on_the_hub(run, tmp_path):
    folder = Path(shutil.copytree(run / "generators/sum-gio", tmp_path / "sum"))
    edit(folder / "generator.json", lambda record: record.update(base="/home/me/t5", kind="causal"))
    (folder / "config.json").unlink()
    (folder / "model.safetensors").rename(folder / "adapter_model.safetensors")
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "/home/me/t5", "r": 16}')
    with pytest.raises(InputError, match=r"\(/home/me/t5\): give the name .* --base OWNER/NAME"):
        packaging.files_of("generator", folder, CardSettings(repo_id="me/sum"))
    files = packaging.files_of("generator", folder, CardSettings(repo_id="me/sum", base="it5/it5-base"))
    assert json.loads(files["generator.json"])["base"] == "it5/it5-base"
    adapter = json.loads(files["adapter_config.json"])
    assert adapter == {"base_model_name_or_path": "it5/it5-base", "r": 16}
    card = ModelCard(files["README.md"].decode())
    assert card.data.base_model == "it5/it5-base"
    assert "/home/me" not in card.content
    with pytest.raises(InputError, match=r"--base is of adapters, and .* holds none"):
        packaging.files_of(
            "generator", run / "generators/sum-gio", CardSettings(repo_id="me/sum", base="it5/it5-base")
        )


def test_the_name_of_this_machine_stays_here(run, tmp_path):
    """TensorBoard names its logs by the machine; they are not pushed, and neither is their name."""
    folder = Path(shutil.copytree(run / "judges/hh", tmp_path / "hh"))
    names = [path.name for path in folder.iterdir()]
    logs = "logs/Nov28_10-00-00_MYHOST/events.out.tfevents.1.MYHOST.7.0"
    (folder / logs).parent.mkdir(parents=True)
    (folder / logs).touch()
    edit(folder / "metrics.json", lambda record: record.update(files=[*names, logs]))
    files = packaging.files_of("judge", folder, CardSettings(repo_id="me/hh"))
    assert json.loads(files["metrics.json"])["files"] == names
    assert not any(b"MYHOST" in content(files, name) for name in files)
    assert not any("MYHOST" in name for name in files)


def test_a_metric_goes_by_the_name_of_its_repository(files_of):
    files = files_of("metric", "hevas", "me/headlines")
    own = "change-it[hevas] @ git+https://huggingface.co/spaces/me/headlines"
    assert content(files, "headlines.py") == content(files, "hevas.py")
    imports = re.findall(r"(?m)^(?:from|import) change_it\b.*", content(files, "hevas.py").decode())
    assert imports
    assert all(line.endswith(f"  # From: '{own}'") for line in imports)
    card = content(files, "README.md").decode()
    assert card.startswith("---\ntitle: HEvAS\n")
    assert f'pip install "{own}"' in card
    assert 'evaluate.load("me/headlines")' in card
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["hevas"]]
    assert content(files, "requirements.txt").decode().splitlines() == [
        "--extra-index-url https://download.pytorch.org/whl/cpu",
        *needed,
    ]


def test_the_package_goes_with_an_app_and_nothing_else_does(files_of):
    files = files_of("space", "headline_transfer")
    own = {"README.md", "app.py", "requirements.txt", RECORD}
    package = {"pyproject.toml", "LICENSE", "NOTICE"}
    assert {name.partition("/")[0] for name in files} == {*own, *package, "change_it"}
    modules = {path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "change_it").rglob("*.py")}
    shipped = {name.partition("/_shipped/")[2] for name in files if "/_shipped/" in name}
    code = {name for name in files if name.endswith(".py") and "/_shipped/" not in name}
    assert code == {*modules, "app.py"}
    assert {"metrics/hevas/README.md", "spaces/headline_transfer/app.py", *package} < shipped
    assert not [name for name in files if "sample.parquet" in name or "data/writer" in name]
    record = json.loads(files[RECORD])
    assert record["version"] == __version__
    assert re.fullmatch("[0-9a-f]{40}", record["commit"])
    size = sum(len(content(files, name)) for name in files)
    assert size < 4_000_000
    texts = [content(files, name) for name in files if not name.endswith((".npz", ".parquet"))]
    assert not any(str(CHECKOUT).encode() in text for text in texts)
    project = tomllib.loads(content(files, "pyproject.toml").decode())
    assert project["project"] == tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    assert project.keys() == {"build-system", "project", "tool"}


@pytest.mark.parametrize(
    ("kind", "name", "extra"), [("metric", "hevas", "[hevas]"), ("space", "headline_transfer", "[space]")]
)
def test_a_page_that_installs_the_package_holds_no_copy(kind, name, extra):
    address = "git+https://huggingface.co/spaces/me/compliancy@v1"
    files = packaging.files_of(kind, Path(name), CardSettings(repo_id=f"me/{name}", package=address))
    module = {"hevas.py"} if kind == "metric" else set()
    assert files.keys() == {"README.md", "app.py", "requirements.txt", RECORD, *module}
    own = f"change-it{extra} @ {address}"
    assert content(files, "requirements.txt").decode().splitlines()[1:] == [own]
    card = content(files, "README.md").decode()
    assert f'The package is not on PyPI: pip installs it with git:\n\n```bash\npip install "{own}"' in card
    assert "this repository" not in card.partition("## Example")[0]
    assert json.loads(files[RECORD])["package"] == address
    for file in module:
        assert f"# From: '{own}'" in content(files, file).decode()


def test_the_card_of_a_page_names_its_models_and_data_set():
    variables = {
        "CHANGE_IT_JUDGES": "me/judges",
        "CHANGE_IT_GENERATORS": "sum=me/sum-rep, sum=me/sum-gio",
        "CHANGE_IT_CORPUS": "me/news",
        "OTHER": "me/other",
    }
    files = packaging.files_of(
        "space", Path("headline_transfer"), CardSettings(repo_id="me/page", variables=variables)
    )
    card = SpaceCard(files["README.md"].decode())
    assert card.data.models == card.data.preload_from_hub == ["me/judges", "me/sum-rep", "me/sum-gio"]
    assert card.data.datasets == ["me/news"]
    assert (card.data.sdk, card.data.title) == ("gradio", "Headline transfer")
    plain = packaging.files_of("space", Path("headline_transfer"), CardSettings(repo_id="me/page"))
    assert SpaceCard(plain["README.md"].decode()).text == card.text


def test_the_examples_of_a_page_ask_its_own_models_and_address():
    variables = {"CHANGE_IT_JUDGES": "me/judges"}
    metric = packaging.files_of(
        "metric", Path("compliancy"), CardSettings(repo_id="me/compliancy", variables=variables)
    )
    card = content(metric, "README.md").decode()
    assert 'judges="me/judges",' in card
    assert 'evaluate.load("me/compliancy", "me/judges")' in card
    page = packaging.files_of("space", Path("headline_transfer"), CardSettings(repo_id="Me/My_page"))
    card = content(page, "README.md").decode()
    assert 'Client("Me/My_page")' in card
    assert "PAGE=https://me-my-page.hf.space/gradio_api" in card


def test_a_copy_without_the_sample_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(sample, "SAMPLE", tmp_path / "sample.parquet")
    with pytest.raises(InputError, match=r"lacks sample\.parquet, .*: install the whole package"):
        sample.sample_articles(10, 1)
    assert not sample.is_sample([])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/home/me/runs/corpus", "corpus"),
        ("~/corpus/", "corpus"),
        (r"C:\runs\corpus", "corpus"),
        ("owner/name", "owner/name"),
        ("La Stampa=/home/me/stampa.csv", "La Stampa=stampa.csv"),
        ("learning_rate=1e-3", "learning_rate=1e-3"),
        ("</s>", "</s>"),
        (["/tmp/x/y", {"key": "/tmp/x/z"}, 1], ["y", {"key": "z"}, 1]),
    ],
)
def test_absolute_paths_become_names(before, after):
    assert without_paths(before) == after
