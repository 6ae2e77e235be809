from __future__ import annotations

from mqdiag.facts import Facts, Input
from mqdiag.text import say


def fires() -> Facts:
    """A dump cut at half its length."""
    cut = Input(
        path="dump.hprof",
        kind="heap",
        bytes=1000,
        complete=False,
        stopped_at_byte=500,
        read_share=0.5,
        problem=say("a record of 200 bytes ends beyond the file"),
    )
    return Facts(inputs=(cut,))


def silent() -> Facts:
    """A whole dump."""
    return Facts(inputs=(Input(path="dump.hprof", kind="heap", bytes=1000),))
