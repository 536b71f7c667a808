"""HEvAS 2019: the published means of the five baselines, and the correlations between the metrics."""

#: How to cite the numbers of this module.
CITATION = "Litvak, Vanetik, Eretz Kdosha (2019): HEvAS: Headline Evaluation and Analysis System. MultiLing 2019 workshop."

#: The documents behind all numbers: English Wikinews articles with one reference headline each.
DOCUMENTS = 50

#: Metrics of Table 1 (informativeness), in its order.
INFORMATIVENESS = (
    *("R-1", "R-2", "R-SU", "R-WSU"),
    *("LSA-C", "LSA-S", "TM-C", "TM-S", "WE-C", "WE-S", "KL-C", "KL-S"),
)
#: Metrics of Table 2 (readability), in its order.
READABILITY = ("Fog", "NR", "PNR", "PR", "AWL")

#: Tables 1 and 2: baseline, under our name of it, to its means. Fog cannot come from the formula that the paper
#: prints, its normalisation is unknown.
MEANS: dict[str, dict[str, float]] = {
    system: dict(zip((*INFORMATIVENESS, *READABILITY), values, strict=True))
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
CORRELATIONS: tuple[tuple[float, ...], ...] = (
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


def correlation(one: str, other: str) -> float:
    """A cell of Table 3: the published correlation of two metrics of `INFORMATIVENESS`."""
    first, second = sorted((INFORMATIVENESS.index(one), INFORMATIVENESS.index(other)))
    return CORRELATIONS[first][second - first - 1]
