"""Generators: the papers' networks and today's models, their training, transfer, and the choice among candidates by judges."""
