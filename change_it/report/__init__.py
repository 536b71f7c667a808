"""The report of a scoring run or an evaluation: one HTML file that opens offline, CSV files and charts."""
