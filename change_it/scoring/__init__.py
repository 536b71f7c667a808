"""Compliancy, aspects and overlap of transferred headlines: statistics per item first, aggregates second."""
