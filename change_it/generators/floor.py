"""The system `floor`: what judges can be made to accept by cutting the article, without writing anything."""

import re

from change_it.errors import InputError
from change_it.generators.rerank import choose
from change_it.scoring.columns import FLOOR
from change_it.scoring.floors_and_predictions import ScoredSystem
from change_it.scoring.item import TestSet
from change_it.scoring.judges import Judges
from change_it.scoring.signature import Reranker
from change_it.text.sentences import sentences
from change_it.text.typography import Typography

#: Between two clauses.
_JOINT = re.compile(r"(?<=\w)[\"”»’)]?\s*(?:[:;,]|\s[-–—])\s+")
#: Sentences of an article that are cut, its first characters that they are found in, and the fewest and most words of a cut.
_SENTENCES, _CHARACTERS, _WORDS = 3, 1500, (4, 20)


def cuts(article: str, typography: Typography) -> list[str]:
    """The first sentences of an article and their clauses, as an outlet would print them as headlines."""
    fewest, most = _WORDS
    made = []
    for sentence in sentences(article[:_CHARACTERS])[:_SENTENCES]:
        for part in (sentence, *_JOINT.split(sentence)):
            words = part.split()
            if len(words) >= fewest:
                text = " ".join(words[:most]).rstrip(" ,;:.-–—")
                made.append(typography.apply(text[:1].upper() + text[1:]))
    return list(dict.fromkeys(made))


def floor(test: TestSet, judges: Judges, *, language: str | None = None) -> ScoredSystem:
    """For each headline the cut of the article with the highest strict joint probability; the original where there is none.

    The judges that choose are of another fold than those that score; fluency is among them.
    """
    judges.check_outlets(test.outlets, test.name)
    if judges.fluency is None:
        raise InputError(
            "the floor requires a fluency judge: train one with change-it train judge --task fluency"
        )
    setting = {outlet: Typography.of(texts) for outlet, texts in test.training_headlines.items()}
    candidates = [cuts(item.article, setting[item.target]) or [item.source] for item in test.items]
    chosen = choose(judges, candidates, test.items, language=language)
    headlines = tuple(texts[index] for texts, index in zip(candidates, chosen, strict=True))
    return ScoredSystem(FLOOR, headlines, Reranker.of(judges))
