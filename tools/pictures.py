"""The pictures of README and documentation: a run's report, the page with its example judged, and what the judges let through.

python tools/pictures.py runs/quickstart: writes report.png, page.png and audit.png in docs/images, at most 300 KB each.
"""

import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

from change_it.audit.verdicts import Result
from change_it.io import read_json
from change_it.results.charts import passed_chart
from change_it.results.charts import save as save_chart

OUT = Path(__file__).parents[1] / "docs" / "images"
LARGEST = 300_000  # bytes of a picture
SIZE = ViewportSize(width=1280, height=860)
MINUTE = 60_000
#: Systems of the audit in the small picture, and what they do to the other paper's headlines.
DAMAGE = {
    "gold": "as printed",
    "reversed words": "words in reverse",
    "numbers changed": "numbers changed",
    "quotation before": "invented quote",
    "speaker exchanged": "another speaker",
    "word exchanged": "another word",
}


def save(page: Page, name: str) -> None:
    """A screenshot in as many colours as fit the size."""
    OUT.mkdir(parents=True, exist_ok=True)
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    for colours in (256, 128, 64, 32):
        picture.quantize(colours).save(OUT / f"{name}.png", optimize=True)
        if (size := (OUT / f"{name}.png").stat().st_size) <= LARGEST:
            print(f"{OUT / name}.png: {size:,} bytes")
            return
    sys.exit(f"{name}.png has {size:,} bytes: more than {LARGEST:,}")


def audit_picture(run: Path) -> None:
    """What three and what all judges let through of headlines that were spoilt."""
    audit = read_json(run / "audit" / "audit.json") or {}
    systems = {system["system"]: Result.from_dict(system) for system in audit["systems"]}
    save_chart(passed_chart({shown: systems[name] for name, shown in DAMAGE.items()}), OUT / "audit.png")


def main() -> None:
    """Take the pictures of the run that is named on the command line."""
    run = Path(sys.argv[1]).resolve()
    audit_picture(run)
    program = [sys.executable, "-m", "change_it.cli", "demo", "--run", str(run), "--port", "0"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"], timeout=MINUTE
        )
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto((run / "report" / "report.html").as_uri())
        page.locator(".tabulator-row").first.wait_for()
        page.locator("#items").evaluate("section => section.scrollIntoView()")
        save(page, "report")
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                lines = (line for line in server.stdout if "http://" in line)
                address = next(word for word in next(lines).split() if word.startswith("http://"))
                page.goto(address)
                page.locator("#candidates-found .ci-card").first.wait_for(timeout=MINUTE)
                page.get_by_text("Loading...").first.wait_for(state="hidden", timeout=MINUTE)
                page.locator("#system").wait_for(timeout=MINUTE)
                save(page, "page")
            finally:
                server.terminate()
        browser.close()


if __name__ == "__main__":
    main()
