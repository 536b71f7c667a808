"""A trained pointer-generator copies words that it has never seen."""

import pytest
import torch

from change_it.networks.pointer_generator import (
    PointerGeneratorConfig,
    PointerGeneratorForConditionalGeneration,
)
from change_it.networks.tokenizer import train_tokenizer

KNOWN_NAMES = ["Abelli", "Bruzzi", "Cantero", "Dossena", "Elvezi", "Fabrini", "Guarino", "Lamperti"]
OTHER_NAMES = ["Mozzani", "Nerbini", "Ortelli", "Pavesi"]
NEW_NAMES = ["Quaranti", "Rebuffo", "Sandroni", "Tolomei"]
VERBS = ["parla", "tace", "vince"]


def reports(names):
    """`il consigliere X parla oggi`, with the name at two places, and its headline `parla X`."""
    sources, targets = [], []
    for index, (name, verb) in enumerate((name, verb) for name in names for verb in VERBS):
        sources.append(f"oggi {verb} {name} in aula" if index % 2 else f"il consigliere {name} {verb} oggi")
        targets.append(f"{verb} {name}")
    return sources, targets


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pn", "pnc"])
def test_unseen_words_are_reproduced_from_the_source(kind):
    tokenizer = train_tokenizer(
        ["il consigliere parla tace vince oggi in aula " + " ".join(KNOWN_NAMES)], size=100, reserved=3
    )
    torch.manual_seed(1)
    model = PointerGeneratorForConditionalGeneration(
        PointerGeneratorConfig(
            vocab_size=len(tokenizer) + tokenizer.reserved,
            reserved=tokenizer.reserved,
            embedding_size=16,
            hidden_size=32,
            copy=True,
            coverage=kind == "pnc",
        )
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    sources, targets = reports(KNOWN_NAMES + OTHER_NAMES)
    batch, unknown = tokenizer.sources(sources, max_tokens=10)
    labels = tokenizer.targets(targets, unknown, max_tokens=5)
    losses = []
    for _ in range(200):
        loss = model(**batch, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]
    sources, targets = reports(NEW_NAMES)
    batch, unknown = tokenizer.sources(sources, max_tokens=10)
    assert all(len(words) == 1 for words in unknown)
    ids = model.eval().generate(**batch, num_beams=3, max_new_tokens=5)
    assert tokenizer.headlines(ids, unknown) == targets
    assert not (ids == tokenizer.unk_token_id).any()
    assert (ids == len(tokenizer)).any(dim=1).all()  # the first temporary id of each source
