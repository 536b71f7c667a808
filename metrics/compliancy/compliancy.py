"""Compliancy of headline style transfer as an `evaluate` metric: a thin shell around `change_it.scoring.compliancy`."""

import datasets
import evaluate

from change_it.io import column_of
from change_it.scoring.compute import compute_compliancy

_DESCRIPTION = """\
Share of transferred headlines that keep the content and change the style: one trained judge finds that the new headline
matches the original one (HH), another that it matches the article (AH), and a third changes its mind about the newspaper
(main). Beside it the joint score: the step of style that main sees, times the verdicts of HH, AH and fluency, and whether every
number, name and quotation stands in the sources.
"""

_CITATION = """\
@inproceedings{de-mattei-etal-2020-interaction,
  title = {On the interaction of automatic evaluation and task framing in headline style transfer},
  author = {De Mattei, Lorenzo and Cafagna, Michele and Lai, Huiyuan and Dell'Orletta, Felice and Nissim, Malvina and Gatt, Albert},
  booktitle = {Proceedings of the 1st Workshop on Evaluating NLG Evaluation},
  year = {2020}
}
"""

_KWARGS_DESCRIPTION = """\
Args:
    predictions: new headlines.
    sources: original headlines.
    articles: original articles.
    labels: outlets that the originals come from, one for all or one each: short names such as rep and gio, or the classes 0 and 1.
    judges: folder or Hub id that holds the judges main, hh, ah and perhaps fluency, or judges loaded with `change_it.Judges`.
    reference_articles: the other newspaper's articles about the same events, further evidence, which `change-it score`
        has; none by default.
    language: of the texts, for a model of support: it, en or any other; guessed by default.
    reversal: "relative" (default): main decides otherwise than on the original; "target": main decides for the outlet aimed at.
    resamples: bootstrap resamples of the 95% intervals, 1000 by default.
    seed: seed of the intervals, 1 by default.
    precision: arithmetic of the judges: "float32" (default) or "bf16".
    device: where judges run: auto (default), cpu, cuda, mps.
Returns:
    compliancy, hh, ah, main, joint, style, fluency, evidence, support: averages over the directions that occur, 0-1; joint and
        fluency are None without a fluency judge, support without a model.
    <from>2<to>: the same of each direction.
    intervals: ends of the 95% intervals, drawn by event, under "average" and each direction's name.
    verdicts: for each item the same, booleans but joint and style, and unsupported, the list of numbers, names and quotations without evidence.
    signature: what the numbers depend on.
Example:
    >>> compliancy = evaluate.load("metrics/compliancy")
    >>> compliancy.compute(predictions=new, sources=old, articles=articles, labels=labels, judges="runs/quickstart/judges")
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Compliancy(evaluate.Metric):
    """Compliancy of transferred headlines."""

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            homepage="https://sites.google.com/view/change-it",
            license="Apache-2.0",
            reference_urls=["https://arxiv.org/abs/2101.01634"],
            features=datasets.Features(
                {name: datasets.Value("string") for name in ("predictions", "sources", "articles", "labels")}
            ),
        )

    def compute(self, *, predictions=None, labels=None, **options):
        """As `evaluate.Metric.compute`; one label stands for all, and texts may be columns of frames."""
        if predictions is not None:
            predictions = list(column_of("predictions", predictions))
        if isinstance(labels, str | int) and predictions is not None:
            labels = [labels] * len(predictions)
        given = {"predictions": predictions, "labels": labels}
        given |= {name: options.pop(name, None) for name in ("sources", "articles")}
        lists = {name: list(column_of(name, values)) for name, values in given.items() if values is not None}
        if "labels" in lists:
            lists["labels"] = list(map(str, lists["labels"]))  # classes are numbers
        return super().compute(**lists, **options)

    def _compute(self, predictions, sources, articles, labels, judges=None, **options):
        return compute_compliancy(predictions, sources, articles, labels, judges, **options)
