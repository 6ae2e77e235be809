"""One self-contained file of @njit functions for each algorithm; importing this decides where they are kept."""

from mqdiag.kernel_cache import configure

configure()
