"""Kernels over the bytes of a recording."""
