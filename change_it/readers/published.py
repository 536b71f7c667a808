"""What the papers published and pages show next to our figures.

What else they published is in `examples/tables.py`.
"""

#: How to cite each paper; CITATION.cff has the whole of it.
CITATIONS = {
    "lrec2020": (
        "De Mattei, Cafagna, Dell'Orletta, Nissim (2020): "
        "Invisible to People but not to Machines: Evaluation of Style-aware Headline Generation "
        "in Absence of Reliable Human Judgment. LREC 2020."
    ),
    "evalnlgeval2020": (
        "De Mattei, Cafagna, Lai, Dell'Orletta, Nissim, Gatt (2020): "
        "On the interaction of automatic evaluation and task framing in headline style transfer. "
        "EvalNLGEval 2020."
    ),
    "changeit2020": (
        "De Mattei, Cafagna, Dell'Orletta, Nissim, Gatt (2020): "
        "CHANGE-IT @ EVALITA 2020: Change Headlines, Adapt News, GEnerate. EVALITA 2020."
    ),
    "hevas2019": (
        "Litvak, Vanetik, Eretz Kdosha (2019): "
        "HEvAS: Headline Evaluation and Analysis System. MultiLing 2019 workshop."
    ),
}
#: What LREC 2020, Table 4, says of its readers, by condition: mean accuracy of three of them, Krippendorff's
#: alpha, their mean F1 (Table 5) and the number of answers. The random split had one reader (Table 1).
ANNOTATORS: dict[str, dict[str, float]] = {
    "gold": {"share": 0.59, "alpha": 0.16, "f1": 0.582, "n": 600},
    "setting 1": {"share": 1.70 / 3, "alpha": 0.14, "f1": 0.563, "n": 600},
    "setting 2": {"share": 1.73 / 3, "alpha": 0.13, "f1": 0.569, "n": 600},
    "random split": {"f1": 0.630, "n": 100},
}
