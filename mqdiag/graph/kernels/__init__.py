"""One self-contained file of @njit functions per algorithm."""
