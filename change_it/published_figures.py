"""What the papers published, as data with citations, shown as published beside our own numbers."""

from typing import NamedTuple

#: How to cite the numbers of this module, by paper; CITATION.cff has the whole of each.
CITATIONS = {
    "lrec2020": "De Mattei, Cafagna, Dell'Orletta, Nissim (2020): Invisible to People but not to Machines: Evaluation of Style-aware Headline Generation in Absence of Reliable Human Judgment. LREC 2020.",
    "evalnlgeval2020": "De Mattei, Cafagna, Lai, Dell'Orletta, Nissim, Gatt (2020): On the interaction of automatic evaluation and task framing in headline style transfer. EvalNLGEval 2020.",
    "changeit2020": "De Mattei, Cafagna, Dell'Orletta, Nissim, Gatt (2020): CHANGE-IT @ EVALITA 2020: Change Headlines, Adapt News, GEnerate. EVALITA 2020.",
    "hevas2019": "Litvak, Vanetik, Eretz Kdosha (2019): HEvAS: Headline Evaluation and Analysis System. MultiLing 2019 workshop.",
}


# LREC 2020: classifiers and annotators on aligned headlines.

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
#: Average F1 of the classifier on headlines of the newspaper-agnostic generator.
AGNOSTIC_F1 = 0.47


# EvalNLGEval 2020, the paper that defines compliancy: judges and systems.


class PublishedRow(NamedTuple):
    """One system in one direction, as printed; None where the paper prints nothing."""

    system: str
    direction: str
    hh: float | None
    ah: float | None
    main: float | None
    compliancy: float
    bleu: float | None
    rouge: float | None

    @property
    def measures(self) -> dict[str, float | None]:
        """The values by our names of them."""
        names = ("compliancy", "hh", "ah", "main", "bleu")
        return {**{name: getattr(self, name) for name in names}, "rougeL": self.rouge}


#: Table 2, and the gold upper bound of the same section S2S2's
#: average of main is printed as .849; the mean of its directions is .846.
PUBLISHED_SYSTEMS = (
    PublishedRow("gold", "rep2gio", None, None, None, 0.743, None, None),
    PublishedRow("gold", "gio2rep", None, None, None, 0.781, None, None),
    PublishedRow("SUM", "rep2gio", 0.649, 0.876, 0.799, 0.449, 0.020, 0.145),
    PublishedRow("SUM", "gio2rep", 0.639, 0.871, 0.435, 0.240, 0.026, 0.156),
    PublishedRow("SUM", "average", 0.644, 0.874, 0.616, 0.345, 0.023, 0.151),
    PublishedRow("S2S1", "rep2gio", 0.632, 0.842, 0.815, 0.436, 0.011, 0.136),
    PublishedRow("S2S1", "gio2rep", 0.444, 0.846, 0.864, 0.321, 0.012, 0.130),
    PublishedRow("S2S1", "average", 0.538, 0.844, 0.840, 0.379, 0.012, 0.133),
    PublishedRow("S2S2", "rep2gio", 0.860, 0.845, 0.845, 0.549, 0.018, 0.159),
    PublishedRow("S2S2", "gio2rep", 0.612, 0.846, 0.847, 0.442, 0.016, 0.151),
    PublishedRow("S2S2", "average", 0.736, 0.846, 0.849, 0.496, 0.017, 0.155),
    PublishedRow("S2S3", "rep2gio", 0.728, 0.844, 0.845, 0.520, 0.012, 0.139),
    PublishedRow("S2S3", "gio2rep", 0.760, 0.848, 0.649, 0.420, 0.013, 0.156),
    PublishedRow("S2S3", "average", 0.744, 0.846, 0.747, 0.470, 0.013, 0.148),
)


class PublishedClass(NamedTuple):
    """One class of one judge on the gold test set (Table 1)."""

    judge: str
    name: str
    precision: float
    recall: float
    f1: float


#: Table 1, in the order of the classes of our judges.
PUBLISHED_JUDGES = (
    PublishedClass("main", "rep", 0.77, 0.83, 0.80),
    PublishedClass("main", "gio", 0.84, 0.78, 0.81),
    PublishedClass("hh", "no_match", 0.95, 0.98, 0.96),
    PublishedClass("hh", "match", 0.98, 0.95, 0.96),
    PublishedClass("ah", "no_match", 0.99, 0.96, 0.97),
    PublishedClass("ah", "match", 0.96, 0.99, 0.98),
)


# HEvAS 2019: means of the five baselines, and correlations between the metrics.

#: Metrics of Table 1 (informativeness), in its order.
INFORMATIVENESS = (
    *("R-1", "R-2", "R-SU", "R-WSU"),
    *("LSA-C", "LSA-S", "TM-C", "TM-S", "WE-C", "WE-S", "KL-C", "KL-S"),
)
#: Metrics of Table 2 (readability), in its order.
PUBLISHED_READABILITY = ("Fog", "NR", "PNR", "PR", "AWL")

#: Tables 1 and 2: baseline, under our name of it, to its means. Fog cannot come from the formula that the paper
#: prints, its normalisation is unknown.
HEVAS_MEANS: dict[str, dict[str, float]] = {
    system: dict(zip((*INFORMATIVENESS, *PUBLISHED_READABILITY), values, strict=True))
    for system, values in {
        "random": (
            *(0.046, 0.000, 0.011, 0.018, 0.869, 0.721, 0.783, 0.586, 0.693, 0.445, 0.593, 0.954),
            *(0.740, 0.471, 0.004, 0.004, 6.318),
        ),
        "tfidf": (
            *(0.008, 0.000, 0.002, 0.003, 0.980, 0.731, 0.338, 0.470, 0.650, 0.390, 0.578, 0.951),
            *(0.786, 0.511, 0.000, 0.000, 6.853),
        ),
        "first": (
            *(0.408, 0.177, 0.176, 0.236, 0.892, 0.828, 0.925, 0.691, 0.734, 0.735, 0.664, 0.959),
            *(0.410, 0.396, 0.006, 0.017, 5.154),
        ),
        "stextrank": (
            *(0.191, 0.066, 0.061, 0.096, 0.904, 0.781, 0.794, 0.608, 0.732, 0.579, 0.692, 0.932),
            *(0.446, 0.357, 0.005, 0.020, 4.987),
        ),
        "wtextrank": (
            *(0.263, 0.009, 0.082, 0.114, 0.857, 0.768, 0.923, 0.663, 0.735, 0.613, 0.719, 0.906),
            *(0.863, 0.584, 0.002, 0.000, 6.040),
        ),
    }.items()
}

#: Table 3: Pearson correlation between the metrics of Table 1 for the baseline `first`, the part above the diagonal.
HEVAS_CORRELATIONS: tuple[tuple[float, ...], ...] = (
    (0.74, 0.99, 0.99, -0.30, 0.43, 0.24, 0.19, 0.07, 0.85, 0.34, 0.09),
    (0.76, 0.78, -0.16, 0.35, 0.07, 0.07, -0.09, 0.66, 0.11, 0.21),
    (1.00, -0.32, 0.41, 0.23, 0.18, 0.03, 0.84, 0.32, 0.12),
    (-0.31, 0.42, 0.23, 0.18, 0.05, 0.85, 0.32, 0.11),
    (0.28, -0.17, -0.11, -0.14, -0.21, -0.21, 0.01),
    (0.26, 0.24, -0.08, 0.44, -0.03, 0.05),
    (0.60, 0.28, 0.38, 0.18, -0.03),
    (0.11, 0.28, 0.06, -0.05),
    (0.26, 0.44, -0.39),
    (0.29, 0.00),
    (-0.34,),
)


def hevas_correlation(*metrics: str) -> float:
    """A cell of Table 3: the published correlation of two metrics of `INFORMATIVENESS`."""
    first, second = sorted(map(INFORMATIVENESS.index, metrics))
    return HEVAS_CORRELATIONS[first][second - first - 1]
