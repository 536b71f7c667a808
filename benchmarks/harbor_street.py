r"""Judge new headlines of one invented article, and write harbor_street.json.

The judges are those that `train judge` has trained.

    LABELS="CNN (Web News):cnn,Fox Online News:fox"
    change-it corpus build allsides.parquet --columns label=outlet --labels "$LABELS" \
        --other-outlets --language en --test-articles 0 --out runs/cnnfox/corpus
    change-it train judge --task all --fold 1 --corpus runs/cnnfox/corpus --out runs/cnnfox/judges
    python benchmarks/harbor_street.py runs/cnnfox --to fox

README.md states these figures, and `python -m tools.pictures` draws them. The article and all headlines are
invented.
"""

import json
from pathlib import Path

import tyro

from change_it.corpus.folder import read_table
from change_it.report.report_files import provenance
from change_it.scoring.panel import Judges

FIGURES = Path(__file__).with_suffix(".json")
ORIGINAL = "City council votes to close Harbor Street to cars"
ARTICLE = (
    "The Millbrook city council voted 7-2 on Tuesday night to close Harbor Street to cars from June 1. "
    "Mayor Ann Tolliver said that the street would become a promenade for families. "
    "Shop owners, who fear losing 30 percent of their trade, will sue the city, their lawyer Peter Dunn said."
)
#: New headlines by what was done to the original.
HEADLINES = {
    "unchanged": ORIGINAL,
    "right": "Shop owners to sue Millbrook over car ban on Harbor Street",
    "wrong number": "Shop owners to sue Millbrook over car ban on Harbor Street, 40 percent of trade at risk",
    "nearly unchanged": "City council votes to close Harbor Street to all cars",
    "roles swapped": "Millbrook to sue shop owners over car ban on Harbor Street",
    "words shuffled": "Ban Street sue owners over Harbor car to Millbrook Shop on",
}
#: What harbor_street.json keeps of each headline.
VERDICTS = ("style", "acceptability", "compliant", "edited", "probabilities", "refused_by")


def main(run: Path, /, to: str) -> None:
    """Judge the headlines and write the figures.

    Args:
        run: Folder with a corpus and its judges.
        to: Newspaper for which the headlines are written.
    """
    panel = Judges.from_pretrained(run / "judges")
    corpus = str(run / "corpus")
    parts = [read_table(corpus, "articles", part, ["id"]) for part in ("train", "test")]
    texts = [*HEADLINES.values()]
    number = len(texts)
    judged = panel(texts, originals=[ORIGINAL] * number, articles=[ARTICLE] * number, to=to)
    rows = {}
    for name, one in zip(HEADLINES, judged, strict=True):
        rows[name] = {"headline": one.text} | {verdict: getattr(one, verdict) for verdict in VERDICTS}
    record = {
        "original": ORIGINAL,
        "article": ARTICLE,
        "outlets": panel.outlets,
        "to": to,
        "articles": sum(part.height for part in parts),
        "test pairs": read_table(corpus, "pairs", "test", ["pair_id"]).height,
        "judges": panel.signature,
        "style is n/a": panel.style_faults,
        "headlines": rows,
        "made": provenance(),
    }
    FIGURES.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    tyro.cli(main)
