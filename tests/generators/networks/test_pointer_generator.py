"""The papers' networks: loss, gradients and next words against loops over sources, steps and places."""

import pytest
import torch
from copying_networks import KINDS, RESERVED, WORDS, check_loss_and_gradients, make_batch, make_model

from change_it.generators.networks.pointer_generator import AS_PUBLISHED


def lstm_step(word, hidden, cell, module, suffix=""):
    """One step of an LSTM; gates in PyTorch's order."""
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    weight, recurrent, *biases = (getattr(module, f"{name}{suffix}") for name in names)
    i, f, g, o = (weight @ word + recurrent @ hidden + sum(biases)).chunk(4)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell


def loop_distributions(model, source, inputs):
    """P over the extended vocabulary, attention and coverage at each step for one source."""
    config, encoder = model.config, model.encoder
    zeros = torch.zeros(config.hidden_size // 2, dtype=torch.float64)

    def embed(id_):
        return model.embedding.weight[id_ if id_ < WORDS else 1]

    runs = []
    for suffix, order in (("_l0", range(len(source))), ("_l0_reverse", reversed(range(len(source))))):
        hidden, cell, states = zeros, zeros, {}
        for place in order:
            hidden, cell = lstm_step(embed(source[place]), hidden, cell, encoder.lstm, suffix)
            states[place] = hidden
        runs.append((states, hidden, cell))
    (ahead, *ahead_last), (back, *back_last) = runs
    states = [torch.cat([ahead[place], back[place]]) for place in range(len(source))]
    if config.bridge == "relu":  # forward and backward one by one
        layers = encoder.bridge_hidden, encoder.bridge_cell
        hidden, cell = (
            torch.cat([layer(one).relu(), layer(other).relu()])
            for layer, one, other in zip(layers, ahead_last, back_last, strict=True)
        )
    else:
        hidden, cell = map(torch.cat, zip(ahead_last, back_last, strict=True))
        if config.bridge == "tanh":
            hidden, cell = encoder.bridge_hidden(hidden).tanh(), encoder.bridge_cell(cell)
    context, coverage = torch.cat([zeros, zeros]), torch.zeros(len(source), dtype=torch.float64)
    result = []
    for id_ in inputs:
        hidden, cell = lstm_step(torch.cat([embed(id_), context]), hidden, cell, model.cell)
        energies = []
        for place, state in enumerate(states):
            inner = encoder.keys(state) + model.query.weight @ hidden
            if config.coverage:
                inner = inner + coverage[place] * model.coverage
            energies.append(model.energy @ inner.tanh())
        attention = torch.stack(energies).softmax(0)
        context = sum(weight * state for weight, state in zip(attention, states, strict=True))
        merged = model.merge(torch.cat([hidden, context]))
        merged = merged.tanh() if config.tie_word_embeddings else merged
        matrix = model.embedding.weight if config.tie_word_embeddings else model.output.weight
        written = (matrix @ merged + model.output_bias).softmax(0)
        extended = [*written, *torch.zeros(RESERVED, dtype=torch.float64)]
        if config.copy:
            switch = model.switch(torch.cat([context, hidden, embed(id_)])).sigmoid()[0]
            extended = [switch * value for value in extended]
            for place, source_id in enumerate(source):
                extended[source_id] = extended[source_id] + (1 - switch) * attention[place]
        result.append((extended, attention, coverage))
        coverage = coverage + attention
    return result


def loop_loss(model, input_ids, mask, labels):
    """Mean over words, or over sequences of theirs, of -log P(word) and the weighted coverage loss."""
    losses, means = [], []
    for source, present, wanted in zip(input_ids.tolist(), mask.tolist(), labels.tolist(), strict=True):
        wanted = [id_ for id_ in wanted if id_ != -100]
        steps = loop_distributions(model, source[: sum(present)], [2, *wanted[:-1]])
        for id_, (extended, attention, coverage) in zip(wanted, steps, strict=True):
            loss = -extended[1 if not model.config.copy and id_ >= WORDS else id_].log()
            if model.config.coverage:
                loss = loss + model.config.coverage_weight * torch.minimum(attention, coverage).sum()
            losses.append(loss)
        means.append(sum(losses[-len(wanted) :]) / len(wanted))
    losses = means if model.config.loss_by_sequence else losses
    return sum(losses) / len(losses)


@pytest.mark.parametrize(
    "settings",
    [{}, AS_PUBLISHED, AS_PUBLISHED | {"bridge": "none"}],
    ids=["ours", "published", "published without bridge"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_loss_and_every_gradient_equal_a_plain_loop(kind, settings):
    model = make_model(kind, **settings)
    check_loss_and_gradients(model, loop_loss(model, *make_batch()), 1e-10, rtol=1e-8, atol=1e-11)


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
            lost = expected[0] + expected[2]  # <pad> and <s> are never written
            unknown = expected[1].clone()
            expected[[0, 1, 2]] = 0.0
            expected[source[int(attention.argmax())]] += unknown
            torch.testing.assert_close(probabilities[row, step], expected, rtol=1e-9, atol=1e-12)
            assert probabilities[row, step].sum().item() == pytest.approx(1 - lost.item(), abs=1e-9)
