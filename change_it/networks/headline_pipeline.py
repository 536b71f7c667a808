"""`transformers.pipeline` of a generator; this file is saved with the model and the files that it imports."""

from pathlib import Path
from typing import Any

import torch
from transformers import Pipeline
from transformers.dynamic_module_utils import custom_object_save

from .formats import FORMATS

_Pipeline: Any = Pipeline  # its types are narrower than what it takes


class HeadlinePipeline(_Pipeline):
    """Text generation that writes what `change-it transfer` writes.

    Sources are what the generator reads: an article, a headline, or `outlet | headline | article`. Other settings of `generate`
    than the saved ones are given to the pipeline or to a call.

    Examples:
        >>> write = pipeline("text-generation", model="owner/name", trust_remote_code=True)  # doctest: +SKIP
        >>> write("faro | the original headline | its article")  # doctest: +SKIP
        [{'generated_text': '...'}]
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        about = getattr(self.model.config, "change_it", {})
        if "kind" not in about:
            raise ValueError(
                "config.json does not say how this model reads and writes: open the folder of a generator, and merge adapters "
                "with their base first (merge_and_unload of peft)"
            )
        self.format = FORMATS[about["kind"]](self.tokenizer, **about["format"])
        self.tokenizer.padding_side = "left" if about["kind"] == "causal" else "right"  # of batches

    def _sanitize_parameters(self, **generate: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        return {}, generate, {}

    def preprocess(self, text: str) -> dict[str, Any]:
        """One text as a batch, and what its headline is read by."""
        inputs, [context] = self.format.inputs([text])
        return {**inputs, "context": context}

    def _forward(self, batch: dict[str, Any], **generate: Any) -> dict[str, Any]:
        context, rows = batch.pop("context"), len(batch["input_ids"])
        prompt = self.format.prompt_tokens(batch)
        settings = {**self.model.generation_config.to_dict(), **generate}
        count = settings["num_return_sequences"] or 1
        if settings["do_sample"]:
            generate.setdefault("num_beams", 1)
        else:  # as many as are searched for: an empty or repeated one is passed over
            width = max(settings["num_beams"] or 1, count)
            generate |= {"num_beams": width, "num_return_sequences": width}
        size = generate.pop("no_repeat_ngram_size", self.model.config.change_it["no_repeat_ngram_size"])
        rules = self.format.search(size, prompt)
        rules["logits_processor"] = [
            *rules.get("logits_processor", []),
            *generate.pop("logits_processor", []),
        ]
        ids = self.model.generate(**batch, **generate, **rules)[:, prompt:]
        return {
            "ids": ids.view(rows, -1, ids.shape[1]),
            "context": context,
            "count": torch.full((rows,), count),
        }

    def postprocess(self, written: dict[str, Any]) -> list[dict[str, str]]:
        """A record for each headline, best first, as the pipelines of transformers have it."""
        ids = written["ids"][0]
        texts = self.format.texts(ids, [written["context"]] * len(ids))
        distinct = list(dict.fromkeys(filter(None, texts)))[: int(written["count"])]
        return [{"generated_text": text} for text in distinct or texts[:1]]

    def save_pretrained(self, save_directory: Any, **options: Any) -> None:
        """Save model, tokenizer and this code."""
        super().save_pretrained(save_directory, **options)
        custom_object_save(type(self), Path(save_directory))
