"""Options of `change-it audit`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from change_it.training.arguments import InferenceOptions


@dataclass(kw_only=True)
class AuditOptions(InferenceOptions):
    """Find out how far the judges of a corpus can be believed: systems that must fail, cues, calibration, power.

    Examples:
        change-it audit --judges runs/mine/judges --corpus runs/mine/corpus
        change-it audit --judges runs/mine/judges --corpus runs/mine/corpus --items 1000 --temperature --out runs/mine/audit
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its A2 pairs are the test."""
    judges: str
    """Folder or Hub id that holds the judges main, hh and ah, and perhaps fluency."""
    out: Path | None = None
    """Folder for audit.html and audit.json; the folder audit beside a folder of judges when not given."""
    items: int = 150
    """Headlines of each degenerate system, at most; articles take most of the time."""
    temperature: bool = False
    """Fit a temperature to each judge on one half of A2's pairs and report the calibration on the other; changes no judge."""
    language: str | None = None
    """Of the headlines: it, en or none; guessed when not given."""
    report_language: Literal["it", "en"] | None = None
    """Of audit.html; that of the headlines when not given, English where they are in neither."""
    json: bool = False
    """Print JSON instead of tables."""
    resamples: int = 1000
    """Bootstrap resamples of the intervals."""
    seed: int = 1
    """Seed of everything that is drawn."""
    batch_size: int | None = None
    """Texts a judge reads at once; its own choice when not given."""
