"""Take the pictures of `docs/images`: the page and the report of a run of `change-it quickstart`; needs the program chromium.

python -m tools.pictures runs/quickstart
"""

import os
import shutil
from io import BytesIO
from pathlib import Path

import tyro
from PIL import Image
from playwright.sync_api import sync_playwright

from change_it.space.app import build, launch
from change_it.space.models import Models

IMAGES = Path(__file__).parents[1] / "docs/images"


def main(run: Path = Path("runs/quickstart"), /) -> None:
    """Open both in Chromium and save what the screen shows."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    page = build(Models.from_run(run, str(run / "judges")))
    _, address, _ = launch(page, server_name="127.0.0.1", quiet=True, prevent_thread_lock=True)
    report = (run / "report/report.html").resolve().as_uri()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"], timeout=60_000
        )
        for name, url, width, height, shown in (
            ("page", address, 1265, 1060, "#candidates-found .ci-card"),
            ("report", report, 1120, 1000, "table"),
        ):
            tab = browser.new_page(viewport={"width": width, "height": height})
            tab.goto(url)
            tab.locator(shown).first.wait_for(timeout=60_000)
            tab.wait_for_timeout(1000)  # until fonts and pictures are drawn
            picture = Image.open(BytesIO(tab.screenshot()))
            picture.quantize(256).save(IMAGES / f"{name}.png", optimize=True)
        browser.close()
    page.close()


if __name__ == "__main__":
    tyro.cli(main)
