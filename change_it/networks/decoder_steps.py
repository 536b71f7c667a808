"""The recurrent part of the pointer networks' decoder, with its gradient: what does not depend on the step before is left to its callers.

Autograd would take some 300 calls a step, on a GPU most of the time of training. Imports stay in this folder, all of which
goes to the Hub with the weights.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


class DecoderSteps(torch.autograd.Function):
    """LSTM cell, attention and coverage, step after step (See et al. 2017, eq. 1-3, 11); n sources of k tokens, t steps.

    softmax(e · tanh(s)) = softmax(2e · sigmoid(2s)): a constant changes no softmax, doubling is exact, and on a CPU sigmoid
    takes a fifth of the time of tanh. So `keys`, `query`, `bent` and `energy` are twice those of the equations, and what leads
    to the candidate of the cell, tanh(c) = 2 · sigmoid(2c) - 1, is, too.

    Args of `apply`:
        words: (t, n, 4 hidden) what words and biases add to the gates: input, forget, candidate, output.
        recurrent: (2 hidden, 4 hidden) weights of the last context and the last state.
        query: (hidden, hidden) weights of the state in the attention.
        energy: (hidden,) v of the attention.
        bent: (hidden,) weights of the coverage in the attention; None without.
        keys: (n, k, hidden) part of the source in the attention.
        states: (n, k, hidden) what contexts are made of.
        padding: (n, k) the least number at padding, 0 elsewhere.
        before: (n, 2 hidden) the context and the hidden state before the first step.
        cell: (n, hidden) the cell before it.
        coverage: (n, k) sum of the attention before it.

    Returns:
        Contexts and hidden states, (t, n, 2 hidden), the attention, (t, n, k), and the last cell, (n, hidden), which has no gradient.
    """

    @staticmethod
    def forward(
        ctx: Any, words: Tensor, recurrent: Tensor, query: Tensor, energy: Tensor, bent: Tensor | None,
        keys: Tensor, states: Tensor, padding: Tensor, before: Tensor, cell: Tensor, coverage: Tensor,
    ) -> tuple[Tensor, ...]:  # fmt: skip
        """See the class."""
        n, k, size = keys.shape
        opened = words.clone(memory_format=torch.contiguous_format)
        inners = keys.new_empty(len(words), n, k, size)
        # of each step in turn, with the views of them that it takes
        gates, asked, context = words.new_empty(n, 4 * size), *keys.new_empty(2, n, size).unbind()
        enter, forget, half, leave = gates.split([size] * 4, 1)
        wide, seen = asked.unsqueeze(1), context.unsqueeze(1)
        flat, covered = padding.view(-1), coverage.unsqueeze(1)
        rows: list[tuple[Tensor, ...]] = []
        first = before, cell
        for word, inner in zip(*by_step(opened, inners), strict=True):
            torch.sigmoid(word.addmm_(before, recurrent), out=gates)
            cell = torch.addcmul(forget * cell, enter, half, value=2) - enter
            hidden = leave * cell.tanh()
            torch.mm(hidden, query, out=asked)
            if bent is None:
                torch.add(keys, wide, out=inner)
            else:
                torch.addcmul(keys, covered.view(n, k, 1), bent, out=inner).add_(wide)
            energies = torch.addmv(flat, inner.sigmoid_().view(-1, size), energy)
            weight = energies.view(n, 1, k).softmax(2)
            torch.bmm(weight, states, out=seen)
            before = torch.cat([context, hidden], 1)
            rows.append((before, cell, weight, covered))
            if bent is not None:
                covered = covered + weight
        befores, cells, weights, coverages = zip(*rows, strict=True)
        outputs, old, attention = (
            torch.cat(part).view(-1, n, part[0].shape[-1])
            for part in ((first[0], *befores), (first[1], *cells), weights)
        )
        opened.sigmoid_()
        saved = recurrent, query, energy, bent, states, outputs, old, opened, attention, inners
        ctx.save_for_backward(*saved, *weights, *coverages)
        ctx.mark_non_differentiable(cell)
        return outputs[1:], attention, cell

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_output: Tensor, of_attention: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients; those of weights are one product for all steps."""
        recurrent, query, energy, bent, states, outputs, cells, gates, attention, *saved = ctx.saved_tensors
        inners, *of_steps = saved
        t, n, k, size = inners.shape
        shown, (enter, forget, half, leave) = cells[1:].tanh(), gates.split([size] * 4, 2)
        # the share of a gate, before its sigmoid, in the gradient of the cell, or of the state: the output gate
        factors = torch.cat([2 * half - 1, cells[:-1], 2 * enter, shown], 2) * (gates - gates * gates)
        through = leave * (1 - shown * shown)
        back, ask, turned = recurrent.t(), energy.unsqueeze(1) * query.t(), states.transpose(1, 2)
        column = None if bent is None else (energy * bent).view(1, size, 1).expand(n, size, 1)
        d_outputs = torch.cat([torch.zeros_like(outputs[:1]), of_output])  # the first are of what was before
        d_cell, d_covered = outputs.new_zeros(n, size), outputs.new_zeros(n, 1, k)
        d_keys, rows = torch.zeros_like(states), list[tuple[Tensor, ...]]()
        of_contexts, of_states = d_outputs[1:, :, None, :size], d_outputs[1:, :, size:]
        every = by_step(
            *(d_outputs[:-1], of_contexts, of_states, of_attention.unsqueeze(2)),
            *(inners, factors, through, forget),
        )
        steps = zip(*every, of_steps[:t], of_steps[t:], strict=True)
        for d_before, d_context, d_hidden, base, inner, factor, share, kept, weight, covered in reversed(
            list(steps)
        ):
            d_weight = torch.baddbmm(base + d_covered, d_context, turned) * weight
            d_energies = torch.addcmul(d_weight, weight, d_weight.sum(2, keepdim=True), value=-1)
            slope = torch.addcmul(inner, inner, inner, value=-1)
            d_keys.addcmul_(slope, d_energies.view(n, k, 1))
            if column is None:
                both = torch.bmm(d_energies, slope)
            else:
                both = torch.bmm(torch.cat([d_energies, d_energies * covered], 1), slope)
                d_covered = torch.addcmul(d_covered, d_energies, torch.bmm(slope, column).view(n, 1, k))
            d_state = torch.addmm(d_hidden, both[:, 0], ask)
            d_cell = torch.addcmul(d_cell, d_state, share)
            d_gates = torch.cat([d_cell, d_cell, d_cell, d_state], 1) * factor
            d_cell = d_cell * kept
            d_before.addmm_(d_gates, back)
            rows.append((d_gates, both, d_energies))
        d_words, both, d_energies = (torch.cat(part[::-1]) for part in zip(*rows, strict=True))
        return (
            d_words.view(t, n, 4 * size),
            outputs[:-1].flatten(0, 1).t() @ d_words,
            outputs[1:, :, size:].flatten(0, 1).t() @ (both[:, 0] * energy),
            inners.view(-1, size).t() @ d_energies.view(-1),
            None if bent is None else both[:, 1].sum(0) * energy,
            d_keys * energy,
            torch.bmm(attention.permute(1, 2, 0), d_outputs[1:, :, :size].transpose(0, 1)),
            None,
            d_outputs[0],
            d_cell,
            None if bent is None else d_covered.squeeze(1),
        )


def by_step(*parts: Tensor) -> list[tuple[Tensor, ...]]:
    """Of tensors (t, n, ...) the t parts of each, (n, ...), by `split`, which takes a call less for a part than `unbind`."""
    return [part.flatten(0, 1).split([part.shape[1]] * len(part)) for part in parts]
