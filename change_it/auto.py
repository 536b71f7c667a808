"""`import change_it.auto` registers our models with the Auto classes of transformers."""

from transformers import (
    AutoConfig,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)

from change_it.generators.pointer_generator import (
    PointerGeneratorConfig,
    PointerGeneratorForConditionalGeneration,
)
from change_it.generators.pointer_transformer import (
    PointerTransformerConfig,
    PointerTransformerForConditionalGeneration,
)
from change_it.generators.tokenizer import HeadlineTokenizer
from change_it.judges.bilstm import BiLSTMJudgeConfig, BiLSTMJudgeForSequenceClassification
from change_it.judges.fluency import FluencyJudgeConfig, FluencyJudgeForSequenceClassification
from change_it.judges.pair import PairJudgeConfig, PairJudgeForSequenceClassification
from change_it.judges.style import StyleJudgeConfig, StyleJudgeForSequenceClassification

AutoConfig.register(PairJudgeConfig.model_type, PairJudgeConfig, exist_ok=True)
AutoModelForSequenceClassification.register(
    PairJudgeConfig, PairJudgeForSequenceClassification, exist_ok=True
)
AutoConfig.register(StyleJudgeConfig.model_type, StyleJudgeConfig, exist_ok=True)
AutoModelForSequenceClassification.register(
    StyleJudgeConfig, StyleJudgeForSequenceClassification, exist_ok=True
)
AutoConfig.register(BiLSTMJudgeConfig.model_type, BiLSTMJudgeConfig, exist_ok=True)
AutoModelForSequenceClassification.register(
    BiLSTMJudgeConfig, BiLSTMJudgeForSequenceClassification, exist_ok=True
)
AutoConfig.register(FluencyJudgeConfig.model_type, FluencyJudgeConfig, exist_ok=True)
AutoModelForSequenceClassification.register(
    FluencyJudgeConfig, FluencyJudgeForSequenceClassification, exist_ok=True
)
AutoConfig.register(PointerGeneratorConfig.model_type, PointerGeneratorConfig, exist_ok=True)
AutoModelForSeq2SeqLM.register(
    PointerGeneratorConfig, PointerGeneratorForConditionalGeneration, exist_ok=True
)
AutoTokenizer.register(PointerGeneratorConfig, fast_tokenizer_class=HeadlineTokenizer, exist_ok=True)
AutoConfig.register(PointerTransformerConfig.model_type, PointerTransformerConfig, exist_ok=True)
AutoModelForSeq2SeqLM.register(
    PointerTransformerConfig, PointerTransformerForConditionalGeneration, exist_ok=True
)
AutoTokenizer.register(PointerTransformerConfig, fast_tokenizer_class=HeadlineTokenizer, exist_ok=True)
