"""`import change_it.auto` registers our models with the Auto classes of transformers; they are saved with their code."""

from typing import Any

from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from transformers.pipelines import PIPELINE_REGISTRY

from change_it.judges.bilstm import BiLSTMJudgeForSequenceClassification
from change_it.judges.linear import LinearJudgeForSequenceClassification
from change_it.networks.headline_pipeline import HeadlinePipeline
from change_it.networks.pointer_generator import PointerGeneratorForConditionalGeneration
from change_it.networks.pointer_transformer import PointerTransformerForConditionalGeneration
from change_it.networks.tokenizer import HeadlineTokenizer

__all__ = ["GENERATOR_MODELS", "JUDGE_MODELS", "HeadlinePipeline", "HeadlineTokenizer"]

JUDGE_MODELS = (LinearJudgeForSequenceClassification, BiLSTMJudgeForSequenceClassification)
GENERATOR_MODELS = (PointerGeneratorForConditionalGeneration, PointerTransformerForConditionalGeneration)

for model in (*JUDGE_MODELS, *GENERATOR_MODELS):
    config = model.config_class
    auto = AutoModelForSequenceClassification if model in JUDGE_MODELS else AutoModelForSeq2SeqLM
    AutoConfig.register(config.model_type, config, exist_ok=True)
    auto.register(config, model, exist_ok=True)
    if model in GENERATOR_MODELS:
        AutoTokenizer.register(config, fast_tokenizer_class=HeadlineTokenizer, exist_ok=True)
    # `save_pretrained` then writes `auto_map` and the files of the code.
    config.register_for_auto_class()
    model.register_for_auto_class(auto.__name__)
HeadlineTokenizer.register_for_auto_class()
# A task of our own: text-generation, which config.json names, runs the code that a folder brings, or refuses.
_models: Any = (AutoModelForSeq2SeqLM, AutoModelForCausalLM)
PIPELINE_REGISTRY.register_pipeline("headline-generation", HeadlinePipeline, pt_model=_models)
