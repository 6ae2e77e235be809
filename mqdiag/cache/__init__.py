"""What runs computed of a heap dump, kept on the disk so that the next question to the same dump costs little.

`identity` names a dump, `folder` has the user's folder and its limit, `entry` the files of one dump, and `array_file`
their format. What is kept of a graph, and how it is checked, is in `mqdiag/graph/graph_cache.py`. See docs/cache.md.
"""
