"""The least that can be done to a headline: other capitals and marks, its clauses in another order, parts of it left out."""

import re

from change_it.text.typography import Typography

#: Between two clauses.
_JOINT = re.compile(r"(?<=\w)[\"”»’)]?\s*(?:[:;,]|\s[-–—])\s+")
_MARK = re.compile(r"[^\w\s'’]+")


def rearrangements(headline: str, typography: Typography) -> list[str]:
    """The headline and a dozen versions of it that add no word: the setting of an outlet, other capitals, marks, order and cuts.

    Examples:
        >>> rearrangements("Crolla il ponte: due feriti", Typography())[-3:]
        ['due feriti: Crolla il ponte', 'Crolla il ponte', 'due feriti']
    """
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
