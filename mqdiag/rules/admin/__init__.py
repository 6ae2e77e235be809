"""Rules about what mqadmin printed."""
