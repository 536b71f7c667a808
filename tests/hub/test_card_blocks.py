"""Every block of every card that `tools/publish.sh` pushes of a run runs as it stands.

The variable CHANGE_IT_RUN names a finished run of the quickstart; without it a short one is made.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hub_server import serve
from processes import run_program, run_python
from short_quickstart import shorten

from change_it.cli import main

pytestmark = pytest.mark.slow(seconds=120)
CHECKOUT = Path(__file__).parents[2]
ACCOUNT = "nina"
PAGE = f"spaces/{ACCOUNT}/headline-transfer"
#: What runs before a block where this package cannot be imported.
WITHOUT = 'import sys\n\nsys.modules["change_it"] = None\n'
#: Beginnings of blocks that need the network beyond this machine: pip and git, and the address of a Space.
ELSEWHERE = ("pip install", "PAGE=https://")

#: The objects and functions of this package, from another folder.
OBJECTS = """
import evaluate
from datasets import get_dataset_config_names, load_dataset
from change_it import HeadlineTransfer, Judges
for config in get_dataset_config_names("nina/headlines-in-two-styles"):
    assert load_dataset("nina/headlines-in-two-styles", config)["test"].num_rows
judges = Judges.from_pretrained("nina/headline-judges")
pair = load_dataset("nina/headlines-in-two-styles", "pairs", split="test")[0]
article = pair["a_article"]
transfer = HeadlineTransfer.from_pretrained("nina/headline-rewriter")
new = transfer(pair["a_headline"], article=article, to="faro")
compliancy = evaluate.load("nina/compliancy", "nina/headline-judges")
item = {"predictions": [new], "sources": [pair["a_headline"]], "articles": [article], "labels": ["colle"]}
compliancy.compute(**item)
print(new, compliancy.signature, judges.signature, judges.main.commit, sep="\\n")
"""


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Provide the Hub after `tools/publish.sh`, and the environment of its clients."""
    folder = tmp_path_factory.mktemp("published")
    run = os.environ.get("CHANGE_IT_RUN") or str(folder / "run")
    if not Path(run).is_dir():
        with pytest.MonkeyPatch.context() as patch:
            shorten(patch)
            assert main(["quickstart", "--articles", "500", "--out", run]) == 0
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    inherited["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{inherited['PATH']}"
    with serve() as hub:
        variables = inherited | hub.environment(folder / "home")
        script = ["bash", str(CHECKOUT / "tools/publish.sh"), ACCOUNT, run]
        done = run_program(script, env=variables, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
        yield hub, variables


def blocks_of(hub, language):
    """Return each block of a language in a card, with the name of its repository."""
    found = []
    for name in hub.commits:
        card = hub.files(name)["README.md"].decode()
        found += [(name, block) for block in re.findall(rf"```{language}\n(.*?)```", card, re.DOTALL)]
    return found


def needs_package(block):
    """Return whether a block needs this package: it imports it, or loads one of its metrics."""
    return "change_it" in block or "evaluate.load" in block


def run_blocks(blocks, variables, folder, before=""):
    """Run blocks of Python, each in a process of its own."""
    for name, block in blocks:
        done = run_python("-c", before + block, env=variables, cwd=folder)
        assert done.returncode == 0, f"{name}\n{block}\n{done.stderr}"


def test_blocks_that_name_no_package_of_ours_run_without_it(published, tmp_path):
    hub, variables = published
    blocks = [(name, block) for name, block in blocks_of(hub, "python") if not needs_package(block)]
    blocks = [(name, block) for name, block in blocks if name != PAGE]
    assert {name for name, _ in blocks} == {
        f"datasets/{ACCOUNT}/headlines-in-two-styles",
        f"{ACCOUNT}/headline-judges",
        f"{ACCOUNT}/headline-rewriter",
    }
    run_blocks(blocks, variables, tmp_path, WITHOUT)


def test_the_other_blocks_run_with_the_package(published, tmp_path):
    hub, variables = published
    blocks = [(name, block) for name, block in blocks_of(hub, "python") if needs_package(block)]
    assert {name.rpartition("/")[2] for name, _ in blocks} == {
        *("headline-judges", "headline-rewriter", "compliancy", "headline_rouge", "hevas")
    }
    run_blocks(blocks, variables, tmp_path)
    commands = [(name, block) for name, block in blocks_of(hub, "bash") if not block.startswith(ELSEWHERE)]
    assert commands
    for name, command in commands:
        done = run_program(["bash", "-ec", command], env=variables, cwd=tmp_path)
        assert done.returncode == 0, f"{name}\n{command}\n{done.stderr}"


def test_objects_open_from_another_folder(published, tmp_path):
    hub, variables = published
    done = run_python("-c", OBJECTS, env=variables, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    *_, new, signature, of_judges, commit = done.stdout.splitlines()
    assert new
    main_judge = of_judges.partition("judges:")[2].partition("+")[0]
    assert main_judge in signature
    assert hub.at(f"{ACCOUNT}/headline-judges", commit)


def test_the_page_answers_as_its_card_asks(published, tmp_path):
    """Start the page from what was pushed, with its variables, and run each block of its card against it."""
    hub, variables = published
    for name, content in hub.files(PAGE).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    of_page = {"PYTHONUNBUFFERED": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
    environment = variables | hub.variables[PAGE] | of_page
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen([sys.executable, "app.py"], env=environment, cwd=tmp_path, **output) as program:
        try:
            addresses = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in program.stdout)
            [address] = (next(filter(None, addresses)).group(),)
            [block] = [block for name, block in blocks_of(hub, "python") if name == PAGE]
            asked = block.replace(f'"{PAGE.removeprefix("spaces/")}"', f'"{address}"')
            assert address in asked
            done = run_python("-c", WITHOUT + asked, env=variables, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert done.stdout.strip()
            [command] = [block for name, block in blocks_of(hub, "bash") if name == PAGE and "curl" in block]
            asked = command.replace(f"https://{ACCOUNT}-headline-transfer.hf.space", address)
            assert address in asked
            done = run_program(["bash", "-ec", asked], env=variables, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert done.stdout.count("event: complete") == 2, done.stdout
        finally:
            program.kill()
