"""Put a recipe's prompt and the headline that answers it into the chat template of a causal model."""

from typing import Any, NamedTuple

from change_it.errors import InputError

#: Stands for the source while a template is filled; no template and no prompt has this word.
SOURCE = "change-it-source"
#: Stands for the headline in the same way.
ANSWER = "change-it-answer"
#: Characters of an error of a template that a message shows.
REASON_CHARACTERS = 300


class ChatPrompt(NamedTuple):
    """A prompt in a chat template.

    Attributes:
        before: text before the source. It begins in the template and ends in the prompt.
        after: text between source and headline. It begins in the prompt and ends in the template.
        end: token that ends the headline.
    """

    before: str
    after: str
    end: str


def has_chat_template(tokenizer: Any) -> bool:
    """Tell whether a tokenizer has a chat template."""
    return bool(getattr(tokenizer, "chat_template", None))


def in_chat_template(tokenizer: Any, prompt: tuple[str, str], *, name: str) -> ChatPrompt:
    """Put a prompt into a chat template, as a user's message that the headline answers.

    Both messages are filled in at once: what a template puts before an answer, such as empty thoughts, stands
    then where it stands in a conversation.

    Args:
        tokenizer: it has the template.
        prompt: text before and after the source.
        name: what the model is called in messages.

    Raises:
        InputError: the template refuses the messages, or changes them.
    """
    messages = [
        {"role": "user", "content": f"{prompt[0]}{SOURCE}{prompt[1]}"},
        {"role": "assistant", "content": ANSWER},
    ]
    refusal = f"the chat template of {name} does not fit a message and its answer"
    advice = "train with --no-chat-template, or mend chat_template of its tokenizer"
    try:
        text = tokenizer.apply_chat_template(messages, tokenize=False)
    except Exception as error:
        # A template raises what it likes.
        reason = " ".join(str(error).split())[:REASON_CHARACTERS]
        raise InputError(f"{refusal} ({reason}): {advice}") from error
    before, source, rest = text.partition(SOURCE)
    after, answer, closing = rest.partition(ANSWER)
    are_there_once = source and answer and SOURCE not in rest and ANSWER not in closing
    if not are_there_once or not after.startswith(prompt[1]):
        raise InputError(f"{refusal} (they are not in it, once and as they are): {advice}")
    return ChatPrompt(before, after, _end_of(tokenizer, closing))


def _end_of(tokenizer: Any, closing: str) -> str:
    """Return the first special token of what a template puts behind an answer.

    Where it has none, it is the token that ends texts.
    """
    special = {id_ for id_, token in tokenizer.added_tokens_decoder.items() if token.special}
    end: str = tokenizer.eos_token
    for id_ in tokenizer(closing, add_special_tokens=False)["input_ids"]:
        if id_ in special:
            end = tokenizer.convert_ids_to_tokens(id_)
            break
    return end
