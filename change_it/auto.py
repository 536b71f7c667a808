"""Register our models with the Auto classes of transformers, by `import change_it.auto`.

They are then saved with their code.
"""

from change_it.generators.networks.headline_pipeline import HeadlinePipeline
from change_it.generators.networks.tokenizer import HeadlineTokenizer
from change_it.generators.registration import register_generators
from change_it.judges.registration import register_judges

__all__ = ["HeadlinePipeline", "HeadlineTokenizer"]

register_judges()
register_generators()
