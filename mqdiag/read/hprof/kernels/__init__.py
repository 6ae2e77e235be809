"""One self-contained file of @njit functions per pass over the bytes."""
