"""Rules over one heap dump."""
