"""ROUGE of headlines (1, 2, L, SU, WSU) as an `evaluate` metric: a shell around `change_it.text.rouge`."""

import datasets
import evaluate

import change_it
from change_it import InputError
from change_it.evaluate_module import Module
from change_it.files.texts import references_of, texts_of
from change_it.text.rouge import headline_rouge

#: The measures by their names.
TYPES = ("rouge1", "rouge2", "rougeL", "rougeSU", "rougeWSU")

_DESCRIPTION = """\
How much of a reference headline a new headline holds: single words, neighbouring words, the longest sequence
of words in the same order (L), pairs of words in the same order at any gap (SU), and the same with near words
counting more than distant ones (WSU). All are recalls.
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
    references: for each a reference headline, or a list of several, of which the best counts for each
        measure.
    rouge_types: which of rouge1, rouge2, rougeL, rougeSU and rougeWSU; all by default.
    counts: of rouge1 and rouge2: "set" (default) counts different n-grams, "clipped" counts occurrences as
        rouge-score does.
    use_aggregator: True (default) for means, False for one value a headline.
Returns:
    rouge1, rouge2, rougeL, rougeSU: 0-1.
    rougeWSU: from 0, slightly above 1 where a prediction brings the reference's words nearer together.
    What they depend on is the attribute `signature` of the module.
Example:
    >>> headline_rouge = evaluate.load("metrics/headline_rouge")
    >>> headline_rouge.compute(predictions=["a x c"], references=[["a b c"]])["rougeSU"]
    0.5
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class HeadlineRouge(Module):
    """ROUGE-1, -2, -L, -SU and -WSU of headlines."""

    columns = ("predictions", "references")
    options = ("rouge_types", "counts", "use_aggregator")

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
            features=datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
        )

    def _encode(self, predictions, references):
        """Return the columns as they are kept."""
        return {
            "predictions": texts_of("predictions", predictions, complete=True),
            "references": references_of("references", references),
        }

    def _compute(self, predictions, references, rouge_types=TYPES, counts="set", use_aggregator=True):
        rouge_types = [rouge_types] if isinstance(rouge_types, str) else list(rouge_types)
        unknown = [name for name in rouge_types if name not in TYPES]
        if unknown:
            raise InputError(f"rouge_types has {unknown[0]!r}: choose from {', '.join(TYPES)}")
        scores = headline_rouge(predictions, references, measures=rouge_types, counts=counts)
        version = change_it.version.__version__
        self.signature = f"headline_rouge|counts:{counts}|tok:unicode|n:{len(predictions)}|v:{version}"
        if use_aggregator:
            return {name: float(values.mean()) for name, values in scores.items()}
        return {name: values.tolist() for name, values in scores.items()}
