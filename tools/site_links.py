"""Lead links of the benchmarks' pages to pages of the site.

The pages lie in benchmarks/ and stand in docs/ as links. Their own links are those of the repository, as
GitHub shows them. MkDocs calls `on_page_markdown` for each page.
"""

import re
from typing import Any


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return a page of the benchmarks with its links as they are in docs/; any other page as it is."""
    if page.file.src_uri == "benchmarks.md":
        return re.sub(r"\]\(\.\./docs/", "](", markdown)
    if page.file.src_uri.startswith("results/"):
        from_docs = re.sub(r"\]\(\.\./\.\./docs/", "](../", markdown)
        return re.sub(r"\]\(\.\./README\.md", "](../benchmarks.md", from_docs)
    return markdown
