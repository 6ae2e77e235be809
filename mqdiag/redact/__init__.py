"""A heap dump that can be shared: structure, names and numbers stay, texts and contents of arrays go.

The dump is read twice from start to end and never held in memory: the first time classes are read and blocks of objects
are indexed (`read.hprof.outline`), the second time it is rewritten (`write`). Between the two `keep` follows the few
references that lead to names. Large arrays of which only zeros stay are not read again and are holes in the new file.
"""
