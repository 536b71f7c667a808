"""Build corpora of the sample, each once for all processes that run tests."""

from filelock import FileLock


def build_sample_corpus(articles, tmp_path_factory, worker_id):
    """Return the folder of a corpus of so many articles; its sample lies beside it.

    The first of the processes that run tests builds it, while the others wait.
    """
    from change_it.cli import corpus as corpus_commands
    from change_it.corpus.reading.options import BuildOptions

    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / f"sample-of-{articles}"
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            folder.mkdir()
            sample = corpus_commands.SampleOptions(out=folder / "sample.csv", articles=articles)
            corpus_commands.sample(sample)
            options = BuildOptions(files=(str(sample.out),), out=folder / "corpus", test_articles=0)
            corpus_commands.build(options)
    return str(folder / "corpus")
