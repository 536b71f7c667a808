"""The one exception that means: the input is at fault, and the message says how to mend it."""


class InputError(ValueError):
    """Bad input. The message is one clear sentence that names the fix.

    The command line prints it on stderr without a traceback and exits with code 2; everything
    else that is raised is a fault of the package and keeps its traceback.
    """
