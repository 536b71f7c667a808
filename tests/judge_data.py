"""Make options of judges, with the usual settings unless others are given."""

from change_it.cli.train import TrainJudgeOptions

ARGUMENTS = ("learning_rate", "max_steps", "eval_steps", "early_stopping")
#: A short training of a tiny encoder.
TINY = {"batch_size": 16, "early_stopping": 0, "max_tokens": 32, "learning_rate": 2e-3}


def options(corpus, out, **changes):
    """Return options of a judge: main unless another task is given."""
    return TrainJudgeOptions(corpus=corpus, out=out, **with_arg({"task": "main"} | changes))


def with_arg(given):
    """Return options, with names of `TrainingArguments` among them moved to `arg` as `NAME=VALUE`."""
    options_ = {}
    arg = []
    for name, value in given.items():
        if name in ARGUMENTS:
            arg.append(f"{name}={value}")
        elif name != "arg":
            options_[name] = value
    return options_ | {"arg": (*arg, *given.get("arg", ()))}
