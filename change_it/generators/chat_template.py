"""The chat template of a causal model, around a recipe's prompt and the headline that answers it."""

from typing import Any, NamedTuple

from change_it.errors import InputError

#: Stand for the source and the headline while a template is filled; no template and no prompt has these words.
SOURCE, ANSWER = "change-it-source", "change-it-answer"


class ChatPrompt(NamedTuple):
    """A prompt in a chat template.

    Attributes:
        before: text before the source: of the template, then of the prompt.
        after: text between source and headline: of the prompt, then of the template.
        end: token that ends the headline.
    """

    before: str
    after: str
    end: str


def has_chat_template(tokenizer: Any) -> bool:
    """Tell whether a tokenizer has a chat template."""
    return bool(getattr(tokenizer, "chat_template", None))


def in_chat_template(tokenizer: Any, prompt: tuple[str, str], *, name: str) -> ChatPrompt:
    """Put a prompt into the chat template of a model called `name`, as a user's message that the headline answers.

    `prompt` is the text before and after the source. Both messages are filled in at once: what a template puts before an
    answer, such as empty thoughts, stands then where it stands in a conversation.
    """
    messages = [
        {"role": "user", "content": f"{prompt[0]}{SOURCE}{prompt[1]}"},
        {"role": "assistant", "content": ANSWER},
    ]
    refusal = f"the chat template of {name} does not fit a message and its answer"
    mend = "train with --no-chat-template, or mend chat_template of its tokenizer"
    try:
        text = tokenizer.apply_chat_template(messages, tokenize=False)
    except Exception as error:  # a template raises what it likes
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"{refusal} ({reason}): {mend}") from error
    before, source, rest = text.partition(SOURCE)
    after, answer, closing = rest.partition(ANSWER)
    if not (source and answer) or SOURCE in rest or ANSWER in closing or not after.startswith(prompt[1]):
        raise InputError(f"{refusal} (they are not in it, once and as they are): {mend}")
    return ChatPrompt(before, after, _end_of(tokenizer, closing))


def _end_of(tokenizer: Any, closing: str) -> str:
    """Return the first special token of what a template puts behind an answer; the end of texts where it has none."""
    special = {id_ for id_, token in tokenizer.added_tokens_decoder.items() if token.special}
    ids: list[int] = tokenizer(closing, add_special_tokens=False)["input_ids"]
    ends = [id_ for id_ in ids if id_ in special]
    token: str = tokenizer.convert_ids_to_tokens(ends[0]) if ends else tokenizer.eos_token
    return token
