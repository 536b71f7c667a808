"""The Space: transfer, score, compare and judge the quality of headlines in a browser.

`interface.build` makes the page over `models.Models`; `change-it demo` and `spaces/headline_transfer` launch it.
"""

from change_it.space.options import DemoOptions

__all__ = ["DemoOptions"]
