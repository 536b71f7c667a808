"""Draw for other rooms: tables, the style of charts, and templates."""
