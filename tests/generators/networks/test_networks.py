"""What all our networks do alike: padding, generation with and without a cache, saving, mixed precision."""

import pytest
import torch
from copying_networks import KINDS, make_batch, make_model
from torch.nn.utils import parameters_to_vector
from transformers import AutoModelForSeq2SeqLM

from change_it.generators.networks.pointer_generator import AS_PUBLISHED
from change_it.generators.networks.word_generator import STATE

#: One without copying, one with all that the papers add, and our own.
NETWORKS = ["s2s", "pnc", "transformer"]
#: The Transformer masks with the least number of float32.
PRECISION = {"transformer": 1e-6}
DECODINGS = {
    "beams": {"num_beams": 4, "num_return_sequences": 4, "output_scores": True, "length_penalty": 0.5},
    "sampling": {"do_sample": True, "temperature": 1.3, "top_p": 0.95, "top_k": 0},
}


@pytest.mark.parametrize("kind", NETWORKS)
def test_padding_changes_nothing(kind):
    model, precision = make_model(kind), PRECISION.get(kind, 1e-12)
    input_ids, mask, labels = make_batch()
    settings = {"num_beams": 3, "max_new_tokens": 6, "min_new_tokens": 6}
    together = model.generate(input_ids=input_ids, attention_mask=mask, **settings)
    losses, counts = [], []
    for row in range(3):
        length, words = int(mask[row].sum()), int((labels[row] != -100).sum())
        for width in (length, length + 3):
            ids = torch.zeros(1, width, dtype=torch.long)
            ids[0, :length] = input_ids[row, :length]
            given = {"input_ids": ids, "attention_mask": (torch.arange(width) < length).long().unsqueeze(0)}
            alone = model(**given, labels=labels[row : row + 1, :words]).loss.item()
            padded = model(**given, labels=labels[row : row + 1]).loss.item()
            assert padded == pytest.approx(alone, rel=precision)
            assert model.generate(**given, **settings)[0].tolist() == together[row].tolist()
        losses.append(alone * words)
        counts.append(words)
    batched = model(input_ids=input_ids, attention_mask=mask, labels=labels).loss.item()
    assert batched == pytest.approx(sum(losses) / sum(counts), rel=precision)


@pytest.mark.parametrize("decoding", DECODINGS)
@pytest.mark.parametrize("kind", NETWORKS)
def test_cached_equals_uncached(kind, decoding):
    model = make_model(kind)
    input_ids, mask, _ = make_batch()
    given = {"input_ids": input_ids, "attention_mask": mask, "max_new_tokens": 8}
    results = []
    for use_cache in (True, False):
        torch.manual_seed(3)
        how = {"use_cache": use_cache, "return_dict_in_generate": True, **DECODINGS[decoding]}
        results.append(model.generate(**given, **how))
    assert results[0].sequences.tolist() == results[1].sequences.tolist()
    assert len({tuple(row) for row in results[0].sequences.tolist()}) > 1
    if "num_return_sequences" in DECODINGS[decoding]:
        torch.testing.assert_close(results[0].sequences_scores, results[1].sequences_scores)


@pytest.mark.parametrize("name", ["cache", "past_key_values"])
@pytest.mark.parametrize("kind", NETWORKS)
def test_the_state_goes_under_the_name_of_every_release_of_transformers(kind, name):
    model = make_model(kind)
    input_ids, mask, labels = make_batch()
    given = {"input_ids": input_ids, "attention_mask": mask, "use_cache": True}
    words = labels.clamp(min=1)
    whole = model(**given, decoder_input_ids=words).logits
    first = model(**given, decoder_input_ids=words[:, :2])
    state = first[STATE]
    inputs = model.prepare_inputs_for_generation(words, use_cache=True, **{name: state})
    assert inputs[STATE] is state
    assert inputs["decoder_input_ids"].tolist() == words[:, 2:].tolist()
    rest = model(**given, decoder_input_ids=words[:, 2:], **{name: state})
    torch.testing.assert_close(torch.cat([first.logits, rest.logits], dim=1), whole)
    assert all(layer in (True, False) for layer in state.is_linear)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [("pnc", {}), ("pnc", AS_PUBLISHED), ("s2s", AS_PUBLISHED | {"bridge": "none"}), ("transformer", {})],
)
def test_saved_model_is_the_same_bit_for_bit(kind, settings, tmp_path):
    model = make_model(kind, **settings).float()
    model.save_pretrained(tmp_path)
    loaded = AutoModelForSeq2SeqLM.from_pretrained(tmp_path).eval()
    assert type(loaded) is type(model)
    for name, value in (KINDS.get(kind, {}) | settings).items():
        assert getattr(loaded.config, name) == value
    assert (getattr(loaded, "output", None) is None) is settings.get("tie_word_embeddings", True)
    shared = zip(loaded.encoder.embedding.parameters(), loaded.embedding.parameters(), strict=True)
    assert all(one is other for one, other in shared)
    assert torch.equal(parameters_to_vector(loaded.parameters()), parameters_to_vector(model.parameters()))
    input_ids, mask, labels = make_batch()
    given = {"input_ids": input_ids, "attention_mask": mask}
    assert torch.equal(loaded(**given, labels=labels).loss, model(**given, labels=labels).loss)
    decoding = {"num_beams": 3, "max_new_tokens": 6}
    assert torch.equal(loaded.generate(**given, **decoding), model.generate(**given, **decoding))
