"""Heap dumps in a notebook or script: look up classes, walk objects, get tables.

```python
import mqdiag.notebook as mq

heap = mq.open_dump("dump.hprof.gz")
for queue in heap.classes["ProcessQueue"].instances():
    print(queue["msgCount"], queue.retained_bytes)
heap.queues()
```
"""

from mqdiag.notebook.classes import Classes, JavaClass
from mqdiag.notebook.heap import Heap, open_dump
from mqdiag.notebook.objects import JavaObject

__all__ = ["Classes", "Heap", "JavaClass", "JavaObject", "open_dump"]
