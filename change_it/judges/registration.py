"""Register the judges' models with the Auto classes of transformers."""

from transformers import AutoModelForSequenceClassification

from change_it.judges.bilstm import BiLSTMJudgeForSequenceClassification
from change_it.judges.linear import LinearJudgeForSequenceClassification
from change_it.models.pretrained import register


def register_judges() -> None:
    """Make the judges' models known to transformers, which then opens and saves them."""
    for model in (LinearJudgeForSequenceClassification, BiLSTMJudgeForSequenceClassification):
        register(model, AutoModelForSequenceClassification)
