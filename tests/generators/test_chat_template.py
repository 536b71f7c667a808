"""Causal models with a chat template: trained and prompted by it, from generator.json to the card's block."""

import json
import re

import pytest
import torch
from saved_judges import save_parts
from tiny_generators import batch_of, options, transferred
from transformers import AutoModelForCausalLM, AutoTokenizer, pipeline

from change_it.cli.transfer import TransferOptions
from change_it.errors import InputError
from change_it.generators import train
from change_it.generators.chat_template import in_chat_template
from change_it.generators.folder import GeneratorInfo
from change_it.generators.generator import load_generator
from change_it.generators.record import read_generator_metrics
from change_it.generators.transfer import HeadlineTransfer
from change_it.hub.cards import CardSettings, model_card

#: As ChatML has it: a system's message of its own, no token that begins a text.
CHATML = (
    "<|im_start|>system\nBreve.<|im_end|>\n"
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] | trim }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
#: Begins with <s>, has no token of its own and puts empty thoughts before an answer.
THINKING = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'user' %}[INST] {{ message['content'] }} [/INST]"
    "{% else %}<think></think>{{ message['content'] }} {{ eos_token }}{% endif %}{% endfor %}"
)
LENGTHS = {"source_tokens": 64, "target_tokens": 16, "max_steps": 4, "eval_steps": 4}


@pytest.fixture(scope="module")
def base(tiny_models, tmp_path_factory):
    """A tiny Llama with the tokens and the template of ChatML, and positions enough."""
    folder = tmp_path_factory.mktemp("chat") / "tiny-chat"
    tokenizer = AutoTokenizer.from_pretrained(tiny_models["llama"])
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    tokenizer.chat_template = CHATML
    model = AutoModelForCausalLM.from_pretrained(tiny_models["llama"])
    model.config.max_position_embeddings = 512
    torch.manual_seed(0)
    model.resize_token_embeddings(max(tokenizer.get_vocab().values()) + 1)
    return str(save_parts(folder, model, tokenizer))


@pytest.fixture(scope="module")
def trained(base, corpus, tmp_path_factory):
    """A generator trained in the template."""
    out = tmp_path_factory.mktemp("trained") / "out"
    train.train_generator(options(corpus, out, base, **LENGTHS))
    return out


def test_a_prompt_is_a_users_message_and_the_headline_its_answer(base):
    tokenizer = AutoTokenizer.from_pretrained(base)
    before, after, end = in_chat_template(tokenizer, ("Articolo:\n", "\n\nTitolo:"), name="base")
    assert before == "<|im_start|>system\nBreve.<|im_end|>\n<|im_start|>user\nArticolo:\n"
    assert after == "\n\nTitolo:<|im_end|>\n<|im_start|>assistant\n"
    assert end == "<|im_end|>"
    messages = [{"role": "user", "content": "Articolo:\nNeve.\n\nTitolo:"}]
    prompted = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    assert before + "Neve." + after == prompted


def test_thoughts_before_an_answer_are_of_the_prompt_and_the_end_of_texts_ends_it(base):
    tokenizer = AutoTokenizer.from_pretrained(base)
    tokenizer.chat_template = THINKING
    found = in_chat_template(tokenizer, ("Articolo: ", " Titolo:"), name="base")
    assert found == ("<s>[INST] Articolo: ", " Titolo: [/INST]<think></think>", "</s>")


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ raise_exception('a system message is missing') }}", "a system message is missing"),
        ("{{ messages[0]['content'] }}", "they are not in it, once and as they are"),
        ("{{ messages[0]['content'] | upper }}{{ messages[1]['content'] }}", "they are not in it"),
        ("{{ messages[0]['content'] * 2 }}{{ messages[1]['content'] }}", "they are not in it"),
    ],
)
def test_a_template_that_does_not_fit_is_refused(base, template, reason):
    tokenizer = AutoTokenizer.from_pretrained(base)
    tokenizer.chat_template = template
    with pytest.raises(InputError, match=f"chat template of base .*{reason}.*--no-chat-template"):
        in_chat_template(tokenizer, ("Articolo: ", " Titolo:"), name="base")


def test_the_tokens_of_an_example_are_those_of_the_template(trained, base):
    generator = load_generator(trained, device="cpu")
    tokenizer = AutoTokenizer.from_pretrained(base)
    batch = batch_of(generator.format, ["Cade la neve"], ["Torna la neve"])
    written = tokenizer.decode(batch["input_ids"][0])
    before, after = generator.info.prompt
    assert written == f"{before}Cade la neve{after}Torna la neve<|im_end|>"
    assert "<s>" not in written
    learnt = batch["labels"][0][batch["labels"][0] != -100]
    assert tokenizer.decode(learnt) == "Torna la neve<|im_end|>"
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    assert generator.format.ends == [end, tokenizer.eos_token_id]


def test_without_a_template_or_with_the_option_a_prompt_is_as_it_was(corpus, base, tiny_models, tmp_path):
    train.train_generator(options(corpus, tmp_path / "without", base, no_chat_template=True, **LENGTHS))
    train.train_generator(options(corpus, tmp_path / "plain", tiny_models["llama"], **LENGTHS))
    plain = GeneratorInfo.load(tmp_path / "plain")
    without = GeneratorInfo.load(tmp_path / "without")
    assert (without.prompt, without.chat_end) == (plain.prompt, None)
    config = json.loads((tmp_path / "plain/config.json").read_text(encoding="utf-8"))
    assert list(config["change_it"]["format"]) == ["max_source_tokens", "max_target_tokens", "prompt"]
    batch = batch_of(load_generator(tmp_path / "without", device="cpu").format, ["Neve"], ["Neve"])
    text = AutoTokenizer.from_pretrained(base).decode(batch["input_ids"][0])
    assert text.startswith(f"<s>{plain.prompt[0]}")
    assert text.endswith(" Neve</s>")


def test_an_encoder_decoder_has_no_chat_template(corpus, tiny_models, tmp_path):
    with pytest.raises(InputError, match="--no-chat-template requires a causal language model, not "):
        train.train_generator(options(corpus, tmp_path, tiny_models["t5"], no_chat_template=True))


def test_transfer_and_the_pipeline_write_in_the_template(trained, corpus, tmp_path):
    info = GeneratorInfo.load(trained)
    assert info.chat_end == "<|im_end|>"
    assert info.prompt[1].endswith(":<|im_end|>\n<|im_start|>assistant\n")
    chosen = TransferOptions(
        generator=str(trained), corpus=corpus, out=tmp_path / "new.csv", items=3, device="cpu"
    )
    assert len(transferred(chosen)) == 3
    transfer = HeadlineTransfer.from_pretrained(trained, device="cpu")
    expected = transfer("Cade la neve", to="faro")
    write = pipeline("text-generation", model=str(trained), trust_remote_code=True, device="cpu")
    [found] = write("Cade la neve")
    assert found["generated_text"] == expected


def test_a_tokenizer_without_the_token_that_ends_headlines_is_refused(trained, tmp_path, tiny_models):
    info = GeneratorInfo.load(trained)
    model = AutoModelForCausalLM.from_pretrained(trained)
    tokenizer = AutoTokenizer.from_pretrained(tiny_models["llama"])
    save_parts(tmp_path, model, tokenizer)
    info.save(tmp_path)
    with pytest.raises(InputError, match=r"has no token <\|im_end\|>, which ends a headline"):
        load_generator(tmp_path, device="cpu")


def test_the_cards_block_of_adapters_runs_in_the_template(corpus, base, tmp_path, capsys, monkeypatch):
    out = tmp_path / "adapters"
    train.train_generator(options(corpus, out, base, lora=True, **LENGTHS))
    card = model_card("generator", out, {"": read_generator_metrics(out)}, CardSettings(repo_id=str(out)))
    assert "| prompt | a user's message in the chat template of the architecture |" in card
    blocks = re.findall(r"```python\n(.*?)```", card, flags=re.DOTALL)
    [block] = [block for block in blocks if "from peft" in block]
    given = {}

    def generate(self, *args, **inputs):
        given.update(inputs)
        return written(self, *args, **inputs)

    written = AutoModelForCausalLM.from_pretrained(base).__class__.generate
    monkeypatch.setattr("transformers.LlamaForCausalLM.generate", generate, raising=False)
    exec(block, {})
    assert capsys.readouterr().out.endswith("\n")
    tokenizer = AutoTokenizer.from_pretrained(base)
    text = tokenizer.decode(given["input_ids"][0])
    assert text.startswith("<|im_start|>system\nBreve.<|im_end|>\n<|im_start|>user\n")
    assert text.endswith("<|im_end|>\n<|im_start|>assistant\n")
    assert given["eos_token_id"] == tokenizer.convert_tokens_to_ids("<|im_end|>")
