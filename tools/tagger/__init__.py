"""The trainer of the part-of-speech taggers in `change_it/text/weights`."""
