"""EvalNLGEval 2020: the published judges and systems of the paper that defines compliancy."""

from typing import NamedTuple

#: How to cite the numbers of this module.
CITATION = (
    "De Mattei, Cafagna, Lai, Dell'Orletta, Nissim, Gatt (2020): On the interaction of automatic evaluation and "
    "task framing in headline style transfer. EvalNLGEval 2020."
)


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


#: Table 2, and the gold upper bound of the same section S2S2's
#: average of main is printed as .849; the mean of its directions is .846.
SYSTEMS = (
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


#: In the order of the classes of our judges.
JUDGES = (
    PublishedClass("main", "rep", 0.77, 0.83, 0.80),
    PublishedClass("main", "gio", 0.84, 0.78, 0.81),
    PublishedClass("hh", "no_match", 0.95, 0.98, 0.96),
    PublishedClass("hh", "match", 0.98, 0.95, 0.96),
    PublishedClass("ah", "no_match", 0.99, 0.96, 0.97),
    PublishedClass("ah", "match", 0.96, 0.99, 0.98),
)
