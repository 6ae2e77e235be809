"""Makes evidence for tests and rule authors."""
