"""Transfer and score headlines in a browser: `change-it demo` and `spaces/headline_transfer`."""
