"""What the papers published, as data with citations, to print beside our own numbers.

One module a paper; every number that comes from here is shown as published, never as measured.
"""
