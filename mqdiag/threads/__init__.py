"""Thread dumps of one JVM, aligned over samples: which ones make no progress, and what they wait for.

`facts.stacks_facts` is the way in. Nothing is imported here: heap dumps need the names of roles only.
"""
