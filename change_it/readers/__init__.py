"""Questions to readers, the sheets that they fill in, their answers and their agreement."""
