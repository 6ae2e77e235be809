"""Files of control groups and of /proc, one by one or as `mqdiag capture` puts them together."""
