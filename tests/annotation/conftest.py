import pytest
from studies import write_corpus, write_predictions

from change_it.cli import main


@pytest.fixture(scope="session")
def study_corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("study") / "corpus")


@pytest.fixture
def sheet(study_corpus, tmp_path):
    """A sheet of forty headlines, gold and of one system, with ratings; its key beside it."""
    file = write_predictions(study_corpus, tmp_path / "echo.csv")
    found = tmp_path / "sheet.csv"
    arguments = ["--corpus", str(study_corpus), "--predictions", f"echo={file}", "--items", "20", "--ratings"]
    assert main(["annotate", "sample", *arguments, "--out", str(found)]) == 0
    return found
