"""Registration of the judges' models with the Auto classes of transformers."""

from transformers import AutoConfig, AutoModelForSequenceClassification

from change_it.judges.bilstm import BiLSTMJudgeForSequenceClassification
from change_it.judges.linear import LinearJudgeForSequenceClassification

for model in (LinearJudgeForSequenceClassification, BiLSTMJudgeForSequenceClassification):
    AutoConfig.register(model.config_class.model_type, model.config_class, exist_ok=True)
    AutoModelForSequenceClassification.register(model.config_class, model, exist_ok=True)
    model.config_class.register_for_auto_class()  # `save_pretrained` then writes `auto_map` and the code
    model.register_for_auto_class("AutoModelForSequenceClassification")
