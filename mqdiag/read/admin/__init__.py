"""What mqadmin prints: tables told by their heads, counters by their names."""
