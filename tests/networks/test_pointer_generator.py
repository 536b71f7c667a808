"""The papers' networks: their loss against a plain loop, generation, copying, padding, saving."""

import pytest
import torch
from copying_networks import KINDS, RESERVED, WORDS, make_batch, make_model

import change_it.auto  # noqa: F401 (registers the model)
from change_it.networks.pointer_generator import AS_PUBLISHED


def dot(left, right):
    return sum((a * b for a, b in zip(left, right, strict=True)), torch.zeros((), dtype=torch.float64))


def affine(matrix, vector, bias=None):
    values = [dot(row, vector) for row in matrix]
    return values if bias is None else [value + shift for value, shift in zip(values, bias, strict=True)]


def softmax(values):
    exponents = [value.exp() for value in values]
    total = sum(exponents)
    return [exponent / total for exponent in exponents]


def lstm_step(word, hidden, cell, weights):
    """One step of an LSTM, cell by cell; gates in PyTorch's order."""
    into, over, into_bias, over_bias = weights
    sums = affine(into, word, into_bias), affine(over, hidden, over_bias)
    gates = [a + b for a, b in zip(*sums, strict=True)]
    size = len(hidden)
    new_hidden, new_cell = [], []
    for unit in range(size):
        enter, forget, leave = (gates[unit + size * place].sigmoid() for place in (0, 1, 3))
        new_cell.append(forget * cell[unit] + enter * gates[unit + 2 * size].tanh())
        new_hidden.append(leave * new_cell[-1].tanh())
    return new_hidden, new_cell


def lstm_weights(module, suffix):
    return [getattr(module, f"{name}{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def loop_distributions(model, source, inputs):
    """P over the extended vocabulary, attention and coverage at each step for one source: scalars and loops alone."""
    config, encoder = model.config, model.encoder
    size, half = config.hidden_size, config.hidden_size // 2
    zeros = [torch.zeros((), dtype=torch.float64)] * half

    def embed(id_):
        return model.embedding.weight[id_ if id_ < WORDS else 1]

    runs = []
    for suffix, order in (("_l0", range(len(source))), ("_l0_reverse", reversed(range(len(source))))):
        hidden, cell, states = zeros, zeros, {}
        for place in order:
            hidden, cell = lstm_step(embed(source[place]), hidden, cell, lstm_weights(encoder.lstm, suffix))
            states[place] = hidden
        runs.append((states, hidden, cell))
    (ahead, ahead_hidden, ahead_cell), (back, back_hidden, back_cell) = runs
    states = [ahead[place] + back[place] for place in range(len(source))]
    hidden, cell = ahead_hidden + back_hidden, ahead_cell + back_cell
    layers = [getattr(encoder, name, None) for name in ("bridge_hidden", "bridge_cell")]
    if config.bridge == "tanh":
        hidden, cell = (
            affine(layer.weight, last, layer.bias) for layer, last in zip(layers, (hidden, cell), strict=True)
        )
        hidden = [value.tanh() for value in hidden]
    elif config.bridge == "relu":  # forward and backward one by one
        sides = (ahead_hidden, back_hidden), (ahead_cell, back_cell)
        hidden, cell = (
            [value.relu() for last in both for value in affine(layer.weight, last, layer.bias)]
            for layer, both in zip(layers, sides, strict=True)
        )
    context = zeros + zeros
    coverage = [torch.zeros((), dtype=torch.float64)] * len(source)
    result = []
    for id_ in inputs:
        word = list(embed(id_))
        hidden, cell = lstm_step(word + context, hidden, cell, lstm_weights(model.cell, ""))
        query = affine(model.query.weight, hidden)
        energies = []
        for place, state in enumerate(states):
            key = affine(encoder.keys.weight, state, encoder.keys.bias)
            inner = [a + b for a, b in zip(key, query, strict=True)]
            if config.coverage:
                inner = [a + coverage[place] * b for a, b in zip(inner, model.coverage, strict=True)]
            energies.append(dot(model.energy, [value.tanh() for value in inner]))
        attention = softmax(energies)
        context = [dot(attention, [state[unit] for state in states]) for unit in range(size)]
        merged = affine(model.merge.weight, hidden + context, model.merge.bias)
        if config.tie_word_embeddings:
            merged = [value.tanh() for value in merged]
        matrix = model.embedding.weight if config.tie_word_embeddings else model.output.weight
        written = softmax(affine(matrix, merged, model.output_bias))
        extended = written + [torch.zeros((), dtype=torch.float64)] * RESERVED
        if config.copy:
            switch = affine(model.switch.weight, context + hidden + word, model.switch.bias)[0].sigmoid()
            extended = [switch * value for value in extended]
            for place, source_id in enumerate(source):
                extended[source_id] = extended[source_id] + (1 - switch) * attention[place]
        result.append((extended, attention, coverage))
        coverage = [a + b for a, b in zip(coverage, attention, strict=True)]
    return result


def loop_loss(model, input_ids, mask, labels):
    """Mean over words, or over sequences of theirs, of -log P(word) and the weighted coverage loss."""
    losses, means = [], []
    for source, present, wanted in zip(input_ids.tolist(), mask.tolist(), labels.tolist(), strict=True):
        source = source[: sum(present)]
        wanted = [id_ for id_ in wanted if id_ != -100]
        steps = loop_distributions(model, source, [2, *wanted[:-1]])
        for id_, (extended, attention, coverage) in zip(wanted, steps, strict=True):
            if not model.config.copy and id_ >= WORDS:
                id_ = 1
            loss = -extended[id_].log()
            if model.config.coverage:
                for now, before in zip(attention, coverage, strict=True):
                    loss = loss + model.config.coverage_weight * torch.min(now, before)
            losses.append(loss)
        means.append(sum(losses[-len(wanted) :]) / len(wanted))
    losses = means if model.config.loss_by_sequence else losses
    return sum(losses) / len(losses)


SETTINGS = {
    "ours": {},
    "published": AS_PUBLISHED,
    "published without bridge": AS_PUBLISHED | {"bridge": "none"},
}


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_loss_and_every_gradient_equal_a_plain_loop(kind, settings):
    model = make_model(kind, **SETTINGS[settings])
    input_ids, mask, labels = make_batch()
    expected = loop_loss(model, input_ids, mask, labels)
    expected.backward()
    gradients = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    model.zero_grad()
    loss = model(input_ids=input_ids, attention_mask=mask, labels=labels).loss
    loss.backward()
    assert loss.item() == pytest.approx(expected.item(), rel=1e-10)
    for name, parameter in model.named_parameters():
        assert gradients[name].abs().max() > 1e-6, name
        torch.testing.assert_close(parameter.grad, gradients[name], rtol=1e-8, atol=1e-11, msg=name)


@pytest.mark.parametrize("kind", KINDS)
def test_next_word_distribution_sums_to_one_and_is_the_loops(kind):
    model = make_model(kind)
    input_ids, mask, _ = make_batch()
    read = torch.tensor([[2, 17, 5], [2, 10, 11], [2, 12, 4]])
    probabilities = model(input_ids=input_ids, attention_mask=mask, decoder_input_ids=read).logits.exp()
    assert probabilities.shape == (3, 3, WORDS + RESERVED)
    for row, (source, present) in enumerate(zip(input_ids.tolist(), mask.tolist(), strict=True)):
        source = source[: sum(present)]
        steps = loop_distributions(model, source, read[row].tolist())
        for step, (extended, attention, _) in enumerate(steps):
            expected = torch.stack(extended)
            best = source[max(range(len(source)), key=lambda place, a=attention: a[place].item())]
            lost = expected[0] + expected[2]  # <pad> and <s> are never written
            unknown = expected[1].clone()
            expected[[0, 1, 2]] = 0.0
            expected[best] = expected[best] + unknown
            torch.testing.assert_close(probabilities[row, step], expected, rtol=1e-9, atol=1e-12)
            assert probabilities[row, step].sum().item() == pytest.approx(1 - lost.item(), abs=1e-9)
