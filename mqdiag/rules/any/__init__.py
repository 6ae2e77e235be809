"""Rules about any input."""
