"""The client's version: the static int of MQVersion, named by the enum constants in the dump itself."""

from __future__ import annotations

import re

import numpy as np

from mqdiag.graph.heap import Heap
from mqdiag.rocketmq.bind import Client

CURRENT = ("CURRENT_VERSION", "CurrentVersion")
"""static of common.MQVersion: since 4.0.0, before"""


def client_version(client: Client) -> str | None:
    """Dotted version, 5.3.3 of V5_3_3; None when MQVersion is not loaded or its constants are not in the dump."""
    return version_under(client.heap, client.root)


def version_under(heap: Heap, root: str) -> str | None:
    """The same for a package root, such as a broker's."""
    for row in heap.classes.indices_named(f"{root}.common.MQVersion"):
        for name in CURRENT:
            ordinal = heap.classes.static_value(row, name)
            if ordinal is None:
                continue
            constants = heap.instances(heap.classes.indices_named(f"{root}.common.MQVersion$Version"))
            found = constants[heap.numbers(constants, "ordinal") == int(ordinal)]
            names = [text for text in heap.strings(heap.refs(found.astype(np.int32), "name")) if text]
            if names:
                return _plain(names[0])
    return None


def _plain(constant: str) -> str:
    """V4_9_8 -> 4.9.8, HIGHER_VERSION as it is; released 3.2.6 calls itself V3_2_6_SNAPSHOT."""
    found = re.fullmatch(r"V(\d+(?:_\d+)*)(_.+)?", constant.removesuffix("_SNAPSHOT"))
    if found is None:
        return constant
    return found[1].replace("_", ".") + (found[2] or "").replace("_", "-")
