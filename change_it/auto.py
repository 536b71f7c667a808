"""`import change_it.auto` registers our models with the Auto classes of transformers; they are saved with their code."""

from change_it.generators.networks.headline_pipeline import HeadlinePipeline
from change_it.generators.networks.tokenizer import HeadlineTokenizer

__all__ = ["HeadlinePipeline", "HeadlineTokenizer"]
