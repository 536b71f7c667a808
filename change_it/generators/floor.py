"""The system `floor`: what judges can be made to accept by rearranging the original and cutting the article, without writing anything."""

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
_MARK = re.compile(r"[^\w\s'’]+")


def rearrangements(headline: str, typography: Typography) -> list[str]:
    """The headline and a dozen versions of it that add no word: the setting of an outlet, other capitals, marks, order and cuts."""
    words = headline.split()
    bare = " ".join(_MARK.sub(" ", headline).split())
    made = [
        headline,
        typography.apply(headline),
        headline.lower(),
        headline[:1].upper() + headline[1:].lower(),
        headline.title(),
        headline.upper(),
        bare,
        bare.lower(),
        f"{headline.rstrip('.!?…')}.",
        f"{headline.rstrip('.!?…')}!",
        f"{headline.rstrip('.!?…')}?",
    ]
    if joint := _JOINT.search(headline):
        first, rest = headline[: joint.start()], headline[joint.end() :]
        made += [f"{rest}: {first}", first, rest]
    made.append(" ".join(words[: max(1, 3 * len(words) // 4)]).rstrip(" ,;:-–—"))
    return [text for text in dict.fromkeys(map(str.strip, made)) if text]


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
    """For each headline the rearrangement of the original or cut of the article with the highest strict joint probability.

    The judges that choose are of another fold than those that score; fluency is among them.
    """
    judges.check_outlets(test.outlets, test.name)
    if judges.fluency is None:
        raise InputError(
            "the floor requires a fluency judge: train one with change-it train judge --task fluency"
        )
    setting = {outlet: Typography.of(texts) for outlet, texts in test.training_headlines.items()}
    candidates = [
        [*rearrangements(item.source, setting[item.target]), *cuts(item.article, setting[item.target])]
        for item in test.items
    ]
    chosen = choose(judges, candidates, test.items, language=language)
    headlines = tuple(
        texts[index] if index >= 0 else "" for texts, index in zip(candidates, chosen, strict=True)
    )
    return ScoredSystem(FLOOR, headlines, Reranker.of(judges))
