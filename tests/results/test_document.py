"""A document of tables as Markdown and JSON."""

from change_it.results.document import Document, Section, markdown
from change_it.tables import Column, Row, Table

TABLE = Table(
    (Column("system", "text"), Column("f1", secondary=Column("f1_interval", "interval"))),
    (Row({"system": "<b>one</b>", "f1": 0.5, "f1_interval": (0.4, 0.6)}, "x"), Row({"system": "two"}, "y")),
    "Two systems",
    ("A note.",),
)
DOCUMENT = Document("Title", "Lead.", [Section("two", TABLE, "What it shows.")], ["a|b"])


def test_intervals_stand_behind_their_values():
    text = markdown(DOCUMENT)
    assert "| x   | <b>one</b> | .500 (.400–.600) |" in text
    assert "| y   | two        |                – |" in text
    assert text.startswith("# Title\n\nLead.\n\n## Two systems\n\nWhat it shows.\n")
    assert text.endswith("A note.\n\n`a|b`\n")
