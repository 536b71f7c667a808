"""A corpus is read back as it was written, and two corpora in folders of one name stay two."""

import pytest
from datasets import load_dataset
from polars.testing import assert_frame_equal

from change_it.corpus.build import build_corpus, write_corpus
from change_it.corpus.corpus_options import BuildOptions
from change_it.corpus.folder import read_outlets, read_table
from change_it.errors import InputError
from tests.corpus_fakes import OUTLETS, reading


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    found = []
    for seed in (0, 1):
        out = tmp_path_factory.mktemp(f"run{seed}") / "corpus"
        corpus = build_corpus(reading(seed=seed), BuildOptions(files=(), out=out, language="none"))
        write_corpus(corpus, out)
        found.append((corpus, out))
    return found


def test_tables_and_outlets_come_back(corpora):
    corpus, out = corpora[0]
    assert read_outlets(str(out)) == OUTLETS.names
    for split in ("train", "test"):
        assert_frame_equal(read_table(str(out), "pairs", split), corpus.tables["pairs"][split])
    assert read_table(str(out), "articles", "test", ["id"]).columns == ["id"]


def test_folders_of_one_name_are_not_taken_for_one_another(corpora):
    (first, one), (second, other) = corpora
    for corpus, out in ((first, one), (second, other)):
        rows = load_dataset(str(out), "pairs", split="test")
        assert rows["a_headline"][:] == corpus.tables["pairs"]["test"]["a_headline"].to_list()


@pytest.mark.parametrize("config", ["pairs", "nothing"])
def test_a_folder_that_is_no_corpus_is_bad_input(tmp_path, config):
    with pytest.raises(InputError, match="corpus build"):
        read_table(str(tmp_path), config, "test")
    with pytest.raises(InputError, match="no corpus folder"):
        read_outlets(str(tmp_path / "missing"))
