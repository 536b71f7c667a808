"""Two corpora in folders of one name stay two."""

from datasets import load_dataset

from change_it.corpus.build import build_corpus, write_corpus
from change_it.corpus.corpus_options import BuildOptions
from change_it.corpus.folder import read_outlets
from tests.corpus_fakes import OUTLETS, reading


def test_folders_of_one_name_are_not_taken_for_one_another(tmp_path):
    built = {}
    for seed in (0, 1):
        out = tmp_path / f"run{seed}" / "corpus"
        built[out] = build_corpus(reading(seed=seed), BuildOptions(files=(), out=out, language="none"))
        write_corpus(built[out], out)
    for out, corpus in built.items():
        assert read_outlets(str(out)) == OUTLETS.names
        rows = load_dataset(str(out), "pairs", split="test")
        assert rows["a_headline"][:] == corpus.tables["pairs"]["test"]["a_headline"].to_list()
