"""Thread dumps of one JVM, aligned over samples: who stands still, on what, and who holds it.

`build.stacks_facts` is the way in. Nothing is imported here: heap dumps need the names of roles only.
"""
