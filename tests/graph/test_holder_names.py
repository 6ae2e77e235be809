"""Names of holders that several objects or threads share: structures linked by hand, pools, inherited thread locals."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts.heap_classes import Suspect
from mqdiag.graph.suspects import suspects
from tests.graph.opening import heap_of
from tests.writers.hprof_records import BYTE, INT, JAVA_FRAME, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter, JavaClass
from tests.writers.java_objects import JavaObjects

PARTS = 40
PART_BYTES = bytes(4096)


def _largest(dump: DumpWriter, folder: Path) -> Suspect:
    return suspects(heap_of(dump, folder), lambda name: False)[0]


def _static(dump: DumpWriter, name: str, field: str, held: int) -> None:
    holder = dump.java_class(name, statics={field: (OBJECT, held)}, superclass=dump.known("java/lang/Object"))
    dump.root(STICKY_CLASS, holder.id)


def _own_class(dump: DumpWriter, name: str, **fields: int) -> JavaClass:
    return dump.java_class(name, fields=fields, superclass=dump.known("java/lang/Object"))


def test_a_tree_is_named_by_the_field_that_holds_its_root(tmp_path: Path) -> None:
    dump = DumpWriter()
    letter = _own_class(dump, "com/acme/Letter", children=OBJECT, text=OBJECT)
    leaves = [dump.instance(letter, text=dump.primitive_array(BYTE, PART_BYTES)) for _ in range(PARTS)]
    children = dump.object_array(dump.java_class("[Lcom/acme/Letter;"), leaves)
    _static(dump, "com/acme/Suggestions", "ROOT", dump.instance(letter, children=children))
    assert _largest(dump, tmp_path).label == "com.acme.Suggestions.ROOT"


def test_a_field_with_other_objects_is_named_itself(tmp_path: Path) -> None:
    dump = DumpWriter()
    page, book = _own_class(dump, "com/acme/Page", text=OBJECT), _own_class(dump, "com/acme/Book", pages=OBJECT)
    leaves = [dump.instance(page, text=dump.primitive_array(BYTE, PART_BYTES)) for _ in range(PARTS)]
    pages = dump.object_array(dump.java_class("[Lcom/acme/Page;"), leaves)
    _static(dump, "com/acme/Shelf", "FIRST", dump.instance(book, pages=pages))
    assert _largest(dump, tmp_path).label == "com.acme.Book.pages"


def test_tasks_of_the_common_pool_are_its_queue_whoever_has_it_in_a_frame(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    supplier = _own_class(dump, "com/acme/Thumbnail", image=OBJECT)
    task = dump.known("java/util/concurrent/CompletableFuture$AsyncSupply", fn=OBJECT)
    queue = dump.known("java/util/concurrent/ForkJoinPool$WorkQueue", array=OBJECT, owner=OBJECT)
    worker = dump.known("java/util/concurrent/ForkJoinWorkerThread", name=OBJECT)
    pool = dump.known("java/util/concurrent/ForkJoinPool", queues=OBJECT)
    tasks = [
        dump.instance(task, fn=dump.instance(supplier, image=dump.primitive_array(BYTE, PART_BYTES)))
        for _ in range(PARTS)
    ]
    array = dump.object_array(dump.java_class("[Ljava/util/concurrent/ForkJoinTask;"), tasks)
    thread = dump.instance(worker, name=java.string("ForkJoinPool.commonPool-worker-1"))
    one = dump.instance(queue, array=array, owner=thread)
    queues = dump.object_array(dump.java_class("[Ljava/util/concurrent/ForkJoinPool$WorkQueue;"), [0, one])
    made = dump.instance(pool, queues=queues)
    pool.statics["common"] = (OBJECT, made)
    dump.root(STICKY_CLASS, pool.id)
    dump.thread(thread, 1, [dump.frame(supplier, "get", "Thumbnail.java", 20)])
    dump.local(one, 1, 0, JAVA_FRAME)
    largest = _largest(dump, tmp_path)
    assert (largest.kind, largest.label) == ("pool-queue", "ForkJoinPool.commonPool")
    assert (largest.entries, largest.entry_classes) == (PARTS, (f"com.acme.Thumbnail: {PARTS}",))
    assert largest.thread == "ForkJoinPool.commonPool-worker-*"


@pytest.mark.parametrize(
    ("task", "owner"),
    [("org/apache/rocketmq/remoting/netty/RequestTask", "rocketmq"), ("com/acme/Order", "application")],
)
def test_requests_before_a_pool_of_a_broker_are_its_own_whoever_keeps_them(
    task: str, owner: str, tmp_path: Path
) -> None:
    """Software that runs a broker inside has it in a frame of its own."""
    dump = DumpWriter()
    java = JavaObjects(dump)
    request = _own_class(dump, task, body=OBJECT)
    requests = [
        dump.instance(request, body=dump.primitive_array(BYTE, PART_BYTES * (1 + place % 3)))
        for place in range(PARTS)
    ]
    queue = java.linked_blocking_queue(requests)
    executor_class = dump.known("java/util/concurrent/ThreadPoolExecutor", workQueue=OBJECT, workers=OBJECT)
    executor = dump.instance(executor_class, workQueue=queue, workers=0)
    fields = {"sendThreadPoolQueue": OBJECT, "sendMessageExecutor": OBJECT}
    controller = _own_class(dump, "org/apache/rocketmq/broker/BrokerController", **fields)
    broker = dump.instance(controller, sendThreadPoolQueue=queue, sendMessageExecutor=executor)
    service = _own_class(dump, "com/acme/Embedded")
    dump.thread(java.thread("main"), 1, [dump.frame(service, "main", "Embedded.java", 12)])
    dump.local(broker, 1, 0, JAVA_FRAME)
    dump.thread(java.thread("SendMessageThread_1"), 2, [dump.frame(executor_class, "getTask", "T.java", 1)])
    dump.local(executor, 2, 0, JAVA_FRAME)
    largest = suspects(heap_of(dump, tmp_path), lambda name: name.startswith("org.apache.rocketmq."))[0]
    assert (largest.kind, largest.entries, largest.owner) == ("pool-queue", PARTS, owner)
    assert largest.label == "org.apache.rocketmq.broker.BrokerController.sendMessageExecutor"


def test_a_value_that_threads_inherited_is_named_by_its_thread_local(tmp_path: Path) -> None:
    dump = DumpWriter()
    local = dump.known("java/lang/InheritableThreadLocal")
    thread_class = dump.known("java/lang/Thread", inheritableThreadLocals=OBJECT)
    values = dump.known("java/lang/ThreadLocal$ThreadLocalMap", table=OBJECT)
    reference = dump.known("java/lang/ref/Reference", referent=OBJECT)
    entry = dump.java_class(
        "java/lang/ThreadLocal$ThreadLocalMap$Entry", fields={"value": OBJECT}, superclass=reference
    )
    key = dump.instance(local)
    _static(dump, "com/acme/RequestContext", "CURRENT", key)
    parts = [dump.primitive_array(BYTE, PART_BYTES) for _ in range(PARTS)]
    value = dump.object_array(dump.java_class("[Ljava/lang/Object;"), parts)
    for serial in (1, 2, 3):
        own = dump.instance(entry, referent=key, value=value)
        table = dump.object_array(dump.java_class("[Ljava/lang/ThreadLocal$ThreadLocalMap$Entry;"), [own])
        inherited = dump.instance(values, table=table)
        dump.thread(dump.instance(thread_class, inheritableThreadLocals=inherited), serial)
    largest = _largest(dump, tmp_path)
    assert (largest.kind, largest.label) == ("thread-local", "com.acme.RequestContext.CURRENT")
    assert largest.threads == 3


@pytest.mark.parametrize(
    ("class_name", "field", "label"),
    [
        ("java/sql/DriverManager", "registeredDrivers", "java.sql.DriverManager.registeredDrivers"),
        ("java/lang/ClassLoader", "scl", "java.lang.Object[]"),
        ("jdk/internal/misc/VM", "savedProps", "java.lang.Object[]"),
    ],
)
def test_a_static_field_of_the_jdk_is_named_where_applications_fill_it(
    class_name: str, field: str, label: str, tmp_path: Path
) -> None:
    dump = DumpWriter()
    parts = [dump.primitive_array(BYTE, PART_BYTES) for _ in range(PARTS)]
    _static(dump, class_name, field, dump.object_array(dump.known("[Ljava/lang/Object;"), parts))
    assert _largest(dump, tmp_path).label == label


def test_classes_of_the_application_inside_are_told(tmp_path: Path) -> None:
    dump = DumpWriter()
    invoice = _own_class(dump, "com/acme/Invoice", scan=OBJECT)
    invoices = [dump.instance(invoice, scan=dump.primitive_array(BYTE, PART_BYTES)) for _ in range(PARTS)]
    _static(dump, "com/acme/Job", "ROWS", dump.object_array(dump.known("[Ljava/lang/Object;"), invoices))
    assert _largest(dump, tmp_path).own_inside == (f"com.acme.Invoice: {PARTS}",)


@pytest.mark.parametrize(("second_index", "named"), [(2, {"com.acme.Codec.SCRATCH"}), (1, set())])
def test_a_value_of_a_thread_of_netty_is_named_by_its_key(
    second_index: int, named: set[str], tmp_path: Path
) -> None:
    """Each key has an index; two copies of Netty may give the same one twice."""
    dump = DumpWriter()
    key_class = dump.known("io/netty/util/concurrent/FastThreadLocal", index=INT)
    values = dump.known("io/netty/util/internal/InternalThreadLocalMap", indexedVariables=OBJECT)
    thread_class = dump.known("io/netty/util/concurrent/FastThreadLocalThread", threadLocalMap=OBJECT)
    _static(dump, "com/acme/Codec", "SCRATCH", dump.instance(key_class, index=1))
    _static(dump, "com/acme/Other", "SECOND", dump.instance(key_class, index=second_index))
    unset = dump.instance(dump.known("java/lang/Object"))
    for serial in range(1, PARTS):
        slots = [unset, dump.primitive_array(BYTE, PART_BYTES), unset]
        own = dump.instance(
            values, indexedVariables=dump.object_array(dump.known("[Ljava/lang/Object;"), slots)
        )
        dump.thread(dump.instance(thread_class, threadLocalMap=own), serial)
    labels = {one.label for one in suspects(heap_of(dump, tmp_path), lambda name: False)}
    assert labels & {"com.acme.Codec.SCRATCH", "com.acme.Other.SECOND"} == named
