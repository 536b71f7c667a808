"""Group the options of a command under headings, so that a help begins with what must be given.

tyro has a heading for each nested dataclass. Options stay flat: their groups are made here, from their names,
and a command gets its options as it declares them.
"""

from dataclasses import MISSING, Field, field, fields, make_dataclass
from functools import cache
from typing import Annotated, Any, get_type_hints

import tyro

#: Heading of the options without a default, which must be given.
REQUIRED = "required"
#: Heading of the options that are under no other one.
REST = "advanced"
#: Options by the headings of a help, in the order of the headings. The headings end in " options".
GROUPS: dict[str, tuple[str, ...]] = {
    "input": (
        "corpus",
        "input",
        "columns",
        "labels",
        "other_outlets",
        "dayfirst",
        "mend",
        "language",
        "predictions",
        "shared_items",
        "items",
        "pairs",
        "random_split",
        "baselines",
        "run",
        "judges",
        "floor",
        "articles",
        "train_on",
    ),
    "model": (
        "generator",
        "recipe",
        "endpoint",
        "model",
        "architecture",
        "encoder",
        "vectors",
        "as_published",
        "fold",
        "max_tokens",
        "source_tokens",
        "target_tokens",
        "vocabulary",
        "cells",
        "no_chat_template",
    ),
    "training": ("epochs", "arg", "resume", "max_minutes", "checkpoint_minutes"),
    "adapter": ("lora", "lora_rank", "lora_alpha", "lora_dropout", "lora_targets"),
    "alignment": ("strict", "loose", "window_days", "sizes", "test_articles"),
    "metric": ("metrics", "stop_words", "weights", "lsi", "topics", "n_words", "distinct"),
    "candidate": ("rerank", "candidates", "generation"),
    "card": ("license", "dataset", "base", "package", "variables"),
    "repository": ("private", "replace", "revision", "create_pr", "commit_message", "tag"),
    "output": ("out", "to", "charts", "by_direction", "against", "format", "json", "dry_run"),
    "statistics": ("resamples", "reversal", "seed"),
}
#: Where each option stands.
_GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}


@cache
def grouped(options: type) -> type:
    """Return a dataclass for tyro that has the options of a command in nested ones, a heading each.

    Positional arguments stay where they are, for tyro has a heading of its own for them.
    """
    types = get_type_hints(options, include_extras=True)
    top_level: list[tuple[str, Any, Any]] = []
    by_group: dict[str, list[tuple[str, Any, Any]]] = {}
    for option in fields(options):
        kind = types[option.name]
        group = _group_of(option, kind)
        members = by_group.setdefault(group, []) if group else top_level
        members.append((option.name, _with_hint(kind, option), _copy(option)))
    for group in (REQUIRED, *GROUPS, REST):
        if group in by_group:
            nested = make_dataclass(group, by_group[group], kw_only=True)
            value = field() if group == REQUIRED else field(default_factory=nested)
            top_level.append((group, nested, value))
    return make_dataclass(options.__name__, top_level, kw_only=True)


def ungrouped(options: type, parsed: Any) -> Any:
    """Return the options of a command, from what tyro has read into the dataclass of `grouped`."""
    groups = {REQUIRED, *GROUPS, REST}
    values: dict[str, Any] = {}
    for name, value in vars(parsed).items():
        if name in groups:
            values.update(vars(value))
        else:
            values[name] = value
    return options(**values)


def _group_of(option: "Field[Any]", kind: Any) -> str:
    """Return the heading of an option, which is empty for a positional argument."""
    if tyro.conf.Positional in getattr(kind, "__metadata__", ()):
        return ""
    if option.default is MISSING and option.default_factory is MISSING:
        return REQUIRED
    return _GROUP_OF.get(option.name, REST)


def _with_hint(kind: Any, option: "Field[Any]") -> Any:
    """Return the type of an option; its help names no default that says nothing (None, False, no values)."""
    markers = getattr(kind, "__metadata__", ())
    if tyro.conf.UseAppendAction in markers:  # of these tyro says that they are repeatable
        return kind
    if any(option.default is nothing for nothing in (None, False, "", (), MISSING)):
        return Annotated[kind, tyro.conf.arg(help_behavior_hint="")]
    return kind


def _copy(option: "Field[Any]") -> Any:
    """Return a field with the default and the metadata of another one."""
    if option.default is not MISSING:
        return field(default=option.default, metadata=option.metadata)
    if option.default_factory is not MISSING:
        return field(default_factory=option.default_factory, metadata=option.metadata)
    return field(metadata=option.metadata)
