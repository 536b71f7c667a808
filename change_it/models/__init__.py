"""Load and hash any model, choose its device and threads, and ask a chat server."""
