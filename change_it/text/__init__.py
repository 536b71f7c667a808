"""Words for all other parts: tokens, sentences, stop words, numbers, names, tags, ROUGE, corruptions."""
