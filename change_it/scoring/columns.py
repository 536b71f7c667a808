"""Names in the files of scores: of systems, and of columns."""

#: Names that prediction files cannot take.
BUILT_IN = ("gold", "copy", "lead", "random-target")
#: What a prediction file must have.
PREDICTION_COLUMNS = ("id", "headline", "target")
#: What a table of verdicts must have, `items/<system>.csv` of `change-it score --out`.
VERDICT_COLUMNS = ("id", "direction", "source", "headline", "hh", "ah", "main")
