"""Compliancy of style transfer as an `evaluate` metric: a thin shell around `change_it.scoring.aspects`."""

import datasets
import evaluate

from change_it import Judges
from change_it.errors import InputError
from change_it.evaluate_module import Module
from change_it.files.texts import column_of, refuse_lengths, texts_of
from change_it.scoring.api import compute_compliancy
from change_it.scoring.aspects import compliancy_measures

_DESCRIPTION = """\
Share of transferred headlines that keep the content and change the style: one trained judge finds that the
new headline matches the original one (HH), another that it matches the article (AH), and a third changes its
mind about the newspaper (main). Beside it style, how far a headline goes from no newspaper's style, 0, to the
other newspaper's, 1; acceptability, the product of the probabilities of HH, AH and fluency, 0 where a number,
name or quotation stands in no source; and edited, the share of headlines that are the original or hardly
another. Who did what, or said it, is not checked.
"""

_CITATION = """\
@inproceedings{de-mattei-etal-2020-interaction,
  title = {On the interaction of automatic evaluation and task framing in headline style transfer},
  author = {De Mattei, Lorenzo and Cafagna, Michele and Lai, Huiyuan and Dell'Orletta, Felice and
            Nissim, Malvina and Gatt, Albert},
  booktitle = {Proceedings of the 1st Workshop on Evaluating NLG Evaluation},
  year = {2020}
}
"""

_KWARGS_DESCRIPTION = f"""\
Args:
    predictions: new headlines.
    sources: original headlines.
    articles: original articles.
    labels: outlets that the originals come from, one for all or one each: short names such as rep and gio, or
        the classes 0 and 1.
    judges: folder or Hub id that holds the judges main, hh, ah and perhaps fluency, or judges loaded with
        `change_it.Judges`; those that `evaluate.load("metrics/compliancy", JUDGES)` named when not given. A
        module loads judges once.
    per_item: True gives the key `verdicts` in the result, for each item the measures, True or False but style
        and acceptability.
    reference_articles: the other newspaper's articles about the same events, further evidence, which
        `change-it score` has; none by default.
    events: ids of events, which the intervals draw; found by near-duplicates when not given.
    reversal: "relative" (default): main predicts a different outlet than for the original; "target": main
        decides for the outlet aimed at.
    resamples: bootstrap resamples of the 95% intervals, 1000 by default.
    seed: seed of the intervals, 1 by default.
    precision: arithmetic of the judges: "float32" (default) or "bf16".
    device: where judges run: auto (default), cpu, cuda, mps.
Returns:
    {", ".join(compliancy_measures())}: averages over the directions that occur, style -1 to 2, the others
        0-1; without acceptability and fluency if there is no fluency judge, without style if main has no
        scale for it.
    <from>2<to>_compliancy and so on: the same of each direction.
    Attributes of the module say more about the last result:
    intervals: ends of the 95% intervals, drawn by event, under "average" and each direction's name.
    verdicts: for each item the same, booleans but style and acceptability, refused_by, the reasons against
        it, and unsupported, the list of numbers, names and quotations without evidence.
    signature: what the numbers depend on.
Example:
    >>> compliancy = evaluate.load("metrics/compliancy")
    >>> headlines = {{"predictions": new, "sources": old, "articles": articles, "labels": labels}}
    >>> compliancy.compute(**headlines, judges="runs/quickstart/judges")
    >>> [verdict["refused_by"] for verdict in compliancy.verdicts]
    >>> compliancy = evaluate.load("metrics/compliancy", "runs/quickstart/judges")
    >>> compliancy.compute(**headlines, per_item=True)["verdicts"]
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Compliancy(Module):
    """Compliancy of transferred headlines.

    Attributes:
        intervals: of the last `compute`, measure to (low, high) under `average` and each direction's name.
        verdicts: of the last `compute`, for each item.
        loaded: the judges that were loaded, by name, precision and device.
    """

    columns = ("predictions", "sources", "articles", "labels")
    optional = ("reference_articles", "events")
    options = ("judges", "per_item", "reversal", "resamples", "seed", "precision", "device", "progress")
    configuration = "judges"

    def __init__(self, config_name=None, **options):
        super().__init__(config_name, **options)
        self.loaded = {}

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            homepage="https://sites.google.com/view/change-it",
            license="Apache-2.0",
            reference_urls=["https://arxiv.org/abs/2101.01634"],
            features=datasets.Features(
                {
                    "predictions": text,
                    "sources": text,
                    # The article, that of the other newspaper, and the event.
                    "articles": datasets.Sequence(text),
                    "labels": text,
                }
            ),
        )

    def _encode(self, predictions, sources, articles, labels, reference_articles=None, events=None):
        """Return the columns as they are kept.

        An article is kept with that of the other newspaper and its event.
        """
        predictions = texts_of("predictions", predictions, complete=True)
        sources = texts_of("sources", sources)
        articles = texts_of("articles", articles)
        others = [""] * len(predictions)
        if reference_articles is not None:
            others = texts_of("reference_articles", reference_articles)
        ids = [""] * len(predictions)
        if events is not None:
            ids = [str(event) for event in column_of("events", events)]
        if isinstance(labels, str | int):
            labels = [labels] * len(predictions)
        outlets = [str(label) for label in column_of("labels", labels)]  # classes are numbers
        refuse_lengths(
            predictions=predictions,
            sources=sources,
            articles=articles,
            labels=outlets,
            reference_articles=others,
            events=ids,
        )
        kept = [list(parts) for parts in zip(articles, others, ids, strict=True)]
        return {"predictions": predictions, "sources": sources, "articles": kept, "labels": outlets}

    def _load_judges(self, name, precision, device):
        """Return loaded judges, those that were loaded before where the name is the same."""
        if isinstance(name, Judges):
            return name
        if name is None:
            raise InputError(
                'there are no judges: give judges=, or evaluate.load("metrics/compliancy", JUDGES)'
            )
        key = (str(name), precision, device)
        if key not in self.loaded:
            self.loaded[key] = Judges.from_pretrained(name, precision=precision, device=device)
        return self.loaded[key]

    def _compute(
        self,
        predictions,
        sources,
        articles,
        labels,
        judges=None,
        per_item=False,
        precision="float32",
        device="auto",
        **options,
    ):
        judges = self._load_judges(self.loaded_with if judges is None else judges, precision, device)
        events = [event for _, _, event in articles]
        found = compute_compliancy(
            predictions,
            sources,
            [article for article, _, _ in articles],
            labels,
            judges,
            reference_articles=[other for _, other, _ in articles],
            events=events if any(events) else None,
            **options,
        )
        self.signature = found.pop("signature")
        self.intervals = found.pop("intervals")
        self.verdicts = found.pop("verdicts")
        result = _numbers(found)
        if per_item:
            result["verdicts"] = self.verdicts
        return result


def _numbers(found):
    """Return the known averages by their names, then those of each direction as <direction>_<name>."""
    averages = {}
    directions = {}
    for name, value in found.items():
        if isinstance(value, dict):
            for measure, of_direction in value.items():
                directions[f"{name}_{measure}"] = of_direction
        else:
            averages[name] = value
    return {name: value for name, value in (averages | directions).items() if value is not None}
