"""The pointer networks, their tokenizer, formats and pipeline, which go to the Hub with their weights."""
