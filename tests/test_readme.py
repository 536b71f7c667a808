"""The README's examples, run as they stand: shell blocks first, then Python blocks, in one fresh folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parent.parent
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def test_the_two_commands_are_the_makefiles():
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^make (\S+)", "\n".join(blocks("sh")), flags=re.MULTILINE)
    assert {"run", "test"} <= set(targets)
    assert all(re.search(rf"^{target}:", makefile, flags=re.MULTILINE) for target in targets)


@pytest.mark.slow
def test_shell_and_python_examples_run(tmp_path):
    for folder in ("metrics", "dataset_scripts"):
        (tmp_path / folder).symlink_to(CHECKOUT / folder)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    programs = [("bash", "-euo", "pipefail", "-c"), (sys.executable, "-c")]
    for language, program in zip(("bash", "python"), programs, strict=True):
        for number, code in enumerate(blocks(language)):
            done = subprocess.run(
                [*program, code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            shown = f"{language} block {number}:\n{code}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
            assert done.returncode == 0, shown
