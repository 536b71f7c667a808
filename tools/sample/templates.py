"""A small template language: `{a|b}` alternatives, `[slot]` values with article, preposition or agreement.

`[target]` is the bare noun, `[il target]` and `[un target]` carry an article, `[di target]` a contracted
preposition, `[-o target]` is the ending that agrees with it. An empty alternative makes a part optional.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tools.sample.morphology import Noun


class Slot(NamedTuple):
    """A place for a value: `form` is empty, il, un, a preposition, or an ending after a hyphen."""

    form: str
    name: str


class Alternatives(NamedTuple):
    """Alternatives, each a sequence of nodes."""

    options: tuple["Template", ...]


Template = tuple["str | Slot | Alternatives", ...]


def parse(source: str) -> Template:
    """Compile a template.

    Example:
        >>> parse("{colpo|rapina} [in target]")
        (Alternatives(options=(('colpo',), ('rapina',))), ' ', Slot(form='in', name='target'))
    """
    template, rest = _sequence(source, 0, nested=False)
    if rest != len(source):
        raise ValueError(f"unbalanced brackets in {source!r}")
    return template


def _sequence(source: str, position: int, *, nested: bool) -> tuple[Template, int]:
    nodes: list[str | Slot | Alternatives] = []
    start = position
    while position < len(source) and not (source[position] in "|}" and nested):
        if source[position] not in "{[":
            position += 1
            continue
        if position > start:
            nodes.append(source[start:position])
        if source[position] == "[":
            close = source.index("]", position)
            form, _, name = source[position + 1 : close].rpartition(" ")
            nodes.append(Slot(form, name))
            position = close
        else:
            options = []
            while True:
                option, position = _sequence(source, position + 1, nested=True)
                options.append(option)
                if position >= len(source):
                    raise ValueError(f"unbalanced brackets in {source!r}")
                if source[position] == "}":
                    break
            nodes.append(Alternatives(tuple(options)))
        position += 1
        start = position
    if position > start:
        nodes.append(source[start:position])
    return tuple(nodes), position


def slots(template: Template) -> set[str]:
    """Return the names of all slots that a template may ask for."""
    return _asked(template, set.union)


def always(template: Template) -> set[str]:
    """Return the names of the slots that a template asks for whichever alternatives are taken."""
    return _asked(template, set.intersection)


def _asked(template: Template, joined: Callable[..., set[str]]) -> set[str]:
    """Return the names of the slots of a template; those of alternatives are joined."""
    names: set[str] = set()
    for node in template:
        if isinstance(node, Slot):
            names.add(node.name)
        elif isinstance(node, Alternatives):
            names |= joined(*(_asked(option, joined) for option in node.options))
    return names


def filled_in(frame: Template, name: str, template: Template) -> Template:
    """Return a frame with a template in the place of one of its slots.

    Example:
        >>> filled_in(parse("[core], [place] {ieri|oggi}"), "core", parse("colpo [in target]"))[:2]
        ('colpo ', Slot(form='in', name='target'))
    """
    return tuple(
        inner
        for node in frame
        for inner in (template if isinstance(node, Slot) and node.name == name else (node,))
    )


@dataclass(slots=True)
class Filler:
    """Fills templates, with a source of chance, a preference among synonyms, and the values of slots."""

    rng: random.Random
    side: int  # 0 or 1: of two alternatives, the one that this paper leans to
    lean: float  # probability that the taste decides; otherwise all alternatives are equally likely
    # the value of a slot; called once a text for each slot, so that endings agree
    resolve: Callable[[str, "Filler"], Noun | str]
    _chosen: dict[str, Noun | str] = field(default_factory=dict)

    def pick(self, options: Sequence[Template] | Sequence[Noun]) -> int:
        """Index of one of the alternatives; even ones are the taste of side 0, odd ones of side 1."""
        count = len(options)
        if count == 1:
            return 0
        if self.rng.random() < self.lean:
            return self.side + 2 * int(self.rng.random() * ((count + 1 - self.side) // 2))
        return int(self.rng.random() * count)

    def write(self, template: Template) -> str:
        """Fill a template."""
        self._chosen.clear()
        parts: list[str] = []
        self._fill(template, parts)
        return "".join(parts)

    def value(self, name: str) -> Noun | str:
        """Return the value of a slot in the text at hand."""
        value = self._chosen.get(name)
        if value is None:
            value = self._chosen[name] = self.resolve(name, self)
        return value

    def _fill(self, template: Template, parts: list[str]) -> None:
        for node in template:
            if isinstance(node, str):
                parts.append(node)
            elif isinstance(node, Alternatives):
                self._fill(node.options[self.pick(node.options)], parts)
            else:
                parts.append(inflect(self.value(node.name), node.form))


def inflect(value: Noun | str, form: str) -> str:
    """Return a value in the form that a slot asks for; plain strings know no form but the bare one."""
    if isinstance(value, str):
        if form:
            raise ValueError(f"{value!r} cannot take the form {form!r}")
        return value
    if not form:
        return value.text
    if form[0] == "-":
        return value.ending(form[1:])
    if form == "il":
        return value.definite
    return value.indefinite if form == "un" else value.with_preposition(form)
