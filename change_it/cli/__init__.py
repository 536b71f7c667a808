"""The command line: one file a command, a dataclass of options and `run()`."""

from change_it.cli.main import exit_on_input_error, main

__all__ = ["exit_on_input_error", "main"]
