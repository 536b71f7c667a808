from saved_judges import build_encoder

from change_it.networks.pretrained import unknown_tokens


def test_unknown_characters_are_named_from_one_in_a_hundred():
    tokenizer = build_encoder(["il ponte cade"])[1]
    known = ["il ponte cade"] * 99
    assert unknown_tokens(tokenizer, []) == unknown_tokens(tokenizer, known) == ""
    assert unknown_tokens(tokenizer, [*known, "€"]) == ""
    said = unknown_tokens(tokenizer, ["«il ponte» ’ cade", "€ » «"])
    assert said.startswith("6 of 9 tokens of the training headlines are unknown to ")
    assert said.endswith("which lacks « » ’ €: give a model that knows them")
    tokenizer.unk_token = None
    assert unknown_tokens(tokenizer, ["il ponte"]) == ""
