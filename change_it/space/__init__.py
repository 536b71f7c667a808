"""The Space: transfer and score headlines in a browser.

`app.build` makes the page over `models.Models`; `change-it demo` and `spaces/headline_transfer` launch it.
"""
