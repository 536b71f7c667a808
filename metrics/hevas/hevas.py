"""HEvAS as an `evaluate` metric: a thin shell around `change_it.hevas.evaluation`."""

import dataclasses
from pathlib import Path

import datasets
import evaluate

from change_it.evaluate_module import Module
from change_it.files.texts import references_of, texts_of
from change_it.hevas.documents import Documents
from change_it.hevas.evaluation import evaluate as measure
from change_it.hevas.measuring import MetricOptions
from change_it.hevas.metrics import METRICS

_DESCRIPTION = """\
Informativeness and readability of headlines: ROUGE-1, -2, -SU and -WSU, latent semantic indexing, topics,
word embeddings and divergences against the document (-C) and the reference headline (-S); shares of nouns and
pronouns, fog index, word length.
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
    references: for each a reference headline, or a list of several, of which the best counts for each metric;
        without any, the metrics that need none are measured.
    documents: for each the article.
    metrics: names, such as ["R-1", "LSA-C", "Fog"]; all when not given.
    use_aggregator: True (default) for means, False for one value a headline.
    vectors: a word2vec file for WE-C and WE-S; trained on the documents when not given.
    language, stop_words, weights, lsi, topics, seed: as the options of `change-it hevas`.
Returns:
    a value (or list) under the name of each metric.
    empty: number of predictions without words, which have 0 in every metric.
    What they depend on is the attribute `signature` of the module.
Example:
    >>> hevas = evaluate.load("metrics/hevas")
    >>> texts = {"predictions": ["a x c"], "references": ["a b c"], "documents": ["a b c d"]}
    >>> hevas.compute(**texts, metrics=["R-SU"])["R-SU"]
    0.5
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Hevas(Module):
    """The metrics of HEvAS for one system."""

    columns = ("predictions", "documents")
    optional = ("references",)
    options = ("metrics", "use_aggregator", *(field.name for field in dataclasses.fields(MetricOptions)))

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            homepage="https://aclanthology.org/volumes/W19-89/",
            license="Apache-2.0",
            reference_urls=["https://aclanthology.org/volumes/W19-89/"],
            features=datasets.Features(
                {"predictions": text, "references": datasets.Sequence(text), "documents": text}
            ),
        )

    def _encode(self, predictions, documents, references=None):
        """Return the columns as they are kept; an item without references has an empty list of them."""
        texts = texts_of("predictions", predictions, complete=True)
        of_items = [[] for _ in texts]
        if references is not None:
            of_items = references_of("references", references)
        return {
            "predictions": texts,
            "references": of_items,
            "documents": texts_of("documents", documents),
        }

    def _compute(
        self, predictions, references, documents, metrics=(), use_aggregator=True, vectors=None, **options
    ):
        given = None
        if any(references):
            given = tuple(map(tuple, references))
        elif not metrics:
            metrics = [name for name, metric in METRICS.items() if not metric.needs_references]
        ids = tuple(str(number) for number in range(1, len(documents) + 1))
        evaluation = measure(
            Documents(ids, tuple(documents), given, "documents"),
            {"predictions": predictions},
            metrics=metrics,
            options=MetricOptions(vectors=Path(vectors) if vectors else None, **options),
        )
        self.signature = evaluation.signature
        values = evaluation.values["predictions"]
        columns = values.mean(axis=0) if use_aggregator else values.T
        result = dict(zip(evaluation.metrics, columns.tolist(), strict=True))
        result["empty"] = int(evaluation.empty["predictions"].sum())
        return result
