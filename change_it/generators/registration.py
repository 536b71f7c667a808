"""Register the models of generators with the Auto classes of transformers.

Those of judges are registered in `judges.registration`.
"""

from functools import cache
from typing import Any

from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM
from transformers.pipelines import PIPELINE_REGISTRY

from change_it.generators.networks.headline_pipeline import HeadlinePipeline
from change_it.generators.networks.pointer_generator import PointerGeneratorForConditionalGeneration
from change_it.generators.networks.pointer_transformer import PointerTransformerForConditionalGeneration
from change_it.generators.networks.tokenizer import HeadlineTokenizer
from change_it.models.pretrained import register

#: Auto classes of the models that the pipeline takes.
PIPELINE_MODELS: Any = (AutoModelForSeq2SeqLM, AutoModelForCausalLM)


@cache
def register_generators() -> None:
    """Make the generators' models, their tokenizer and their pipeline known to transformers, once."""
    for model in (PointerGeneratorForConditionalGeneration, PointerTransformerForConditionalGeneration):
        register(model, AutoModelForSeq2SeqLM, HeadlineTokenizer)
    HeadlineTokenizer.register_for_auto_class()
    # A task of our own: text-generation, which config.json names, runs the code that a folder brings, or
    # refuses it.
    PIPELINE_REGISTRY.register_pipeline("headline-generation", HeadlinePipeline, pt_model=PIPELINE_MODELS)
