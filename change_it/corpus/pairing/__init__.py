"""Find the articles of two newspapers that report the same event."""
