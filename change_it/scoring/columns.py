"""Names in the files of scores: of systems, and of columns."""

#: The system that is the other outlet's own headline, and so its own reference.
GOLD = "gold"
#: The system that rearranges the original for judges.
MINIMUM_EDIT = "minimum-edit"
#: Names that prediction files cannot take.
BUILT_IN = (GOLD, "copy", "lead", "random-target", MINIMUM_EDIT)
#: What a prediction file must have, and what it may have.
PREDICTION_COLUMNS = ("id", "headline")
PREDICTION_EXTRAS = ("target", "error", "reranker", "generator")
