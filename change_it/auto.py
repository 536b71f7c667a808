"""`import change_it.auto` registers our models with the Auto classes of transformers."""

from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoModelForSequenceClassification, AutoTokenizer

from change_it.judges.bilstm import BiLSTMJudgeForSequenceClassification
from change_it.judges.fluency import FluencyJudgeForSequenceClassification
from change_it.judges.pair import PairJudgeForSequenceClassification
from change_it.judges.style import StyleJudgeForSequenceClassification
from change_it.networks.pointer_generator import PointerGeneratorForConditionalGeneration
from change_it.networks.pointer_transformer import PointerTransformerForConditionalGeneration
from change_it.networks.tokenizer import HeadlineTokenizer

JUDGES = (
    PairJudgeForSequenceClassification,
    StyleJudgeForSequenceClassification,
    BiLSTMJudgeForSequenceClassification,
    FluencyJudgeForSequenceClassification,
)
GENERATORS = (PointerGeneratorForConditionalGeneration, PointerTransformerForConditionalGeneration)

for model in (*JUDGES, *GENERATORS):
    config = model.config_class
    AutoConfig.register(config.model_type, config, exist_ok=True)
    if model in JUDGES:
        AutoModelForSequenceClassification.register(config, model, exist_ok=True)
    else:
        AutoModelForSeq2SeqLM.register(config, model, exist_ok=True)
        AutoTokenizer.register(config, fast_tokenizer_class=HeadlineTokenizer, exist_ok=True)
