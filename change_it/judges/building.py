"""Making a judge to train: the encoder, its tokenizer, what it knows of words, and a calibrated start."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler, normalize
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from torch import nn
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    PreTrainedTokenizerFast,
)

from change_it.errors import InputError
from change_it.judges.encoder import (
    PairJudgeConfig,
    PairJudgeForSequenceClassification,
    piece_number,
)
from change_it.judges.options import SCRATCH, Size, Task

#: Layers, width and attention heads of the scratch encoders.
SIZES: dict[Size, tuple[int, int, int]] = {"tiny": (2, 128, 2), "small": (4, 256, 4), "base": (12, 768, 12)}
#: Dropout of the head: the organisers' for a pre-trained encoder (SPEC §3), BERT's own for a scratch one.
DROPOUT = {"pretrained": 0.3, SCRATCH: 0.1}
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CONTENT_LABELS = ("no_match", "match")

#: Letters and signs that word pieces begin with, the most frequent ones.
ALPHABET = 1000
#: Texts that word pieces and document frequencies are learnt from, at most, and characters and tokens of each.
SAMPLED_TEXTS, SAMPLED_CHARACTERS, SAMPLED_TOKENS = 12_000, 3000, 512
#: Dimensions of the latent semantic analysis that scratch content judges start from.
TOPICS = 64
#: Pairs that the features' layer starts from, at most.
WARM_PAIRS = 1500


def build(
    task: Task,
    encoder: str,
    texts: Sequence[str],
    *,
    outlets: tuple[str, str],
    size: Size = "tiny",
    vocabulary_size: int = 8000,
    dropout: float | None = None,
) -> tuple[Any, Any]:
    """A judge before training: BERT and a linear layer for main, a pair judge for HH and AH (SPEC §3).

    Args:
        task: main, hh or ah.
        encoder: Hub id, local folder, or `scratch`.
        texts: headlines and articles of the training side, for word pieces and document frequencies; may be empty
            for main on a pre-trained encoder.
        outlets: names of the classes of main.
        size: of a scratch encoder.
        vocabulary_size: word pieces of a scratch encoder.
        dropout: of the head, 0 to 1; None takes `DROPOUT`.

    Returns:
        The model, whose weights depend on torch's random state, and its tokenizer.

    Raises:
        InputError: no such encoder, one whose tokenizer has no separator, or no texts where they are needed.
    """
    if not len(texts) and (task != "main" or encoder == SCRATCH):
        raise InputError("there are no texts to learn words from: give the corpus's headlines and articles")
    if dropout is None:
        dropout = DROPOUT[SCRATCH if encoder == SCRATCH else "pretrained"]
    names = outlets if task == "main" else CONTENT_LABELS
    labels: dict[str, Any] = {
        "num_labels": 2,
        "id2label": dict(enumerate(names)),
        "label2id": {name: number for number, name in enumerate(names)},
    }
    if encoder == SCRATCH:
        tokenizer = train_wordpiece(texts, vocabulary_size)
        layers, width, heads = SIZES[size]
        config = BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=4 * width,
            pad_token_id=tokenizer.pad_token_id,
        )
    else:
        tokenizer, config = _pretrained(encoder)
    if task == "main":
        options = {"classifier_dropout": dropout, "seq_classif_dropout": dropout, **labels}
        if encoder == SCRATCH:
            return BertForSequenceClassification(_with(config, options)), tokenizer
        return AutoModelForSequenceClassification.from_pretrained(
            encoder, config=_with(config, options), dtype=torch.float32
        ), tokenizer
    judge = PairJudgeForSequenceClassification(
        PairJudgeConfig(
            encoder=config.to_dict(),
            separator_token_id=tokenizer.sep_token_id,
            head_dropout=dropout,
            **labels,
        )
    )
    if encoder != SCRATCH:
        loaded = AutoModel.from_pretrained(encoder, config=config, dtype=torch.float32)
        judge.encoder.load_state_dict(loaded.state_dict(), strict=False)  # without the pooler
    else:
        start_from_topics(judge.get_input_embeddings(), tokenizer, texts)
    nn.init.zeros_(judge.classifier.weight)
    nn.init.zeros_(judge.classifier.bias)
    learn_words(judge, tokenizer, texts)
    return judge, tokenizer


def _pretrained(encoder: str) -> tuple[Any, Any]:
    """Tokenizer and configuration of a pre-trained encoder."""
    try:
        config = AutoConfig.from_pretrained(encoder)
        tokenizer = AutoTokenizer.from_pretrained(encoder)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no encoder can be loaded from {encoder!r}: give a Hub id, a local folder, or --encoder scratch"
        ) from error
    if tokenizer.sep_token_id is None or tokenizer.pad_token_id is None:
        raise InputError(
            f"the tokenizer of {encoder!r} has no separator and padding: give a BERT-like encoder"
        )
    # Articles are longer than what the encoder reads of them.
    tokenizer.model_max_length, tokenizer.truncation_side, tokenizer.padding_side = (
        1_000_000,
        "right",
        "right",
    )
    return tokenizer, config


def _with(config: Any, options: dict[str, Any]) -> Any:
    """The configuration with some values set."""
    for name, value in options.items():
        if name != "num_labels":
            setattr(config, name, value)
    return config


def train_wordpiece(texts: Sequence[str], vocabulary_size: int) -> PreTrainedTokenizerFast:
    """A cased WordPiece tokenizer that keeps accents and punctuation: house style lives in them.

    Args:
        texts: what to learn from; an even sample of at most `SAMPLED_TEXTS` is read.
        vocabulary_size: word pieces, special tokens included.

    Returns:
        A tokenizer with BERT's special tokens and token types.

    Example:
        >>> train_wordpiece(["Ecco perché: «Sì»"] * 3, 60).tokenize("perché: «Sì»")
        ['perché', ':', '«', 'Sì', '»']
    """
    read = _sample(texts)
    learner = _wordpiece(None)
    counts = Counter(c for text in read for c in learner.normalizer.normalize_str(text) if not c.isspace())
    letters = sorted(sorted(counts, key=lambda c: (-counts[c], c))[:ALPHABET])
    # Given numbers beforehand: left to itself the trainer meets them in an order that changes from run to run.
    fixed = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters)]
    trainer = trainers.WordPieceTrainer(vocab_size=vocabulary_size, special_tokens=fixed, show_progress=False)
    learner.train_from_iterator(read, trainer)
    tokenizer = _wordpiece(learner.get_vocab())
    begin, end = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", begin), ("[SEP]", end)],
    )
    pad, unknown, begin_token, separator, mask = SPECIAL
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=pad,
        unk_token=unknown,
        cls_token=begin_token,
        sep_token=separator,
        mask_token=mask,
        model_max_length=1_000_000,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def _wordpiece(vocabulary: dict[str, int] | None) -> Tokenizer:
    """A WordPiece tokenizer that changes neither case nor accents, with these pieces or none yet."""
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def _sample(texts: Sequence[str]) -> list[str]:
    """The beginnings of every n-th text."""
    step = -(-len(texts) // SAMPLED_TEXTS)
    return [text[:SAMPLED_CHARACTERS] for text in texts[:: max(1, step)]]


def learn_words(judge: PairJudgeForSequenceClassification, tokenizer: Any, texts: Sequence[str]) -> None:
    """Fill the buffers of a pair judge: how pieces make words, and in how many texts each word is.

    Inverse document frequency is ln((1 + texts) / (1 + texts with the word)), so words of every text count nothing.

    Args:
        judge: changed in place.
        tokenizer: WordPiece (`##` goes on with a word) or byte-level BPE and SentencePiece (`Ġ` or `▁` begins one).
        texts: any; an even sample of at most `SAMPLED_TEXTS` is read.
    """
    vocabulary = tokenizer.get_vocab()
    special = set(tokenizer.all_special_tokens)
    wordpiece = any(piece.startswith("##") for piece in vocabulary)
    pieces = np.zeros((3, len(judge.piece_kinds)), dtype=np.int64)
    for piece, place in vocabulary.items():
        goes_on = piece.startswith("##") if wordpiece else not piece.startswith(("Ġ", "▁"))
        text = piece.removeprefix("##") if wordpiece else piece.lstrip("Ġ▁")
        folded = "".join(character for character in text.lower() if character.isalnum())
        if folded and piece not in special and place < pieces.shape[1]:
            pieces[:, place] = piece_number(folded), len(folded), 2 if goes_on else 1
    for buffer, values in zip(
        (judge.piece_numbers, judge.piece_lengths, judge.piece_kinds), pieces, strict=True
    ):
        buffer.copy_(torch.from_numpy(values))
    sample = _sample(texts)
    frequency = torch.zeros_like(judge.idf)
    with torch.inference_mode():
        for start in range(0, len(sample), 64):
            batch = tokenizer(
                sample[start : start + 64],
                truncation=True,
                max_length=SAMPLED_TOKENS,
                padding=True,
                return_tensors="pt",
            )
            buckets, starts = judge.words(batch["input_ids"], batch["attention_mask"] > 0)
            rows, tokens = torch.where(starts)
            keys = torch.unique(rows * len(frequency) + buckets[rows, tokens])
            frequency += torch.bincount(keys % len(frequency), minlength=len(frequency))
    judge.idf.copy_(torch.log((1 + len(sample)) / (1 + frequency)))


def start_from_topics(embeddings: Any, tokenizer: Any, texts: Sequence[str]) -> None:
    """Start the word embeddings of a scratch encoder from latent semantic analysis of the corpus.

    Two papers name one event by different words; words that fill the same places in articles get like vectors, so
    the encoder knows synonyms before it has seen a pair. A few hundred pairs alone could not teach them.

    Args:
        embeddings: `nn.Embedding`, changed in place: `TOPICS` of the dimensions get the vectors, of length 1, the others stay.
        tokenizer: whose pieces they embed.
        texts: headlines and articles of the training side; an even sample of at most `SAMPLED_TEXTS` is read.
    """
    ids = tokenizer(_sample(texts), add_special_tokens=False)["input_ids"]
    columns, offsets = np.concatenate([[], *ids]).astype(np.int64), np.cumsum([0, *map(len, ids)])
    counts = csr_matrix(
        (np.ones(len(columns)), columns, offsets), shape=(len(ids), embeddings.num_embeddings)
    )
    counts.sum_duplicates()
    topics = min(TOPICS, embeddings.embedding_dim, min(counts.shape) - 1)
    analysis = TruncatedSVD(topics, random_state=0).fit(
        TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    )
    vectors = torch.tensor(normalize(analysis.components_.T), dtype=embeddings.weight.dtype)
    with torch.no_grad():
        embeddings.weight[:, :topics] += vectors


def masked_language_model(model: Any, tokenizer: Any) -> nn.Module:
    """A masked language model around a judge's own encoder, to pre-train that in place (`--mlm-steps`).

    Args:
        model: a scratch judge from `build`.
        tokenizer: its tokenizer.

    Returns:
        `AutoModelForMaskedLM`, whose encoder's parameters are the judge's: nothing needs copying back.
    """
    config = model.base_model.config
    masked = AutoModelForMaskedLM.from_config(config)
    pooler, model.base_model.pooler = model.base_model.pooler, None
    setattr(masked, masked.base_model_prefix, model.base_model)
    model.base_model.pooler = pooler
    masked.tie_weights()
    return masked


@torch.inference_mode()
def warm_start(
    model: Any,
    tokenizer: Any,
    texts: Sequence[str],
    pairs: Sequence[str] | None,
    labels: Sequence[int] | np.ndarray,
    *,
    max_tokens: int,
) -> None:
    """Start the features' layer of a pair judge at the solution of a logistic regression; leave other judges alone.

    Args:
        model: changed in place.
        tokenizer: its tokenizer.
        texts: first texts of the training pairs, in random order; the first `WARM_PAIRS` are used.
        pairs: second texts.
        labels: 1 for a match, 0 for none.
        max_tokens: longer pairs are cut.
    """
    if not isinstance(model, PairJudgeForSequenceClassification) or pairs is None:
        return
    labels = np.asarray(labels)
    rows = np.random.default_rng(0).permutation(len(labels))[:WARM_PAIRS]
    rows = rows[np.argsort([len(texts[row]) + len(pairs[row]) for row in rows], kind="stable")]
    if len(set(labels[rows].tolist())) < 2:
        return
    training = model.training
    model.eval()
    found = []
    for start in range(0, len(rows), 32):
        some = rows[start : start + 32]
        batch = tokenizer(
            [texts[row] for row in some],
            [pairs[row] for row in some],
            truncation=True,
            max_length=max_tokens,
            padding=True,
            return_tensors="pt",
        ).to(model.device)
        found.append(model.describe(batch["input_ids"], batch["attention_mask"])[0].float().cpu().numpy())
    model.train(training)
    scaler = StandardScaler().fit(np.concatenate(found))
    start_at = LogisticRegression(max_iter=1000).fit(scaler.transform(np.concatenate(found)), labels[rows])
    half = torch.tensor(np.concatenate([start_at.coef_[0], start_at.intercept_]) / 2, dtype=torch.float32)
    model.feature_mean.copy_(torch.tensor(scaler.mean_))
    model.feature_scale.copy_(torch.tensor(scaler.scale_))
    model.features.weight.copy_(torch.stack([-half[:-1], half[:-1]]))
    model.features.bias.copy_(torch.stack([-half[-1], half[-1]]))
