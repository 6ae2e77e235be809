"""One file of kernels for each step of redaction."""
