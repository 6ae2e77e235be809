"""message-count-drift, message-size-drift, expiry-cleaner-dead, pull-loop-lost: limits and what is no bug."""

from __future__ import annotations

from types import ModuleType

import msgspec
import pytest

from mqdiag.facts import Input
from mqdiag.rules import expiry_cleaner_dead, message_count_drift, message_size_drift, pull_loop_lost
from tests.folded import folded
from tests.rules.checks import findings, of_kind, reasons, said, with_consumer, with_queue
from tests.rules.examples import example_of

MIB = 1024 * 1024


@folded(
    "queue, fires",
    [
        ({"msg_count": 72}, False),
        ({"msg_count": 73}, True),
        ({"msg_count": 7}, True),
        ({"msg_count": 8}, False),
        ({"msg_count": 5000, "being_changed": True}, False),
        ({"msg_count": 5000, "being_changed": None}, False),
        ({"msg_count": None}, False),
        ({"msg_count": 5000, "incomplete": True}, False),
    ],
)
def test_count(queue: dict[str, object], fires: bool) -> None:
    assert (
        bool(findings(message_count_drift, with_queue(example_of(message_count_drift).fires(), **queue)))
        is fires
    )


def test_count_of_a_large_batch() -> None:
    facts = with_queue(example_of(message_count_drift).fires(), msg_count=140)
    assert findings(message_count_drift, with_consumer(facts, config={"pullBatchSize": 100})) == ()


@pytest.mark.parametrize(
    ("version", "words"), [("4.1.0", "has the bug"), ("4.9.8", "does not have"), (None, "could not be found")]
)
def test_versions(version: str | None, words: str) -> None:
    for module in (message_count_drift, expiry_cleaner_dead):
        (finding,) = findings(module, with_consumer(example_of(module).fires(), client_version=version))
        assert words in said(finding)


@folded(
    "queue, fires",
    [
        ({}, True),
        ({"msg_size": MIB}, False),
        ({"msg_size": MIB + 1}, True),
        ({"msg_size": -MIB - 1}, True),
        ({"msg_size": None}, False),
        ({"being_changed": True}, False),
        ({"incomplete": True}, False),
        # one array shared by all messages counts once in body_bytes
        ({"messages": 1000, "largest_body_bytes": 110_000, "body_bytes": 110_000}, False),
    ],
)
def test_size(queue: dict[str, object], fires: bool) -> None:
    assert (
        bool(findings(message_size_drift, with_queue(example_of(message_size_drift).fires(), **queue))) is fires
    )


@folded(
    "consumer, fires",
    [
        ({}, True),
        ({"cleaner_tasks": 1}, False),
        ({"cleaner_tasks": None}, False),
        ({"orderly": True}, False),
        (of_kind("pop"), False),
        ({"state": {"serviceState": "SHUTDOWN_ALREADY"}}, False),
    ],
)
def test_cleaner(consumer: dict[str, object], fires: bool) -> None:
    assert (
        bool(findings(expiry_cleaner_dead, with_consumer(example_of(expiry_cleaner_dead).fires(), **consumer)))
        is fires
    )


@folded(
    "queue, consumer, fires",
    [
        ({"last_pull_age_ms": 60_000}, {}, True),
        ({"last_pull_age_ms": 59_999}, {}, False),
        ({"next_offset": 7}, {}, False),
        ({"dropped": True}, {}, False),
        ({"assigned": False}, {}, False),
        ({}, of_kind("pull"), False),
        ({}, of_kind("lite-pull"), False),
        ({}, of_kind("pop"), False),
        ({}, {"state": {"serviceState": "START_FAILED"}}, False),
    ],
)
def test_pull_loop(queue: dict[str, object], consumer: dict[str, object], fires: bool) -> None:
    facts = with_consumer(with_queue(example_of(pull_loop_lost).fires(), **queue), **consumer)
    assert bool(findings(pull_loop_lost, facts)) is fires


@pytest.mark.parametrize(
    "module", [message_count_drift, message_size_drift, expiry_cleaner_dead, pull_loop_lost]
)
def test_a_cut_dump_proves_nothing(module: ModuleType) -> None:
    cut = Input(path="cut.hprof", kind="heap", complete=False)
    facts = msgspec.structs.replace(example_of(module).fires(), inputs=(cut,))
    assert findings(module, facts) == ()
    assert reasons(module, facts) == ["the dump is cut or damaged: what it lacks proves nothing"]
