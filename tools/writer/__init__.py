"""What trained the generator in `change_it/data/writer`: `python -m tools.writer.train`."""
