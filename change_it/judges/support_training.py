"""A judge of support with a threshold that labels choose: `change-it train judge --task support`."""

import time
from typing import Any

import numpy as np
from sklearn.metrics import roc_curve

from change_it import __version__
from change_it.errors import InputError
from change_it.io import replace_folder, write_json, write_text
from change_it.judges.judge_options import BILSTM, LINEAR, JudgeOptions
from change_it.judges.metrics import FIGURES, READER_MEASURES, ReaderLabels, reader_agreement
from change_it.judges.support_model import VALIDATED, SupportModel
from change_it.stats import Bools, Floats
from change_it.tables import Column, Row, Table, figure, to_markdown
from change_it.training.run_folder import METRICS

#: The labels that validate: headlines that models of other families wrote, of the events that did not choose the threshold.
WRITTEN = "written by others"


def best_threshold(p: Floats, right: Bools) -> tuple[float, float]:
    """The threshold of the best balanced accuracy, between two probabilities, and that accuracy.

    Examples:
        >>> best_threshold(np.array([0.9, 0.6, 0.4, 0.1]), np.array([True, True, False, False]))
        (0.5, 1.0)
    """
    of_wrong, of_right, thresholds = roc_curve(right, p, drop_intermediate=False)
    best = 1 + int(np.argmax((of_right - of_wrong)[1:]))  # the first accepts nothing
    below = p[p < thresholds[best]].max(initial=0.0)
    return float((thresholds[best] + below) / 2), float((1 + of_right[best] - of_wrong[best]) / 2)


def train_support(options: JudgeOptions, labels: ReaderLabels | None) -> dict[str, Any]:
    """Write the judge into `options.out`: its threshold is of one half of the labels, .5 without any; returns `metrics.json`.

    Raises:
        InputError: no model is given, or the half that chooses has no right or no wrong headline.
    """
    if not options.encoder or options.encoder in (LINEAR, BILSTM):
        raise InputError("--task support requires --encoder MODEL: a chat model or an entailment classifier")
    started, precision = time.monotonic(), "bf16" if options.bf16 else "float32"
    model = SupportModel.from_pretrained(options.encoder, precision=precision)
    chosen: dict[str, Any] | None = None
    results: dict[str, Any] = {}
    if labels is not None:
        shown = labels.without_family(model.base)
        half, right = shown.reports, shown.supported
        if len(np.unique(right[~half])) < 2:
            raise InputError(
                "the half of the events that chooses the threshold has no headline that readers call supported, or no other: label more headlines"
            )
        p = shown.probabilities(model, progress=True)
        threshold, accuracy = best_threshold(p[~half], right[~half])
        if accuracy <= 0.5:
            raise InputError(
                f"{options.encoder} does not tell the headlines that readers call supported from the others: give another model"
            )
        chosen = {"n": int((~half).sum()), "events": len(np.unique(shown.events[~half]))}
        chosen |= {"right": int(right[~half].sum()), "balanced_accuracy": accuracy}
        for name, part in (("labels", half), (WRITTEN, half & shown.written & shown.are_known)):
            if part.any():
                of = right[part], p[part] >= threshold, shown.events[part], p[part]
                results[name] = reader_agreement(*of)
        found = results.get(WRITTEN, {})
        validated: dict[str, Any] = {name: found.get(name, 0) for name in ("n", "events")}
        validated |= {
            name: [found.get(name), *(found.get(f"{name}_interval") or ())] for name in READER_MEASURES
        }
        validated |= {"own": shown.left_out, "unknown": int((half & shown.written & ~shown.are_known).sum())}
        about = {"outlets": shown.outlets, "language": shown.language}
        model = model.with_threshold(threshold, validated=validated | {"labels": shown.hash}, **about)
    metrics = {
        "task": "support",
        **{name: getattr(model.settings, name) for name in ("model", "kind", "threshold")},
        "precision": precision,
        "chosen": chosen,
        "results": results,
        "validated": dict(model.settings.validated),
        **{name: getattr(model, name) for name in ("weights_hash", "model_hash")},
        "seconds": {"all": round(time.monotonic() - started, 1)},
        "versions": {"change-it": __version__},
    }
    table = support_table(metrics)
    text = "\n\n".join(["# The judge support", table.title, to_markdown(table), ". ".join(table.notes)])
    with replace_folder(options.out, METRICS) as folder:
        model.save(folder)
        write_json(folder / METRICS, metrics)
        write_text(folder / "README.md", f"{text}.\n")
    return metrics


def support_table(metrics: dict[str, Any]) -> Table:
    """The result of `train_support` as a table."""
    chosen, validated = metrics["chosen"], metrics["validated"]
    notes = [f"{metrics['model']} ({metrics['kind']}); supported from P {figure(metrics['threshold'])}"]
    if chosen:
        accuracy = f"of the best balanced accuracy, {figure(chosen['balanced_accuracy'])},"
        half = f"{chosen['n']} headlines of {chosen['events']} events, {chosen['right']} of them supported"
        notes += [
            f"the threshold is that {accuracy} on the other half: {half}",
            f"{WRITTEN}: neither built-in systems' nor by a model of its own family ({validated['own']} of these were left out of all) nor of unknown writers ({validated['unknown']})",
            "intervals: 95%, bootstrap over events",
        ]
    auc = validated.get("auc") or []
    if len(auc) < 3 or auc[1] < VALIDATED:
        notes += [
            f"not validated, so joint leaves it out: that takes labels of headlines {WRITTEN} (column base) and an AUC of at least {figure(VALIDATED)} at the lower end of its interval"
        ]
    rows = [Row({"test": name, **found}) for name, found in metrics["results"].items()]
    counts = (Column("n", "count"), Column("events", "count"), Column("right", "count", "supported"))
    title = "support: do the sources support the headline"
    return Table((Column("test", "text"), *counts, *FIGURES), rows, title, notes)
