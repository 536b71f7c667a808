"""HEvAS as an `evaluate` metric: a thin shell around `change_it.hevas.evaluation`."""

import dataclasses
from pathlib import Path

import datasets
import evaluate

from change_it import InputError
from change_it.hevas.documents import Documents, System
from change_it.hevas.evaluation import evaluate as measure
from change_it.hevas.metric_options import MetricOptions
from change_it.hevas.metrics import METRICS
from change_it.io import column_of, references_of

_DESCRIPTION = """\
Informativeness and readability of headlines: ROUGE-1, -2, -SU and -WSU, latent semantic indexing, topics, word embeddings and
divergences against the document (-C) and the reference headline (-S); shares of nouns and pronouns, fog index, word length.
"""

_CITATION = """\
@inproceedings{litvak-etal-2019-hevas,
  title = {{HEvAS}: Headline Evaluation and Analysis System},
  author = {Litvak, Marina and Vanetik, Natalia and Eretz Kdosha, Itzhak},
  booktitle = {Proceedings of the Workshop MultiLing 2019},
  year = {2019}
}
"""

_KWARGS_DESCRIPTION = """\
Args:
    predictions: new headlines.
    references: for each a reference headline, or a list of several, of which the best counts for each metric; without any, the metrics
        that need none are measured.
    documents: for each the article.
    metrics: names, such as ["R-1", "LSA-C", "Fog"]; all when not given.
    use_aggregator: True (default) for means, False for one value a headline.
    vectors: gensim KeyedVectors for WE-C and WE-S, or a word2vec file; trained on the documents when not given.
    language, stop_words, weights, lsi, topics, seed: as the options of `change-it hevas`.
Returns:
    a value (or list) under the name of each metric.
    empty: number of predictions without words, which have 0 in every metric.
    signature: what the numbers depend on.
Example:
    >>> hevas = evaluate.load("metrics/hevas")
    >>> hevas.compute(predictions=["a x c"], references=["a b c"], documents=["a b c d"], metrics=["R-SU"])["R-SU"]
    0.5
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Hevas(evaluate.Metric):
    """The metrics of HEvAS for one system."""

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            homepage="https://aclanthology.org/volumes/W19-89/",
            license="Apache-2.0",
            reference_urls=["https://aclanthology.org/volumes/W19-89/"],
            features=[
                datasets.Features(
                    {"predictions": text, "references": datasets.Sequence(text), "documents": text}
                ),
                datasets.Features({"predictions": text, "references": text, "documents": text}),
            ],
        )

    def compute(self, *, predictions=None, references=None, documents=None, **options):
        """As `evaluate.Metric.compute`; without references the metrics that need none."""
        given = {"predictions": predictions, "references": references, "documents": documents}
        lists = {
            name: values if values is None else list(column_of(name, values))
            for name, values in given.items()
        }
        if references is not None:
            lists["references"] = references_of("references", references)
        elif predictions is not None:
            lists["references"] = [""] * len(lists["predictions"])
        return super().compute(**lists, **options)

    def _compute(
        self,
        predictions,
        references,
        documents,
        metrics=(),
        use_aggregator=True,
        vectors=None,
        **options,
    ):
        known = {field.name for field in dataclasses.fields(MetricOptions)}
        if unknown := sorted(set(options) - known):
            raise InputError(f"no option {', '.join(unknown)}: choose from {', '.join(sorted(known))}")
        ids = tuple(str(number) for number in range(1, len(documents) + 1))
        several = tuple((text,) if isinstance(text, str) else tuple(text) for text in references)
        if not any(any(texts) for texts in several):
            several = None
            metrics = metrics or [name for name, metric in METRICS.items() if not metric.references]
        given = {"vectors": vectors} if hasattr(vectors, "vector_size") else {}
        if vectors is not None and not given:
            options["vectors"] = Path(vectors)
        result = measure(
            Documents(ids, tuple(documents), several, "documents"),
            [System("predictions", tuple(predictions))],
            metrics=metrics,
            options=MetricOptions(**options),
            **given,
        )
        values = result.values["predictions"]
        columns = values.mean(axis=0) if use_aggregator else values.T
        return {
            **dict(zip(result.metrics, columns.tolist(), strict=True)),
            "empty": result.empty_headlines["predictions"],
            "signature": result.signature,
        }
