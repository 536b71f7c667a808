"""ROUGE of headlines (1, 2, L, SU, WSU) as an `evaluate` metric: a thin shell around `change_it.text.rouge`."""

import datasets
import evaluate

import change_it
from change_it import InputError
from change_it.io import references_of, texts_of
from change_it.text.rouge import headline_rouge

TYPES = ("rouge1", "rouge2", "rougeL", "rougeSU", "rougeWSU")

_DESCRIPTION = """\
How much of a reference headline a new headline holds: single words, neighbouring words, the longest sequence of words in the
same order (L), pairs of words in the same order at any gap (SU), and the same with near words counting more than distant ones
(WSU). All are recalls.
"""

_CITATION = """\
@inproceedings{colmenares-etal-2015-heads,
  title = {{HEADS}: Headline Generation as Sequence Prediction Using an Abstract Feature-Rich Space},
  author = {Colmenares, Carlos A. and Litvak, Marina and Mantrach, Amin and Silvestri, Fabrizio},
  booktitle = {Proceedings of NAACL-HLT 2015},
  year = {2015}
}
"""

_KWARGS_DESCRIPTION = """\
Args:
    predictions: new headlines.
    references: for each a reference headline, or a list of several, of which the best counts for each measure.
    rouge_types: which of rouge1, rouge2, rougeL, rougeSU and rougeWSU; all by default.
    counts: of rouge1 and rouge2: "set" (default) counts different n-grams, "clipped" counts occurrences as rouge-score does.
    use_aggregator: True (default) for means, False for one value a headline.
Returns:
    rouge1, rouge2, rougeL, rougeSU: 0-1.
    rougeWSU: from 0, slightly above 1 where a prediction brings the reference's words nearer together.
    signature: what the numbers depend on.
Example:
    >>> headline_rouge = evaluate.load("metrics/headline_rouge")
    >>> headline_rouge.compute(predictions=["a x c"], references=[["a b c"]])["rougeSU"]
    0.5
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class HeadlineRouge(evaluate.Metric):
    """ROUGE-1, -2, -L, -SU and -WSU of headlines."""

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            homepage="https://doi.org/10.3115/v1/n15-1014",
            license="Apache-2.0",
            reference_urls=[
                "https://doi.org/10.3115/v1/n15-1014",
                "https://aclanthology.org/volumes/W19-89/",
            ],
            features=[
                datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
                datasets.Features({"predictions": text, "references": text}),
            ],
        )

    def compute(self, *, predictions=None, references=None, **options):
        """As `evaluate.Metric.compute`; predictions may be a column of a frame or data set, and references too."""
        if predictions is not None:
            predictions = texts_of("predictions", predictions)
        if references is not None:
            references = references_of("references", references)
        return super().compute(predictions=predictions, references=references, **options)

    def _compute(self, predictions, references, rouge_types=TYPES, counts="set", use_aggregator=True):
        rouge_types = [rouge_types] if isinstance(rouge_types, str) else list(rouge_types)
        if unknown := [name for name in rouge_types if name not in TYPES]:
            raise InputError(f"rouge_types has {unknown[0]!r}: choose from {', '.join(TYPES)}")
        several = references_of("references", references)  # some come by add_batch
        scores = headline_rouge(predictions, several, measures=rouge_types, counts=counts)
        values = {
            name: float(score.mean()) if use_aggregator else score.tolist() for name, score in scores.items()
        }
        signature = f"headline_rouge|counts:{counts}|tok:unicode|n:{len(several)}|v:{change_it.__version__}"
        return {**values, "signature": signature}
