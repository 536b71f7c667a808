"""Log p of a headline and of its edits, of a causal language model, which reads a source once for all of them."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from transformers import DynamicCache

from change_it.judges.likelihood import LEAST, LONGEST, ROWS, Likelihood, changed, differences, plain_source
from change_it.networks.pretrained import reading_errors
from change_it.networks.tokenizer import IGNORED, padded, prompted_batch
from change_it.stats import Floats

#: What the model reads before and after the sources.
PROMPTS = {
    "it": ("Articolo: ", "\nTitolo:"),
    "en": ("Article: ", "\nHeadline:"),
}


class CausalLikelihood(Likelihood):
    """Of a causal language model: each source is read once for all its headlines, and what edits begin with alike is read once too."""

    together = 64

    def check(self) -> None:
        """Raise ValueError if headlines that are read together are not read as each alone."""
        source, group = "Una prova: uno, due. " * self.max_tokens, ["Uno o due", "Uno o tre", "Tre"]
        prompt, rows = self._pieces(source, group)
        window = getattr(self.model.config.get_text_config(), "sliding_window", None) or np.inf
        alone = []
        for row in rows:
            ids = torch.cat([prompt, torch.tensor([row[:-1]]).to(prompt)], dim=1)
            logits = self.model(input_ids=ids, logits_to_keep=len(row)).logits[0].float()
            alone.append(logits.log_softmax(-1)[range(len(row)), row].clamp(min=LEAST).sum().item())
        [(gaps, _)] = self.compare([("", source)], [group], "")
        if prompt.shape[1] + LONGEST > window or not np.allclose(
            gaps, alone[0] - np.array(alone[1:]), rtol=1e-2, atol=1e-2
        ):
            raise ValueError(
                "its attention cannot read several headlines behind one source: take another model"
            )

    def count_pieces(self, texts: list[str]) -> list[int]:
        """Pieces of each of the texts that headlines begin with."""
        texts = [f" {text}" if text else "" for text in texts]
        with self.lock, reading_errors(self.tokenizer):
            return list(map(len, self.tokenizer(texts, add_special_tokens=False)["input_ids"]))

    def compare(
        self, sources: Sequence[tuple[str, str]], groups: Sequence[Sequence[str]], target: str
    ) -> list[tuple[Floats, Floats]]:
        """The outlet is not part of the prompt."""
        rows_of: dict[str, list[int]] = {}
        for index, texts in enumerate(sources):
            rows_of.setdefault(plain_source(texts), []).append(index)
        compared: dict[int, tuple[Floats, Floats]] = {}
        for source, indices in rows_of.items():
            with self.lock, reading_errors(self.tokenizer):
                prompt, headlines = self._pieces(
                    source, [text for index in indices for text in groups[index]]
                )
            rest = iter(headlines)
            cache = DynamicCache()
            self.model(input_ids=prompt[:, :-1], past_key_values=cache, use_cache=True, logits_to_keep=1)
            for index in indices:
                rows = [next(rest) for _ in groups[index]]
                labels = padded(rows, IGNORED)
                values = self._log_p(prompt, cache, rows, changed(labels))
                compared[index] = differences(values, labels)
        return [compared[index] for index in range(len(sources))]

    def training_batch(
        self, sources: Sequence[tuple[str, str]], headlines: Sequence[str], targets: Sequence[str]
    ) -> dict[str, Tensor]:
        """See `Likelihood.training_batch`; the outlets are not part of the prompt, of which nothing is learnt."""
        prompts, answers = [], []
        for texts, headline in zip(sources, headlines, strict=True):
            with self.lock, reading_errors(self.tokenizer):
                prompt, [answer] = self._pieces(plain_source(texts), [headline])
            prompts.append(prompt[0].tolist())
            answers.append(answer)
        return prompted_batch(prompts, answers, 0)

    def _pieces(self, source: str, headlines: Sequence[str]) -> tuple[Tensor, list[list[int]]]:
        """What a causal model reads before a headline, (1, n), and what it is asked to write."""
        before, after = PROMPTS.get(self.language, PROMPTS["en"])
        begin = self.tokenizer(before)["input_ids"]
        read = self.tokenizer(source, add_special_tokens=False)["input_ids"][: self.max_tokens]
        prompt = [*begin, *read, *self.tokenizer(after, add_special_tokens=False)["input_ids"]]
        texts = [f" {headline}\n" for headline in headlines]
        rows = [row[:LONGEST] for row in self.tokenizer(texts, add_special_tokens=False)["input_ids"]]
        return torch.tensor([prompt], device=self.model.device), rows

    def _log_p(
        self, prompt: Tensor, cache: DynamicCache, rows: Sequence[Sequence[int]], counted: Tensor
    ) -> Tensor:
        """(n, t) log p of texts behind a prompt of which all but the last piece is in the cache; 0 where it does not count."""
        values = torch.zeros(counted.shape)
        for some in torch.arange(len(rows)).split(ROWS):
            part = [rows[row] for row in some.tolist()]
            wanted = counted[some, : max(map(len, part))]
            if not wanted.any():
                continue
            ids, parents, nodes = _tree(part)
            seen = np.eye(len(parents), dtype=bool)
            for node, parent in enumerate(parents[1:], start=1):
                seen[node] |= seen[parent]
            ids[0], before = int(prompt[0, -1]), prompt.shape[1] - 1
            visible = np.concatenate([np.ones((len(ids), before), dtype=bool), seen], axis=1)
            mask = torch.zeros(visible.shape, dtype=self.model.dtype)
            mask[torch.from_numpy(~visible)] = torch.finfo(mask.dtype).min
            read, at = padded(nodes, 0)[wanted].unique(return_inverse=True)
            logits = self.model(
                input_ids=torch.tensor([ids]).to(prompt),
                attention_mask=mask[None, None].to(prompt.device),
                position_ids=torch.from_numpy(before + seen.sum(1) - 1)[None].to(prompt),
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=read.to(prompt.device),
            ).logits[0]
            cache.crop(-len(ids))
            total = torch.stack([row.float().logsumexp(-1) for row in logits])
            labels = padded(part, 0)[wanted]
            log_p = (logits[at, labels].float() - total[at]).cpu()
            values[some, : wanted.shape[1]] = torch.zeros(wanted.shape).masked_scatter(wanted, log_p)
        return values


def _tree(rows: Sequence[Sequence[int]]) -> tuple[list[int], list[int], list[list[int]]]:
    """Texts as the branches of a tree, in which what several begin with stands once.

    The pieces of its nodes, the root first, which is what all stand behind; the node before each; and for each piece of each
    text the node before it. Last pieces have no node.
    """
    nodes: dict[tuple[int, int], int] = {}
    paths = []
    for row in rows:
        path = [0]
        for piece in row[:-1]:
            path.append(nodes.setdefault((path[-1], piece), len(nodes) + 1))
        paths.append(path)
    return [0, *(piece for _, piece in nodes)], [0, *(parent for parent, _ in nodes)], paths
