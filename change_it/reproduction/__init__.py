"""`change-it reproduce`: the tables of the papers on a corpus, published beside measured."""
