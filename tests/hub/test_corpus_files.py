"""A corpus on the Hub: only the tables that are read are fetched, all of one commit."""

import json
import os

import pytest
from hub_server import serve
from processes import run_python

from change_it.corpus.folder import read_report, read_table
from change_it.space.models import corpus_examples

#: Reads the examples of the page, then a table of training, and after a change of the data set another one.
READ = """
import json, sys
from pathlib import Path
from huggingface_hub import HfApi
from change_it.corpus.folder import read_all_outlets, read_report, read_table
from change_it.space.models import corpus_examples

def fetched():
    return sorted(path.relative_to(root).as_posix() for path in root.glob("*/*.parquet"))

examples = corpus_examples("nina/news")
[root] = Path(sys.argv[1]).glob("hub/datasets--nina--news/snapshots/*")
first = fetched()
rows = read_all_outlets("nina/news", "pairs").height
where = {"repo_id": "nina/news", "repo_type": "dataset", "parent_commit": root.name}
HfApi().upload_file(path_or_fileobj=b"none", path_in_repo="hh/test.parquet", **where)
matches = read_table("nina/news", "hh", "test").height
ids = [item.id for item in examples]
print(json.dumps([ids, first, rows, matches, fetched(), read_report("nina/news").rows]))
"""


@pytest.mark.slow(seconds=10)
def test_only_the_tables_that_are_read_are_fetched(run, files_of, tmp_path):
    files = files_of("dataset", run / "corpus", "nina/news")
    contents = {name: file if isinstance(file, bytes) else file.read_bytes() for name, file in files.items()}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    with serve() as hub:
        hub.put("datasets/nina/news", contents)
        home = tmp_path / "home"
        done = run_python("-c", READ, str(home), env=inherited | hub.environment(home))
    assert done.returncode == 0, done.stderr
    ids, first, rows, matches, later, read = json.loads(done.stdout.splitlines()[-1])
    corpus = str(run / "corpus")
    assert ids == [item.id for item in corpus_examples(corpus)]
    assert ids
    assert first == ["articles/test.parquet", "pairs/test.parquet", "test_articles/test.parquet"]
    assert rows == read_table(corpus, "pairs", "train").height
    assert matches == read_table(corpus, "hh", "test").height  # of the first commit
    assert later == sorted([*first, "hh/test.parquet", "pairs/train.parquet"])
    assert read == read_report(corpus).rows
