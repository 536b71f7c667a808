"""LREC 2020: the published classifiers and annotators of the paper that trains and tests them on aligned headlines."""

from typing import NamedTuple

#: How to cite the numbers of this module.
CITATION = (
    "De Mattei, Cafagna, Dell'Orletta, Nissim (2020): Invisible to people but not to machines: evaluation of style-aware "
    "headline generation in absence of reliable human judgment. LREC 2020."
)

#: Headlines of each condition that three people annotated, half of each newspaper.
ANNOTATED = 200


class PublishedF1(NamedTuple):
    """F1 of each newspaper and their mean, as printed."""

    rep: float
    gio: float
    average: float


#: Table 1: a random split into 80% and 20%; one person labelled 100 headlines.
RANDOM_SPLIT = {"classifier": PublishedF1(0.813, 0.812, 0.813), "human": PublishedF1(0.619, 0.640, 0.630)}


class PublishedAgreement(NamedTuple):
    """A row of Table 4: accuracy of the three annotators, and Krippendorff's alpha."""

    accuracy: tuple[float, float, float]
    alpha: float


#: Table 4 by condition.
ANNOTATORS = {
    "gold": PublishedAgreement((0.58, 0.62, 0.57), 0.16),
    "setting 1": PublishedAgreement((0.57, 0.59, 0.54), 0.14),
    "setting 2": PublishedAgreement((0.57, 0.60, 0.56), 0.13),
}

#: Table 5, the classifier: training set → test → F1. Settings 1 and 3 are train-D's, 2 and 4 train-M's; 1 and 2 are generated
#: by the newspaper's own model (in), 3 and 4 by the other newspaper's (cross).
CLASSIFIER = {
    "train-D": {
        "validation gold": PublishedF1(0.819, 0.815, 0.817),
        "test gold": PublishedF1(0.755, 0.703, 0.729),
        "in-generated": PublishedF1(0.701, 0.630, 0.666),
        "cross-generated": PublishedF1(0.682, 0.548, 0.615),
    },
    "train-M": {
        "validation gold": PublishedF1(0.810, 0.809, 0.810),
        "test gold": PublishedF1(0.782, 0.770, 0.776),
        "in-generated": PublishedF1(0.690, 0.653, 0.672),
        "cross-generated": PublishedF1(0.646, 0.567, 0.607),
    },
}
#: Table 5, the mean of the three annotators by condition.
PEOPLE = {
    "gold": PublishedF1(0.543, 0.620, 0.582),
    "setting 1": PublishedF1(0.600, 0.527, 0.563),
    "setting 2": PublishedF1(0.607, 0.530, 0.569),
}
#: Average F1 of the classifier on headlines of the newspaper-agnostic generator.
AGNOSTIC = 0.47
