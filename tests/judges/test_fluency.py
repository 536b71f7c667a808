"""The fluency judge: counts by hand, junctions, texts alone and in a batch, saving, and a training that learns."""

import json
from pathlib import Path

import polars as pl
import pytest
import torch
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertModel,
)

import change_it.auto  # noqa: F401 (registers the models)
from change_it.commands import push
from change_it.hub.push_options import PushOptions
from change_it.judges import fluency_start, fluency_training
from change_it.judges.fluency import (
    IGNORED,
    STEPS,
    FluencyJudgeConfig,
    FluencyJudgeForSequenceClassification,
    buckets,
)
from change_it.judges.fluency_data import FluencyExamples, junction_labels, load_fluency
from change_it.judges.fluency_start import learn_counts
from change_it.judges.judge import Judge
from change_it.judges.judge_options import JudgeOptions
from change_it.judges.train import train_judge
from change_it.text.names import Casing

ROWS = [[1, 5, 6, 7, 2], [1, 5, 6, 8, 2], [5, 6, 9, 5, 6]]
PARTS = [1, 2, 2]


@pytest.fixture(scope="module", autouse=True)
def small():
    """A small corpus needs no table of sixteen million counts, no wide encoder, and few headlines to start and be tested with."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fluency_start, "ONCE_BITS", 18)
        patch.setitem(fluency_start.SIZES, "tiny", (24, 16))
        patch.setattr(fluency_start, "WARM", 400)
        for name in ("VALIDATION", "TESTED"):
            patch.setattr(fluency_training, name, 50)
        yield


@pytest.fixture
def judge() -> FluencyJudgeForSequenceClassification:
    torch.manual_seed(1)
    config = FluencyJudgeConfig(
        vocab_size=12, embedding_size=8, hidden_size=6, buckets=2**12, head_dropout=0.0
    )
    model = FluencyJudgeForSequenceClassification(config)
    model.classes.copy_(torch.arange(12).remainder(5).expand(2, -1))
    learn_counts(model, ROWS, PARTS, 2)
    return model.eval()


def count_of(table: torch.Tensor, pieces: list[int], offsets: tuple[int, ...]) -> int:
    number = buckets(torch.tensor(pieces), offsets, table.shape[-1])
    return round(float(torch.expm1(table[number].float() / STEPS)))


def test_counts_are_those_of_all_texts_and_of_all_parts_but_one(judge):
    assert count_of(judge.counts[1], [5, 6], (0, 1)) == 4
    assert count_of(judge.counts[4], [5, 0, 7], (0, 2)) == 1
    assert count_of(judge.counts[2], [6, 9, 5], (0, 1, 2)) == 1
    assert count_of(judge.counts[1], [2, 1], (0, 1)) == 0  # of two texts
    assert [count_of(judge.without[part, 1], [5, 6], (0, 1)) for part in (0, 1)] == [3, 1]


def test_a_row_is_judged_without_its_own_part(judge):
    ids = torch.tensor([[1, 5, 6, 7, 2]] * 2)
    one, other = judge.evidence_of(ids, torch.tensor([1, 2]))
    alone = judge.evidence_of(ids[:1], torch.tensor([1]))[0]
    assert torch.equal(one, alone)
    assert not torch.equal(one, other)
    judge.without = None
    assert torch.equal(*judge.evidence_of(ids, torch.tensor([1, 2])))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([1, 5, 5, 2], [1]),
        ([1, 5, 6, 5, 6, 2], [2]),
        ([1, 5, 6, 7, 5, 6, 2], []),
        ([5] * 4, [0, 1, 2]),
        ([1, *[4, 5, 6, 7, 8, 9, 4, 6, 8, 5, 7, 9] * 2, 2], [10, 11, 12]),
        ([1, 5, 6, 7, 8, 9, 5, 6, 7, 8, 2], [4]),
        ([1, 5, 6, 7, 8, 9, 4, 5, 6, 7, 8, 2], [4]),
        ([1, 5, 6, 7, 8, 9, 4, 3, 5, 6, 7, 8, 2], []),
        ([1, 5, 6, 7, 8, 5, 6, 7, 2], []),
    ],
)
def test_a_junction_sees_that_a_phrase_comes_again_after_it(judge, row, expected):
    again = judge.evidence_of(torch.tensor([row]))[0, :, 12]  # unscaled: mean 0, deviation 1
    assert again.nonzero().flatten().tolist() == expected


def test_padding_changes_nothing(judge):
    for weights in judge.parameters():  # of a size that training makes them
        torch.nn.init.normal_(weights, std=0.5)
    short, long = [1, 5, 6, 2], [1, 5, 6, 9, 5, 6, 8, 2]
    ids = torch.zeros(2, 8, dtype=torch.int64)
    ids[0, :4], ids[1] = torch.tensor(short), torch.tensor(long)
    together = judge(input_ids=ids, attention_mask=(ids > 0).long()).logits
    alone = torch.cat([judge(input_ids=torch.tensor([row])).logits for row in (short, long)])
    torch.testing.assert_close(together, alone)


def test_it_answers_and_learns_in_bf16_on_any_processor(judge):
    ids = torch.tensor([[1, 5, 6, 7, 2], [1, 5, 2, 0, 0]])
    whole = judge(input_ids=ids, attention_mask=ids.ne(0)).logits
    with torch.autocast("cpu", torch.bfloat16):
        mixed = judge.train()(input_ids=ids, attention_mask=ids.ne(0)).logits
    mixed.sum().backward()
    assert torch.allclose(mixed.float(), whole, atol=0.05)
    assert all(weight.grad.isfinite().all() for weight in judge.base_model.lstm.parameters())


@pytest.mark.parametrize("row", [[1, 2], [1, 5, 2], [1, 5, 6, 2]])
def test_texts_shorter_than_the_n_grams_are_judged(judge, row):
    assert torch.isfinite(judge(input_ids=torch.tensor([row])).logits).all()


def test_the_threshold_moves_verdicts_and_not_the_training(judge):
    ids = torch.tensor([[1, 5, 6, 7, 2]])
    before = judge(input_ids=ids, labels=torch.tensor([1]))
    judge.threshold.fill_(3.0)
    after = judge(input_ids=ids)
    assert float(after.logits[0, 1] - after.logits[0, 0]) == pytest.approx(
        float(before.logits[0, 1] - before.logits[0, 0]) - 3, abs=1e-5
    )
    judge.train()
    assert float(judge(input_ids=ids, labels=torch.tensor([1])).loss) == pytest.approx(
        float(before.loss), abs=1e-5
    )


def test_loss_leaves_out_what_is_not_known(judge):
    ids = torch.tensor([[1, 5, 6, 7, 2], [1, 6, 5, 7, 2]])
    known = judge(input_ids=ids[:1], labels=torch.tensor([1])).loss
    half = judge(input_ids=ids, labels=torch.tensor([1, IGNORED])).loss
    assert float(half) == pytest.approx(float(known), abs=1e-6)
    nothing = torch.full((2, 4), IGNORED)
    assert float(
        judge(input_ids=ids, labels=torch.tensor([1, IGNORED]), junction_labels=nothing).loss
    ) == float(half)


def test_junctions_are_broken_where_the_printed_text_has_no_such_neighbours():
    labels = junction_labels([[1, 7, 5, 6, 2], [1, 5, 6, 2]], [[1, 5, 6, 7, 2], [1, 5, 6, 7, 2]], 4)
    assert labels.tolist() == [[1, 1, 0, 1], [0, 0, 1, IGNORED]]


def test_it_is_saved_and_loaded_without_the_parts(judge, tmp_path: Path):
    judge.threshold.fill_(0.5)
    judge.save_pretrained(tmp_path)
    again = AutoModelForSequenceClassification.from_pretrained(tmp_path)
    ids = torch.tensor([[1, 5, 6, 8, 2]])
    assert isinstance(again, FluencyJudgeForSequenceClassification)
    assert again.without is None
    torch.testing.assert_close(again.eval()(input_ids=ids).logits, judge(input_ids=ids).logits)


def options(corpus: str, out: Path, **more) -> JudgeOptions:
    settings = {"encoder": "scratch", "updates": 12, "evaluation_steps": 6, "learning_rate": 1e-3} | more
    return JudgeOptions(task="fluency", corpus=corpus, out=out, checkpoint_steps=4, batch_size=16, **settings)


@pytest.fixture(scope="module")
def trained(corpus, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("fluency") / "fluency"
    train_judge(options(corpus, out))
    return out


def test_a_fold_learns_from_its_own_headlines_alone(corpus):
    articles = pl.read_parquet(Path(corpus) / "articles" / "train.parquet")
    data = load_fluency(corpus, fold="1", validation_share=0.1, seed=1)
    assert {*data.headlines, *data.validation} <= set(articles.filter(fold=1)["headline"])
    assert set(data.counted[: data.titles]) <= set(articles.filter(fold=1)["headline"])


def test_a_trained_judge_tells_printed_from_broken_headlines(trained):
    metrics = json.loads((trained / "metrics.json").read_text())
    found = metrics["acceptance"]
    assert found["gold"] > 0.8
    assert found["families"]["shuffled"]["accepted"] < found["gold"] - 0.3
    assert {name for name, row in found["families"].items() if not row["seen"]} == {
        "looped",
        "neighbours",
        "reversed_words",
        "keywords",
    }
    assert set(metrics["results"]) == set(metrics["baselines"]["n-grams"]) == {"seen damage", "unseen damage"}
    assert metrics["classes"] == ["broken", "printed"]


def test_the_saved_judge_gives_the_reported_acceptance(trained, corpus):
    metrics = json.loads((trained / "metrics.json").read_text())
    judge = Judge.from_pretrained(trained, device="cpu")
    data = load_fluency(corpus, fold="all", validation_share=0.1, seed=1)
    printed = [headline for headlines in data.tests.values() for headline in headlines]
    assert (judge.probabilities(printed, progress=False)[:, 1] > 0.5).mean() == metrics["acceptance"]["gold"]
    assert judge.task == "fluency"
    assert not (trained / "ngram.npz").exists()


def test_what_it_would_not_read_to_the_end_is_refused(trained, corpus):
    judge = Judge.from_pretrained(trained, device="cpu")
    headline = load_fluency(corpus, fold="all", validation_share=0.1, seed=1).headlines[0]
    length = len(judge.tokenizer(headline)["input_ids"])
    exact, cut = (Judge.of(judge.model, judge.tokenizer) for _ in range(2))
    exact.max_tokens, cut.max_tokens = length, length - 1
    both = [headline, headline.split()[0]]
    assert (
        exact.probabilities(both, progress=False).tolist()
        == judge.probabilities(both, progress=False).tolist()
    )
    assert cut.probabilities(both, progress=False)[0].tolist() == [1, 0]
    assert cut.probabilities(both, progress=False)[1, 1] > 0


def test_damage_is_fresh_each_epoch_and_fixed_by_seed_epoch_and_index(corpus):
    data = load_fluency(corpus, fold="all", validation_share=0.1, seed=1)
    examples = FluencyExamples(data, None, ["shuffled", "cut_end"], max_tokens=32, seed=1)
    first = [examples[row] for row in range(40)]
    assert [label for _, label, _, _ in first[:4]] == [1, 0, 1, 0]
    assert first == [examples[row] for row in range(40)]
    examples.set_epoch(1)
    assert first[0] == examples[0]
    assert [text for text, *_ in first] != [examples[row][0] for row in range(40)]


def test_the_parts_and_the_validation_share_no_event_and_outlets_are_alike(corpus):
    data = load_fluency(corpus, fold="all", validation_share=0.2, seed=1)
    assert not set(data.validation) & set(data.counted)
    assert set(data.parts) == set(range(1, 5))
    articles = pl.read_parquet(Path(corpus) / "articles" / "train.parquet")
    outlet = dict(articles.select("headline", "label").iter_rows())
    counts = [sum(outlet[headline] == name for headline in data.headlines) for name in data.outlets]
    assert counts[0] == counts[1]


def test_a_card_shows_families_and_carries_the_code(trained, tmp_path):
    push.run(
        PushOptions(
            kind="judge", folder=str(trained), repo_id="me/fluency", dry_run=True, out=tmp_path / "card"
        )
    )
    card = (tmp_path / "card" / "README.md").read_text()
    assert "| neighbours (not trained on) |" in card
    assert "as published" not in card
    assert {path.name for path in (tmp_path / "card").glob("*.py")} == {"fluency.py", "layers.py"}
    assert Casing.load(tmp_path / "card") == Casing.load(trained) != Casing()


def test_a_pre_trained_encoder_keeps_its_weights_at_the_start(trained, corpus, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(trained)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
    )
    encoder = BertModel(config)
    encoder.save_pretrained(tmp_path / "encoder")
    tokenizer.save_pretrained(tmp_path / "encoder")
    given = options(
        corpus,
        tmp_path / "judge",
        encoder=str(tmp_path / "encoder"),
        updates=1,
        evaluation_steps=1,
        learning_rate=0.0,
    )
    train_judge(given)
    judge = Judge.from_pretrained(tmp_path / "judge", device="cpu")
    word = encoder.embeddings.word_embeddings.weight
    torch.testing.assert_close(
        judge.model.encoder.embeddings.word_embeddings.weight, word, atol=1e-4, rtol=1e-3
    )
    shuffled = json.loads((tmp_path / "judge" / "metrics.json").read_text())["acceptance"]["families"][
        "shuffled"
    ]
    assert shuffled["accepted"] < 0.6
