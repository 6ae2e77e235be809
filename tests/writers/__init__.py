"""Makers of input files: dumps are written, never assembled by hand or committed for logic."""
