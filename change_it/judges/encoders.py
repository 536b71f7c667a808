"""Judges before they are trained: encoder and tokenizer, from the Hub or from scratch, word statistics, a calibrated start."""

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
    AutoModel,
    AutoModelForSequenceClassification,
    BertConfig,
    BertForSequenceClassification,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from change_it.errors import InputError
from change_it.judges.judge import encode
from change_it.judges.judge_options import CROSS_ENCODER, HEADS, NGRAMS, SCRATCH, Head, Size, Task
from change_it.judges.pair import (
    CAPITAL,
    COMMON,
    DIGIT,
    NEGATION,
    NUMBER_WORD,
    PairJudgeConfig,
    PairJudgeForSequenceClassification,
    piece_number,
)
from change_it.judges.style import StyleJudgeConfig, StyleJudgeForSequenceClassification
from change_it.judges.style_training import learn_pieces, show_case
from change_it.networks.pretrained import load_errors, load_weights, read_config, read_tokenizer
from change_it.text.numbers import spelled
from change_it.text.stopwords import guess_language

#: Layers, width and attention heads of the scratch encoders.
SIZES: dict[Size, tuple[int, int, int]] = {"tiny": (2, 128, 2), "small": (4, 256, 4), "base": (12, 768, 12)}
#: Longest n-gram of words of which main sees the frequent ones as they are and of the others the shape.
CLASS_NGRAMS = 5
#: Dropout of the head: the shared task organisers' for a pre-trained encoder, BERT's own for a scratch one.
DROPOUT = {"pretrained": 0.3, SCRATCH: 0.1}
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CONTENT_LABELS = ("no_match", "match")
NO_ENCODER = "no encoder can be loaded from {}: give a Hub id, a local folder, or --encoder scratch"

#: Words that negate; of English contractions what a tokenizer leaves of them before the apostrophe.
NEGATIONS = {
    "it": ("non", "né"),
    "en": ("not", "cannot", "don", "doesn", "didn", "isn", "aren", "wasn", "weren",
           "couldn", "wouldn", "shouldn", "hasn", "haven", "hadn"),
}  # fmt: skip
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
    head: Head | None = None,
    size: Size = "tiny",
    vocabulary_size: int = 8000,
    max_tokens: int = 512,
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """A judge before training and its tokenizer: a cross-encoder (EvalNLGEval 2020, section 4), a style judge (main), or a pair judge (HH, AH), which learn word pieces and document frequencies from `texts`."""
    head = head or HEADS[task][0]
    if not len(texts) and (head == "pair" or encoder == SCRATCH):
        raise InputError("there are no texts to learn words from: give the corpus's headlines and articles")
    dropout = DROPOUT[SCRATCH if encoder == SCRATCH else "pretrained"]
    labels = class_labels(outlets if task == "main" else CONTENT_LABELS)
    tokenizer: PreTrainedTokenizerBase
    config: Any
    if encoder == SCRATCH:
        tokenizer = train_wordpiece(texts, vocabulary_size)
        config = _scratch_config(size, tokenizer, max_tokens)
    else:
        tokenizer, config = load_encoder(encoder)
    if head == CROSS_ENCODER:
        longest = min(tokenizer.model_max_length, config.max_position_embeddings)
        if max_tokens > longest:
            raise InputError(
                f"{encoder} reads {longest} tokens and not {max_tokens}: give --max-tokens {longest}"
            )
        del labels["num_labels"]
        for name, value in {"classifier_dropout": dropout, "seq_classif_dropout": dropout, **labels}.items():
            setattr(config, name, value)
        if encoder == SCRATCH:
            return BertForSequenceClassification(config), tokenizer
        # the organisers' notebook gives their judges no token types
        names = [name for name in tokenizer.model_input_names if name != "token_type_ids"]
        tokenizer.model_input_names = tokenizer.init_kwargs["model_input_names"] = names
        return load_encoder_weights(encoder, config, AutoModelForSequenceClassification), tokenizer
    tokenizer.model_max_length = 1_000_000  # words of a long article are compared in full
    judge: StyleJudgeForSequenceClassification | PairJudgeForSequenceClassification
    if head == NGRAMS:
        tokenizer = show_case(tokenizer)
        settings = {"pieces": len(tokenizer), "class_ngrams": CLASS_NGRAMS, **labels}
        style = StyleJudgeConfig(encoder=config.to_dict(), head_dropout=dropout, **settings)
        judge = StyleJudgeForSequenceClassification(style)
    else:
        settings = {"separator_token_id": tokenizer.sep_token_id, **labels}
        pair = PairJudgeConfig(encoder=config.to_dict(), head_dropout=dropout, **settings)
        judge = PairJudgeForSequenceClassification(pair)
    if encoder != SCRATCH:
        loaded = load_encoder_weights(encoder, config)
        judge.encoder.load_state_dict(loaded.state_dict(), strict=False)  # without the pooler
    elif head != NGRAMS:
        start_from_topics(judge.get_input_embeddings(), tokenizer, texts)
    nn.init.zeros_(judge.classifier.weight)
    nn.init.zeros_(judge.classifier.bias)
    if isinstance(judge, StyleJudgeForSequenceClassification):
        learn_pieces(judge, tokenizer)
    else:
        learn_words(judge, tokenizer, texts)
    return judge, tokenizer


def load_encoder(encoder: str) -> tuple[PreTrainedTokenizerBase, PreTrainedConfig]:
    """Tokenizer and configuration of a pre-trained encoder."""
    with load_errors(NO_ENCODER.format(repr(encoder))):
        config, tokenizer = read_config(encoder), read_tokenizer(encoder)
    if tokenizer.sep_token_id is None or tokenizer.pad_token_id is None:
        raise InputError(
            f"the tokenizer of {encoder!r} has no separator and padding: give a BERT-like encoder"
        )
    tokenizer.truncation_side = tokenizer.padding_side = "right"
    return tokenizer, config


def load_encoder_weights(encoder: str, config: Any = None, auto: Any = AutoModel) -> Any:
    """A pre-trained encoder, with a new head where `auto` has one."""
    with load_errors(NO_ENCODER.format(repr(encoder))):
        return load_weights(auto, encoder, use="encoder", config=config)


def class_labels(names: Sequence[str]) -> dict[str, Any]:
    """How a configuration names two classes."""
    label2id = {name: number for number, name in enumerate(names)}
    return {"num_labels": 2, "id2label": dict(enumerate(names)), "label2id": label2id}


def _scratch_config(size: Size, tokenizer: PreTrainedTokenizerBase, max_tokens: int) -> BertConfig:
    layers, width, heads = SIZES[size]
    return BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        pad_token_id=tokenizer.pad_token_id,
        max_position_embeddings=max(512, max_tokens),
    )


def train_wordpiece(
    texts: Sequence[str], vocabulary_size: int, *, lowercase: bool = False
) -> PreTrainedTokenizerBase:
    """A WordPiece tokenizer that keeps accents and punctuation, and case unless `lowercase`: house style lives in them.

    Examples:
        >>> train_wordpiece(["Ecco perché: «Sì»"] * 3, 60).tokenize("perché: «Sì»")
        ['perché', ':', '«', 'Sì', '»']
    """
    read = _sample(texts)
    learner = _wordpiece(None, lowercase)
    counts = Counter("".join(learner.normalizer.normalize_str(text) for text in read))
    visible = sorted((c for c in counts if not c.isspace()), key=lambda c: (-counts[c], c))
    letters = sorted(visible[:ALPHABET])
    # Given numbers beforehand: left to itself the trainer meets them in an order that changes from run to run.
    fixed = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters)]
    trainer = trainers.WordPieceTrainer(vocab_size=vocabulary_size, special_tokens=fixed, show_progress=False)
    learner.train_from_iterator(read, trainer)
    tokenizer = _wordpiece(learner.get_vocab(), lowercase)
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


def _wordpiece(vocabulary: dict[str, int] | None, lowercase: bool) -> Tokenizer:
    """A WordPiece tokenizer that keeps accents, with these pieces or none yet."""
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def _sample(texts: Sequence[str]) -> list[str]:
    """The beginnings of every n-th text."""
    step = -(-len(texts) // SAMPLED_TEXTS)
    return [text[:SAMPLED_CHARACTERS] for text in texts[:: max(1, step)]]


def learn_words(
    judge: PairJudgeForSequenceClassification, tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]
) -> None:
    """Fill the buffers of a pair judge: how pieces make words, and in how many texts each word is.

    Inverse document frequency is ln((1 + texts) / (1 + texts with the word)), so words of every text count nothing.
    The tokenizer is WordPiece (`##` goes on with a word) or byte-level BPE and SentencePiece (`Ġ` or `▁` begins one).
    """
    vocabulary = tokenizer.get_vocab()
    special = set(tokenizer.all_special_tokens)
    wordpiece = any(piece.startswith("##") for piece in vocabulary)
    pieces = np.zeros((4, len(judge.piece_kinds)), dtype=np.int64)
    for piece, id_ in vocabulary.items():
        goes_on = piece.startswith("##") if wordpiece else not piece.startswith(("Ġ", "▁"))
        text = piece.removeprefix("##") if wordpiece else piece.lstrip("Ġ▁")
        folded = "".join(character for character in text.lower() if character.isalnum())
        if folded and piece not in special and id_ < pieces.shape[1]:
            marks = DIGIT * any(map(str.isdigit, folded)) + CAPITAL * text[0].isupper()
            pieces[:, id_] = piece_number(folded), len(folded), 2 if goes_on else 1, marks
    buffers = (judge.piece_numbers, judge.piece_lengths, judge.piece_kinds, judge.piece_marks)
    for buffer, values in zip(buffers, pieces, strict=True):
        buffer.copy_(torch.from_numpy(values))
    sample = _sample(texts)
    frequency = torch.zeros_like(judge.idf)
    with torch.inference_mode():
        for start in range(0, len(sample), 64):
            batch = encode(tokenizer, sample[start : start + 64], max_tokens=SAMPLED_TOKENS)
            buckets, starts = judge.words(batch["input_ids"], batch["attention_mask"] > 0)
            rows, tokens = torch.where(starts)
            keys = torch.unique(rows * len(frequency) + buckets[rows, tokens])
            capital = (judge.piece_marks[batch["input_ids"]] & CAPITAL) > 0
            judge.word_kinds[buckets[starts & ~capital]] = COMMON
            frequency += torch.bincount(keys % len(frequency), minlength=len(frequency))
    judge.idf.copy_(torch.log((1 + len(sample)) / (1 + frequency)))
    language = guess_language(texts)
    none = language == "none"
    numbers = [] if none else [*spelled(language, ordinal=False), *spelled(language, ordinal=True)]
    for kind, words in ((NUMBER_WORD, numbers), (NEGATION, NEGATIONS.get(language, ()))):
        for word in words:
            judge.word_kinds[piece_number(word) % len(judge.word_kinds)] = kind


def start_from_topics(embeddings: Any, tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]) -> None:
    """Start the word embeddings of a scratch encoder from latent semantic analysis of the corpus.

    Two papers name one event by different words; words that fill the same places in articles get like vectors, so
    the encoder knows synonyms before it has seen a pair. A few hundred pairs alone could not teach them. `TOPICS` of the
    dimensions get the vectors, of length 1, the others stay.
    """
    ids = tokenizer(_sample(texts), add_special_tokens=False)["input_ids"]
    columns, offsets = np.concatenate([[], *ids]).astype(np.int64), np.cumsum([0, *map(len, ids)])
    shape = (len(ids), embeddings.num_embeddings)
    counts = csr_matrix((np.ones(len(columns)), columns, offsets), shape=shape)
    counts.sum_duplicates()
    topics = min(TOPICS, embeddings.embedding_dim, min(counts.shape) - 1)
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    analysis = TruncatedSVD(topics, random_state=0).fit(weighted)
    vectors = torch.tensor(normalize(analysis.components_.T), dtype=embeddings.weight.dtype)
    with torch.no_grad():
        embeddings.weight[:, :topics] += vectors


@torch.inference_mode()
def warm_start(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    pairs: Sequence[str] | None,
    labels: Sequence[int] | np.ndarray,
    *,
    max_tokens: int,
) -> None:
    """Start the features' layer of a pair judge at the solution of a logistic regression on some training pairs; leave other judges alone."""
    if not isinstance(model, PairJudgeForSequenceClassification) or pairs is None:
        return
    labels = np.asarray(labels)
    rows = np.random.default_rng(0).permutation(len(labels))[:WARM_PAIRS]
    rows = rows[np.argsort([len(texts[row]) + len(pairs[row]) for row in rows], kind="stable")]
    if len(set(labels[rows].tolist())) < 2:
        return
    training = model.training
    model.eval()
    parts = []
    for start in range(0, len(rows), 32):
        some = rows[start : start + 32]
        first, second = ([side[row] for row in some] for side in (texts, pairs))
        batch = encode(tokenizer, first, second, max_tokens=max_tokens).to(model.device)
        parts.append(model.describe(batch["input_ids"], batch["attention_mask"])[0].float().cpu().numpy())
    model.train(training)
    features = np.concatenate(parts)
    scaler = StandardScaler().fit(features)
    start_at = LogisticRegression(max_iter=1000).fit(scaler.transform(features), labels[rows])
    half = torch.tensor(np.concatenate([start_at.coef_[0], start_at.intercept_]) / 2, dtype=torch.float32)
    model.feature_mean.copy_(torch.tensor(scaler.mean_))
    model.feature_scale.copy_(torch.tensor(scaler.scale_))
    model.features.weight.copy_(torch.stack([-half[:-1], half[:-1]]))
    model.features.bias.copy_(torch.stack([-half[-1], half[-1]]))
