"""Prompts: the corpus's language, examples of the training set alone; and models that are asked by them as they are."""

import shutil
from dataclasses import replace

import polars as pl
import pyarrow.parquet as pq
import pytest
import torch
from tiny_generators import transferred
from transformers import GenerationConfig

from change_it.commands.transfer import TransferOptions
from change_it.corpus.folder import read_table
from change_it.errors import InputError
from change_it.generators.generator import load_model, load_tokenizer
from change_it.generators.prompt import Prompt, cut, headline_of
from change_it.generators.prompted import LocalModel, PromptedWriter, PromptFormat
from change_it.generators.search import Candidate, Search, generate
from change_it.scoring.item import Item

ITEM = Item("", "colle", "faro", "Crolla il ponte", "Il ponte {to} sulla statale è crollato.")


@pytest.fixture(scope="module")
def prompt(corpus):
    return Prompt.of_corpus(corpus, shots=3)


def test_a_prompt_has_instruction_examples_and_the_item(prompt):
    text = prompt.text(ITEM)
    assert text.startswith("Riscrivi il titolo di un articolo come lo stamperebbe il giornale faro.")
    assert text.count("Titolo su colle:") == text.count("Titolo su faro:") == 4
    assert text.endswith(
        "Articolo: Il ponte {to} sulla statale è crollato.\n\nTitolo su colle: Crolla il ponte\nTitolo su faro:"
    )
    assert prompt.text(ITEM, 0).count("Articolo:") == 1
    assert "Titolo su colle:" in prompt.text(replace(ITEM, target="colle"))
    heading = "Lo stesso articolo nei titoli di due giornali, colle e faro."
    assert prompt.text(ITEM, instructs=False) == text.replace(text.partition("\n")[0], heading)


def test_no_example_is_of_a2(corpus, prompt):
    test = set(read_table(corpus, "articles", "test", ["id"])["id"])
    pairs = read_table(corpus, "pairs", "train", ["a_id", "b_id", "a_headline", "b_headline"])
    allowed = {text for a, b, *texts in pairs.iter_rows() if not {a, b} & test for text in texts}
    for examples in prompt.examples.values():
        assert {text for pair in examples.pairs for text in (pair.headline, pair.answer)} <= allowed


def test_a_pair_that_touches_a2_is_left_out(corpus, tmp_path):
    folder = shutil.copytree(corpus, tmp_path / "corpus")
    test = pl.read_parquet(folder / "articles/test.parquet")["id"][0]
    path = folder / "pairs/train.parquet"
    pairs = pl.read_parquet(path)
    before = len(Prompt.of_corpus(str(folder), shots=1).examples["faro"].pairs)
    first = pairs["a_id"][0]
    table = pairs.with_columns(pl.col("a_id").replace(first, test))
    pq.write_table(table.to_arrow().cast(pq.read_schema(path)), path)
    after = len(Prompt.of_corpus(str(folder), shots=1).examples["faro"].pairs)
    assert after == before - (pairs["a_id"] == first).sum()


@pytest.mark.parametrize(
    ("answer", "headline"),
    [
        ("Ecco il nuovo titolo:\n\n«Crolla il ponte»", "Crolla il ponte"),
        ("Here's a new headline in the style of right: Bridge falls", "Bridge falls"),
        ("1. Crolla il ponte\n2. Il ponte cade", "Crolla il ponte"),
        ("Ecco il piano: meno tasse", "Ecco il piano: meno tasse"),
        ("Un ponte:", "Un ponte:"),
        ("> #iorestoacasa, un anno dopo", "#iorestoacasa, un anno dopo"),
        ("Headline (faro): Bridge falls", "Bridge falls"),
        ('**Faro:** "Crolla il ponte"', "Crolla il ponte"),
        ("Articolo: crolla il ponte", "crolla il ponte"),
        ("In colle: crolla il ponte", "crolla il ponte"),
        ("Faro spento: due feriti", "Faro spento: due feriti"),
        ("„Brücke stürzt ein“", "Brücke stürzt ein"),
        ("'Ndrangheta, blitz all'alba", "'Ndrangheta, blitz all'alba"),
        ('"Uno", disse "due"', '"Uno", disse "due"'),
        (" \n", ""),
        ("<think>\nUn titolo:\n</think>\n\nCrolla il ponte", "Crolla il ponte"),
        ("<think>\nSenza fine", ""),
        ("Crolla il ponte\n<reasoning>breve", "Crolla il ponte"),
        ("<reasoning>Breve:\nsì</reasoning>**Crolla il ponte**", "Crolla il ponte"),
        ("Breve?</think>Crolla il ponte", "Crolla il ponte"),
        (
            "<|channel|>analysis<|message|>Breve<|end|><|start|>assistant<|channel|>final<|message|>Crolla il ponte<|return|>",
            "Crolla il ponte",
        ),
        ("<|channel|>analysis<|message|>Breve, forse", ""),
        ("analysisWe need a title.assistantfinalCrolla il ponte", "Crolla il ponte"),
        ("analysisWe need a title", ""),
        ("Analysis: bridge falls", "Analysis: bridge falls"),
        ("La risposta:\n$\\boxed{\\text{Crolla il ponte}}$", "Crolla il ponte"),
        ("\\boxed{Crolla il", ""),
        ('```json\n{"titolo": "Crolla «il» \\"ponte\\"", "parole": 3}\n```', 'Crolla «il» "ponte"'),
        ('{"a": "Crolla", "b": "Cade"}', ""),
        ('{"titolo": "Crolla il', ""),
        ("{'titolo': 'Crolla'}", ""),
        ('["Crolla il ponte"]', "Crolla il ponte"),
        ("```text\nCrolla il ponte\n```", "Crolla il ponte"),
        ("<answer>Crolla il ponte</answer>", "Crolla il ponte"),
        ("[VIDEO] Il {ponte} crolla", "[VIDEO] Il {ponte} crolla"),
        ("\ufeffCrolla il ponte\x00", "Crolla il ponte"),
    ],
)
def test_what_introduces_a_headline_is_left_out(answer, headline):
    assert headline_of(answer, outlets=("colle", "faro")) == headline


def test_an_answer_as_long_as_allowed_was_cut_off(tiny_llama):
    tokenizer = load_tokenizer(tiny_llama)
    format_ = PromptFormat(tokenizer, max_source_tokens=200, max_target_tokens=8, ends=[7])
    ids = torch.tensor(format_._ids(["Crolla, crolla, crolla, crolla, il ponte"]))[:, :8]
    text = tokenizer.decode(ids[0])
    [short] = format_.texts(ids, [[]])
    [ended] = format_.texts(torch.cat([ids[:, :7], torch.tensor([[7]])], 1), [[]])
    assert len(short) < len(text)
    assert ended == tokenizer.decode([*ids[0, :7], 7], skip_special_tokens=True)
    assert cut("uno due tre", 8) == "uno due"


def test_a_model_is_asked_as_it_is(corpus, tmp_path, tiny_llama):
    given = {"generator": tiny_llama, "prompt": True, "corpus": corpus, "device": "cpu"}
    rows = transferred(TransferOptions(**given, shots=1, to="faro", out=tmp_path / "new.csv"))
    assert {row["target"] for row in rows} == {"faro"}
    assert {row["error"] for row in rows} <= {"", "nothing was written"}
    named = {row["generator"] for row in rows if not row["error"]}
    assert all("|tiny-llama|prompt:it+" in name and "|shots:1+nearest|v:" in name for name in named)


def test_examples_without_room_are_left_out(corpus, prompt, tiny):
    if "gpt2" in tiny:
        with pytest.raises(InputError, match="128 positions, too few for a prompt"):
            LocalModel.from_pretrained(tiny, prompt.outlets, device="cpu")
        return
    model = LocalModel.from_pretrained(tiny, prompt.outlets, device="cpu")
    system = PromptedWriter(replace(prompt, instruction="Titolo."), model)
    text = "parola " * 300
    long, short = system._prompt(replace(ITEM, article=text)), system._prompt(ITEM)
    assert ("Lo stesso articolo" in short) == ("llama" in tiny)  # no chat model: it only goes on with a text
    assert model.format.tokens(long) <= model.format.max_source_tokens
    assert long.endswith("Titolo su faro:")
    assert short.count("Articolo:") >= long.count("Articolo:")
    found = system.propose([ITEM, replace(ITEM, source="", article="")], Search(candidates=2))
    assert (len(found[0]), found[1]) in ((1, []), (2, []))


def test_the_headline_of_an_example_is_no_answer(corpus, prompt, tiny_llama, monkeypatch):
    shown = prompt.examples["faro"].pairs[0].answer
    texts = (shown, shown[:20], "Crolla il ponte", "Cade")
    found = [Candidate(text, score) for score, text in enumerate(texts)]
    assert prompt.is_example(" ".join(shown.split()[-4:]), "faro")
    assert not prompt.is_example(shown.split()[-1], "faro")
    monkeypatch.setattr("change_it.generators.prompted.write", lambda *_, **__: [found])
    model = LocalModel.from_pretrained(tiny_llama, prompt.outlets, device="cpu")
    system = PromptedWriter(prompt, model)
    assert [each.text for each in system.propose([ITEM], Search())[0]] == ["Crolla il ponte"]


def test_a_chat_model_is_asked_in_a_turn_of_its_user(tiny_llama):
    tokenizer = load_tokenizer(tiny_llama)
    lengths = {"max_source_tokens": 200, "max_target_tokens": 8}
    plain = PromptFormat(tokenizer, **lengths, ends=[7])
    assert {1, 7} < set(plain.ends)  # a line break ends a headline
    assert tokenizer.decode(plain._prompts(["Crolla"])[0]) == "<s>Crolla"
    tokenizer.chat_template = "<s>[{% for turn in messages %}{{ turn.role }}: {{ turn.content }}{% endfor %}]"
    chat = PromptFormat(tokenizer, **lengths, ends=[7])
    assert chat.ends == [1, 7]
    assert tokenizer.decode(chat._prompts(["Crolla"])[0]) == "<s>[user: Crolla]"
    model = load_model(tiny_llama, "causal", tokenizer).eval()
    assert len(generate(model, chat, ["Crolla", "Torna la neve"], Search(GenerationConfig(num_beams=2)))) == 2
