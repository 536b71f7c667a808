"""The headline in an answer of a model that is prompted as it is."""

import pytest

from change_it.models.chat_answers import headline_of


@pytest.mark.parametrize(
    ("answer", "headline"),
    [
        ("Ecco il nuovo titolo:\n\n«Crolla il ponte»", "Crolla il ponte"),
        ("Here's a new headline in the style of right: Bridge falls", "Bridge falls"),
        ("1. Crolla il ponte\n2. Il ponte cade", "Crolla il ponte"),
        ("Opzione 1: Giù il ponte\nOpzione 2: Crolla", "Giù il ponte"),
        ("Ecco il piano: meno tasse", "Ecco il piano: meno tasse"),
        ("Un ponte:", "Un ponte:"),
        ('**Faro:** "Crolla il ponte"', "Crolla il ponte"),
        ("In colle: crolla il ponte", "crolla il ponte"),
        ("Faro spento: due feriti", "Faro spento: due feriti"),
        ("'Ndrangheta, blitz all'alba", "'Ndrangheta, blitz all'alba"),
        ('"Uno", disse "due"', '"Uno", disse "due"'),
        ("«Mi dispiace», il sindaco lascia", "«Mi dispiace», il sindaco lascia"),
        ("<think>\nUn titolo:\n</think>\n\nCrolla il ponte", "Crolla il ponte"),
        ("Breve?</think>Crolla il ponte", "Crolla il ponte"),
        ("Penso al titolo. Usa i due punti.\n\nTitolo finale: Giù il ponte", "Giù il ponte"),
        ("```text\nCrolla il ponte\n```", "Crolla il ponte"),
        ("\ufeffCrolla il ponte\x00", "Crolla il ponte"),
        ("Giù il ponte &amp; la strada", "Giù il ponte & la strada"),
        ("◁think▷Penso◁/think▷Giù il ponte", "Giù il ponte"),
        (
            "<|channel|>analysis<|message|>Penso.<|end|>"
            "<|start|>assistant<|channel|>final<|message|>Giù il ponte",
            "Giù il ponte",
        ),
    ],
)
def test_what_introduces_a_headline_is_left_out(answer, headline):
    assert headline_of(answer, outlets=("colle", "faro")) == headline


@pytest.mark.parametrize(
    "answer",
    [
        *(" \n", "...", "-"),
        "<think>\nSenza fine",
        "<|channel|>analysis<|message|>Penso. Giù il ponte",
        "analysisWe need a headline.assistantfinalGiù il ponte",
        "◁think▷Penso: giù il ponte",
        '{"headline": "Giù il ponte"}',
        '```json\n{\n  "titolo": "Giù il ponte"\n}\n```',
        "\\boxed{Giù il ponte}",
        "<h1>Giù il ponte &amp; la strada</h1>",
        "Giù il ponte</s>",
        "[/INST] Giù il ponte",
        "Giù il ponte (Nota: ho mantenuto lo stile)",
        "Mi dispiace, ma non vedo alcun articolo. Potresti incollare il testo?",
        "I'm sorry, but I can't help with that.",
        "Come modello linguistico, non posso scrivere un titolo.",
    ],
)
def test_what_is_no_headline_is_none(answer):
    assert headline_of(answer) == ""
