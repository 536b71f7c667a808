"""Results as tables, charts and pages: one view for terminal, files, reports and the Space."""
