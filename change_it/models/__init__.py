"""Loading, hashing, devices and threads of any model, and the client of a chat server."""
