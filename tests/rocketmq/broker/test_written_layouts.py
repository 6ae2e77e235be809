"""The written brokers have no field that the released ones lack: `fixtures/broker-layouts`, from their jars."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rocketmq.broker.written_broker import File, WrittenBroker
from tests.writers.hprof_records import BOOLEAN, INT, LONG, OBJECT
from tests.writers.hprof_writer import CAPTURED_AT_MS, DumpWriter

LAYOUTS = Path(__file__).parents[3] / "fixtures" / "broker-layouts"
KINDS = {"int": INT, "long": LONG, "boolean": BOOLEAN}
INHERITED = {"store.queue.ConsumeQueueStore": "store.queue.AbstractConsumeQueueStore"}


@pytest.mark.parametrize(
    ("family", "version"), [("3.2", "3.2.6"), ("4.3", "4.3.2"), ("4.9", "4.9.7"), ("5.3", "5.3.3")]
)
def test_fields_are_those_of_the_release(family: str, version: str) -> None:
    layout = json.loads((LAYOUTS / f"{version}.json").read_text(encoding="utf-8"))
    dump = DumpWriter()
    made = WrittenBroker(dump, family, files=[File(0, 1000, 10, buffer=True)], free_buffers=1)
    made.slaves([100])
    made.set_send([made.request(CAPTURED_AT_MS)])
    compared = 0
    for name, written in dump.classes.items():
        short = name.removeprefix(f"{made.root}/").replace("/", ".")
        real = {**layout.get(INHERITED.get(short, ""), {}), **layout.get(short, {})}
        for field, kind in written.fields.items() if real else ():
            assert field in real, f"{version} has no {short}.{field}"
            assert kind == KINDS.get(real[field], OBJECT), f"{short}.{field} is {real[field]}"
            compared += 1
    assert compared >= 20
