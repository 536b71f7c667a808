"""Tables, the style of charts, and templates: what other rooms draw with."""
