"""The weights of the package: the writer that the quickstart begins from."""

import pytest

from change_it import HeadlineTransfer
from change_it.commands.quickstart import SHIPPED

HEADLINE = "Esonda il fosso a Cingoleto Marina, 26 famiglie sfollate"
ARTICLE = (
    "Il fosso di Cingoleto Marina è uscito dagli argini lunedì sera: 26 famiglie sono state sfollate. "
    "Sono caduti 184 millimetri di pioggia. «Lo avevamo segnalato», dice il sindaco Furio Zanfartori."
)


@pytest.mark.parametrize("to", ["colle", "faro"])
def test_the_writer_that_ships_writes_words_of_the_article_and_always_the_same(to):
    transfer = HeadlineTransfer.from_pretrained(SHIPPED)
    first, again = (transfer(HEADLINE, article=ARTICLE, to=to) for _ in range(2))
    assert first == again
    words = set(first.lower().replace(",", " ").replace(":", " ").split())
    known = set(f"{HEADLINE} {ARTICLE}".lower().replace(",", " ").replace(":", " ").split())
    assert first != HEADLINE
    assert len(words & known) >= 3


def test_it_is_small_and_says_what_it_is():
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 9_000_000
    card = (SHIPPED / "README.md").read_text(encoding="utf-8")
    assert "training split" in card
    assert "not for" in card
