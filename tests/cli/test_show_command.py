"""`mqdiag show` on real dumps: numbers against what the rig and the JVM said of the same heap."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqdiag.cli import run
from mqdiag.facts.shown import Shown as ShownFacts
from mqdiag.findings import Report
from mqdiag.graph.open import open_heap
from mqdiag.render import View, renderer
from mqdiag.show.classes import show_class
from mqdiag.show.objects import show_object
from mqdiag.show.target import find_target
from tests.layers import CHECK, one_in, one_in_each_run
from tests.report_schema import validate_report
from tests.text_width import too_wide

HEAPS = Path(__file__).parents[2] / "fixtures" / "heap"
STUCK = HEAPS / "stuck-one-4.9.8"
QUEUE = "org.apache.rocketmq.client.impl.consumer.ProcessQueue"
MESSAGE = "org.apache.rocketmq.common.message.MessageClientExt"
Shown = Callable[..., Any]


@pytest.fixture
def shown(capsysbinary: pytest.CaptureFixture[bytes]) -> Shown:
    """What `show --format json` says of an object or a class."""

    def show(what: str, *options: str, folder: Path = STUCK) -> Any:
        assert run(["show", str(folder / "dump.hprof.gz"), what, "--format", "json", *options]) == 0
        report = json.loads(capsysbinary.readouterr().out)
        validate_report(report)
        assert report["findings"] == []
        (given,) = report["inputs"]
        assert (given["kind"], given["complete"]) == ("heap", True)
        found = report["show"]
        assert (found["object"] is None) != (found["class"] is None)
        return found["object"] or found["class"]

    return show


@pytest.fixture
def text(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The same in words."""
    monkeypatch.setenv("COLUMNS", "80")

    def show(what: str, *options: str) -> str:
        assert run(["show", str(STUCK / "dump.hprof.gz"), what, *options]) == 0
        out = capsysbinary.readouterr().out.decode()
        assert "\x1b" not in out
        assert too_wide(out) == []
        return out

    return show


@pytest.fixture
def truth() -> Any:
    return json.loads((STUCK / "truth.json").read_text())


def field(one: Any, name: str) -> Any:
    (found,) = [value for value in one["fields"] if value["name"] == name]
    return found


def leaves(steps: Any) -> list[Any]:
    return [leaf for step in steps for leaf in (leaves(step["below"]) or [step])]


@CHECK
def test_a_class_as_the_jvm_counted_it(shown: Shown, truth: Any) -> None:
    for name in (QUEUE, MESSAGE, "org.apache.rocketmq.common.MQVersion$Version"):
        one = shown(name)
        assert one["instances"] == truth["histogram"][name]["instances"]
        assert one["shallow_bytes"] == truth["histogram"][name]["bytes"]
        assert one["loaders"] == len(one["class_ids"]) == 1


def test_the_queue_with_the_stuck_message(shown: Shown, truth: Any) -> None:
    (held,) = [queue for queue in truth["heap"]["queues"] if queue["messages"]]
    one = shown("ProcessQueue", "--limit", "1")
    assert (one["name"], one["instances"]) == (QUEUE, truth["heap"]["process_queues"])
    (largest,) = one["largest"]
    queue = shown(largest["object_id"])
    assert queue["class"] == QUEUE
    assert (queue["shallow_bytes"], queue["retained_bytes"]) == (
        largest["shallow_bytes"],
        largest["retained_bytes"],
    )
    assert queue["reachable"]
    assert (field(queue, "msgCount")["value"], field(queue, "msgSize")["value"]) == (
        held["messages"],
        held["body_bytes"],
    )
    assert field(queue, "dropped") == field(queue, "dropped") | {"type": "boolean", "value": held["dropped"]}

    tree = shown(field(queue, "msgTreeMap")["object_id"])
    assert tree["entry_count"] == field(tree, "size")["value"] == held["messages"]
    offsets = [entry["key"]["value"] for entry in tree["entries"]]
    assert (offsets[0], offsets[-1]) == (held["min_offset"], held["max_offset"])
    assert {entry["value"]["class"] for entry in tree["entries"]} == {MESSAGE}
    assert tree["dominators"][0]["object_id"] == queue["object_id"]
    assert tree["dominators"][0]["field"] == f"{QUEUE}.msgTreeMap"
    assert field(tree, "keySet")["declared_by"] == "java.util.AbstractMap"


@CHECK
def test_a_message_and_its_body(shown: Shown, text: Callable[..., str], truth: Any) -> None:
    in_hand = {each["offset"]: each for each in truth["in_hand"]}
    for row in shown(MESSAGE)["largest"]:
        message = shown(row["object_id"])
        want = in_hand[field(message, "queueOffset")["value"]]
        assert field(message, "topic")["value"] == want["topic"]
        assert field(message, "queueId")["value"] == want["queue_id"]
        assert field(message, "topic")["declared_by"] == "org.apache.rocketmq.common.message.Message"
        body = field(message, "body")
        assert (body["class"], body["length"], body["value"]) == ("byte[]", want["body_bytes"], None)
        array = shown(body["object_id"])
        assert (array["length"], array["elements"]) == (want["body_bytes"], [])
        # The thread that works on it is on one of its paths, the map of its queue on another.
        fields = {leaf["field"] for leaf in leaves(message["paths"])}
        assert "java.util.TreeMap$Entry.value" in fields
        assert "never shown" in text(body["object_id"])


@CHECK
def test_merged_paths_lead_to_all_instances(shown: Shown) -> None:
    for name in (QUEUE, MESSAGE, "java.util.HashMap", "byte[]"):
        one = shown(name)
        assert sum(step["instances"] for step in one["paths"]) <= one["reachable_instances"]
        assert sum(step["retained_bytes"] for step in one["paths"]) <= one["retained_bytes"]
        assert sum(leaf["instances"] for leaf in leaves(one["paths"])) <= one["reachable_instances"]
        weights = [step["retained_bytes"] for step in one["paths"]]
        assert weights == sorted(weights, reverse=True)
        for step in one["paths"]:
            assert step["root"] is not None
    assert {leaf["class"] for leaf in leaves(shown(QUEUE)["paths"])} == {QUEUE}
    assert sum(step["instances"] for step in shown(QUEUE)["paths"]) == 3


@CHECK
def test_retained_of_a_class_is_what_the_histogram_says(
    shown: Shown, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    run(["heap", str(STUCK / "dump.hprof.gz"), "--format", "json"])
    rows = {row["name"]: row for row in json.loads(capsysbinary.readouterr().out)["heap"]["classes"]}
    for name in (QUEUE, "java.util.HashMap", "byte[]", "java.lang.Thread", "java.lang.Class"):
        one = shown(name)
        for key in ("instances", "shallow_bytes", "retained_bytes", "loaders"):
            assert one[key] == rows[name][key]


def test_statics_of_a_class(shown: Shown, text: Callable[..., str]) -> None:
    one = shown(QUEUE)
    assert {static["name"]: static["value"] for static in one["statics"]}["PULL_MAX_IDLE_TIME"] == 120000
    mirror = shown(one["class_ids"][0])
    assert (mirror["class"], mirror["label"]) == ("java.lang.Class", f"class {QUEUE}")
    assert mirror["statics"] == one["statics"]
    assert "PULL_MAX_IDLE_TIME" in text(one["class_ids"][0])


@CHECK
def test_subclasses_when_asked_for(shown: Shown) -> None:
    plain, all_of_them = shown("MessageExt"), shown("MessageExt", "--subclasses")
    assert plain["instances"] == 0
    assert plain["subclasses"] == [{"name": MESSAGE, "instances": 2}]
    assert all_of_them["instances"] == 2
    assert all_of_them["retained_bytes"] == shown(MESSAGE)["retained_bytes"]


@CHECK
def test_ids_in_every_form(shown: Shown) -> None:
    object_id = shown(QUEUE)["largest"][0]["object_id"]
    for form in (object_id, object_id.upper().replace("0X", "0x"), object_id[2:], str(int(object_id, 16))):
        assert shown(form)["object_id"] == object_id


@CHECK
def test_in_words(text: Callable[..., str], shown: Shown) -> None:
    out = text("ProcessQueue")
    assert out.splitlines()[0] == QUEUE
    for part in (
        "instances     3\n",
        " B, these objects alone\n",
        ", which would be free without them",
        "Paths from GC roots to 3 instances",
        "processQueueTable:",
        "Instances by retained",
    ):
        assert part in out
    queue = text(shown(QUEUE)["largest"][0]["object_id"])
    for part in (
        "Fields\n",
        "msgTreeMap                  java.util.TreeMap 0x",
        ", 2 entries",
        "Referred to by",
    ):
        assert part in queue
    assert text("byte[]").splitlines()[0] == "byte[]"


def test_a_thread_is_named_and_dominates_its_locals(shown: Shown, truth: Any) -> None:
    names = {each["thread"] for each in truth["in_hand"]}
    threads = shown("java.lang.Thread", "--limit", "1000")["largest"]
    stuck = [row for row in threads if row["label"] in names]
    assert len(stuck) == len(names)
    one = shown(stuck[0]["object_id"])
    assert (one["root"], one["label"]) == ("thread", stuck[0]["label"])
    request = shown("ConsumeMessageConcurrentlyService$ConsumeRequest")["largest"]
    holders = [holder for row in request for holder in shown(row["object_id"])["dominators"][:1]]
    assert {holder["label"] for holder in holders} == names
    assert {holder["field"] for holder in holders} == {"local variable"}


@one_in_each_run(4)
@pytest.mark.parametrize(
    "folder",
    one_in(5, sorted(path.parent for path in HEAPS.glob("*/dump.hprof.gz")), name=lambda path: path.name),
)
def test_every_dump(folder: Path) -> None:
    """Old clients, relocated ones, other JVMs and dumps of other writers."""
    heap = open_heap(str(folder / "dump.hprof.gz"))
    names = [name for name in heap.classes.names if name.endswith(".client.impl.consumer.ProcessQueue")]
    one = show_class(heap, names[0] if names else "java.lang.Thread")
    assert one.instances == heap.instances(heap.classes.indices_named(one.name), subclasses=False).size
    assert one.instances >= one.reachable_instances >= len(one.paths) > 0
    assert one.retained_bytes >= one.largest[0].retained_bytes > 0
    node = find_target(heap, one.largest[0].object_id)
    assert isinstance(node, int)
    queue = show_object(heap, node)
    assert (queue.class_name, queue.retained_bytes) == (one.name, one.largest[0].retained_bytes)
    assert queue.fields
    assert queue.paths
    for found in (ShownFacts(object=queue), ShownFacts(class_=one)):
        out = renderer("text")(Report(mqdiag="0", inputs=(), show=found), View())
        assert too_wide(out) == []
