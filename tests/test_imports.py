"""What a module loads when it is imported and used: large libraries only where they are needed."""

import json

import pytest
from corpus_fakes import a_report, articles, write_articles
from processes import run_python
from saved_judges import save_judges
from scoring_fakes import EVENTS, OUTLETS, write_toy_corpus

from change_it.corpus.reading.article import Outlets
from change_it.files.records import to_json

MODELS = {"torch", "transformers"}
#: What runs one after the other, and what is not loaded after each.
WITHOUT = {
    "import change_it": MODELS,
    "import change_it.files.rows": {*MODELS, "datasets", "polars", "pyarrow", "numpy", "tyro", "rich"},
    "import change_it.hevas": {*MODELS, "datasets", "gensim", "sklearn", "scipy", "matplotlib"},
    "import change_it.space, change_it.cli.demo": {*MODELS, "gradio"},
    "import change_it.text.tagging; change_it.text.tagging.load_tagger('it')": MODELS,
}
#: With the models of all modules that train; transformers 5.20 imports scikit-learn.
TRAINING = "import change_it.judges.train, change_it.generators.train"
NAMES = (
    "import change_it; answers += ['HeadlineTransfer' in change_it.__all__, hasattr(change_it, 'Nothing')]"
)


def execute(lines):
    """Return code that runs lines, and says after each which libraries that it should not load are there."""
    return "\n".join(f"exec({line!r}); answers.append(loaded({absent}))" for line, absent in lines.items())


def call(commands, absent):
    """Return code that calls commands, of which none should load some libraries."""
    return "\n".join(f"call({command!r}, {absent})" for command in commands)


HEAD = """
import contextlib, gc, io, json, os, sys
gc.disable()  # a fifth of the time in which libraries are loaded
loaded = lambda absent: sorted(absent & set(sys.modules))
def call(command, absent):
    from change_it.cli import main
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as shown:
        status = main(command.split())
    answers.append([status, shown.getvalue(), loaded(absent)])
"""


def run(steps):
    """Run steps, each of a folder and code, one after the other in a program of its own.

    What the code of a step appends to `answers` is its answer. The code has `loaded`, which of some libraries
    are there, and `call` of a command.
    """
    lines = [HEAD, "given = []"]
    for folder, code in steps:
        lines += [f"answers = []; os.chdir({str(folder)!r})", code, "given.append(answers)"]
    done = run_python("-c", "\n".join([*lines, "print(json.dumps(given))"]))
    assert done.stderr == ""
    return json.loads(done.stdout)


LARGE = {*MODELS, "gradio", "datasets", "pandas", "pyarrow", "matplotlib", "sklearn", "accelerate"}
#: Commands, and below each what is said of it.
WRONG = """
corpus build nope.csv --out out
    nope.csv does not exist
corpus build book.xlsx --out out
    book.xlsx is no text but a spreadsheet
train judge --task main --corpus nope --out out
    no corpus folder nope
train judge --task main --corpus corpus --encoder ./nope --out out
    no encoder can be loaded from './nope'
train generator --recipe sum --to nope --corpus corpus --out out
    --to nope is no outlet of corpus: give one or two
train generator --recipe sum --to one --corpus corpus --architecture ./nope --out out
    no model can be loaded from './nope'
transfer --generator sum-two --input rows.csv --to nope --out out.csv
    sum-two has no sum generator for nope
transfer --generator sum-two --input predictions.csv --out out.csv
    predictions.csv has no column article
transfer --generator rewrite --input article.csv --columns article=text --out out.csv
    article.csv has no column headline and no column label
transfer --generator sum-two --out out.csv
    give --corpus to transfer its test headlines, or --input for a file
transfer --generator rewrite --input rows.csv --to rewrite --out out.csv
    rewrite is no outlet of rewrite: give one or two
score --corpus corpus --judges judges --resamples 0
    --resamples 0 is too few
score --corpus corpus --judges judges --predictions mine=rows.csv --columns headline=new
    rows.csv has no column new
annotate read rows.csv --endpoint http://127.0.0.1:9 --model m --out out.csv
    rows.csv has no column item
annotate score rows.csv --key rows.csv
    rows.csv has no column item
demo --run rows.csv --port 0
    rows.csv holds no judges
push metric nope me/nope
    ships no metrics/nope
score --corpus . --judges judges
    . is not a change_it corpus (it has no README.md): did you mean corpus?
score --corpus judges --judges corpus
    it is judges, not corpus: are two options swapped?
transfer --generator judges --corpus corpus --out out.csv
    it is judges, not generators
score --corpus corpus --judges judges --predictions mine=rows.csv --columns title=headline
    is not ours=theirs
corpus build rows.csv --strict 50 --out out
    --strict 50.0 are no cosines
hevas --documents corpus --system mine=rows.csv
    --system of hevas is called --predictions now
push dataset corpus headlines
    headlines is no name
quickstart --out rows.csv/x
    cannot write --out
"""


MODELLESS = """
corpus sample --articles 40 --out sample.csv
corpus build news.csv --out corpus
annotate sheets --corpus corpus --items 2 --out sheet.csv
annotate pairs --corpus corpus --out pairs.csv
hevas --documents corpus --baselines first --metrics R-1 --json
push dataset corpus me/corpus --private --dry-run --out staged
push metric hevas me/hevas --dry-run --out metric
"""


HELP = """
--help
--version
train judge --help
train generator --help
quickstart --help
transfer --help
"""


OF_LINEAR_JUDGES = """
score --corpus corpus --judges judges --resamples 5 --out report
score --corpus corpus --judges judges --resamples 5 --json
judge Ponte --original Ecco --article article.txt --judges judges
judge Ponte --original Ecko --article article.txt --judges judges --to gio --json
audit --corpus corpus --judges judges --items 8
"""
#: What the page does: it is built over judges without generators, and judges a headline that somebody wrote.
PAGE = f"""
from change_it.space.app import build
from change_it.space.answers import judge
from change_it.space.models import Models
models = Models.from_environment({{"CHANGE_IT_JUDGES": "judges", "CHANGE_IT_CORPUS": "corpus"}})
build(models)
found = judge(models, "Ponte", "Crolla il ponte", "Il ponte crolla.", "rep2gio")
answers.append([len(found["candidates"]), loaded({MODELS})])
"""
#: What the command of a quickstart prints of a judge that another process has trained.
LINE = f"""
from pathlib import Path
from change_it.cli.quickstart import result_of
answers.append([result_of("main judge", Path(".")).partition(" ")[0], loaded({MODELS})])
"""


#: The configurations of our models, which a module for no other purpose makes known.
REGISTERED = """
import change_it.auto
from transformers import AutoConfig
kinds = ("linear_judge", "bilstm_judge", "pointer_generator", "pointer_transformer")
answers += [type(AutoConfig.for_model(f"change_it_{kind}")).__name__ for kind in kinds]
"""


def lines_of(text):
    return [line.strip() for line in text.strip().splitlines()]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Answers of one program by its steps, each of which may load what those before it may not."""
    base = tmp_path_factory.mktemp("imports")
    folders = {}
    for name in ("wrong", "modelless", "linear"):
        folders[name] = base / name
        folders[name].mkdir()
    write(folders["wrong"])
    write_articles(folders["modelless"] / "news.csv", articles())
    write_toy_corpus(folders["linear"] / "corpus")
    save_judges(folders["linear"] / "judges", [text for event in EVENTS for text in event], OUTLETS)
    (folders["linear"] / "article.txt").write_text("Il ponte crolla.", encoding="utf-8")
    steps = {
        "names": (base, NAMES),
        "modules": (base, execute(WITHOUT)),
        "help": (base, call(lines_of(HELP), LARGE)),
        "wrong": (folders["wrong"], call(lines_of(WRONG)[::2], LARGE)),
        "modelless": (folders["modelless"], call(lines_of(MODELLESS), MODELS)),
        "linear judges": (folders["linear"], call(lines_of(OF_LINEAR_JUDGES), MODELS)),
        "page": (folders["linear"], PAGE),
        "line": (folders["linear"], LINE),
    }
    return dict(zip(steps, run(steps.values()), strict=True))


@pytest.fixture(scope="module")
def answers_of_models(tmp_path_factory):
    """Answers of one program that loads models."""
    base = tmp_path_factory.mktemp("models")
    steps = {
        "registered": (base, REGISTERED),
        "training": (base, execute({TRAINING: {"datasets", "peft", "pandas"}})),
    }
    return dict(zip(steps, run(steps.values()), strict=True))


def test_modules_do_without_large_libraries(answers, answers_of_models):
    assert answers["names"] == [True, False]
    assert answers["modules"] == [[]] * len(WITHOUT)
    assert answers_of_models["training"] == [[]]


def test_auto_alone_registers_every_model(answers_of_models):
    assert answers_of_models["registered"] == [
        "LinearJudgeConfig",
        "BiLSTMJudgeConfig",
        "PointerGeneratorConfig",
        "PointerTransformerConfig",
    ]


def test_a_help_loads_no_large_library(answers):
    assert [(status, loaded) for status, _, loaded in answers["help"]] == [(0, [])] * len(lines_of(HELP))


def test_a_wrong_path_column_or_outlet_is_answered_without_a_large_library(answers):
    lines = lines_of(WRONG)
    cases = list(zip(lines[::2], lines[1::2], strict=True))
    assert not [
        (command, status, shown, loaded)
        for (command, sentence), (status, shown, loaded) in zip(cases, answers["wrong"], strict=True)
        if status != 2 or loaded or sentence not in " ".join(shown.split()) or shown.count("\n") != 1
    ]


def test_commands_that_need_no_model_load_no_torch(answers):
    given = [(status, loaded) for status, _, loaded in answers["modelless"]]
    assert given == [(0, [])] * len(lines_of(MODELLESS))


def test_linear_judges_answer_without_torch_and_transformers(answers):
    given = [(status, loaded) for status, _, loaded in answers["linear judges"]]
    assert given == [(0, [])] * len(lines_of(OF_LINEAR_JUDGES))
    assert (answers["page"], answers["line"]) == ([[1, []]], [["F1", []]])


def write(folder):
    """A corpus, judges, a generator and tables that look whole from outside."""
    (folder / "book.xlsx").write_bytes(b"PK\x03\x04\x14\x00\xff")
    (folder / "rows.csv").write_text("id,headline,article,label\n1,a b,c d,one\n2,e f,g h,two\n")
    (folder / "predictions.csv").write_text("id,headline,target\n1,a b,two\n")
    (folder / "article.csv").write_text("text\na b c\n")
    report = to_json(a_report(Outlets("one", "two", "one", "two")))
    files = {"corpus/README.md": {}, "corpus/alignment.json": report}
    about = {"fold": "all", "outlets": ["one", "two"], "max_tokens": 9}
    for task in ("main", "hh", "ah"):
        files[f"judges/{task}/config.json"] = {"change_it": {"task": task, **about}}
        files[f"judges/{task}/model.safetensors"] = {}
    card = {"recipe": "sum", "reads": "article", "to": "two", "outlets": ["one", "two"], "kind": "words"}
    card |= {"architecture": "pn", "base": None, "language": "it", "source_tokens": 9, "target_tokens": 9}
    files["sum-two/generator.json"] = card | {"seed": 1, "corpus": "corpus"}
    other = {"recipe": "rewrite", "reads": "both", "to": None}
    files["rewrite/generator.json"] = files["sum-two/generator.json"] | other
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content))
