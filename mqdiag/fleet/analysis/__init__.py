"""Comparisons over a fleet: pure functions from DataFrames to DataFrames."""
