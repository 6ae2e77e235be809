"""From findings to one verdict: chains of causes, where evidence agrees or disagrees, and what is missing.

It sees a report and nothing else, so it can be tested without evidence files.
"""
