"""Rules over logs."""
