"""What a module loads when it is imported and used: large libraries only where they are needed."""

import subprocess
import sys

import pytest

MODELS = {"torch", "transformers"}


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        (
            "import change_it\nassert 'HeadlineTransfer' in change_it.__all__\nassert not hasattr(change_it, 'Nothing')",
            MODELS,
        ),
        (
            "import change_it.io",
            {*MODELS, "datasets", "polars", "pyarrow", "numpy", "tyro", "rich"},
        ),
        ("import change_it.corpus.reading", {*MODELS, "datasets"}),
        ("import change_it.corpus.build", {*MODELS, "datasets"}),
        ("import change_it.judges, change_it.judges.options", {*MODELS, "datasets"}),
        ("import change_it.space, change_it.space.demo", {*MODELS, "gradio"}),
        ("import change_it.hevas", {*MODELS, "datasets", "gensim", "sklearn", "scipy", "matplotlib"}),
        ("import change_it.hevas.overlap, change_it.hevas.divergence", {*MODELS, "datasets"}),
        (
            "from change_it.hevas import Documents, System, evaluate\n"
            "documents = Documents(('1',), ('a b',), (('a',),), 'x')\n"
            "result = evaluate(documents, [System('s', ('a',))], metrics=['R-1', 'JS-C'])\n"
            "assert result.means['s']['R-1'] == 1",
            {*MODELS, "datasets"},
        ),
        (
            "from change_it.hevas.readability import readability\nreadability(['Roma vince'], 'it')",
            {*MODELS, "spacy"},
        ),
    ],
    ids=lambda value: value.partition("\n")[0] if isinstance(value, str) else "",
)
def test_it_does_without(code, absent):
    code += f"\nimport sys\nprint(sorted({absent} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
