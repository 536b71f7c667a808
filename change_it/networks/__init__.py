"""Models that read and write, and the one place that loads from transformers."""
