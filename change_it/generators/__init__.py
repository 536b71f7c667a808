"""Generators, which write headlines: networks and pre-trained models, their training, and how they write."""
