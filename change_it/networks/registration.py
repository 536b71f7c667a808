"""Registration of our models with the Auto classes of transformers: those of generators here, those of judges in `judges.registration`."""

from typing import Any

from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer
from transformers.pipelines import PIPELINE_REGISTRY

from change_it.networks.headline_pipeline import HeadlinePipeline
from change_it.networks.pointer_generator import PointerGeneratorForConditionalGeneration
from change_it.networks.pointer_transformer import PointerTransformerForConditionalGeneration
from change_it.networks.tokenizer import HeadlineTokenizer

for model in (PointerGeneratorForConditionalGeneration, PointerTransformerForConditionalGeneration):
    AutoConfig.register(model.config_class.model_type, model.config_class, exist_ok=True)
    AutoModelForSeq2SeqLM.register(model.config_class, model, exist_ok=True)
    AutoTokenizer.register(model.config_class, fast_tokenizer_class=HeadlineTokenizer, exist_ok=True)
    # `save_pretrained` then writes `auto_map` and the files of the code.
    model.config_class.register_for_auto_class()
    model.register_for_auto_class("AutoModelForSeq2SeqLM")
HeadlineTokenizer.register_for_auto_class()
# A task of our own: text-generation, which config.json names, runs the code that a folder brings, or refuses.
_models: Any = (AutoModelForSeq2SeqLM, AutoModelForCausalLM)
PIPELINE_REGISTRY.register_pipeline("headline-generation", HeadlinePipeline, pt_model=_models)
