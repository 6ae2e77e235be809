"""One file per version family of the clients: its parent, and only what differs.

To add one: copy the newest file, name the field that only the new family has as its mark, list it in `FAMILIES`.
"""

from mqdiag.rocketmq.layouts import v3_2, v3_5, v4_0, v4_2, v4_6, v4_9, v5_0, v5_1, v5_2, v5_3

FAMILIES = tuple(module.LAYOUT for module in (v5_3, v5_2, v5_1, v5_0, v4_9, v4_6, v4_2, v4_0, v3_5, v3_2))
"""newest first: the first whose marks are all there is taken"""
