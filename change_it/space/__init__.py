"""The Space: headlines transferred and scored in a browser, by `change-it demo` and `spaces/headline_transfer`."""
