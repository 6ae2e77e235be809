"""The kinds of evidence that `mqdiag diagnose` tells by content; one module each, found by scanning this folder.

To add one, add a module with a `KIND`; nothing is listed anywhere.
"""
