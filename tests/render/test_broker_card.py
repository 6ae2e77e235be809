"""The broker's card in the text report."""

from __future__ import annotations

from mqdiag.config import Settings
from mqdiag.diagnose.judge import judge
from mqdiag.facts.broker import (
    BrokerTable,
    CommitLogFacts,
    HeldQueue,
    LongPolling,
    PutLock,
    Replication,
    RequestQueue,
    SlaveLink,
    TransientStorePoolFacts,
)
from mqdiag.render import View
from mqdiag.render.text import render
from tests.rules.examples.broker import example
from tests.text_width import too_wide


def _text(**changes: object) -> str:
    text = render(judge(example(**changes), Settings()).report, View())  # type: ignore[arg-type]
    assert too_wide(text) == []
    return " ".join(text.split())


def test_a_healthy_broker() -> None:
    text = _text()
    assert text.startswith("OK No fault found in ")
    assert "send queue of broker broker-a 0 % 90 %" in text
    assert "Broker broker-a version 4.9.7 role ASYNC_MASTER, ASYNC_FLUSH, id 0, cluster shop" in text
    assert "write in progress none transient store pool off" in text
    assert "send queue 0 of 10,000" in text
    assert "no consumer" not in text


def test_everything_on_the_card() -> None:
    text = _text(
        role="SYNC_MASTER",
        page_cache_lock_ms=3000,
        put_lock=PutLock(held=True, holder="SendMessageThread_2"),
        transient_store_pool=TransientStorePoolFacts(
            enabled=True, pool_size=5, available_buffers=2, in_force=True, buffers_in_use=3
        ),
        commit_log=CommitLogFacts(
            files=1,
            file_bytes=1 << 30,
            first_offset=0,
            wrote_offset=5000,
            uncommitted_bytes=2048,
            unflushed_bytes=1024,
        ),
        request_queues={
            "pull": RequestQueue(size=3, capacity=100, head_wait_ms=40),
            "query": RequestQueue(size=0, capacity=100, head_wait_ms=0),
            "send": RequestQueue(size=2, capacity=10_000, head_wait_ms=15),
        },
        long_polling=LongPolling(
            requests=7, queues=2, largest=(HeldQueue(topic="orders", queue_id=1, requests=6),)
        ),
        replication=Replication(
            slaves=(
                SlaveLink(address="10.0.0.2:1", behind_bytes=2048),
                SlaveLink(address="10.0.0.3:1", behind_bytes=-1024),
                SlaveLink(address="10.0.0.4:1"),
            )
        ),
        store_flags=("disk-full",),
        tables=(BrokerTable(name="ConsumerManager.consumerTable", entries=12, retained_bytes=4096),),
    )
    assert "write in progress for 3 s, by SendMessageThread_2" in text
    assert "transient store pool on, 2 of 5 buffers free" in text
    assert "1 file of 1,024 MiB, offsets 0 to 5000, 2 KiB not committed, 1 KiB not flushed" in text
    assert "pull queue 3 of 100, the oldest for 40 ms" in text
    assert "query queue" not in text
    assert "7 pull requests wait for messages of 2 queues; most for orders #1: 6" in text
    assert "10.0.0.2:1 2 KiB behind, 10.0.0.3:1 1 KiB ahead, 10.0.0.4:1 without" in text
    assert "the store reports disk-full" in text
    assert "ConsumerManager.consumerTable 12 (4 KiB)" in text


def test_what_a_version_does_not_say() -> None:
    text = _text(
        name=None,
        version=None,
        page_cache_lock_ms=None,
        put_lock=None,
        transient_store_pool=None,
        send_queue=None,
        commit_log=None,
    )
    assert "Broker without a name version unknown" in text
    assert "write in progress this version records no time" in text
    assert "transient store pool" not in text


def test_a_pool_without_effect_is_named() -> None:
    pool = TransientStorePoolFacts(enabled=True, pool_size=5, available_buffers=0, in_force=False)
    assert "transient store pool set, without effect" in _text(transient_store_pool=pool, flush="SYNC_FLUSH")


def test_a_name_cannot_write_to_the_terminal() -> None:
    assert "\x1b" not in _text(name="\x1b[31mred", cluster="\x1b]0;title\x07")
