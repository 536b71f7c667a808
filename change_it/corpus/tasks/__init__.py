"""Build the data sets that judges and generators learn from."""
