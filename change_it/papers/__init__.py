"""What the papers published, as data with citations, shown as published beside our own numbers."""
