"""Generators: the papers' networks beside today's models, their training, transfer, and the choice among candidates by judges."""
