"""Make `change-it quickstart` short; its models then hardly learn."""

from change_it.cli import quickstart
from change_it.cli.audit import AuditOptions
from change_it.judges import linear_training


def shorten(patch):
    """Let models be small and an audit read few headlines, whatever the quickstart asks for."""
    patch.setattr(
        quickstart, "AuditOptions", lambda **given: AuditOptions(**given | {"items": 10, "resamples": 50})
    )
    patch.setattr(linear_training, "MAX_PAIRS", 500)
    patch.setattr(quickstart, "processes_of", lambda *_: 1)  # others would not see these changes
