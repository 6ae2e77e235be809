"""Comparisons over a fleet: SQL over the tables of a run, and the facts that a report makes of the answers."""
