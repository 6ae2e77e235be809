"""A module in `mqdiag/rocketmq/clients` is all that a new kind of consumer, or another client, needs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mqdiag.rocketmq import clients
from tests.rocketmq.written import WrittenClient, view_of
from tests.writers.hprof_writer import DumpWriter

SUBSCRIBER = '''
"""A client with classes of its own: Subscriber keeps its messages in a list."""

import numpy as np

from mqdiag.facts.heap import ConsumerFacts, KindTraits
from mqdiag.graph.collections import items
from mqdiag.rocketmq.clients import ClientPart, ConsumerReading, Kind


class Subscriber(Kind):
    name = "subscriber"
    traits = KindTraits(pull_loop=False, count_setting="limit", size_setting=None, limit_scope="consumer")

    @staticmethod
    def library(heap, kinds):
        nodes = heap.instances(heap.classes.indices_named("other.Subscriber"))
        if not nodes.size:
            return []
        messages = items(heap, heap.refs(nodes, "messages"))[1]
        reading = ConsumerReading(
            retaining=messages,
            workers=np.empty(0, np.int32),
            facts=lambda retained: ConsumerFacts(
                group="CID_other", kind=KIND.name, traits=KIND.traits, retained_bytes=retained
            ),
        )
        return [
            ClientPart(
                consumers=[reading],
                queues=[],
                process_queues=0,
                instances=[],
                messages=messages,
                bodies=heap.refs(messages, "content"),
                queued=messages,
                requested=np.empty(0, np.int32),
            )
        ]


KIND = Subscriber()
'''


def test_the_kinds_there_are() -> None:
    assert [kind.name for kind in clients.kinds()] == [
        "grpc-push",
        "grpc-simple",
        "lite-pull",
        "pop",
        "pull",
        "push",
    ]


@pytest.fixture
def with_subscriber(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of kinds has one module more."""
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "subscriber.py").write_text(SUBSCRIBER)
    monkeypatch.setattr(clients, "__path__", [*clients.__path__, str(folder)])
    monkeypatch.delitem(sys.modules, f"{clients.__name__}.subscriber", raising=False)


@pytest.mark.usefixtures("with_subscriber")
def test_a_module_adds_a_client(tmp_path: Path) -> None:
    dump = DumpWriter()
    client = WrittenClient(dump)
    client.push_consumer("CID_a", {client.queue(): client.process_queue({1: client.message(1)})})
    body = dump.primitive_array(8, bytes(500))
    message = dump.instance(dump.known("other/Note", content=2), content=body)
    notes = client.java.array_list([message])
    client.hold(dump.instance(dump.known("other/Subscriber", messages=2), messages=notes))
    view = view_of(dump, tmp_path)
    assert {one.kind: one.group for one in view.consumers} == {"push": "CID_a", "subscriber": "CID_other"}
    (other,) = (one for one in view.consumers if one.kind == "subscriber")
    assert other.retained_bytes is not None
    assert other.retained_bytes >= 500
    assert (view.messages, view.messages_in_queues, view.body_bytes) == (2, 2, 600)


def test_without_it_the_client_is_not_known(tmp_path: Path) -> None:
    dump = DumpWriter()
    client = WrittenClient(dump)
    client.hold(dump.instance(dump.known("other/Subscriber", messages=2)))
    assert view_of(dump, tmp_path).consumers == ()
