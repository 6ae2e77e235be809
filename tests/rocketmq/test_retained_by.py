"""Who keeps messages that RocketMQ has let go."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts.heap import MessageHolder
from mqdiag.rocketmq.view import RocketMQView
from tests.rocketmq.written import WrittenClient, view_of
from tests.writers.hprof_records import OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter

COUNT = 40


@pytest.fixture
def client() -> WrittenClient:
    return WrittenClient(DumpWriter(), family="5.3")


def _messages(client: WrittenClient, count: int = COUNT) -> list[int]:
    return [client.message(number) for number in range(count)]


def _static(client: WrittenClient, value: int, name: str = "com/acme/Audit", field: str = "TRAIL") -> None:
    made = client.dump.java_class(
        name, statics={field: (OBJECT, value)}, superclass=client.dump.known("java/lang/Object")
    )
    client.dump.root(STICKY_CLASS, made.id)


def _holders(view: RocketMQView) -> dict[tuple[str, str], int]:
    return {(one.holder_class, one.holder_field): one.messages for one in view.message_holders}


COLLECTIONS = {
    "list": lambda java, items: java.array_list(items, 100),
    "linked list": lambda java, items: java.linked_list(items),
    "queue": lambda java, items: java.linked_blocking_queue(items),
    "map": lambda java, items: java.hash_map([(java.boxed(i), one) for i, one in enumerate(items)], bins=4),
    "concurrent map": lambda java, items: java.concurrent_hash_map(
        [(java.boxed(i), x) for i, x in enumerate(items)]
    ),
    "synchronized list": lambda java, items: java.wrapped(
        "java/util/Collections$SynchronizedRandomAccessList", "list", java.array_list(items)
    ),
    "list of lists": lambda java, items: java.array_list(
        [java.array_list(items[i : i + 4]) for i in range(0, 40, 4)]
    ),
}


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_static_field(client: WrittenClient, kind: str, tmp_path: Path) -> None:
    _static(client, COLLECTIONS[kind](client.java, _messages(client)))
    view = view_of(client.dump, tmp_path)
    assert _holders(view) == {("com.acme.Audit", "TRAIL"): COUNT}
    assert view.message_totals.elsewhere == COUNT
    (holder,) = view.message_holders
    assert holder.path[-1].startswith("com.acme.Audit.TRAIL -> ")
    assert view.message_totals.elsewhere_bytes is not None
    assert holder.retained_bytes is not None
    assert 0 < view.message_totals.elsewhere_bytes <= holder.retained_bytes


def test_field_of_an_object(client: WrittenClient, tmp_path: Path) -> None:
    cache = client.dump.known("com/acme/Cache", other=OBJECT, pending=OBJECT)
    client.hold(client.dump.instance(cache, pending=client.java.linked_blocking_queue(_messages(client))))
    assert _holders(view_of(client.dump, tmp_path)) == {("com.acme.Cache", "pending"): COUNT}


def test_entries_of_the_applications_own_class_are_not_the_owner(client: WrittenClient, tmp_path: Path) -> None:
    task = client.dump.known("com/acme/Task", message=OBJECT)
    tasks = [client.dump.instance(task, message=one) for one in _messages(client)]
    _static(client, client.java.linked_list(tasks))
    assert _holders(view_of(client.dump, tmp_path)) == {("com.acme.Audit", "TRAIL"): COUNT}


def test_kept_by_two_fields_of_two_classes(client: WrittenClient, tmp_path: Path) -> None:
    messages = _messages(client)
    _static(client, client.java.array_list(messages))
    _static(client, client.java.array_list(messages), name="com/acme/Replay", field="LATER")
    view = view_of(client.dump, tmp_path)
    assert sum(one.messages for one in view.message_holders) == COUNT
    assert set(_holders(view)) <= {("com.acme.Audit", "TRAIL"), ("com.acme.Replay", "LATER")}


def test_kept_by_two_fields_of_one_object(client: WrittenClient, tmp_path: Path) -> None:
    messages = _messages(client)
    known = client.dump.known("com/acme/Cache", first=OBJECT, second=OBJECT)
    lists = [client.java.array_list(messages) for _ in range(2)]
    client.hold(client.dump.instance(known, first=lists[0], second=lists[1]))
    view = view_of(client.dump, tmp_path)
    assert {one.holder_class for one in view.message_holders} == {"com.acme.Cache"}
    assert {one.holder_field for one in view.message_holders} <= {"first", "second"}


def test_frames_only(client: WrittenClient, tmp_path: Path) -> None:
    dump = client.dump
    thread = client.java.thread("listener")
    dump.thread(thread, 1, [dump.frame(dump.known("com/acme/Listener"), "consumeMessage")])
    direct, inside = client.message(1), _messages(client, 3)
    dump.local(direct, 1)
    dump.local(client.java.array_list(inside), 1)
    view = view_of(dump, tmp_path)
    assert (view.message_totals.in_frames, view.message_totals.elsewhere) == (4, 0)
    assert view.message_holders == ()


def test_a_list_that_a_frame_also_holds_is_still_the_applications(
    client: WrittenClient, tmp_path: Path
) -> None:
    dump = client.dump
    thread = client.java.thread("adder")
    dump.thread(thread, 1, [dump.frame(dump.known("com/acme/Audit$Adder"), "add")])
    trail = client.java.array_list(_messages(client))
    dump.local(trail, 1)
    _static(client, trail)
    assert _holders(view_of(dump, tmp_path)) == {("com.acme.Audit", "TRAIL"): COUNT}


def test_field_of_a_thread_is_no_frame(client: WrittenClient, tmp_path: Path) -> None:
    dump = client.dump
    dump.known("java/lang/Thread", name=OBJECT)
    worker = dump.known("com/acme/Worker", "java/lang/Thread", batch=OBJECT)
    batch = client.java.array_list(_messages(client))
    dump.thread(dump.instance(worker, name=client.java.string("w"), batch=batch), 1)
    view = view_of(dump, tmp_path)
    assert view.message_totals.in_frames == 0
    assert _holders(view) == {("com.acme.Worker", "batch"): COUNT}


def test_unreachable_messages_are_nobodys(client: WrittenClient, tmp_path: Path) -> None:
    client.java.array_list(_messages(client))
    view = view_of(client.dump, tmp_path)
    assert (view.messages, view.messages_unreachable) == (0, COUNT)
    assert view.message_holders == ()


def test_queues_and_executors_come_first(client: WrittenClient, tmp_path: Path) -> None:
    kept, queued, requested = _messages(client, 3), client.message(10), client.message(11)
    consumer = client.push_consumer("CID_a", {client.queue(): client.process_queue({10: queued})})
    client.consume_request(consumer, "CID_a", client.queue(), client.process_queue(), [queued, requested])
    _static(client, client.java.array_list([*kept, queued, requested]))
    totals = view_of(client.dump, tmp_path).message_totals
    assert (totals.in_queues, totals.in_executors, totals.in_frames, totals.elsewhere) == (1, 1, 0, 3)


def test_long_chains_are_climbed_in_few_steps(client: WrittenClient, tmp_path: Path) -> None:
    count = 3000
    _static(client, client.java.linked_blocking_queue(_messages(client, count)))
    holders: tuple[MessageHolder, ...] = view_of(client.dump, tmp_path).message_holders
    assert [(one.holder_field, one.messages) for one in holders] == [("TRAIL", count)]
