"""What is to be done: from the listing to incidents, less those whose result is there already."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import msgspec
from pyspark import SparkContext

from mqdiag.config import Settings
from mqdiag.fleet.files.fingerprints import content_fingerprint, head_fingerprint
from mqdiag.fleet.files.incidents import Incident, hash_of, label_parts
from mqdiag.fleet.files.listing import EvidenceFile
from mqdiag.fleet.tables.earlier import known_incidents
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.tables.schemas import SCHEMA_VERSION
from mqdiag.fleet.work.item import WorkItem
from mqdiag.fleet.work.tool_hash import tool_hash
from mqdiag.fleet.work.worklist import WorkList

FINGERPRINTED_AT_ONCE = 20_000
"""incidents of one Spark job: their items, about 1 KB each, come back to the driver together"""
TASKS_PER_CORE = 4
"""reading a few blocks of many files is waiting for a disk or a store, and not equally long for all"""


def settings_hash(settings: Settings, *, redact: bool = False) -> str:
    """What a result depends on besides the evidence: code, tables, expectations, thresholds, what is hidden."""
    told = (
        tool_hash(),
        SCHEMA_VERSION,
        settings.expectations,
        settings.heap_limit,
        sorted((name, sorted(limits.items())) for name, limits in settings.limits.items()),
        sorted(settings.severities.items()),
        sorted(settings.ignored),
        redact,
        *(() if settings.team is None else (settings.team,)),
    )
    return hashlib.blake2b(msgspec.json.encode(told), digest_size=8).hexdigest()


def plan(
    context: SparkContext,
    layout: Layout,
    files: Iterable[EvidenceFile],
    work: WorkList,
    *,
    window_s: float,
    settings: str,
    limits: str,
    again: bool = False,
) -> None:
    """Group the listed files and set aside what is done.

    Args:
        context: of the session.
        layout: the output with the earlier runs.
        files: the listing.
        work: empty; afterwards it has what is to be done and what is known.
        window_s: see `incidents`.
        settings: hash that results must have been made with.
        limits: limits of this run; a failure by the same limits is not tried again.
        again: take nothing for known.
    """
    work.add_files(files)
    if not again:
        work.add_known(known_incidents(layout, layout.runs(), settings=settings, limits=limits))
    work.group(window_s)

    def keyed(incident: str) -> bytes:
        """Read enough of each file to know it again under any name."""
        one = msgspec.json.decode(incident, type=Incident)
        contents = [content_fingerprint(file) for file in one.files]
        heads = [head for file in one.files if (head := head_fingerprint(file)) is not None]
        return msgspec.json.encode(work_item(one, contents, settings, heads))

    for batch in work.fresh(FINGERPRINTED_AT_ONCE):
        tasks = min(len(batch), context.defaultParallelism * TASKS_PER_CORE)
        context.setJobDescription("mqdiag: know incidents by their content")
        found = context.parallelize(batch, tasks).map(keyed).collect()
        work.add(msgspec.json.decode(item, type=WorkItem) for item in found)


def work_item(one: Incident, contents: Sequence[str], settings: str, heads: Sequence[str] = ()) -> WorkItem:
    """An incident with its keys: of its evidence, wherever the files lie, and of its result.

    Args:
        one: the incident.
        contents: fingerprints of its files.
        settings: hash of what it is analysed with.
        heads: fingerprints of the first bytes of its files.
    """
    evidence = (one.environment, one.service, one.host, *label_parts(one.labels), *sorted(contents))
    return WorkItem(
        **msgspec.structs.asdict(one),
        contents=tuple(contents),
        heads=tuple(heads),
        evidence=hash_of(*evidence),
        incident=hash_of(settings, *evidence),
    )
