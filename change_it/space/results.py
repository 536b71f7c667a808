"""What the tabs with results share: charts that follow light and dark, files to download, a bar that moves."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from markupsafe import escape

from change_it.report.charts import Drawing, save
from change_it.report.html import inline_svg

#: Held while charts are drawn: matplotlib's style is one for all threads.
DRAWING = threading.Lock()
#: Tables are worked on one at a time, so that the Transfer tab stays quick; the others wait in line.
TURN: dict[str, Any] = {"concurrency_id": "tables", "concurrency_limit": 1}


def figures(drawings: Sequence[Drawing], titles: Callable[[str], str], *, wide: bool = False) -> str:
    """Charts as HTML whose ink is the page's text colour.

    Args:
        drawings: the charts; hold `DRAWING`.
        titles: from a chart's name to the title above it, in the reader's language.
        wide: keep letters readable on a phone, where the chart is then moved sideways.

    Returns:
        A `<figure>` for each.
    """
    shown = "".join(
        f'<figure class="chart"><figcaption>{escape(titles(drawing.name))}</figcaption>'
        f'<div tabindex="0" role="group">{inline_svg(drawing.figure, titles(drawing.name))}</div></figure>'
        for drawing in drawings
    )
    return f'<div class="charts{" wide" if wide else ""}">{shown}</div>'


def kept(write: Callable[[Path], Sequence[Path]]) -> list[str]:
    """Write files and keep them where Gradio hands them out and in the end removes them.

    Args:
        write: writes into an empty folder and returns the files to keep.

    Returns:
        Their paths.
    """
    from gradio.processing_utils import save_file_to_cache
    from gradio.utils import get_upload_folder

    with TemporaryDirectory() as folder:
        return [save_file_to_cache(path, cache_dir=get_upload_folder()) for path in write(Path(folder))]


def write_charts(folder: Path, drawings: Sequence[Drawing]) -> list[Path]:
    """Write charts as PNG; hold `DRAWING`.

    Args:
        folder: where.
        drawings: the charts.

    Returns:
        A file for each.
    """
    paths = [folder / f"{drawing.name}.png" for drawing in drawings]
    for path, drawing in zip(paths, drawings, strict=True):
        save(drawing.figure, path)
    return paths


def notes(sentences: Sequence[str], signature: str = "") -> str:
    """Remarks and a signature as HTML.

    Args:
        sentences: told one below the other.
        signature: of the numbers; none when empty.
    """
    told = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    return f'<div class="notes">{told}{f"<p><code>{escape(signature)}</code></p>" if signature else ""}</div>'


def chosen_paths(files: Any) -> list[Path]:
    """The uploaded files of a `gr.File`: none, one or many.

    Args:
        files: a path, a list of paths, or None.
    """
    if not files:
        return []
    return [Path(file) for file in (files if isinstance(files, list) else [files])]
