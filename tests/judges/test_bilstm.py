"""The Bi-LSTM judge: its words, training, saving, one answer alone and in a batch."""

from functools import partial

import pytest
import torch
from judge_data import options
from saved_judges import save_parts
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from change_it.corpus.folder import read_table
from change_it.errors import InputError
from change_it.judges import train
from change_it.judges.bilstm import KNOWN, UNKNOWN, build_bilstm, split_words
from change_it.judges.judge import Judge
from change_it.judges.options import BILSTM

HEADLINES = ["Il governo l'ha deciso: «No»", "Il GOVERNO no!", "Governo, l'ha detto", "no al ponte: no!"] * 2


def built():
    torch.manual_seed(1)
    judge, tokenizer = build_bilstm(HEADLINES, max_tokens=64, id2label={0: "rep", 1: "gio"})
    return judge.eval(), lambda texts: tokenizer(texts, padding=True, truncation=True, return_tensors="pt")


def test_words_are_known_in_any_case_and_their_characters_as_printed():
    judge, _ = built()
    assert split_words("Il  GOVERNO l'ha: e\u0300_3") == ["Il", "GOVERNO", "l", "'", "ha", ":", "è", "_", "3"]
    ids, lengths = judge.read(["il Il governo GOVERNO ponti!", "", "ponte" * 9])
    words = ids[..., 0]
    characters = ids[..., 1:]
    assert lengths.tolist() == [6, 1, 1]
    il, again, governo, capitals, unknown, mark = words[0].tolist()
    assert (il, governo, unknown) == (again, capitals, 0)
    assert 0 not in (il, governo, mark)
    assert characters[0, 0].tolist() != characters[0, 1].tolist()
    assert characters[0, 4, :5].min() >= KNOWN  # an unknown word, letters of others
    assert judge.read(["ŋ"])[0][0, 0, 1] == UNKNOWN
    assert (characters[2, 0] > 0).all()  # cut
    assert not ids[1].any()


def test_an_answer_does_not_depend_on_the_batch_and_the_loss_is_the_sigmoids_cross_entropy():
    judge, encode = built()
    texts = [*HEADLINES[:4], " "]
    with torch.inference_mode():
        alone = torch.cat([judge(**encode([text])).logits for text in texts])
        torch.testing.assert_close(judge(**encode(texts)).logits, alone)
    answer = judge(**encode(HEADLINES[:2]), labels=torch.tensor([0, 1]))
    second = torch.softmax(answer.logits, dim=-1)[:, 1]
    torch.testing.assert_close(answer.loss, -(torch.log(1 - second[0]) + torch.log(second[1])) / 2)
    answer.loss.backward()
    for part in (judge.words.weight, judge.convolution.weight, judge.lstm.weight_hh_l0):
        assert part.grad.abs().sum() > 0


@pytest.mark.parametrize("register", [True, False])
def test_it_is_loaded_by_plain_transformers_and_by_its_code_alone(tmp_path, register):
    judge, tokenizer = build_bilstm(HEADLINES, max_tokens=64, id2label={0: "rep", 1: "gio"})
    save_parts(tmp_path, judge.eval(), tokenizer)
    loaded = AutoModelForSequenceClassification.from_pretrained(tmp_path, trust_remote_code=not register)
    assert isinstance(loaded, type(judge)) or not register
    encode = partial(AutoTokenizer.from_pretrained(tmp_path), padding=True, return_tensors="pt")
    with torch.inference_mode():
        assert torch.equal(loaded.eval()(**encode(HEADLINES)).logits, judge(**encode(HEADLINES)).logits)


def test_word_vectors_of_a_file_stay_as_they_are(small_corpus, tmp_path, monkeypatch):
    pytest.importorskip("gensim")
    monkeypatch.setattr(train, "MIN_UPDATES", 0)
    (tmp_path / "vectors.txt").write_text("4 3\nIl 1 2 3\nil 9 9 9\n: 4 5 6\nzzz 7 8 9\n", encoding="utf-8")
    short = {"max_steps": 2, "eval_steps": 2, "batch_size": 8, "vectors": tmp_path / "vectors.txt"}
    train.train_judge(options(small_corpus, tmp_path / "one", encoder=BILSTM, **short))
    model = Judge.from_pretrained(tmp_path / "one", device="cpu").model
    # Of the vectors those of the corpus's words; the first writing is the most frequent one.
    assert model.config.words == [":", "il"]
    assert model.words.weight.tolist() == [[0, 0, 0], [4, 5, 6], [1, 2, 3]]
    with pytest.raises(InputError, match="--vectors requires --encoder bilstm"):
        train.train_judge(options(small_corpus, tmp_path / "two", vectors=tmp_path / "vectors.txt"))


def test_it_is_trained_on_the_sets_of_lrec(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(train, "MIN_UPDATES", 0)
    settings = {"encoder": BILSTM, "train_on": "train_m", "max_steps": 8, "eval_steps": 8}
    settings |= {"batch_size": 32, "learning_rate": 1e-2}
    metrics = train.train_judge(options(corpus, tmp_path / "one", **settings))
    assert metrics.results["gold"].macro_f1 > 0.5
    assert metrics.options["lr_scheduler_type"] == "constant"
    for part in ("train", "validation"):
        assert metrics.sizes[part] == read_table(corpus, "train_m", part, ["id"]).height
    judge = Judge.from_pretrained(tmp_path / "one")
    assert judge.probabilities(["Un titolo"], progress=False).sum() == pytest.approx(1)
