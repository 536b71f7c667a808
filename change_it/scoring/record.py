"""What a file says of scored systems: figures by direction, paired tests, and the scale of style."""

from dataclasses import dataclass, field
from typing import Any

from change_it.files.records import BESIDE, RecordError, from_json
from change_it.judges.options import StyleScale
from change_it.scoring.accepted import Accepted
from change_it.scoring.signature import Reranker

#: Follows the name of a measure that has an interval in `CurvePoint`'s file.
_INTERVAL = "_interval"


@dataclass(frozen=True, kw_only=True)
class SystemScores:
    """One system in one direction, or on average; in the file the measures stand beside the other figures.

    Attributes:
        values: measure to its value; None where it is n/a.
        chosen: whether judges chose the headlines, or the headlines that the system learnt from.
        candidates: mean number of headlines that one was chosen of; None where it is not known.
        n: number of items.
        events: number of distinct events among them.
        runs: training runs that the values are means of.
        references: items that have a reference.
        errors: items without a headline, added up over all runs.
        intervals: measure to the ends of its 95% interval, where it has one.
        signature: what the figures depend on.
    """

    values: dict[str, float | None] = field(metadata=BESIDE)
    chosen: bool
    candidates: float | None
    n: int
    events: int
    runs: int
    references: int
    errors: int
    intervals: dict[str, tuple[float, float]]
    signature: str


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """The best of so many clauses; in the file a measure has its interval beside it.

    Attributes:
        candidates: number of clauses that one is chosen of.
        values: measure to its value.
        intervals: measure to the ends of its 95% interval, where it has one.
    """

    candidates: int
    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that is written."""
        content: dict[str, Any] = {"candidates": self.candidates}
        for name, value in self.values.items():
            content[name] = value
            if name in self.intervals:
                content[name + _INTERVAL] = list(self.intervals[name])
        return content

    @classmethod
    def from_json(cls, value: Any) -> "CurvePoint":
        """Return the point of a JSON object; a RecordError where it is none."""
        content = from_json(dict[str, Any], value)
        if "candidates" not in content:
            raise RecordError("it lacks floor.candidates")
        values = {}
        intervals = {}
        for name, figure in content.items():
            if name.endswith(_INTERVAL):
                intervals[name.removesuffix(_INTERVAL)] = figure
            elif name != "candidates":
                values[name] = figure
        return cls(
            candidates=from_json(int, content["candidates"]),
            values=from_json(dict[str, float], values),
            intervals=from_json(dict[str, tuple[float, float]], intervals),
        )


@dataclass(frozen=True, kw_only=True)
class ScoresRecord:
    """A table of systems without its items.

    Attributes:
        corpus: the corpus as it was given.
        outlets: names of A and B.
        signature: what the figures of the whole table depend on.
        systems: system to direction, or `average`, to its row; in the order of the table.
        rerankers: system to the judges that chose its headlines, where judges did.
        style: scale that style was measured by; None of judges without one.
        style_fault: why style is n/a; empty where it is not.
        floor: the best of rising numbers of clauses; empty without the baseline `floor`.
        accepted: system with readers' labels to the share of its headlines that they accept.
        p_values: aspect to a system to another one to the p of their paired test.
    """

    corpus: str
    outlets: tuple[str, str]
    signature: str
    systems: dict[str, dict[str, SystemScores]]
    rerankers: dict[str, Reranker]
    style: StyleScale | None
    style_fault: str
    floor: list[CurvePoint]
    accepted: dict[str, Accepted]
    p_values: dict[str, dict[str, dict[str, float]]]
