"""Push to the Hub: folders as they are pushed, cards made from data, one commit a push."""
