"""`import change_it.auto` registers our models with the Auto classes of transformers."""

from transformers import AutoConfig, AutoModelForSequenceClassification

from change_it.judges.encoder import PairJudgeConfig, PairJudgeForSequenceClassification

AutoConfig.register(PairJudgeConfig.model_type, PairJudgeConfig, exist_ok=True)
AutoModelForSequenceClassification.register(
    PairJudgeConfig, PairJudgeForSequenceClassification, exist_ok=True
)
