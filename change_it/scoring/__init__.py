"""Compliancy and overlap of transferred headlines: statistics per item first, aggregates second.

`score` makes the table of systems; the formulas are in `compliancy` and `overlap`, the statistics in `change_it.stats`.
"""
