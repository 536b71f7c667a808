"""One file a command of `change-it`: its options, its check and its `run`."""
