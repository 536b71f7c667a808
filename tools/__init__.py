"""Make the data and the pages of the package, such as the sample and the tagger's weights; not installed."""
