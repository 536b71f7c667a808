"""A run to push, and the files of a push."""

from pathlib import Path

import pytest

OUTLETS = ("rep", "gio")
TEXTS = ["Il ponte crolla sulla statale", "Sciopero generale dei treni", "Il ponte crolla ieri. " * 9]


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """Make a run: corpus, judges, a generator for each outlet; its report knows a generator as sum."""
    from corpus_fakes import articles, write_articles
    from report_records import a_report, a_row
    from saved_judges import save_judges
    from tiny_generators import save_generator

    from change_it.cli import corpus as corpus_commands
    from change_it.corpus.folder import MODEL_CORPUS, describe_corpus
    from change_it.corpus.reading.options import BuildOptions
    from change_it.files.atomic import write_json
    from change_it.files.records import to_json
    from change_it.report.record import write_report_record

    folder = tmp_path_factory.mktemp("runs") / "mine"
    (folder / "report").mkdir(parents=True)
    write_articles(folder / "articles.csv", articles())
    files, corpus = (str(folder / "articles.csv"),), folder / "corpus"
    corpus_commands.build(BuildOptions(files=files, labels="R:rep,G:gio", language="it", out=corpus))
    save_judges(folder / "judges", TEXTS, OUTLETS)
    for to in OUTLETS:
        save_generator(folder / "generators" / f"sum-{to}", to=to)
    for model in folder.glob("*/*/config.json"):
        write_json(model.with_name(MODEL_CORPUS), to_json(describe_corpus(str(corpus))))
    systems = {}
    for name, share in {"gold": 0.75, "copy": 0.0, "sum": 0.43, "other": 0.9}.items():
        systems[name] = {}
        for direction in ("rep2gio", "gio2rep", "average"):
            values = {"compliancy": share, **dict.fromkeys(("hh", "ah", "main", "bleu", "rougeL"), 0.5)}
            ends = {"compliancy": (share - 0.1, share + 0.1)}
            systems[name][direction] = a_row(values, ends, f"compliancy|judges:abc|{direction}")
    write_report_record(folder / "report", a_report(OUTLETS, systems))
    return folder


@pytest.fixture
def files_of():
    """Collect the files of a push of a kind from a folder."""
    from change_it.hub import packaging
    from change_it.hub.cards import CardSettings

    return lambda kind, folder, repo_id="me/thing": packaging.files_of(
        kind, Path(folder), CardSettings(repo_id=repo_id)
    )
