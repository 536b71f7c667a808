"""`transformers.pipeline` of a generator in its own repository; this file is pushed beside the model and imports nothing of ours."""

from typing import Any

from transformers import Pipeline

_Pipeline: Any = Pipeline  # its types are narrower than what it takes


class HeadlinePipeline(_Pipeline):
    """Text generation with an encoder-decoder, which transformers 5 has no pipeline for.

    Examples:
        >>> write = pipeline("text-generation", model="owner/name", trust_remote_code=True)  # doctest: +SKIP
        >>> write("faro | the original headline | its article", num_beams=5)  # doctest: +SKIP
        [{'generated_text': '...'}]
    """

    _load_tokenizer = True
    _load_processor = _load_image_processor = _load_feature_extractor = False

    def _sanitize_parameters(self, **generate: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        return {}, generate, {}

    def preprocess(self, text: str) -> dict[str, Any]:
        """One text as a batch; words outside the vocabulary of our own tokenizer have ids that hold in this text alone."""
        limit = self.model.config.source_tokens
        if hasattr(self.tokenizer, "sources"):
            batch, unknown = self.tokenizer.sources([text], max_tokens=limit)
            return {**batch, "unknown": unknown}
        return dict(self.tokenizer([text], truncation=True, max_length=limit, return_tensors="pt"))

    def _forward(self, batch: dict[str, Any], **generate: Any) -> dict[str, Any]:
        unknown = batch.pop("unknown", None)
        generate.setdefault("max_new_tokens", self.model.config.target_tokens)
        return {"ids": self.model.generate(**batch, **generate), "unknown": unknown}

    def postprocess(self, written: dict[str, Any]) -> list[dict[str, str]]:
        """A record for each sequence, as the pipelines of transformers have it."""
        ids, unknown = written["ids"], written["unknown"]
        if unknown is None:
            texts = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        else:
            texts = self.tokenizer.headlines(ids, unknown * len(ids))
        return [{"generated_text": text} for text in texts]
