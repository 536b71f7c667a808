"""Atomic writing, growing tables, rows of any table, predictions, folders of models and what comes from the Hub."""
