"""One fault, one file: the rules, found by scanning this package.

A rule decides in its file here and speaks by its card in `mqdiag/knowledge/rules`. Nothing is listed anywhere.
`catalogue.py` tells which rules there are and what they say, `discovery.py` imports them, `engine.py` runs them.
"""
