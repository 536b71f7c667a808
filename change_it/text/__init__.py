"""What every station needs to know of words: tokens, stop words, overlap."""
