"""The `change-it` program: a table of commands, each one dataclass of options and the function it calls.

A function is imported only when its command runs, so that `change-it --help` loads neither torch nor transformers.
"""

import sys
from collections.abc import Sequence
from inspect import getdoc
from pkgutil import resolve_name
from typing import Annotated, Any, NamedTuple, Union

import tyro

from change_it import __version__
from change_it.annotation.options import ServeOptions, SheetOptions, StudyOptions
from change_it.audit.options import AuditOptions
from change_it.command import TYRO_CONFIG, exit_on_input_error
from change_it.corpus.folder import check_corpus
from change_it.corpus.options import BuildOptions, CurveOptions, SampleOptions
from change_it.generators.options import GeneratorOptions, MergeOptions, TransferOptions
from change_it.hevas.options import HevasOptions
from change_it.hub.options import PushOptions
from change_it.judges.options import JudgeOptions
from change_it.quickstart import QuickstartOptions
from change_it.reproduction.options import ReproduceOptions
from change_it.scoring.options import HeadlineOptions, ScoreOptions
from change_it.space.demo import DemoOptions

PROGRAM = """Headline style transfer between two newspapers: aligned data, generators, trained judges, compliancy.

Start with `change-it quickstart`: the whole chain on an embedded sample, minutes on two cores.
`change-it COMMAND --help` explains a command and shows examples."""


class Command(NamedTuple):
    """A sub-command: its options and, as `module:function`, what runs them."""

    options: type
    run: str


COMMANDS: dict[str, Command | dict[str, Command]] = {
    "quickstart": Command(QuickstartOptions, "change_it.quickstart:run"),
    "corpus": {
        "sample": Command(SampleOptions, "change_it.corpus.sample:run"),
        "build": Command(BuildOptions, "change_it.corpus.command:run_build"),
        "curve": Command(CurveOptions, "change_it.report.curve:run"),
    },
    "train": {
        "judge": Command(JudgeOptions, "change_it.judges.train:run"),
        "generator": Command(GeneratorOptions, "change_it.generators.train:run"),
    },
    "merge": Command(MergeOptions, "change_it.generators.generator:merge"),
    "transfer": Command(TransferOptions, "change_it.generators.transfer_command:run"),
    "judge": Command(HeadlineOptions, "change_it.report.judge_command:run"),
    "score": Command(ScoreOptions, "change_it.report.score_command:run"),
    "audit": Command(AuditOptions, "change_it.report.audit_command:run"),
    "hevas": Command(HevasOptions, "change_it.report.hevas_command:run"),
    "annotate": {
        "sample": Command(SheetOptions, "change_it.annotation.sample:run"),
        "serve": Command(ServeOptions, "change_it.annotation.serve:run"),
        "score": Command(StudyOptions, "change_it.annotation.score_command:run"),
    },
    "reproduce": Command(ReproduceOptions, "change_it.reproduction.command:run"),
    "demo": Command(DemoOptions, "change_it.space.demo:run"),
    "push": Command(PushOptions, "change_it.hub.push:run"),
}

GROUPS = {
    "corpus": "Sample, build and inspect a corpus of two outlets.",
    "train": "Train a judge or a generator.",
    "annotate": "Ask people which outlet wrote a headline, and score their answers.",
}


def _parser_type(arguments: Sequence[str]) -> Any:
    """The union of all commands, nested as in `COMMANDS`, for tyro; a command that is not called has one line."""

    def entry(name: str, command: "Command | dict[str, Command]") -> Any:
        if isinstance(command, Command):
            text = getdoc(command.options) or ""  # tyro alone would drop the examples
            description = text if name in arguments else text.partition("\n")[0]
            return Annotated[command.options, tyro.conf.subcommand(name, description=description)]
        members = [entry(key, member) for key, member in command.items()]
        return Annotated[_union(members), tyro.conf.subcommand(name, description=GROUPS[name])]

    return _union([entry(name, command) for name, command in COMMANDS.items()])


def _union(members: list[Any]) -> Any:
    """A union type; tyro needs two members to make sub-commands, so one alone is padded with a hidden one."""
    hidden = Annotated[None, tyro.conf.subcommand("none"), tyro.conf.Suppress]
    return Union[tuple(members if len(members) > 1 else [*members, hidden])]  # noqa: UP007 (built at run time)


def _run(options: Any) -> None:
    """Run the command whose options these are; a corpus that is not there is found before torch loads."""
    entries = [
        entry
        for group in COMMANDS.values()
        for entry in (group.values() if isinstance(group, dict) else [group])
    ]
    if corpus := getattr(options, "corpus", None):
        check_corpus(str(corpus))
    run = next(entry.run for entry in entries if entry.options is type(options))
    resolve_name(run)(options)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `change-it`; returns the exit code: 0 done, 2 bad input, 130 interrupted. Faults of the package raise."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        print(f"change-it {__version__}")
        return 0
    options: Any = tyro.cli(
        _parser_type(arguments), prog="change-it", description=PROGRAM, args=arguments, config=TYRO_CONFIG
    )
    return exit_on_input_error(lambda: _run(options))


if __name__ == "__main__":
    sys.exit(main())
