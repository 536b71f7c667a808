"""The pointer-generator's heavy pieces: decoder and words' loss with derivatives written by hand, the padded encoder.

Autograd alone passes over tensors of sources x tokens x hidden, and of words x vocabulary, several times more than the
derivatives need. Here the gradients of keys and states are gathered once for all steps, and the way back from the
softmax is matrix products alone.

Without an import of ours, so that it can go to the Hub beside `pointer_generator`.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

#: What padding adds to the gates of an LSTM: nothing enters, nothing is forgotten.
SHUT = 1e4


class DecoderSteps(torch.autograd.Function):
    """An LSTM that is fed its last context, with MLP attention and perhaps coverage (See et al. 2017, eq. 1-3, 11)."""

    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        fed: Tensor,
        query: Tensor,
        keys: Tensor,
        states: Tensor,
        closed: Tensor,
        energy: Tensor,
        covering: Tensor | None,
        hidden: Tensor,
        cell: Tensor,
        context: Tensor,
        coverage: Tensor,
        keep: bool,
    ) -> tuple[Tensor, ...]:
        """Run t steps.

        tanh x is 2 s - 1 with s the sigmoid of 2 x, which is computed three times as fast; the softmax forgets the -1.

        Args:
            ctx: of autograd.
            inputs: (n, t, 4 size) what words and biases add to the gates (enter, forget, new, leave).
            fed: (2 size, 4 size) from the last context and hidden state to the gates.
            query: (size, size) from hidden state to query.
            keys: (n, tokens, size).
            states: (n, tokens, size).
            closed: (n, tokens) added to the energies: 0, hugely negative at padding.
            energy: (size,) v of eq. 1.
            covering: (size,) w_c of eq. 11; None: no coverage.
            hidden: (n, size) before the first step.
            cell: (n, size) likewise.
            context: (n, size) likewise.
            coverage: (n, tokens) likewise.
            keep: whether there will be a way back.

        Returns:
            Hidden states and contexts (n, t, size), attention (n, t, tokens), last cell (n, size).
        """
        turned, weights = 2 * query.T, 2 * energy
        rows: list[tuple[Tensor, ...]] = []
        kept: list[tuple[Tensor, ...]] = []
        for step in range(inputs.shape[1]):
            fed_step = torch.cat([context, hidden], dim=1)
            enter, forget, new, leave = torch.addmm(inputs[:, step], fed_step, fed).chunk(4, dim=1)
            enter, forget, new, leave = enter.sigmoid(), forget.sigmoid(), new.tanh(), leave.sigmoid()
            before, cell = cell, forget * cell + enter * new
            bent = cell.tanh()
            hidden = leave * bent
            inner = torch.add((hidden @ turned).unsqueeze(1), keys, alpha=2)
            if covering is not None:
                inner.addcmul_(coverage.unsqueeze(-1), covering, value=2)
            inner.sigmoid_()
            attention = torch.softmax(inner @ weights + closed, dim=1)
            context = torch.bmm(attention.unsqueeze(1), states).squeeze(1)
            rows.append((hidden, context, attention))
            if keep:
                kept.append((fed_step, enter, forget, new, leave, before, bent, inner, coverage))
            if covering is not None:
                coverage = coverage + attention
        hiddens, contexts, attentions = (torch.stack(part, dim=1) for part in zip(*rows, strict=True))
        if keep:
            ctx.kept = kept
            ctx.save_for_backward(fed, query, states, energy, covering, hiddens, attentions)
        return hiddens, contexts, attentions, cell

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        """Gradients of all but `closed` and `keep`.

        With s the sigmoids of a step and g the gradient of its energies, that of the tanh's argument is 4 g v (s - s²):
        sums of it over tokens, over hidden units and over steps are all products of g or v with s - s², which is made once.
        """
        to_hiddens, to_contexts, to_attentions, to_cell = gradients
        fed, query, states, energy, covering, hiddens, attentions = ctx.saved_tensors
        to_energy, to_covering = torch.zeros_like(energy), torch.zeros_like(energy)
        to_keys, slack = torch.zeros_like(states), torch.empty_like(states)
        to_hidden = to_context = to_coverage = torch.zeros((), dtype=states.dtype, device=states.device)
        steepness, turned = 4 * energy, states.transpose(1, 2)
        back: list[tuple[Tensor, ...]] = []
        for step in reversed(range(len(ctx.kept))):
            fed_step, enter, forget, new, leave, before, bent, inner, coverage = ctx.kept[step]
            to_context = to_context + to_contexts[:, step]
            attention = attentions[:, step]
            to_attention = torch.bmm(to_context.unsqueeze(1), turned).squeeze(1) + to_attentions[:, step]
            to_attention = to_attention + to_coverage
            slope = attention * (to_attention - (attention * to_attention).sum(1, keepdim=True))
            torch.addcmul(inner, inner, inner, value=-1, out=slack)
            to_energy += 2 * (slope.flatten() @ inner.flatten(0, 1)) - slope.sum()
            to_keys.addcmul_(slope.unsqueeze(-1), slack)
            if covering is None:
                sums = torch.bmm(slope.unsqueeze(1), slack)
            else:
                sums = torch.bmm(torch.stack([slope, slope * coverage], dim=1), slack)
                to_covering += steepness * sums[:, 1].sum(0)
                to_coverage = to_coverage + slope * (slack @ (steepness * covering))
            to_query = steepness * sums[:, 0]
            to_hidden = to_hidden + to_hiddens[:, step] + to_query @ query
            to_cell = to_cell + to_hidden * leave * (1 - bent * bent)
            to_gates = torch.cat(
                [
                    to_cell * new * enter * (1 - enter),
                    to_cell * before * forget * (1 - forget),
                    to_cell * enter * (1 - new * new),
                    to_hidden * bent * leave * (1 - leave),
                ],
                dim=1,
            )
            back.append((to_gates, fed_step, to_query, to_context))
            to_cell = to_cell * forget
            to_context, to_hidden = (to_gates @ fed.T).chunk(2, dim=1)
        to_inputs, feds, to_queries, to_all_contexts = (
            torch.stack(part[::-1], dim=1) for part in zip(*back, strict=True)
        )
        return (
            to_inputs,
            feds.flatten(0, 1).T @ to_inputs.flatten(0, 1),
            to_queries.flatten(0, 1).T @ hiddens.flatten(0, 1),
            to_keys.mul_(steepness),
            torch.bmm(attentions.transpose(1, 2), to_all_contexts),
            None,
            to_energy,
            None if covering is None else to_covering,
            to_hidden,
            to_cell,
            to_context,
            None if covering is None else to_coverage,
            None,
        )


class WordLoss(torch.autograd.Function):
    """-log softmax(states · matrixᵀ + bias) of the wanted words, (m,)."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, matrix: Tensor, bias: Tensor, wanted: Tensor) -> Tensor:
        """(m,) from states (m, size), matrix (words, size), bias (words,), wanted (m,) of words.

        Example:
            >>> WordLoss.apply(torch.zeros(1, 2), torch.zeros(4, 2), torch.zeros(4), torch.tensor([3])).exp()
            tensor([4.])
        """
        logits = torch.addmm(bias, states, matrix.T)
        places = wanted.unsqueeze(1)
        chosen = logits.gather(1, places)
        highest = logits.amax(1, keepdim=True)
        shares = torch.softmax(logits, dim=1, out=logits)
        ctx.save_for_backward(states, matrix, shares, wanted)
        return (highest - chosen - shares.amax(1, keepdim=True).log()).squeeze(1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        """Gradients of states, matrix and bias: those of a weighted softmax less those of the wanted words."""
        gradient = gradients[0]
        states, matrix, shares, wanted = ctx.saved_tensors
        weighted = gradient.unsqueeze(1) * states
        to_states = gradient.unsqueeze(1) * (shares @ matrix - matrix[wanted])
        to_matrix = (shares.T @ weighted).index_add_(0, wanted, weighted, alpha=-1)
        to_bias = (gradient @ shares).index_add_(0, wanted, gradient, alpha=-1)
        return to_states, to_matrix, to_bias, None


def run_padded(lstm: nn.LSTM, embedded: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """A packed call of a bidirectional LSTM, made of one on padded sources.

    A packed call on a CPU copies the gradient of the whole batch at each token. Here one more input, only there at padding, shuts the
    gates: nothing enters a cell and nothing is forgotten, exactly.

    Args:
        lstm: one layer, both directions, batch first.
        embedded: (n, tokens, inputs).
        mask: (n, tokens), 0 at padding, which is on the right.

    Returns:
        States (n, tokens, hidden), without meaning at padding; last hidden states and cells of both directions, (n, hidden).
    """
    size = lstm.hidden_size
    padding = (mask == 0).to(embedded.dtype).unsqueeze(-1)
    shut = embedded.new_zeros(4 * size, 1)
    shut[:size], shut[size : 2 * size] = -SHUT, SHUT
    weights = [
        torch.cat([weight, shut], dim=1) if name.startswith("weight_ih") else weight
        for name, weight in lstm.named_parameters()
    ]
    zeros = embedded.new_zeros(2, len(embedded), size)
    train = lstm.training or torch.is_grad_enabled()
    inputs = torch.cat([embedded, padding], dim=-1)
    states, _, cell = torch.lstm(inputs, (zeros, zeros), weights, True, 1, 0.0, train, True, True)
    last = states[torch.arange(len(states)), mask.sum(1) - 1, :size]
    return states, torch.cat([last, states[:, 0, size:]], dim=1), torch.cat([cell[0], cell[1]], dim=1)
