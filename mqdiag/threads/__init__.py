"""Thread dumps of one JVM, aligned over samples: which threads make no progress, on what they wait, and who holds it.

`facts.stacks_facts` is the way in. Nothing is imported here: heap dumps need the names of roles only.
"""
