"""Tables against what the rig read from the live objects, and against the JVM's own histogram."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mqdiag.errors import UsageError
from mqdiag.notebook import Heap, open_dump
from tests.layers import CHECK
from tests.writers.hprof_records import BOOLEAN, CHAR, DOUBLE, INT, LONG, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

MESSAGE = "org.apache.rocketmq.common.message.MessageClientExt"


def test_histogram(heap: Heap, truth: Any) -> None:
    frame = heap.histogram()
    for name, row in truth["histogram"].items():
        assert frame.loc[name, "instances"] == row["instances"]
        assert frame.loc[name, "shallow_bytes"] == row["bytes"]
    assert frame.instances.sum() == heap.object_count
    assert frame.loc["java.lang.Class", "retained_bytes"] <= heap.reachable_bytes


def test_queues(heap: Heap, truth: Any) -> None:
    frame = heap.queues()
    assert len(frame) == truth["heap"]["process_queues"]
    found = frame.set_index(["topic", "broker", "queue_id"])
    for want in truth["heap"]["queues"]:
        row = found.loc[(want["topic"], want["broker"], want["queue_id"])]
        for key in ("messages", "msg_count", "msg_size", "body_bytes", "dropped", "locked"):
            assert row[key] == want[key]
        assert (None if pd.isna(row["min_offset"]) else row["min_offset"]) == want["min_offset"]
    for object_id, messages in frame.messages.items():
        assert heap.object(object_id)["msgCount"] == messages


def test_consumers(heap: Heap, truth: Any) -> None:
    frame = heap.consumers()
    (want,) = truth["heap"]["consumers"]
    (row,) = (row for _, row in frame.iterrows())
    assert (row["group"], row["kind"], row["queues"], row["messages"]) == (
        want["group"], want["kind"], want["queues"], want["messages"],
    )  # fmt: skip
    for key in ("pullBatchSize", "consumeThreadMax", "pullThresholdForQueue"):
        assert row[f"config.{key}"] == want["config"][key]
    assert row["state.serviceState"] == want["state"]["serviceState"]


def test_messages(heap: Heap, truth: Any) -> None:
    frame = heap.messages()
    assert len(frame) == truth["heap"]["messages"]
    assert frame.body_bytes.sum() == truth["heap"]["body_bytes"]
    assert str(frame.born_at.dtype) == "datetime64[ms, UTC]"
    held = frame[frame.process_queue != 0].groupby("process_queue")
    queues = heap.queues()
    assert held.size().to_dict() == {key: count for key, count in queues.messages.items() if count}
    assert held.queue_offset.min().to_dict() == queues.min_offset.dropna().to_dict()
    by_id = frame.set_index("msg_id")
    for want in truth["in_hand"]:
        row = by_id.loc[want["msg_id"]]
        assert (row.topic, row.queue_id, row.queue_offset) == (want["topic"], want["queue_id"], want["offset"])
        assert row.body_bytes == want["body_bytes"]
        assert abs(row.started_at.timestamp() * 1000 - want["since_ms"]) < 1_000


def test_instances_of_a_class(heap: Heap) -> None:
    messages = heap.messages()
    frame = heap.classes["Message"].frame(
        "topic", "queueId", "body.length", "storeHost", subclasses=True, reachable=True
    )
    frame = frame.loc[messages.index]
    assert (frame["class"] == MESSAGE).all()
    for mine, theirs in (("topic", "topic"), ("queueId", "queue_id"), ("body.length", "body_bytes")):
        assert (frame[mine] == messages[theirs]).all()
    assert frame["reachable"].all()
    assert heap.object(frame.storeHost.iloc[0]).class_name == "java.net.InetSocketAddress"
    everything = heap.classes[MESSAGE].frame()
    assert set(heap.classes[MESSAGE].field_types) <= set(everything.columns)
    assert everything.index.name == "object_id"


def test_types_of_columns(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    fields = {
        "text": OBJECT,
        "flag": BOOLEAN,
        "n": LONG,
        "ratio": DOUBLE,
        "letter": CHAR,
        "box": OBJECT,
        "any": OBJECT,
    }
    base = dump.java_class("Base", fields=fields)
    below = dump.java_class("Below", fields={"only": INT, "ok": BOOLEAN}, superclass=base)
    text = java.string("größe €")
    dump.instance(base, text=text, flag=1, n=-(2**62), ratio=0.5, letter=ord("é"), box=java.boxed(7), any=text)
    other = dump.instance(below, flag=0, n=2**62, ratio=-0.25, only=-3, ok=1)
    dump.set(other, any=other)
    dump.write(tmp_path / "types.hprof")
    heap = open_dump(tmp_path / "types.hprof")
    frame = heap.classes["Base"].frame(*fields, "only", "ok", "any.only", subclasses=True)
    assert frame["text"].tolist()[0] == "größe €"
    assert pd.isna(frame["text"].tolist()[1])
    assert frame["flag"].tolist() == [True, False]
    assert (frame["n"].dtype, frame["n"].tolist()) == ("int64", [-(2**62), 2**62])
    assert frame["ratio"].tolist() == [0.5, -0.25]
    assert frame["letter"].tolist() == ["é", "\0"]
    assert frame["box"].tolist()[0] == 7
    # Objects of several classes: ids, so that each leads on.
    assert heap.object(frame["any"].tolist()[0]).text == "größe €"
    assert heap.object(frame["any"].tolist()[1]).id == other
    assert (str(frame["only"].dtype), frame["only"].isna().tolist(), frame["only"][other]) == (
        "Int64",
        [True, False],
        -3,
    )
    assert (str(frame["ok"].dtype), frame["ok"][other]) == ("boolean", True)
    assert frame["any.only"][other] == -3
    with pytest.raises(UsageError, match=r"has no field 'txet'; it has: .*text"):
        heap.classes["Base"].frame("txet")
    assert list(heap.classes["java.lang.Integer"].frame("value").value) == [7]
    assert heap.classes["java.lang.Object"].frame().empty


def test_a_dump_without_rocketmq(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.instance(dump.java_class("Thing"))
    dump.write(tmp_path / "plain.hprof")
    heap = open_dump(tmp_path / "plain.hprof")
    assert heap.queues().empty
    assert heap.consumers().empty
    assert heap.messages().empty
    assert list(heap.messages().columns)[:2] == ["class", "topic"]


@CHECK
def test_pandas_is_imported_for_tables_only() -> None:
    code = (
        "import sys, mqdiag.notebook as mq; heap = mq.open_dump(sys.argv[1]);"
        "heap.classes['ProcessQueue'].largest(1)[0].fields; assert 'pandas' not in sys.modules;"
        "sys.modules['pandas'] = None; heap.queues()"
    )
    dump = Path(__file__).parents[2] / "fixtures" / "heap" / "stuck-one-4.9.8" / "dump.hprof.gz"
    done = subprocess.run([sys.executable, "-c", code, str(dump)], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith(
        f"UsageError: this needs pandas: {shlex.quote(sys.executable)} -m pip install 'mqdiag[notebook]'"
    )
