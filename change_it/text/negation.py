"""Negations and contraries of a headline's verbs: where they stand and what the contrary would be."""

import re

from change_it.text.names import Headline

#: What replaces a stretch of a headline: where it starts and ends, and the new text.
Change = tuple[int, int, str]

_NEGATIONS = {
    "it": re.compile(r"\bnon\s+", re.IGNORECASE),
    "en": re.compile(r"\s+not\b|(?<=\bcan)['’]t\b|(?<=[seoduh])n['’]t\b", re.IGNORECASE),
}
_CLITICS = frozenset(["si", "lo", "la", "li", "le", "ci", "ne", "mi", "ti", "vi", "gli"])
_AUXILIARIES = frozenset(
    ["is", "are", "was", "were", "will", "can", "could", "may", "might", "must", "should", "would", "has", "have", "had", "am", "does", "do", "did"]
)  # fmt: skip
_NOT_FINITE = re.compile(r"(?:[aei]re|[aei]ndo|[aiu]t[oaie]|[aeo]r[slmn][ioae])$")
#: Words that say the contrary of each other, form by form.
_CONTRARIES = {
    "it": "sale scende,salgono scendono,sale cala,cresce cala,crescono calano,aumenta diminuisce,aumentano diminuiscono,"
    "apre chiude,aprono chiudono,aperto chiuso,aperta chiusa,aperti chiusi,aperte chiuse,riapre richiude,vince perde,vincono perdono,"
    "assolto condannato,assolta condannata,assolti condannati,assolte condannate,assoluzione condanna,conferma smentisce,confermano smentiscono,"
    "confermato smentito,confermata smentita,approva boccia,approvano bocciano,approvato bocciato,approvata bocciata,accusa difende,"
    "accusano difendono,sì no,più meno,prima dopo,dentro fuori,con senza,entra esce,entrano escono,accetta rifiuta,accettano rifiutano,"
    "guadagna perde,parte arriva,nasce muore,promosso bocciato,promossa bocciata,arrestato liberato,arrestata liberata,arrestati liberati,"
    "vivo morto,viva morta,ricco povero,ammette nega,ammettono negano,dice nega,dicono negano,favorevole contrario,favorevoli contrari,"
    "inizia finisce,iniziano finiscono,parte finisce,compra vende,comprano vendono,trovato perso,trovata persa",
    "en": "says denies,say deny,said denied,rise fall,rises falls,rose fell,rising falling,up down,wins loses,win lose,won lost,"
    "approves rejects,approve reject,approved rejected,accepts rejects,accept reject,accepted rejected,backs opposes,back oppose,backed opposed,"
    "supports opposes,support oppose,guilty innocent,acquitted convicted,confirms denies,confirm deny,confirmed denied,before after,"
    "more fewer,more less,increase decrease,increases decreases,increased decreased,opens closes,open close,opened closed,passes rejects,"
    "pass reject,passed rejected,with without,yes no,legal illegal,gains loses,best worst,admits denies,allows bans,allow ban,allowed banned,"
    "for against,high low,higher lower,alive dead,first last,buys sells,joins leaves,starts ends,start end,hires fires",
}  # fmt: skip


def contraries(headline: Headline) -> list[Change]:
    """Each word that has contraries exchanged for each of them."""
    contraries_of: dict[str, list[str]] = {}
    for pair in _CONTRARIES.get(headline.language, "").split(","):
        word, _, contrary = pair.partition(" ")
        contraries_of.setdefault(word, []).append(contrary)
        contraries_of.setdefault(contrary, []).append(word)
    return [
        (*headline.span_of(index), like(piece.text, contrary))
        for index, piece in enumerate(headline.pieces)
        for contrary in contraries_of.get(headline.keys[index], ())
    ]


def removals(headline: Headline) -> list[Change]:
    """Every negation taken away; the word that now stands first has the capital."""
    if headline.language not in _NEGATIONS:
        return []
    text, changes = headline.text, []
    for match in _NEGATIONS[headline.language].finditer(text):
        following = text[match.end() : match.end() + 1]
        capital = text[match.start() : match.start() + 1].isupper()
        changes.append((match.start(), match.end() + 1, following.upper() if capital else following))
    return changes


def insertions(headline: Headline) -> list[Change]:
    """A negation put before, or in English behind, each verb whose negation is known."""
    if headline.language not in _NEGATIONS:
        return []
    return _italian(headline) if headline.language == "it" else _english(headline)


def _verbs(headline: Headline) -> list[int]:
    return [
        index
        for index, piece in enumerate(headline.pieces)
        if (piece.kind == "word" and len(piece.text) > 1) or piece.text.lower() in ("è", "e", "ha")
        if headline.tag(index) in ("VERB", "AUX")
    ]


def _italian(headline: Headline) -> list[Change]:
    """A "non" before each verb that may be finite."""
    changes, verbs = [], _verbs(headline)
    for index in verbs:
        if index - 1 in verbs or _NOT_FINITE.search(headline.keys[index]):
            continue  # a participle after its auxiliary, an infinitive, a gerund
        first = index
        while first and headline.keys[first - 1] in _CLITICS and headline.tag(first - 1) == "PRON":
            first -= 1
        start, _ = headline.span_of(first)
        word = headline.text[start:].split()[0]
        if first == 0 and word[:1].isupper() and not word.isupper():
            changes.append((start, start + 1, f"Non {word[:1].lower()}"))
        else:
            changes.append((start, start, "NON " if headline.case == "upper" else "non "))
    return changes


def _english(headline: Headline) -> list[Change]:
    """A "not" after each auxiliary; without one "does not" before each verb in the third person."""
    simple: list[Change] = []
    auxiliary: list[Change] = []
    for index in _verbs(headline) or _nouns_like_verbs(headline):
        word = headline.pieces[index].text
        start, end = headline.span_of(index)
        if headline.keys[index] in _AUXILIARIES:
            if index:  # else it is a question
                auxiliary.append((end, end, f" {like(word, 'not')}"))
        elif verb := infinitive(headline.keys[index]):
            simple.append((start, end, " ".join(like(word, each) for each in ("does", "not", verb))))
    return auxiliary or simple


def _nouns_like_verbs(headline: Headline) -> list[int]:
    """Words between a name and what may be an object: "Trump attacks Clinton"."""
    tags = [headline.tag(index) for index in range(len(headline.pieces))]
    return [
        index
        for index in range(1, len(tags) - 1)
        if tags[index] == "NOUN"
        and tags[index - 1] == "PROPN"
        and tags[index + 1] in ("PROPN", "DET", "PRON", "ADP")
    ]


def infinitive(verb: str) -> str | None:
    """The infinitive of a regular English verb in the third person."""
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "goes")):
        return verb[:-2]
    if verb.endswith("s") and not verb.endswith(("ss", "us", "is")) and len(verb) > 3:
        return verb[:-1]
    return None


def like(word: str, new: str) -> str:
    """A new word with the capitals of the one that it replaces."""
    if len(word) > 1 and word.isupper():
        return new.upper()
    return new[:1].upper() + new[1:] if word[:1].isupper() else new
