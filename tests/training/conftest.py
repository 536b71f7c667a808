"""What tests of training share."""

from garbage import libraries_are_no_garbage

__all__ = ["libraries_are_no_garbage"]
