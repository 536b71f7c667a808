"""What made the package's data: the grammar of the sample and the trainer of the part-of-speech tagger. Not installed."""
