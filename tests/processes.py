"""Programs that tests run in processes of their own."""

import subprocess
import sys


def run_program(command, *, check=False, **options):
    """A program that has ended, with what it wrote as text."""
    return subprocess.run(command, capture_output=True, text=True, check=check, **options)


def run_python(*arguments, **options):
    """The same of this Python: `-c`, code and its arguments, or `-m` and a module."""
    return run_program([sys.executable, *arguments], **options)
