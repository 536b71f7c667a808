"""Names in the files of scores: of systems, and of columns."""

#: The system that is the other outlet's own headline, and so its own reference.
GOLD = "gold"
#: Sentences and clauses of the article: those that judges of the other fold choose, and those that chance does.
FLOOR, CLAUSE = "floor", "clause"
#: Trivial baselines that a system must beat, in the order of a table: below the others.
FLOORS = (FLOOR, CLAUSE, "lead", "copy", "random-target")
#: Names that prediction files cannot take.
BUILT_IN = (GOLD, *FLOORS)
#: What a prediction file must have, and what it may have.
PREDICTION_COLUMNS = ("id", "headline")
PREDICTION_EXTRAS = ("target", "error", "reranker", "generator")
#: The part of a table that has the systems with headlines that judges chose.
CHOSEN = "chosen by judges"
#: What a file of labels must have.
LABEL_COLUMNS = ("id", "headline", "supported")
