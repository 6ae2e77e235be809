"""A heap dump that can be shared: structure, names and numbers stay, texts and contents of arrays go.

The dump is read three times from start to end and never held in memory: the reader's own walk for classes and symbols,
a scan that indexes blocks of objects (`objects`), and the rewriting (`write`). Between the last two `keep` follows the
few references that lead to names.
"""
