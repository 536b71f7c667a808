"""The table of all headlines of a report in Chromium: size of the page, and seconds to sort and to filter 10,000 lines.

python benchmarks/report.py runs/quickstart/report/report.html
"""

import json
import shutil
import statistics
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROWS = 10_000
#: Column to sort by, and what to time: until the lines of the sorted page are in the document and laid out.
COLUMNS = "id", "system", "original", "headline", "main"
SECONDS = """async ([field, direction]) => {
  const start = performance.now();
  items.setSort(field, direction);
  document.querySelector("#items-table").getBoundingClientRect();
  return (performance.now() - start) / 1000;
}"""
FILTER = """async (word) => {
  const start = performance.now();
  items.setHeaderFilterValue("headline", word);
  document.querySelector("#items-table").getBoundingClientRect();
  return (performance.now() - start) / 1000;
}"""
MORE = """async (count) => {
  const rows = items.getData();
  await items.setData(Array.from({ length: count }, (_, at) => ({ ...rows[at % rows.length], id: String((at * 7919) % count) })));
  return items.getDataCount();
}"""


def main() -> None:
    page_file = Path(sys.argv[1]).resolve()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"], timeout=60_000
        )
        page = browser.new_page()
        page.goto(page_file.as_uri())
        page.locator(".tabulator-row").first.wait_for()
        loaded = page.evaluate("performance.now() / 1000")
        lines = page.evaluate("items.getDataCount()")
        rows = page.evaluate(MORE, ROWS)
        seconds = {
            field: statistics.median(
                page.evaluate(SECONDS, [field, direction]) for direction in ("asc", "desc", "asc")
            )
            for field in COLUMNS
        }
        results = {
            "megabytes": page_file.stat().st_size / 1e6,
            "lines": lines,
            "seconds_until_shown": round(loaded, 2),
            "sorted_lines": rows,
            "seconds_to_sort": {field: round(value, 3) for field, value in seconds.items()},
            "seconds_to_filter": round(page.evaluate(FILTER, "la"), 3),
        }
        browser.close()
    json.dump(results, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
