"""One Spark task: one incident to one result, whatever the evidence does."""

from __future__ import annotations

import atexit
import itertools
import os
import time
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from mqdiag import __version__
from mqdiag.errors import MqdiagError, first_line
from mqdiag.fleet.files.file_names import kinds_of_name
from mqdiag.fleet.files.incidents import IncidentFile, hash_of
from mqdiag.fleet.files.instances import INSTANCE_LABELS
from mqdiag.fleet.files.storage import storage, without_options
from mqdiag.fleet.options import Limits
from mqdiag.fleet.tables.schemas import TABLES
from mqdiag.fleet.work.analyse import Request
from mqdiag.fleet.work.child import WarmChild
from mqdiag.fleet.work.item import Job, WorkItem
from mqdiag.fleet.work.kept_facts import facts_path
from mqdiag.fleet.work.loss import Lost, NotAnalysed
from mqdiag.fleet.work.results import Result, count_try, read_result, write_result
from mqdiag.fleet.work.rows import Row, Rows, failure_row
from mqdiag.fleet.work.scratch import executor_folder, fetch, scratch_folder, wait_for_room
from mqdiag.fleet.work.shares import shares, shares_of
from mqdiag.language import english
from mqdiag.text import say

ATTEMPTS = 3
"""an incident that has ended so many executors or Python workers is not tried again"""
TASK_ITEMS = 16
"""small incidents that one task analyses; a larger one is a task of its own"""
PASSING = frozenset({"killed", "lost", "no-room", "fault"})
"""failures that the next run tries again"""
BY_LIMIT = frozenset({"too-large", "memory", "time"})
"""failures that other limits could help"""
ROOM_PATIENCE_S = 30.0
FACTS = "mqdiag-facts"
"""name of a file in the scratch folder"""
_children: dict[Limits, WarmChild] = {}


def run_item(item: WorkItem, job: Job, attempt: int = 0) -> bool:
    """Analyse an incident and keep its result, unless it is there already.

    Args:
        item: the incident.
        job: the run.
        attempt: of the Spark task; an incident that each time takes the executor with it is given up.

    Returns:
        False when nothing could be read.
    """
    store, out = storage(job.out)
    done = read_result(store, out, item.incident)
    if done is None or (done.again and done.run != job.run):
        # The first attempt is not counted in files, as nearly all incidents have no other.
        if attempt and 1 + count_try(store, out, job.run, item.incident) >= ATTEMPTS:
            done = _given_up(item, job)
        else:
            done = _tried(item, job)
        write_result(store, out, item.incident, done)
    return bool(done.rows["incidents"][0]["status"] != "failed")


def _tried(item: WorkItem, job: Job) -> Result:
    """The result; where something kills the process, most often for want of memory, of a second try with all of it."""
    folder = executor_folder(None) / "mqdiag-shares"
    for count, is_last in ((shares_of(item, job), False), (job.cores, True)):
        with shares(folder, count, job.cores):
            started = time.monotonic()
            rows, lost = _analysed(item, job, count, is_last=is_last)
            elapsed_ms = int((time.monotonic() - started) * 1000)
        if is_last or all(one.kind != "killed" for one in lost):
            break
    return _result(item, job, rows, lost, elapsed_ms)


def _given_up(item: WorkItem, job: Job) -> Result:
    reason = say("its executor was lost {attempts:count} times while it was analysed", attempts=ATTEMPTS)
    return _result(item, job, None, [Lost(file=file, kind="crash", reason=reason) for file in item.files], 0)


def _analysed(item: WorkItem, job: Job, shares: int, *, is_last: bool) -> tuple[Rows | None, list[Lost]]:
    """Rows of what could be read; a file that ends the analysis is left out and the rest tried again."""
    files, lost = list[IncidentFile](), list[Lost]()
    limit = job.limits.input_bytes
    for file in item.files:
        if file.error:
            lost.append(Lost(file=file, kind="unreadable", reason=say("{error}", error=file.error)))
        elif file.bytes > limit:
            told = "has {bytes:bytes}, more than the {limit:bytes} that an input may have"
            lost.append(Lost(file=file, kind="too-large", reason=say(told, bytes=file.bytes, limit=limit)))
        else:
            files.append(file)
    limits = replace(job.limits, memory_bytes=shares * job.limits.memory_bytes)
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(scratch_folder(job.scratch))
        except OSError as error:
            reason = say("no scratch folder: {reason}", reason=str(error.strerror or error))
            return None, [*lost, *(Lost(file=file, kind="no-room", reason=reason) for file in files)]
        if not lost and (rows := _judged(item, job, limits, folder)) is not None:
            return rows, lost
        paths, unfetched = _fetched(files, folder, job.limits)
        lost += unfetched
        while paths:
            request = replace(
                _request(job, folder, {path: file.uri for path, file in paths.items()}),
                lost=tuple(one.file.uri for one in lost),
            )
            if job.reading is not None and not lost:
                request = replace(request, keep=str(folder / FACTS))
            try:
                rows = warm_child(limits).analyse(request)
                _keep(item, job, folder, rows)
                return rows, lost
            except NotAnalysed as failure:
                path, largest = max(paths.items(), key=lambda pair: pair[1].bytes)
                lost.append(Lost(file=largest, kind=failure.kind, reason=failure.reason))
                del paths[path]
                if failure.kind == "killed" and not is_last:
                    break
            except MqdiagError as error:
                # The node cannot analyse anything; Spark tries another one.
                raise RuntimeError(str(error)) from error
    return None, lost


def _request(job: Job, folder: Path, paths: dict[str, str]) -> Request:
    return Request(
        paths=paths,
        settings=job.settings,
        classes=job.limits.classes,
        scratch=str(folder),
        redact=job.redact,
    )


def _judged(item: WorkItem, job: Job, limits: Limits, folder: Path) -> Rows | None:
    """Rows by the facts of an earlier run; None where there are none, or they are of no use."""
    if job.reading is None or job.again:
        return None
    store, out = storage(job.out)
    key = _facts_key(item, job.reading)
    kept = folder / FACTS
    try:
        kept.write_bytes(store.read(facts_path(out, key)))
        rows = warm_child(limits).analyse(replace(_request(job, folder, {}), kept=str(kept)))
    except (OSError, NotAnalysed):
        kept.unlink(missing_ok=True)
        return None
    rows["incidents"][0]["facts"] = key
    return rows


def _keep(item: WorkItem, job: Job, folder: Path, rows: Rows) -> None:
    """Put the facts beside the tables, if the analysis left any; without them the next run reads the evidence."""
    kept = folder / FACTS
    if job.reading is None or not kept.exists():
        return
    store, out = storage(job.out)
    key = _facts_key(item, job.reading)
    store.write(facts_path(out, key), kept.read_bytes(), durable=False)
    rows["incidents"][0]["facts"] = key


def _facts_key(item: WorkItem, reading: str) -> str:
    """Facts name their files, so those of moved evidence are others."""
    return hash_of(reading, item.evidence, *(file.uri for file in item.files))


def _fetched(
    files: list[IncidentFile], folder: Path, limits: Limits
) -> tuple[dict[str, IncidentFile], list[Lost]]:
    """Files by their path on this machine: local ones where they are, others in the scratch folder."""
    paths: dict[str, IncidentFile] = {}
    lost = []
    for place, file in enumerate(files):
        target = folder / f"{place}-{os.path.basename(without_options(file.uri))[-100:]}"
        try:
            store, path = storage(file.uri)
            if store.is_local:
                # It was a file when it was listed: a pipe would be waited for, and a folder read as evidence.
                if os.path.exists(path) and not os.path.isfile(path):
                    raise OSError(f"{path} is not a regular file")
                paths[path] = file
                continue
            wait_for_room(folder, file.bytes, ROOM_PATIENCE_S)
            fetch(store, path, target, limits.input_bytes)
        except NotAnalysed as error:
            lost.append(Lost(file=file, kind=error.kind, reason=error.reason))
        except OSError as error:
            reason = say("could not be fetched: {reason}", reason=first_line(error))
            lost.append(Lost(file=file, kind="lost", reason=reason))
        else:
            paths[str(target)] = file
            continue
        target.unlink(missing_ok=True)
    return paths, lost


def warm_child(limits: Limits) -> WarmChild:
    """The child of this Python worker, which Spark keeps for the next task."""
    if limits not in _children:
        for other in _children.values():
            other.close()
        _children.clear()
        _children[limits] = WarmChild(limits)
        atexit.register(_children[limits].close)
    return _children[limits]


def _result(item: WorkItem, job: Job, rows: Rows | None, lost: list[Lost], elapsed_ms: int) -> Result:
    rows = rows if rows is not None else {"incidents": [{"status": "failed", "mqdiag": __version__}]}
    rows = {table: rows.get(table, []) for table in TABLES}
    (incident,) = rows["incidents"]
    for one in lost:
        rows["inputs"].append(
            {"path": one.file.uri, "bytes": one.file.bytes, "complete": False, "error": english()(one.reason)}
        )
        rows["failures"].append(
            failure_row(one.file.uri, one.kind, one.reason, one.file.bytes, kinds_of_name(one.file.uri))
        )
    if lost and incident["status"] == "ok":
        incident["status"] = "incomplete"
    contents = {file.uri: content for file, content in zip(item.files, item.contents, strict=True)}
    for row in rows["inputs"]:
        row["fingerprint"] = contents.get(row["path"])
    kinds = {row["kind"] for row in rows["failures"]}
    incident |= {
        "analysed_in": job.run,
        "analysed_at": datetime.now(UTC),
        "again": not kinds.isdisjoint(PASSING),
        "limits": limits_text(job.limits) if not kinds.isdisjoint(BY_LIMIT) else None,
        "listing": item.listing,
        "evidence": item.evidence,
        "heads": list(item.heads),
        "revision": item.revision,
        "labels": {name: value for name, value in item.labels if name not in INSTANCE_LABELS},
        "settings": job.settings_hash,
        "files": len(item.files),
        "bytes": item.bytes,
        "analysis_ms": elapsed_ms,
    }
    _add_leading(rows, item)
    return Result(run=job.run, again=incident["again"], rows=rows)


def limits_text(limits: Limits) -> str:
    """The limits that a failure depends on."""
    return f"memory={limits.memory_bytes} time={limits.time_s:g} input={limits.input_bytes}"


def _add_leading(rows: Rows, item: WorkItem) -> None:
    start: datetime | None = None
    if item.window_start_ns is not None:
        start = datetime.fromtimestamp(item.window_start_ns / 1e9, UTC)
    leading: Row = {
        "incident": item.incident,
        "environment": item.environment,
        "service": item.service,
        "host": item.host,
        "workload": item.workload,
        "replica": item.replica,
        "window_start": start,
    }
    for row in itertools.chain.from_iterable(rows.values()):
        row.update(leading)
    for row in (*rows["inputs"], *rows["failures"]):
        # The options behind a URI tell of an endpoint, not of the evidence.
        if row["path"] is not None:
            row["path"] = without_options(row["path"])
