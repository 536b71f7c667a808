"""Atomic writing, growing tables, rows of any table, predictions, folders of models, and the Hub's files."""
