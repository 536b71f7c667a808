import pytest


@pytest.fixture
def without_charts(monkeypatch):
    """Reports whose charts are not drawn: nearly all of their time, and not what the test looks at."""
    from change_it.results import report_files as files

    monkeypatch.setattr(files, "compliancy_drawings", lambda *_: [])
