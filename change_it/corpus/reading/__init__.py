"""Read articles from files, parse their dates, and find what is wrong with them."""
