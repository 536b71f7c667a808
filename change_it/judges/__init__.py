"""Judges: classifiers of style (main) and content (HH, AH), their training, and their verdicts."""
