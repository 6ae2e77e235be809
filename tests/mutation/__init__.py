"""Small faults put into the code, to see which of them the tests notice: `make mutation`.

The record is docs/measurements/mutation.md.

No file is changed: a mutated function gets its code in a forked child of the process that has collected the tests.
"""
