"""Heap dumps in a notebook or script: look up classes, walk objects, get tables.

```python
import mqdiag.notebook as mq

heap = mq.open_dump("dump.hprof.gz")
for queue in heap.classes["ProcessQueue"].instances():
    print(queue["msgCount"], queue.retained_bytes)
heap.queues()
```
"""
