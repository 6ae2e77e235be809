"""The tables of a fleet run: names, columns, types and meanings. docs/fleet-tables.md is made from this file.

Plain values only, so that the process which makes the rows needs no pyarrow; `arrow` turns them into schemas.
"""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA_VERSION = 2
"""written into every file as `mqdiag.schema_version`; raised when a column goes or changes its meaning"""

RUN, DAY = "run", "day"
"""columns in the names of folders: run=r20261122-020000/day=2026-11-21"""
UNKNOWN_DAY = "unknown"
"""the day of incidents without a time"""


@dataclass(frozen=True)
class Column:
    """One column; every one can be null, which means unknown or not applicable."""

    name: str
    type: str
    """string, int64, double, bool, timestamp, list (of strings) or map (string to string)"""
    meaning: str
    field: str = ""
    """the field of the facts that it holds, if that has another name"""


SPARK_TYPES = {
    "string": "string",
    "int64": "bigint",
    "double": "double",
    "bool": "boolean",
    "timestamp": "timestamp",
    "list": "array<string>",
    "map": "map<string,string>",
}
"""names of the types of columns, as Spark writes them"""

LEADING = (
    Column("incident", "string", "key of the incident: labels, contents, tool version and settings"),
    Column("environment", "string", 'label; "" where none was given'),
    Column("service", "string", "label"),
    Column("host", "string", "label"),
    Column("window_start", "timestamp", "time of the incident's first file, from its label or its own time"),
)


@dataclass(frozen=True)
class Table:
    """One table."""

    name: str
    meaning: str
    own: tuple[Column, ...]
    leading: tuple[Column, ...] = LEADING
    partitions: tuple[str, ...] = (RUN, DAY)
    """columns in the names of its folders, outermost first"""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The leading columns, then its own."""
        return self.leading + self.own


_INT, _STR, _BOOL, _REAL = "int64", "string", "bool", "double"

INCIDENTS = Table(
    "incidents",
    "one row for each incident of each run: those analysed in it, and those that an earlier run had done already",
    (
        Column("analysed_in", _STR, "run that analysed it: its partitions have the incident's rows"),
        Column("analysed_at", "timestamp", "when it was analysed"),
        Column("status", _STR, "ok, incomplete (an input was cut or unreadable) or failed (nothing was read)"),
        Column("again", _BOOL, "true when a later run tries it again: the evidence was not at fault"),
        Column("limits", _STR, "limits under which it failed; null when it did not fail for a limit"),
        Column("listing", _STR, "hash of what the listing told of the files"),
        Column(
            "evidence",
            _STR,
            "hash of labels and contents, the same after a move or another analysis; null in rows of older versions",
        ),
        Column("settings", _STR, "hash of tool version and settings"),
        Column("mqdiag", _STR, "tool version"),
        Column("files", _INT, "number of files"),
        Column("bytes", _INT, "their size"),
        Column("kinds", "list", "heap, stacks, log: what was read"),
        Column("checked", "list", "rules that had their evidence and ran to the end"),
        Column(
            "lowered",
            "list",
            "the rule of each error and warning that the configuration lowered, ignored or kept from being found",
        ),
        Column("findings", _INT, "number of findings"),
        Column("worst", _STR, "severity of the worst finding"),
        Column("heap_bytes", _INT, "limit of the JVM's heap"),
        Column("shallow_bytes", _INT, "reachable bytes of the dump"),
        Column("objects", _INT, "reachable objects"),
        Column("messages", _INT, "reachable messages"),
        Column("body_bytes", _INT, "their bodies"),
        Column("analysis_ms", _INT, "time that the analysis took"),
    ),
    # Each run has a row for every incident, whenever it was: a folder a day would be thousands of files with few rows.
    partitions=(RUN,),
)

INPUTS = Table(
    "inputs",
    "one row for each evidence file",
    (
        Column("path", _STR, "path or URI, without the options of an endpoint"),
        Column("fingerprint", _STR, "hash of size and content"),
        Column("kind", _STR, "heap, stacks or log; null when it could not be told"),
        Column("format", _STR, "format version and compression"),
        Column("bytes", _INT, "size as it lies there"),
        Column("captured_at", "timestamp", "time from the evidence itself"),
        Column("captured_at_local", _STR, "its time as text where it has no zone"),
        Column("complete", _BOOL, "false when it is cut, partly corrupt or not readable"),
        Column("error", _STR, "why nothing could be read"),
        Column("skipped", _STR, "why it is no evidence"),
        Column("stopped_at_byte", _INT, "where reading stopped"),
        Column("problem", _STR, "what was wrong there"),
    ),
)

FINDINGS = Table(
    "findings",
    "one row for each finding of an incident",
    (
        Column("rule", _STR, "the rule's name"),
        Column("severity", _STR, "error, warning or info"),
        Column("severity_rank", _INT, "0 for an error, 1 for a warning, 2 for the rest: an order to sort by"),
        Column("cause", _STR, "one of the causes of the rule's page"),
        Column("confidence", _STR, "high, medium or low"),
        Column("fingerprint", _STR, "identity of the fault over dumps and hosts"),
        Column("title", _STR, "the finding in one sentence"),
        Column("consumer_group", _STR, "consumer group that it is about", field="group"),
        Column("topic", _STR, "topic that it is about"),
        Column("broker", _STR, "broker that it is about"),
        Column("queue_id", _INT, "queue that it is about"),
        Column("thread", _STR, "thread that it is about"),
        Column("weight", _REAL, "share of heap or threads explained"),
        Column("position", _INT, "place in the incident's report, 0 for the verdict"),
        Column("caused_by", "list", "fingerprints of the findings that explain it"),
        Column("document", _STR, "the whole finding as JSON: evidence, explanation, remedy"),
    ),
)

CONSUMERS = Table(
    "consumers",
    "one row for each consumer object of a heap dump",
    (
        Column("consumer_group", _STR, "consumer group", field="group"),
        Column("kind", _STR, "push, lite-pull, pull or pop"),
        Column("object_id", _STR, "hexadecimal id in the dump"),
        Column("client_id", _STR, "as the broker knows it"),
        Column("client_version", _STR, "RocketMQ client"),
        Column("message_model", _STR, "CLUSTERING or BROADCASTING"),
        Column("orderly", _BOOL, "orderly listener"),
        Column("queues", _INT, "ProcessQueues"),
        Column("messages", _INT, "messages in them"),
        Column("body_bytes", _INT, "bodies of those"),
        Column("retained_bytes", _INT, "what goes with its queues, messages and requests"),
        Column("bound_bytes", _INT, "what its thresholds allow"),
        Column("bound_max_bytes", _INT, "the same at worst"),
        Column("bounded_queues", _INT, "queues in that sum"),
        Column("average_body_bytes", _REAL, "mean body"),
        Column("largest_body_bytes", _INT, "largest body"),
        Column("lag", _INT, "sum over its queues where it is known"),
        Column("heap_bytes", _INT, "limit of the JVM's heap"),
        Column("threshold", _INT, "pullThresholdForQueue"),
        Column("threshold_mib", _INT, "pullThresholdSizeForQueue"),
        Column("settings", "map", "every setting under its Java name, as text"),
        Column("subscriptions", "list", "subscribed topics without the group's own retry topic"),
    ),
)

QUEUES = Table(
    "queues",
    "one row for each ProcessQueue of a heap dump",
    (
        Column("consumer_group", _STR, "consumer group", field="group"),
        Column("topic", _STR, "topic"),
        Column("broker", _STR, "broker"),
        Column("queue_id", _INT, "queue"),
        Column("messages", _INT, "messages held"),
        Column("msg_count", _INT, "the queue's own count"),
        Column("msg_size", _INT, "the queue's own size"),
        Column("body_bytes", _INT, "bodies held"),
        Column("min_offset", _INT, "lowest offset held"),
        Column("max_offset", _INT, "highest offset held"),
        Column("span", _INT, "max - min"),
        Column("commit_offset", _INT, "committed offset"),
        Column("next_offset", _INT, "next offset to pull"),
        Column("lag", _INT, "messages behind, as of the last pull"),
        Column("oldest_consume_age_ms", _INT, "age of the message at the lowest offset"),
        Column("dropped", _BOOL, "dropped flag"),
        Column("locked", _BOOL, "locked flag"),
        Column("last_pull_age_ms", _INT, "since the last pull"),
        Column("last_consume_age_ms", _INT, "since the last consumption"),
    ),
)

CLASSES = Table(
    "classes",
    "the largest classes of a heap dump by shallow bytes (200; --classes)",
    (
        Column("name", _STR, "class name"),
        Column("loaders", _INT, "classes of this name"),
        Column("instances", _INT, "objects in the file"),
        Column("shallow_bytes", _INT, "their own bytes"),
        Column("retained_bytes", _INT, "what goes with them"),
    ),
)

THREADS = Table(
    "threads",
    "threads of heap dumps and of series of thread dumps",
    (
        Column("source", _STR, "heap or stacks"),
        Column("name", _STR, "thread name"),
        Column("role", _STR, "what the thread is for"),
        Column("state", _STR, "stacks: stuck, blocked, progressing, idle, unknown; heap: the JVM's state"),
        Column("pool", _STR, "thread pool"),
        Column("consumer_group", _STR, "consumer group", field="group"),
        Column("doing", _STR, "kind of wait or work"),
        Column("frame", _STR, "the application's frame nearest to the wait"),
        Column("listener", _STR, "frame of the listener"),
        Column("held_by", _STR, "thread that holds what it waits for"),
        Column("message_topic", _STR, "topic of the message in hand"),
        Column("message_queue_id", _INT, "its queue"),
        Column("message_offset", _INT, "its offset"),
        Column("message_age_ms", _INT, "since the listener got it"),
        Column("hit_out_of_memory", _BOOL, "it threw the OutOfMemoryError"),
        Column("frames", "list", "top frames, at most 30 (heap)"),
    ),
)

FAILURES = Table(
    "failures",
    "one row for each file, or whole incident, that could not be analysed",
    (
        Column("path", _STR, "path or URI; null when the whole incident failed"),
        Column(
            "kind",
            _STR,
            "unreadable, too-large, memory, time, crash, lost (not fetched), no-room (scratch is full) or fault",
        ),
        Column("reason", _STR, "one line for a person"),
        Column("bytes", _INT, "size of the input"),
        Column("document", _STR, "the reason as JSON: its template and values"),
    ),
)

RUNS = Table(
    "runs",
    "one row for each whole run",
    (
        Column("run_number", _INT, "place among the runs of this output, from 1", field="order"),
        Column("mqdiag", _STR, "tool version"),
        Column("started_at", "timestamp", "when it began"),
        Column("finished_at", "timestamp", "when its tables were written"),
        Column("incidents", _INT, "incidents that it has"),
        Column("analysed", _INT, "those that it analysed itself"),
        Column("failed", _INT, "those without any readable file"),
        Column("bytes", _INT, "size of all files"),
    ),
    leading=(),
    partitions=(RUN,),
)

TABLES = {
    table.name: table for table in (INPUTS, FINDINGS, CONSUMERS, QUEUES, CLASSES, THREADS, FAILURES, INCIDENTS)
}
"""the tables of incidents"""
BY_DAY = {name: table for name, table in TABLES.items() if DAY in table.partitions}
"""the tables of evidence, whose rows are written once, by the run that analysed them"""
ALL_TABLES = {**TABLES, RUNS.name: RUNS}
