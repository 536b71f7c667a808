import numpy as np
from saved_judges import build_encoder

from change_it.networks.pretrained import unknown_tokens


def test_unknown_characters_are_named_from_one_in_a_hundred():
    tokenizer = build_encoder(["il ponte cade"])[1]
    known = ["il ponte cade"] * 99

    def said_of(texts):
        rows = tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []
        return unknown_tokens(tokenizer, [np.array([*row, -100]) for row in rows], texts)

    assert said_of([]) == said_of(known) == said_of([*known, "€"]) == ""
    said = said_of(["«il ponte» ’ cade", "€ » «"])
    assert said.startswith("6 of 9 tokens of the training texts are unknown to ")
    assert said.endswith("which lacks « » ’ €: give a model that knows them")
    tokenizer.unk_token = None
    assert said_of(["il ponte"]) == ""
