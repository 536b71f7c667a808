"""What a server loads once for all processes that it forks: seconds of each job of a quickstart."""

import gc
from importlib import import_module

MODULES = (
    "sklearn.cluster",
    "sklearn.decomposition",
    "sklearn.feature_extraction.text",
    "sklearn.linear_model",
    "sklearn.tree",
    "change_it.audit.measure",
    "change_it.generators.transfer",
    "change_it.hub.packaging",
    "change_it.judges.reliability",
    "change_it.judges.train",
)

for name in MODULES:
    import_module(name)
gc.collect()
gc.freeze()  # a later collection would write to memory that all share, and so copy it
