from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.stores import StoredOffset, StoreFacts, StorePair, StoreQueue, StoresFacts
from mqdiag.text import say


def _store(path: str, role: str, maximum: int, offset: int) -> StoreFacts:
    queue = StoreQueue(
        topic="segments",
        queue_id=0,
        min_offset=0,
        max_offset=maximum,
        max_at_least=maximum,
        max_at_most=maximum,
    )
    return StoreFacts(
        path=path,
        role=role,
        version="4.x",
        queues=(queue,),
        offsets=(StoredOffset(group="CID_wash", topic="segments", queue_id=0, offset=offset),),
        offsets_from="consumerOffset.json",
    )


def _facts(master_end: int) -> Facts:
    stores = (_store("master", "master", master_end, 9000), _store("slave", "slave", 15_000, 15_000))
    pair = StorePair(
        first="master", second="slave", proof=say("the queues begin with the same entry"), diverged=False
    )
    return Facts(stores=StoresFacts(stores=stores, pairs=(pair,)))


def fires() -> Facts:
    """The master's queue ends at 10,000; on the slave the group has gone on to 15,000."""
    return _facts(10_000)


def silent() -> Facts:
    """The master's queue ends at the group's offset."""
    return _facts(15_000)
