"""The report of a scoring run: one HTML file that opens offline, CSV files and charts.

`score_command.run` is `change-it score`; `html.write_report` writes the page from scores that exist already.
"""
