"""A Bi-LSTM judge to train: its characters and its words."""

import unicodedata
from collections import Counter
from collections.abc import Sequence

import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from change_it.judges.bilstm import (
    BETWEEN,
    LETTER,
    SIGN,
    BiLSTMJudgeConfig,
    BiLSTMJudgeForSequenceClassification,
    word_number,
)
from change_it.judges.encoders import class_labels

#: Tokens beside the characters.
PADDING, UNKNOWN = "[PAD]", "[UNK]"
#: Characters that occur in fewer headlines are unknown, and so are words.
LEAST = 2


def build_bilstm(
    headlines: Sequence[str], outlets: tuple[str, str], *, max_tokens: int
) -> tuple[BiLSTMJudgeForSequenceClassification, PreTrainedTokenizerFast]:
    """A Bi-LSTM judge before training, its weights random, and its tokenizer."""
    tokenizer = character_tokenizer(headlines, max_tokens)
    words = Counter(word for text in headlines for word in set(_split(text)))
    known_words = [word for word, count in words.items() if count >= LEAST]
    codes = {character: id_ + 1 for character, id_ in tokenizer.get_vocab().items()}
    lower = {character: codes.get(character.casefold(), codes[character]) for character in codes}
    unknown = lower[UNKNOWN]
    numbers = sorted(word_number([lower.get(sign, unknown) for sign in word]) for word in known_words)
    others = {"pad_token_id": 0, **class_labels(outlets)}
    config = BiLSTMJudgeConfig(characters=len(tokenizer), words=len(numbers), **others)
    judge = BiLSTMJudgeForSequenceClassification(config)
    judge.word_numbers.copy_(torch.tensor(numbers, dtype=torch.int64))
    for character, id_ in tokenizer.get_vocab().items():
        judge.codes[id_] = lower[character]
        judge.kinds[id_] = _kind(character)
    return judge, tokenizer


def character_tokenizer(headlines: Sequence[str], max_tokens: int) -> PreTrainedTokenizerFast:
    """A tokenizer whose tokens are characters, cased; those of fewer than `LEAST` headlines are unknown."""
    counts = Counter(sign for text in headlines for sign in {*text, *text.casefold()})
    alphabet = sorted(sign for sign, count in counts.items() if count >= LEAST and not sign.isspace())
    names = [PADDING, UNKNOWN, " ", *alphabet]
    vocabulary = {name: id_ for id_, name in enumerate(names)}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    backend.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " ")])
    backend.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), behavior="isolated")
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token=PADDING,
        unk_token=UNKNOWN,
        model_max_length=max_tokens,
        padding_side="right",
        truncation_side="right",
    )


def _kind(character: str) -> int:
    """What a character is to words; an unknown one is part of a word."""
    if character in (PADDING, " "):
        return BETWEEN
    return LETTER if character == UNKNOWN or _is_letter(character) else SIGN


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def _split(text: str) -> list[str]:
    """Words of a text as the judge sees them, in small letters."""
    words: list[str] = []
    inside = False
    for sign in unicodedata.normalize("NFC", text).casefold():
        letter = _is_letter(sign)
        if letter and inside:
            words[-1] += sign
        elif not sign.isspace():
            words.append(sign)
        inside = letter
    return words
