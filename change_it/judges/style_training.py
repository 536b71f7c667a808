"""Making a style judge to train: case for tokenizers that drop it, n-grams at the solution of a logistic regression, the mix of both branches."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy.sparse import csr_matrix, diags
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from tokenizers import AddedToken, Regex, Tokenizer, normalizers
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from change_it.judges.judge import encode
from change_it.judges.style import (
    BEGINS,
    GOES_ON,
    LONGEST_PIECE,
    MARKER,
    StyleJudgeForSequenceClassification,
)
from change_it.stats import Floats, Ints

#: What stands before a capitalised word and before one in capitals.
CAPITALISED, CAPITALS = "⇧", "⇪"
#: Signs that a word may follow without a space.
OPENING = "\"'“”‘’«»([{-–—./:&#@¿¡"
#: A text on which a tokenizer has to agree with itself once it marks case.
SPECIMEN = "Il Governo dice «No» a McDonald: it's “Why NATO's U.S. (Left-Wing) plan” failed, ÉTÉ 2020"
UNKNOWN = "�"
#: Inverse regularisation strengths of the logistic regression, of which the validation examples choose.
STRENGTHS = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0)
#: Pieces that n-grams of words show as they are.
FREQUENT = 100
#: N-grams of fewer headlines count nothing.
LEAST_HEADLINES = 2
BATCH = 256


def show_case(tokenizer: PreTrainedTokenizerBase) -> PreTrainedTokenizerBase:
    """A fast tokenizer, with two markers of capital letters as further tokens if it drops case; as it is where it cannot be given them."""
    if tokenizer(SPECIMEN)["input_ids"] != tokenizer(SPECIMEN.lower())["input_ids"]:
        return tokenizer
    replace = normalizers.Replace
    rules = [normalizers.Prepend(" "), replace(Regex(r"\s(?=\p{Lu})"), CAPITALISED)]
    rules += [replace(Regex(rf"\x{{{ord(sign):x}}}(?=\p{{Lu}})"), sign + CAPITALISED) for sign in OPENING]
    rules += [replace(Regex(rf"{CAPITALISED}(?=\p{{Lu}}[\p{{Lu}}\p{{N}}])"), CAPITALS)]
    rules += [normalizers.Strip(left=True, right=False)]
    backend = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    backend.normalizer = normalizers.Sequence([*rules, *filter(None, [backend.normalizer])])
    backend.add_tokens([AddedToken(marker, normalized=True) for marker in (CAPITALISED, CAPITALS)])
    marked = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        model_max_length=tokenizer.model_max_length,
        model_input_names=tokenizer.model_input_names,
        truncation_side="right",
        padding_side="right",
        **{name: token for name, token in tokenizer.special_tokens_map.items() if isinstance(token, str)},
    )
    markers = {marked.get_vocab()[marker] for marker in (CAPITALISED, CAPITALS)}
    seen = marked(SPECIMEN)["input_ids"]
    bare = [piece for piece in seen if piece not in markers]
    agrees = bare == tokenizer(SPECIMEN)["input_ids"] and markers <= set(seen)
    return marked if agrees else tokenizer


def learn_pieces(judge: StyleJudgeForSequenceClassification, tokenizer: PreTrainedTokenizerBase) -> None:
    """Fill the buffers that say of which characters each piece is, and how pieces make words.

    The tokenizer is WordPiece (`##` goes on with a word) or byte-level BPE and SentencePiece (`Ġ` or `▁` begins one).
    """
    vocabulary = tokenizer.get_vocab()
    wordpiece = any(piece.startswith("##") for piece in vocabulary)
    special = set(tokenizer.all_special_tokens) - {tokenizer.unk_token}
    for piece, id_ in vocabulary.items():
        if piece in special:
            continue
        goes_on = piece.startswith("##") if wordpiece else not piece.startswith(("Ġ", "▁"))
        text = piece.removeprefix("##") if wordpiece else piece.lstrip("Ġ▁")
        if piece == tokenizer.unk_token:
            text = UNKNOWN
        kind = MARKER if piece in (CAPITALISED, CAPITALS) else GOES_ON if goes_on else BEGINS
        judge.piece_kinds[id_] = kind
        codes = [ord(character) for character in text[:LONGEST_PIECE]]
        judge.piece_characters[id_, : len(codes)] = torch.tensor(codes, dtype=torch.int32)


def learn_classes(
    judge: StyleJudgeForSequenceClassification, tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]
) -> None:
    """After `learn_pieces`, fill the buffer that says as what pieces are seen in n-grams of words: as they are where most texts have them as words, else by their shape."""
    pieces = judge.config.pieces
    shapes = [_shape("".join(map(chr, codes)).rstrip("\0")) for codes in judge.piece_characters.tolist()]
    judge.piece_classes.copy_((pieces + torch.tensor(shapes)).expand(2, -1))
    counts = Counter(piece for ids in tokenizer(list(texts))["input_ids"] for piece in set(ids))
    words = sorted(
        (piece for piece in counts if judge.piece_kinds[piece] == BEGINS), key=lambda p: (-counts[p], p)
    )
    frequent = torch.tensor(words[:FREQUENT], dtype=torch.int64)
    judge.piece_classes[0, frequent] = frequent


def _shape(piece: str) -> int:
    """A number, a mark, a word in capitals, one with a capital, or another one."""
    kinds = (piece[:1].isdecimal(), not piece[:1].isalnum(), piece[1:].isupper(), piece[:1].isupper(), True)
    return kinds.index(True)


@torch.inference_mode()
def fit_ngrams(
    judge: StyleJudgeForSequenceClassification,
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    labels: Ints,
    *,
    held_out: Ints,
    max_tokens: int,
) -> Floats:
    """Start the n-grams at the solution of a logistic regression.

    N-grams that both outlets use alike are held closer to 0 than the others (`unevenness`). How strongly it is
    regularised is chosen on the headlines held out (their rows); then it learns from all of them. Returns the logits of those
    held out, by the n-grams of the others alone: what the encoder may be compared with.
    """
    if judge.config.class_ngrams:
        learn_classes(judge, tokenizer, texts)
    parts = []
    for start in range(0, len(texts), BATCH):
        batch = encode(tokenizer, texts[start : start + BATCH], max_tokens=max_tokens)
        row, bucket, count = judge.ngrams(batch["input_ids"], batch["attention_mask"])
        parts.append((row.numpy() + start, bucket.numpy(), count.numpy()))
    rows, buckets, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
    frequency = np.bincount(buckets, minlength=judge.config.buckets)
    kept = np.flatnonzero(frequency >= LEAST_HEADLINES)
    idf = np.zeros(judge.config.buckets)
    idf[kept] = np.log((1 + len(texts)) / (1 + frequency[kept])) + 1
    judge.idf.copy_(torch.from_numpy(idf))

    column = np.full(judge.config.buckets, -1)
    column[kept] = np.arange(len(kept))
    has_column = column[buckets] >= 0
    rows, columns = rows[has_column], column[buckets[has_column]]
    values = (1 + np.log(counts[has_column])) * idf[kept][columns]
    norms = np.sqrt(np.bincount(rows, values * values, minlength=len(texts)))
    vectors = csr_matrix((values / norms[rows], (rows, columns)), shape=(len(texts), len(kept)))

    others = np.setdiff1d(np.arange(len(texts)), held_out)
    best: tuple[float, float, Floats] | None = None
    model = LogisticRegression(max_iter=300, warm_start=True)
    scale = unevenness(vectors[others], labels[others])
    scaled = vectors @ diags(scale)
    for strength in STRENGTHS:
        model.set_params(C=strength).fit(scaled[others], labels[others])
        logits = model.decision_function(scaled[held_out])
        loss = Mix.fit(labels[held_out], logits).loss(labels[held_out], logits)
        if best is None or loss < best[0]:
            best = loss, strength, logits
    assert best is not None
    scale = unevenness(vectors, labels)
    model.set_params(C=best[1]).fit(vectors @ diags(scale), labels)
    judge.weights[torch.from_numpy(kept)] = torch.from_numpy(scale * model.coef_[0]).to(judge.weights)
    judge.intercept.fill_(float(model.intercept_[0]))
    return best[2]


def unevenness(vectors: csr_matrix, labels: Ints) -> Floats:
    """How unevenly the classes use each n-gram, after the log-count ratio of Wang and Manning (ACL 2012).

    Of (n, n-grams) vectors with (n,) labels: (n-grams,) square roots of the logarithm of the ratio of both classes' shares, 0
    where they are alike.
    """
    present = vectors > 0
    first, second = (
        (np.asarray(present[labels == label].sum(axis=0)).ravel() + 1) / ((labels == label).sum() + 2)
        for label in (1, 0)
    )
    return np.asarray(np.sqrt(np.abs(np.log(first / second))))


@dataclass(frozen=True)
class Mix:
    """How much the n-grams' logit counts, how much the encoder's, and what is added."""

    ngrams: float = 1.0
    encoder: float = 0.0
    constant: float = 0.0

    @classmethod
    def fit(cls, labels: Ints, ngrams: Floats, encoder: Floats | None = None) -> "Mix":
        """The logistic regression of (n,) labels on both (n,) logits, or on one if the other adds nothing."""
        columns = [ngrams] if encoder is None else [ngrams, encoder]
        model = LogisticRegression(C=100.0).fit(np.stack(columns, axis=1), labels)
        weights, constant = model.coef_[0].tolist(), float(model.intercept_[0])
        if min(weights) < 0:
            return cls() if encoder is None else cls.fit(labels, ngrams)
        return cls(weights[0], weights[1] if encoder is not None else 0.0, constant)

    def logits(self, ngrams: Floats, encoder: Floats | None = None) -> Floats:
        """(n,) logits of the two together."""
        return self.ngrams * ngrams + (0.0 if encoder is None else self.encoder * encoder) + self.constant

    def loss(self, labels: Ints, ngrams: Floats, encoder: Floats | None = None) -> float:
        """Mean cross-entropy."""
        return float(log_loss(labels, expit(self.logits(ngrams, encoder)), labels=[0, 1]))


def mix_branches(
    judge: StyleJudgeForSequenceClassification,
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    labels: Ints,
    ngrams: Floats,
    max_tokens: int,
) -> Floats:
    """Set how much each branch of a judge in `eval` mode counts, from n headlines that neither has learnt from; returns their (n, 2) probabilities.

    `ngrams` are the (n,) logits of n-grams of other headlines, from `fit_ngrams`.
    """
    encoder = encoder_logits(judge, tokenizer, texts, max_tokens)
    mix = Mix.fit(labels, ngrams, encoder)
    judge.mix.copy_(torch.tensor([mix.ngrams, mix.encoder, mix.constant]))
    second = expit(mix.logits(ngrams, encoder))
    return np.stack([1 - second, second], axis=1)


@torch.inference_mode()
def encoder_logits(
    judge: StyleJudgeForSequenceClassification,
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    max_tokens: int,
) -> Floats:
    """(n,) logits of the encoder branch alone, of a judge in `eval` mode."""
    logits = np.empty(len(texts))
    order = np.argsort([-len(text) for text in texts], kind="stable")
    for start in range(0, len(texts), BATCH):
        rows = order[start : start + BATCH]
        batch = encode(tokenizer, [texts[row] for row in rows], max_tokens=max_tokens).to(judge.device)
        logits[rows] = judge.read(batch["input_ids"], batch["attention_mask"]).double().cpu().numpy()
    return logits
