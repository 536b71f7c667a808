"""Tables in and files out: the one reader and the one atomic writer of the package."""
