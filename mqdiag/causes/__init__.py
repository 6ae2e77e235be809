"""From findings to one story: which finding causes which, where evidence agrees or disagrees, and what is missing.

This package sees a report, rule cards among it, and nothing else, so it can be tested without evidence files. It never
names a rule: what a rule has to say about its place in a story stands on its card.
"""
