"""One file of kernels for each algorithm."""
