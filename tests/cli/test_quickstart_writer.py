"""The weights of the package: the writer that the quickstart begins from."""

import pytest

from change_it import HeadlineTransfer
from change_it.cli.quickstart import SHIPPED
from change_it.text.tokens import words

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
    assert first != HEADLINE
    assert len({*words(first.lower())} & {*words(f"{HEADLINE} {ARTICLE}".lower())}) >= 3
