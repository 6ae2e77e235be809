"""The beginning that all names of a table share."""

from __future__ import annotations

from mqdiag.thread_names import shared_prefix
from tests.folded import folded

LONG = "ConsumeMessageThread_CID_orders"


@folded(
    "names, prefix",
    [
        ([f"{LONG}_1", f"{LONG}_12", f"{LONG}_2"], LONG),
        ([f"{LONG}_1"], ""),
        ([f"{LONG}_1", "main"], ""),
        (["pool-1-thread-1", "pool-1-thread-2"], ""),
        ([], ""),
    ],
)
def test_a_long_beginning_is_said_once(names: list[str], prefix: str) -> None:
    assert shared_prefix(names) == prefix
