"""Makers of input files for tests: dumps are written, never assembled by hand or committed for logic.

Nothing that ships behaviour imports this package.
"""
