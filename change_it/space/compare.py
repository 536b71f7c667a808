"""The Compare tab: two systems item by item, on what the Score tab found or on tables of verdicts."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
import polars as pl

from change_it.errors import InputError
from change_it.scoring.compliancy import JUDGES
from change_it.scoring.score import Scores
from change_it.space.files import TABLES_QUEUE, read_upload, refuse_lines, uploaded
from change_it.space.html import grid, notice, render
from change_it.space.limits import LIMITS, friendly
from change_it.space.translation import Texts, Translate, translate
from change_it.tables import Column, Row, Table

#: Columns of a table of verdicts, as the Score tab and `change-it score --out` write it.
COLUMNS = ("id", "direction", "source", "headline", "hh", "ah", "main")
#: Columns that a table may have besides.
OPTIONAL = ("fluency", "facts", "unsupported")
#: Whose verdict to look at: the papers' three together, all five, or one judge's.
VERDICTS = ("compliant", "strict_compliancy", *JUDGES)
#: Items that are shown at once.
PAGE = 10

_OTHER = "_other"  # end of the second system's columns
_ONE, _SECOND = pl.col("passed"), pl.col(f"passed{_OTHER}")
#: Which items to show, by who failed.
OUTCOMES: dict[str, pl.Expr] = {
    "all": pl.lit(True),
    "any": ~(_ONE & _SECOND),
    "differ": _ONE != _SECOND,
    "first": _SECOND & ~_ONE,
    "second": _ONE & ~_SECOND,
    "both": ~(_ONE | _SECOND),
    "none": _ONE & _SECOND,
}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}

#: System to its items.
Tables = Mapping[str, pl.DataFrame]


def build(texts: Texts, scored: gr.State) -> None:
    """The tab's components and events, inside its `gr.Tab`; `scored` is what the Score tab found."""
    tables = gr.State({}, time_to_live=3600)
    page = gr.State(0)
    texts.add(gr.Markdown(), value="compare.intro")
    with gr.Row(equal_height=False):
        with gr.Column(scale=4, min_width=300):
            files = texts.add(
                gr.File(file_count="multiple", height=150, elem_id="compare-files"), label="compare.files"
            )
            texts.add(gr.Markdown(elem_classes="ci-label"), value="compare.files_info")
        with gr.Column(scale=6, min_width=300):
            with gr.Row():
                first = texts.add(
                    gr.Dropdown([], min_width=140, elem_id="compare-first"), label="compare.first"
                )
                second = texts.add(
                    gr.Dropdown([], min_width=140, elem_id="compare-second"), label="compare.second"
                )
            with gr.Row():
                verdict = texts.add(
                    gr.Dropdown(list(VERDICTS), value="compliant", min_width=230, elem_id="compare-judge"),
                    label="compare.judge",
                    choices={name: f"compare.judge_{name}" for name in VERDICTS},
                )
                outcome = texts.add(
                    gr.Dropdown(list(OUTCOMES), value="all", min_width=230, elem_id="compare-outcome"),
                    label="compare.outcome",
                    choices={name: f"compare.outcome_{name}" for name in OUTCOMES},
                )
    counts = texts.add(
        gr.Dataframe(interactive=False, visible=False, elem_id="compare-counts"), label="compare.counts"
    )
    shown = gr.HTML(notice(texts("compare.start")), elem_id="compare-items", padding=False)
    with gr.Row(visible=False) as pages:
        previous = texts.add(gr.Button(size="sm", elem_id="compare-previous"), value="compare.previous")
        following = texts.add(gr.Button(size="sm", elem_id="compare-next"), value="compare.next")

    def listing(step: int | None) -> Callable[..., Any]:
        """A handler that shows the first items, or those some pages further."""

        @friendly
        def handler(*values: Any) -> list[Any]:
            tables, first, second, verdict, outcome, at, language = values
            at = 0 if step is None else at + step
            return shown_items(tables, first, second, verdict, outcome, at, language)

        return handler

    @friendly
    def on_upload(files: Any, language: str) -> list[Any]:
        try:
            return systems_chosen(read_verdicts(uploaded(files), translate=partial(translate, language)))
        except InputError as error:
            return nothing_chosen(str(error))

    @friendly
    def on_scored(found: Scores | None, language: str) -> list[Any]:
        return systems_chosen(found.items) if found else nothing_chosen(translate(language, "compare.start"))

    def systems_chosen(found: Tables) -> list[Any]:
        names = list(found)
        return [
            found,
            gr.update(choices=names, value=names[0]),
            gr.update(choices=names, value=names[min(1, len(names) - 1)]),
            *[gr.skip()] * 3,
        ]

    def nothing_chosen(message: str) -> list[Any]:
        empty, hidden = gr.update(choices=[], value=None), gr.update(visible=False)
        return [{}, empty, empty, hidden, notice(message), hidden]

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    results = [tables, first, second, counts, shown, pages]
    items: dict[str, Any] = {
        "inputs": [tables, first, second, verdict, outcome, page, texts.language],
        "outputs": [counts, shown, pages, page],
        **quiet,
    }
    from_start = {"fn": listing(None), **items}
    files.upload(on_upload, [files, texts.language], results, **quiet, **TABLES_QUEUE).success(**from_start)
    scored.change(on_scored, [scored, texts.language], results, **quiet).success(**from_start)
    gr.on([one.input for one in (first, second, verdict, outcome)], **from_start)
    previous.click(listing(-1), **items)
    following.click(listing(1), **items)
    texts.language.change(listing(0), **items)


def shown_items(
    tables: Tables, first: str, second: str, verdict: str, outcome: str, at: int, language: str
) -> list[Any]:
    """Updates of what is shown of a choice: counts, items, the buttons to other pages, the page."""
    in_language = partial(translate, language)
    hidden = gr.update(visible=False)
    if not tables:
        return [hidden, gr.skip(), hidden, 0]
    try:
        items = matched(tables, first, second, translate=in_language)
    except InputError as error:
        return [hidden, notice(str(error)), hidden, 0]
    table = grid(counts_table(items, first, second, in_language), language)
    counts = gr.update(value=table, visible=True)
    found = chosen(items, verdict, outcome)
    if not len(found):
        return [counts, notice(in_language("compare.nothing")), hidden, 0]
    last = (len(found) - 1) // PAGE
    at = max(0, min(at, last))
    part = found[at * PAGE : (at + 1) * PAGE]
    start = at * PAGE + 1
    summary = in_language("compare.shown", start=start, end=start + len(part) - 1, count=len(found))
    shown = pairs_html(part, first, second, in_language, summary)
    return [counts, shown, gr.update(visible=last > 0), at]


def read_verdicts(paths: Sequence[Path], *, translate: Translate) -> dict[str, pl.DataFrame]:
    """System to its table of verdicts, with the column `compliant`.

    The files have the columns `COLUMNS`, and `system` where one holds several; else a system is called like its file.
    """
    systems: dict[str, dict[str, dict[str, object]]] = {}
    for path in paths:
        unclear, double, long = [], [], []
        for line, cells, _ in read_upload(path, COLUMNS, [*OPTIONAL, "system"], translate=translate):
            given = {name: cells.get(name, "").lower() for name in JUDGES}
            verdicts = {name: _BOOLEANS.get(cell) for name, cell in given.items()}
            if any(verdicts[name] is None and (cell or name in COLUMNS) for name, cell in given.items()):
                unclear.append(line)
                continue
            if max(len(cells[name]) for name in COLUMNS) > LIMITS.headline:
                long.append(line)
            items = systems.setdefault((cells.get("system") or path.stem)[: LIMITS.name], {})
            if cells["id"] in items:
                double.append(line)
            items[cells["id"]] = {
                **{name: cells[name] for name in COLUMNS},
                **verdicts,
                "compliant": all(verdicts[name] for name in JUDGES[:3]),
                "strict_compliancy": None if None in verdicts.values() else all(verdicts.values()),
                "unsupported": cells.get("unsupported", ""),
            }
        faults = (
            (translate("compare.fault_verdict"), unclear),
            (translate("compare.fault_double"), double),
            (translate("compare.fault_long", most=LIMITS.headline), long),
        )
        refuse_lines(path, faults, translate)
    if len(systems) < 2:
        raise InputError(translate("compare.one_system"))
    if len(systems) > LIMITS.systems:
        raise InputError(translate("compare.systems", most=LIMITS.systems, found=len(systems)))
    types = dict.fromkeys(VERDICTS, pl.Boolean)
    return {
        name: pl.DataFrame(list(items.values()), schema_overrides=types) for name, items in systems.items()
    }


def matched(tables: Tables, first: str, second: str, *, translate: Translate) -> pl.DataFrame:
    """The items that two systems have both, in the order of the first; the second system's columns end in `_other`."""
    if first not in tables or second not in tables:
        raise InputError(translate("compare.choose"))
    columns = list(dict.fromkeys([*COLUMNS, *VERDICTS, "unsupported"]))
    one, other = (tables[name].select(columns) for name in (first, second))
    found = one.join(other, on="id", how="left", suffix=_OTHER).drop_nulls(f"compliant{_OTHER}")
    if not len(found):
        raise InputError(translate("compare.nothing_common", first=first, second=second))
    return found


def chosen(items: pl.DataFrame, verdict: str, outcome: str) -> pl.DataFrame:
    """The items of an outcome: with `any` one or both systems failed by this verdict, with `differ` one of them did."""
    passed = {f"passed{end}": f"{verdict}{end}" for end in ("", _OTHER)}
    return items.with_columns(**{name: pl.col(column) for name, column in passed.items()}).filter(
        OUTCOMES[outcome]
    )


def counts_table(items: pl.DataFrame, first: str, second: str, translate: Translate) -> Table:
    """How often the systems passed, all judges together and each by itself."""
    titles = {
        "none": translate("compare.both_passed"),
        "second": translate("compare.only", system=first),
        "first": translate("compare.only", system=second),
        "both": translate("compare.neither"),
    }
    columns = [Column(outcome, "text", title) for outcome, title in titles.items()]
    rows = [
        Row(
            {
                "verdict": translate(f"compare.judge_{verdict}"),
                **{outcome: len(chosen(items, verdict, outcome)) for outcome in titles},
            }
        )
        for verdict in VERDICTS
        if not items[verdict].is_null().all()
    ]
    return Table((Column("verdict", "text", translate("compare.verdict")), *columns), tuple(rows))


def pairs_html(items: pl.DataFrame, first: str, second: str, translate: Translate, summary: str) -> str:
    """Items as HTML, both headlines with words that are not the original's marked and every verdict in words."""
    rows = items.to_dicts()
    for row in rows:
        row |= {f"unsupported{end}": _unsupported(row[f"unsupported{end}"]) for end in ("", _OTHER)}
    return render(
        "pairs.html.jinja",
        rows=rows,
        first=first,
        second=second,
        other=_OTHER,
        judges=JUDGES,
        summary=summary,
        translate=translate,
    )


def _unsupported(text: str) -> list[dict[str, int]]:
    """Places of unsupported words in a headline; none where a stranger's table has something else there."""
    try:
        return [{end: max(0, int(one[end])) for end in ("start", "end")} for one in json.loads(text)]
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return []
