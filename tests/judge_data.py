"""Options of judges, with the usual settings unless others are given."""

from change_it.cli.train import TrainJudgeOptions

ARGUMENTS = ("learning_rate", "max_steps", "eval_steps", "early_stopping")
#: A short training of a tiny encoder.
TINY = {"batch_size": 16, "early_stopping": 0, "max_tokens": 32, "learning_rate": 2e-3}


def options(corpus, out, **changes):
    """Options of a judge: main unless another task is given."""
    return TrainJudgeOptions(corpus=corpus, out=out, **with_arg({"task": "main"} | changes))


def with_arg(given):
    """Options, of which names of `TrainingArguments` become `--arg`."""
    arguments = {name: given[name] for name in given if name in ARGUMENTS}
    arg = (*(f"{name}={value}" for name, value in arguments.items()), *given.get("arg", ()))
    return {name: value for name, value in given.items() if name not in (*arguments, "arg")} | {"arg": arg}
