"""The `change-it` program: a table of commands, each one dataclass of options and the function it calls.

A function is imported only when its command runs, so that `change-it --help` loads neither torch nor transformers.
"""

import sys
from collections.abc import Callable, Sequence
from inspect import cleandoc, getdoc
from itertools import takewhile
from pkgutil import resolve_name
from typing import Annotated, Any, NamedTuple, Union

import tyro

from change_it import __version__
from change_it.annotation.options import ServeOptions, SheetOptions, StudyOptions
from change_it.audit.options import AuditOptions
from change_it.command import TYRO_CONFIG, exit_on_input_error
from change_it.commands.demo import DemoOptions
from change_it.commands.quickstart import QuickstartOptions
from change_it.corpus.folder import check_corpus
from change_it.corpus.arguments import BuildOptions, CurveOptions, SampleOptions
from change_it.generators.arguments import EXTRACT, GeneratorOptions, MergeOptions, TransferOptions
from change_it.generators.arguments import variants as generator_variants
from change_it.help import Variants, check_command, check_options, command_help, list_help
from change_it.hevas.arguments import HevasOptions
from change_it.hub.arguments import PushOptions
from change_it.io import HUB, TableError, check_model, check_writable, named_files, read_tables
from change_it.judges.arguments import JudgeOptions, check_judges
from change_it.judges.arguments import variants as judge_variants
from change_it.process import wait_passively
from change_it.reproduction.arguments import ReproduceOptions
from change_it.scoring.columns import CompareOptions, HeadlineOptions, ScoreOptions

PROGRAM = """Headline style transfer between two newspapers: aligned data, generators, trained judges, compliancy.

`change-it COMMAND --help` explains a command; `eval "$(change-it --tyro-print-completion bash)"` (or zsh) completes commands and options.

Examples:
    change-it quickstart
    change-it judge "Ponte crollato, scuole chiuse" --original "Crolla il ponte: chiuse le scuole" --article article.txt
    change-it --version
"""


class Command(NamedTuple):
    """A sub-command: its options and, as `module:function`, what runs them and what refuses them before anything large loads."""

    options: type
    run: str
    check: str = ""


COMMANDS: dict[str, Command | dict[str, Command]] = {
    "quickstart": Command(QuickstartOptions, "change_it.commands.quickstart:run"),
    "corpus": {
        "sample": Command(SampleOptions, "change_it.corpus.sample:run"),
        "build": Command(BuildOptions, "change_it.commands.corpus_build:run_build"),
        "curve": Command(CurveOptions, "change_it.commands.corpus_curve:run"),
    },
    "train": {
        "judge": Command(JudgeOptions, "change_it.judges.train:run", "change_it.judges.arguments:check"),
        "generator": Command(
            GeneratorOptions, "change_it.generators.train:run", "change_it.generators.arguments:check"
        ),
    },
    "merge": Command(MergeOptions, "change_it.generators.generator:merge"),
    "transfer": Command(
        TransferOptions,
        "change_it.commands.transfer:run",
        "change_it.generators.transfer_check:check",
    ),
    "judge": Command(HeadlineOptions, "change_it.commands.judge:run"),
    "score": Command(ScoreOptions, "change_it.commands.score:run"),
    "compare": Command(CompareOptions, "change_it.commands.compare:run"),
    "audit": Command(AuditOptions, "change_it.commands.audit:run"),
    "hevas": Command(HevasOptions, "change_it.commands.hevas:run"),
    "annotate": {
        "sample": Command(SheetOptions, "change_it.commands.annotate_sample:run"),
        "serve": Command(ServeOptions, "change_it.commands.annotate_serve:run"),
        "score": Command(StudyOptions, "change_it.commands.annotate_score:run"),
    },
    "reproduce": Command(
        ReproduceOptions, "change_it.commands.reproduce:run", "change_it.reproduction.arguments:check"
    ),
    "demo": Command(DemoOptions, "change_it.commands.demo:run"),
    "push": Command(PushOptions, "change_it.hub.push:run", "change_it.hub.arguments:check"),
}

#: Options that name generators, with what makes them, options of NAME=FILE, and options that name a file.
MODELS = {
    "generator": "change-it train generator",
    "adapter": "change-it train generator",
}
SYSTEMS = {"predictions": "mine=mine.csv", "system": "mine=mine.txt"}
FILES = ("generated", "article", "sheet", "key")

GROUPS = {
    "corpus": """Sample, build and inspect a corpus of two outlets.

    Examples:
        change-it corpus build articles.csv --out runs/mine/corpus
    """,
    "train": """Train a judge or a generator.

    Examples:
        change-it train judge --task main --corpus runs/mine/corpus --out runs/mine/judges/main
    """,
    "annotate": """Ask people which outlet wrote a headline, and score their answers.

    Examples:
        change-it annotate sample --corpus runs/mine/corpus --out runs/mine/sheet.csv
    """,
}
#: Commands whose defaults depend on a model, to what gives them by the model's name.
VARIANTS: dict[type, Callable[[], Variants]] = {
    GeneratorOptions: generator_variants,
    JudgeOptions: judge_variants,
}


def _parser_type() -> Any:
    """The union of all commands, nested as in `COMMANDS`, for tyro."""

    def entry(name: str, command: "Command | dict[str, Command]") -> Any:
        if isinstance(command, Command):
            about = (getdoc(command.options) or "").partition("\n")[0]
            return Annotated[command.options, tyro.conf.subcommand(name, description=about)]
        members = [entry(key, member) for key, member in command.items()]
        about = GROUPS[name].partition("\n")[0]
        return Annotated[_union(members), tyro.conf.subcommand(name, description=about)]

    return _union([entry(name, command) for name, command in COMMANDS.items()])


def _union(members: list[Any]) -> Any:
    """A union type; tyro needs two members to make sub-commands, so one alone is padded with a hidden one."""
    hidden = Annotated[None, tyro.conf.subcommand("none"), tyro.conf.Suppress]
    return Union[tuple(members if len(members) > 1 else [*members, hidden])]  # noqa: UP007 (built at run time)


def _check_paths(options: Any) -> None:
    """Find what is not there, and where nothing can be written, before the command's libraries load."""
    if corpus := getattr(options, "corpus", None):
        check_corpus(str(corpus))
    for name, command in MODELS.items():
        if (model := getattr(options, name, None)) and model != EXTRACT:
            check_model(str(model), command=command)
    for name in ("judges", "rerank"):
        if judges := getattr(options, name, None):
            check_judges(str(judges))
    if (articles := getattr(options, "input", None)) and not articles.startswith(HUB):
        read_tables([articles])  # that they are there; nothing is read
    files = [getattr(options, name, None) for name in FILES] + [*getattr(options, "sheets", ())]
    systems = [
        file
        for name, example in SYSTEMS.items()
        if isinstance(getattr(options, name, None), tuple)
        for _, file in named_files(getattr(options, name), option=f"--{name}", example=example)
    ]
    for file in [*filter(None, files), *systems]:
        if not file.exists() and str(file) != "-":
            raise TableError("missing", file)
    if isinstance(options, JudgeOptions | GeneratorOptions):
        check_writable(
            options.out, kind="run", inputs=options.inputs, alone=False
        )  # one of several processes, it may be


def _run(options: Any) -> None:
    """Run the command whose options these are."""
    entries = [
        entry
        for group in COMMANDS.values()
        for entry in (group.values() if isinstance(group, dict) else [group])
    ]
    _check_paths(options)
    command = next(entry for entry in entries if entry.options is type(options))
    if command.check:
        resolve_name(command.check)(options)
    resolve_name(command.run)(options)


def _help(arguments: Sequence[str]) -> str | None:
    """The help that is asked for, None where none is.

    Raises:
        InputError: a command or an option that there is not; the nearest name is in the sentence.
    """
    words = list(takewhile(lambda argument: not argument.startswith("-"), arguments))
    place: Command | dict[str, Command] | dict[str, Command | dict[str, Command]] = COMMANDS
    called = ["change-it"]
    for word in words:
        if isinstance(place, Command):
            break
        check_command(" ".join(called), word, place)
        place = place[word]
        called.append(word)
    wanted = any(argument in ("-h", "--help") for argument in arguments)
    if isinstance(place, Command):
        if not wanted:
            check_options(" ".join(called), place.options, arguments)
            return None
        return command_help(place.options, VARIANTS.get(place.options, dict)())
    if not wanted:
        return None
    about = GROUPS[called[-1]] if len(called) > 1 else PROGRAM
    docstrings = {
        name: GROUPS[name] if isinstance(entry, dict) else getdoc(entry.options) or ""
        for name, entry in place.items()
    }
    return list_help(cleandoc(about), docstrings)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `change-it`; returns the exit code: 0 done, 2 bad input, 130 interrupted, 141 nobody reads the output. Faults of the package raise."""
    wait_passively()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        print(f"change-it {__version__}")
        return 0

    def run() -> None:
        if (text := _help(arguments)) is not None:
            print(text)
            return
        _run(tyro.cli(_parser_type(), prog="change-it", args=arguments, config=TYRO_CONFIG))

    return exit_on_input_error(run)


if __name__ == "__main__":
    sys.exit(main())
