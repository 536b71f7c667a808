"""The content judge from the outside: what it sees of two texts, and that plain transformers can load it."""

from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    PreTrainedTokenizerFast,
    RobertaConfig,
)

import change_it.auto  # noqa: F401 (registers the models)
from change_it.errors import InputError
from change_it.judges.encoders import (
    build,
    learn_words,
    warm_start,
)
from change_it.judges.judge import encode as encode_batch
from change_it.judges.pair import FEATURES, PairJudgeConfig, PairJudgeForSequenceClassification

PLACES = ["Torino", "Palermo", "Cagliari", "Verona", "Genova", "Bari", "Trieste", "Perugia"]
EVENTS = ["sciopero", "alluvione", "processo", "concerto", "elezione", "incendio", "sfilata", "congresso"]
HEADLINES = [
    f"{event.title()} a {place}: il sindaco parla di «svolta»" for place in PLACES for event in EVENTS
]
OTHERS = [f"Perché il caso {event} di {place} divide la città" for place in PLACES for event in EVENTS]
TEXTS = HEADLINES + OTHERS


def encode(tokenizer, first, second, max_tokens=64):
    return tokenizer(
        list(first), list(second), truncation=True, max_length=max_tokens, padding=True, return_tensors="pt"
    )


@pytest.fixture(scope="module")
def judge():
    torch.manual_seed(1)
    model, tokenizer = build("hh", "scratch", TEXTS, outlets=("rep", "gio"), vocabulary_size=200)
    return model.eval(), tokenizer


@pytest.fixture(scope="module")
def examples():
    """Matching pairs, and as many whose second headline is another event's."""
    wrong = OTHERS[9:] + OTHERS[:9]
    return HEADLINES * 2, OTHERS + wrong, np.repeat([1, 0], len(HEADLINES))


def described(model, tokenizer, first, second, max_tokens=64):
    batch = encode(tokenizer, first, second, max_tokens)
    with torch.inference_mode():
        return model.describe(batch["input_ids"], batch["attention_mask"])[0].numpy()


def test_cosine_is_that_of_tfidf_over_whole_words(judge):
    model, tokenizer = judge
    vectors = TfidfVectorizer(token_pattern=r"[^\W_]+").fit(TEXTS)
    words = vectors.get_feature_names_out()
    frequency = np.asarray((vectors.transform(TEXTS) > 0).sum(axis=0)).ravel()
    vectors.idf_ = np.log((1 + len(TEXTS)) / (1 + frequency))
    assert len(words) == len(vectors.idf_)
    expected = vectors.transform(HEADLINES).multiply(vectors.transform(OTHERS)).sum(axis=1)
    found = described(model, tokenizer, HEADLINES, OTHERS)[:, FEATURES.index("tf-idf cosine")]
    assert found == pytest.approx(np.asarray(expected).ravel(), abs=1e-4)


def test_words_match_whatever_their_case_and_pieces(judge):
    model, tokenizer = judge
    same = described(model, tokenizer, ["alluvione torino"], ["Alluvione, Torino!"])[0]
    assert len(tokenizer.tokenize("torino")) != len(tokenizer.tokenize("Torino"))
    assert same[FEATURES.index("coverage of the first text")] == pytest.approx(1)
    assert same[FEATURES.index("rarest word missed")] == 0


def test_a_long_article_is_compared_in_full_and_read_in_passages(judge):
    model, tokenizer = judge
    filler = "il sindaco parla di svolta e la città divide il caso " * 60
    article = filler + "alluvione a Torino " + filler
    headline = ["Alluvione a Torino"]
    batch = encode(tokenizer, headline, [article], 2048)
    separators = batch["input_ids"] == tokenizer.sep_token_id
    second = (separators.cumsum(1) == 1) & ~separators
    buckets, starts = model.words(batch["input_ids"], ~separators)
    first = (separators.cumsum(1) == 0) & ~separators
    first[:, 0] = False
    idf = model.idf[buckets] * starts
    _, shared = model.compare_words(buckets, idf, starts & first, starts & second)
    _, passages = model.find_passages(second, idf * shared)
    read = tokenizer.decode(batch["input_ids"][passages])
    assert passages.sum() <= model.config.passage_tokens
    assert "Torino" in read
    assert read.startswith("il sindaco")
    features = described(model, tokenizer, headline, [article], 2048)[0]
    assert features[FEATURES.index("coverage of the first text")] == pytest.approx(1)


@pytest.mark.parametrize("max_tokens", [12, 64])
def test_encoded_pairs_are_those_of_the_tokenizer(judge, max_tokens):
    _, tokenizer = judge
    first = [HEADLINES[0], HEADLINES[0], HEADLINES[1] * 5, HEADLINES[2]]
    second = [OTHERS[0], OTHERS[1], OTHERS[0] * 4, OTHERS[0] * 4]
    expected = encode(tokenizer, first, second, max_tokens)
    found = encode_batch(tokenizer, first, second, max_tokens=max_tokens)
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    alone = encode_batch(tokenizer, first, max_tokens=max_tokens)
    expected = tokenizer(first, truncation=True, max_length=max_tokens, padding=True, return_tensors="pt")
    assert all(torch.equal(alone[name], expected[name]) for name in expected)


@pytest.mark.parametrize(
    ("feature", "same", "other"),
    [
        ("numbers missed of the first text", "Torino, 12 feriti", "Torino, 19 feriti"),
        ("contradicted numbers", "Torino, 12 feriti", "Torino, due feriti"),
        ("contradicted numbers", "Torino, 12 feriti", "Torino, 12 morti e 19 feriti"),
        ("names missed of the first text", "A Torino lo sciopero", "A Palermo lo sciopero"),
        ("contradicted names", "Alluvione a Torino", "Alluvione a Palermo"),
        ("negation in one text", "Torino non parla", "Torino parla"),
        ("negated words", "il sindaco non parla a Torino", "il sindaco parla a Torino, Bari non divide"),
    ],
)
def test_features_of_facts(feature, same, other):
    texts = [*TEXTS, "12 feriti, 19 feriti, due morti; non parla, divide, a lo sciopero, alluvione"]
    model, tokenizer = build("hh", "scratch", texts, outlets=("rep", "gio"), vocabulary_size=200)
    found = described(model.eval(), tokenizer, [same, same], [same, other])[:, FEATURES.index(feature)]
    expected = 0 if other.startswith("Torino, 12 morti") else 1
    assert found[0] == 0
    assert (found[1] > 0) == expected


def test_texts_of_like_length_are_encoded_together_and_give_what_each_gives_alone(judge):
    model, tokenizer = judge
    first = [headline[: 6 + 3 * n] for n, headline in enumerate(HEADLINES)][::-1]
    widths = []
    hook = model.encoder.register_forward_pre_hook(
        lambda _, args, options: widths.append(tuple(options["input_ids"].shape)), with_kwargs=True
    )
    together = model(**encode(tokenizer, first, OTHERS)).logits
    hook.remove()
    assert max(rows for rows, _ in widths) <= 32
    assert len({width for _, width in widths}) > 2
    alone = torch.cat(
        [model(**encode(tokenizer, [a], [b])).logits for a, b in zip(first, OTHERS, strict=True)]
    )
    assert torch.allclose(together, alone, atol=1e-4)


def test_empty_texts_give_finite_verdicts_and_gradients(judge):
    model, tokenizer = judge
    output = model(**encode(tokenizer, ["", "…", "Sì"], ["", "Sì", ""]), labels=torch.tensor([0, 1, 0]))
    output.loss.backward()
    assert output.logits.isfinite().all()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())
    model.zero_grad()


def test_warm_start_beats_chance_before_any_training(judge, examples):
    model, tokenizer = judge
    first, second, labels = examples
    warm_start(model, tokenizer, first, second, labels, max_tokens=64)
    with torch.inference_mode():
        verdicts = model(**encode(tokenizer, first, second)).logits.argmax(1).numpy()
    assert (verdicts == labels).mean() > 0.9


def test_every_parameter_gets_a_gradient(examples):
    model, tokenizer = build("ah", "scratch", TEXTS, outlets=("rep", "gio"), vocabulary_size=200)
    first, second, labels = examples
    torch.nn.init.normal_(model.classifier.weight)
    model(**encode(tokenizer, first[:8], second[:8]), labels=torch.tensor(labels[:8])).loss.backward()
    assert [name for name, parameter in model.named_parameters() if parameter.grad is None] == []


def test_roberta_like_tokenizers_have_no_token_types_and_two_separators():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=400, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
        ),
    )
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=True)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", cls_token="<s>", sep_token="</s>", unk_token="<unk>"
    )
    small = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    encoder = RobertaConfig(vocab_size=len(fast), type_vocab_size=1, pad_token_id=1, **small)
    model = PairJudgeForSequenceClassification(
        PairJudgeConfig(encoder=encoder.to_dict(), separator_token_id=2)
    ).eval()
    learn_words(model, fast, TEXTS)
    features = described(model, fast, ["Alluvione a Torino", "Sciopero"], ["Torino: alluvione!", "Bari"])
    coverage = features[:, FEATURES.index("coverage of the first text")]
    assert coverage[0] > 0.6
    assert coverage[1] == 0


def test_a_cross_encoder_reads_both_texts_at_once_and_no_more_than_it_can(tmp_path: Path):
    options = {"outlets": ("rep", "gio"), "head": "cross-encoder"}
    model, tokenizer = build("ah", "scratch", TEXTS, vocabulary_size=200, max_tokens=600, **options)
    assert model.config.max_position_embeddings == 600
    assert model.config.id2label == {0: "no_match", 1: "match"}
    batch = encode(tokenizer, ["Il caso"], ["divide la città"])
    one = model.eval()(**batch).logits
    assert not torch.allclose(one, model(**(batch | {"token_type_ids": batch["token_type_ids"] * 0})).logits)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(InputError, match="reads 600 tokens and not 700: give --max-tokens 600"):
        build("ah", str(tmp_path), (), max_tokens=700, **options)
    assert build("ah", str(tmp_path), (), max_tokens=600, **options)[0].config.num_labels == 2
