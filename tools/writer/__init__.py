"""Train the generator in `change_it/data/writer`, by `python -m tools.writer.train`."""
