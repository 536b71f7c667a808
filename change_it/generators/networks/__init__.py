"""The pointer networks, their tokenizer, formats and pipeline, which travel to the Hub with their weights."""
