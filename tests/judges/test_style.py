"""The style judge from the outside: n-grams by hand, case of tokenizers that drop it, texts alone and in a batch."""

import math

import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    AutoTokenizer,
    BertConfig,
    PreTrainedTokenizerFast,
)

import change_it.auto  # noqa: F401 (registers the models)
from change_it.judges.encoders import train_wordpiece
from change_it.judges.style import StyleJudgeConfig, StyleJudgeForSequenceClassification
from change_it.judges.style_training import (
    Mix,
    encoder_logits,
    fit_ngrams,
    learn_classes,
    learn_pieces,
    show_case,
    unevenness,
)

PLACES = ["Torino", "Palermo", "Cagliari", "Verona", "Genova", "Bari", "Trieste", "Perugia"]
EVENTS = ["sciopero", "alluvione", "processo", "concerto", "elezione", "incendio", "sfilata", "congresso"]
FIRST = [f"{event.title()} a {place}, parla il sindaco" for place in PLACES for event in EVENTS]
SECOND = [f"{event.title()} A {place}: «parla» IL Sindaco" for place in PLACES for event in EVENTS]
TEXTS = FIRST + SECOND
LABELS = np.repeat([0, 1], len(FIRST))
HELD_OUT = np.arange(0, len(TEXTS), 5)


def judge_of(tokenizer, class_ngrams=0):
    torch.manual_seed(1)
    encoder = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
    )
    settings = StyleJudgeConfig(
        encoder=encoder.to_dict(), pieces=len(tokenizer), buckets=2**18, class_ngrams=class_ngrams
    )
    judge = StyleJudgeForSequenceClassification(settings).eval()
    learn_pieces(judge, tokenizer)
    return judge


@pytest.fixture(scope="module")
def tokenizer():
    return train_wordpiece(TEXTS, 120)


@pytest.fixture
def judge(tokenizer):
    return judge_of(tokenizer)


@pytest.fixture
def fitted(judge, tokenizer):
    fit_ngrams(judge, tokenizer, TEXTS, LABELS, held_out=HELD_OUT, max_tokens=64)
    judge.mix.copy_(torch.tensor([1.5, 0.5, -0.1]))
    return judge


@pytest.fixture(scope="module")
def uncased():
    """A BERT tokenizer that drops case and accents."""
    words = "[PAD] [UNK] [CLS] [SEP] [MASK] il governo dice no a mcdonald : it ' s why nato u . «  » \u201c \u201d ( left - wing ) plan failed , ete 2020"
    vocabulary = {word: place for place, word in enumerate(words.split())}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = dict(zip(("pad", "unk", "cls", "sep", "mask"), vocabulary, strict=False))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **{f"{name}_token": piece for name, piece in names.items()}
    )


def encode(tokenizer, texts):
    return tokenizer(list(texts), padding=True, return_tensors="pt")


def by_hand(tokenizer):
    """N-grams of a text, written out."""

    def ngrams(text):
        pieces = tokenizer.tokenize(text)
        joined = "^" + "".join(f" {p}".replace(" ##", "") for p in pieces)[1:] + "$"
        characters = [joined[i : i + n] for n in range(1, 6) for i in range(len(joined) - n + 1)]
        return characters + [
            "\t".join(["", *pieces[i : i + n]]) for n in (1, 2, 3) for i in range(len(pieces) - n + 1)
        ]

    return ngrams


def test_ngrams_are_weighed_as_sklearn_weighs_them(judge, tokenizer):
    fit_ngrams(judge, tokenizer, TEXTS, LABELS, held_out=HELD_OUT, max_tokens=64)
    rows, buckets, values = judge.weigh(*list(encode(tokenizer, TEXTS).values())[::2])
    ours = csr_matrix((values.numpy(), (rows.numpy(), buckets.numpy())), shape=(len(TEXTS), 2**18))
    theirs = TfidfVectorizer(analyzer=by_hand(tokenizer), min_df=2, sublinear_tf=True).fit_transform(TEXTS)
    assert (ours @ ours.T).toarray() == pytest.approx((theirs @ theirs.T).toarray(), abs=0.02)


def test_ngrams_of_words_show_frequent_ones_as_they_are_and_of_the_others_the_shape(tokenizer):
    judge = judge_of(tokenizer, class_ngrams=3)
    learn_classes(judge, tokenizer, ["a Torino, parla"] * 30)
    plain = judge_of(tokenizer)

    def classes(text):
        with_classes, without = (_buckets(one, tokenizer, [text])[0] for one in (judge, plain))
        return with_classes - without

    assert classes("a Bari, sindaco parla") == classes("a Genova, alluvione parla")
    for other in (
        "a bari, sindaco parla",
        "a BARI, sindaco parla",
        "a Bari: sindaco parla",
        "a Bari, parla parla",
    ):
        assert classes(other) != classes("a Bari, sindaco parla"), other
    assert tokenizer.tokenize("parlalo")[0] == "parla"  # a longer word that begins like a frequent one
    assert classes("a Bari, parlalo") == classes("a Bari, sindaco") != classes("a Bari, parla")


def test_ngrams_that_both_outlets_use_alike_count_least():
    vectors = csr_matrix(np.array([[1, 1, 0], [2, 1, 0], [3, 0, 0], [1, 0, 1]], dtype=float))
    found = unevenness(vectors, np.array([0, 0, 1, 1]))
    assert found == pytest.approx(np.sqrt(np.log([1, 3, 2])))


def test_verdicts_do_not_depend_on_the_batch(fitted, tokenizer):
    texts = [*TEXTS[::9], "Sì", "", "sciopero " * 20]
    with torch.inference_mode():
        together = fitted(**encode(tokenizer, texts)).logits
        alone = torch.cat([fitted(**encode(tokenizer, [text])).logits for text in texts])
        counted = fitted.count(*list(encode(tokenizer, texts).values())[::2])
        one_by_one = [fitted.count(*list(encode(tokenizer, [text]).values())[::2]) for text in texts]
    assert torch.allclose(together, alone, atol=1e-5)
    assert torch.equal(counted, torch.cat(one_by_one))
    assert together.isfinite().all()


def test_the_encoder_learns_on_a_loss_of_its_own(fitted, tokenizer):
    batch = {**encode(tokenizer, TEXTS[:4]), "labels": torch.tensor([0, 1, 0, 1])}
    fitted.train()
    output = fitted(**batch)
    expected = torch.nn.functional.cross_entropy(output.logits, batch["labels"])
    assert float(output.loss) == pytest.approx(float(expected), abs=1e-6)
    output.loss.backward()
    assert all(parameter.grad is not None for parameter in fitted.parameters())
    fitted.eval()
    with torch.inference_mode():
        logits = fitted(**batch).logits
        read = encoder_logits(fitted, tokenizer, TEXTS[:4], 64)
        counted = fitted.count(batch["input_ids"], batch["attention_mask"]).numpy()
    assert (logits[:, 1] - logits[:, 0]).numpy() == pytest.approx(1.5 * counted + 0.5 * read - 0.1, abs=1e-5)


def test_the_mix_takes_what_helps_and_nothing_else():
    random = np.random.default_rng(1)
    labels = random.integers(0, 2, 2000)
    ngrams, encoder = (2 * labels - 1 + random.normal(0, spread, 2000) for spread in (1.5, 1.0))
    both = Mix.fit(labels, ngrams, encoder)
    assert both.encoder > both.ngrams > 0
    assert both.loss(labels, ngrams, encoder) < Mix.fit(labels, ngrams).loss(labels, ngrams)
    assert Mix.fit(labels, ngrams, -encoder).encoder == 0
    assert Mix.fit(labels, ngrams, np.zeros(2000)).loss(labels, ngrams) == pytest.approx(
        Mix.fit(labels, ngrams).loss(labels, ngrams), abs=1e-6
    )
    assert Mix.fit(labels, -ngrams) == Mix()
    assert math.isfinite(Mix().loss(labels, 1e4 * ngrams))


def test_case_is_shown_to_the_ngrams_and_not_to_the_encoder(uncased, tmp_path):
    marked = show_case(uncased)
    assert uncased.tokenize("Il governo dice NO: «No»") == uncased.tokenize("il Governo Dice no: «no»")
    assert marked.tokenize("Il governo dice NO: «No»") == [
        "⇧",
        "il",
        "governo",
        "dice",
        "⇪",
        "no",
        ":",
        "«",
        "⇧",
        "no",
        "»",
    ]
    assert marked.tokenize("il governo") == ["il", "governo"]
    marked.save_pretrained(tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    judge = judge_of(uncased)  # before there were markers: the encoder has no embeddings of them
    settings = StyleJudgeConfig(encoder=judge.config.encoder, pieces=len(loaded), buckets=2**12)
    judge = StyleJudgeForSequenceClassification(settings).eval()
    learn_pieces(judge, loaded)
    texts = ["Il Governo dice NO a McDonald", "il governo dice no a mcdonald"]
    assert loaded(texts)["input_ids"] == marked(texts)["input_ids"]
    assert encoder_logits(judge, loaded, texts[:1], 32) == encoder_logits(judge, loaded, texts[1:], 32)
    upper, lower = _buckets(judge, loaded, texts)
    assert upper != lower


def _buckets(judge, tokenizer, texts):
    """The n-grams of each text."""
    batch = encode(tokenizer, texts)
    rows, buckets, _ = judge.ngrams(batch["input_ids"], batch["attention_mask"])
    return [set(buckets[rows == row].tolist()) for row in range(len(texts))]
