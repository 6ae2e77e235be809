"""Output of mqadmin, and copies of the pages of a console."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind, OfProcess, within_budget
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.facts import AdminFacts, Input
from mqdiag.progress import Progress
from mqdiag.read.admin.jstack import MARK, as_thread_dump
from mqdiag.read.admin.reader import read_admin
from mqdiag.read.open.door import members
from mqdiag.read.paste import decoded
from mqdiag.read.stacks.reader import read_stacks
from mqdiag.text import Text, say
from mqdiag.threads.facts import stacks_facts

NOTHING = say("looks like mqadmin output, but no line of it could be read")
_PID = re.compile(r"@(\d{1,9})(?:#|$)")
"""a client id that nobody set, by which the files of clients are named"""
MOST_BYTES = 64 << 20
"""bytes of one file that are read; the answers of mqadmin are far shorter"""
COMMANDS = {
    "groups": "consumerProgress",
    "overview": "consumerProgress",
    "broker_statuses": "brokerStatus",
    "broker_configs": "getBrokerConfig",
    "brokers": "clusterList",
    "without_brokers": "clusterList",
    "broker_totals": "clusterList",
    "consumers": "consumerStatus",
    "consumer_connections": "consumerConnection",
    "producer_connections": "producerConnection",
    "clients": "consumerStatus",
    "topic_queues": "topicStatus",
    "routes": "topicRoute",
    "topic_rates": "statsAll",
    "replication": "haStatus",
}


def _recognise(piece: Piece) -> bool:
    return piece.is_text and piece.has_admin_output


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    merged: dict[str, tuple[object, ...]] = {}
    for piece in within_budget(pieces, "admin", progress, found):
        data, problem = _beginning(piece)
        lines = decoded(data).splitlines()
        answers = read_admin(piece.name, lines, ends_open=not data.endswith((b"\n", b"\r")))
        own = msgspec.structs.asdict(answers.facts)
        if answers.is_cut and problem is None:
            problem = say("its last answer ends in its middle")
        there = {name: rows for name, rows in own.items() if rows}
        if not there:
            found.inputs.append(piece.read_as("admin", skipped=NOTHING, pasted=int(piece.in_log)))
            continue
        commands = dict.fromkeys(COMMANDS[name] for name in there if name in COMMANDS)
        given = piece.read_as("admin", f"mqadmin {', '.join(commands)}", problem, pasted=int(piece.in_log))
        process = _threads(piece.name, lines, given)
        if process is not None:
            found.processes.append(process)
        else:
            found.inputs.append(given)
        merged |= {name: merged.get(name, ()) + rows for name, rows in there.items()}
    if merged:
        found.shared["admin"] = msgspec.convert(merged, AdminFacts, from_attributes=True)
    return found


def _beginning(piece: Piece) -> tuple[bytes, Text | None]:
    """(its first bytes, why there are no more)."""
    data = b""
    try:
        for _, chunks in members(piece.path):
            for chunk in chunks:
                data += chunk
                if len(data) >= MOST_BYTES:
                    return data[:MOST_BYTES], None
    except InputError as error:
        return data, error.without_path
    return data, None


def _threads(name: str, lines: Sequence[str], given: Input) -> OfProcess | None:
    """The JVM whose threads the file has, where it was asked for them."""
    if not any(line.startswith(MARK) for line in lines):
        return None
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as dump:
        dump.writelines(as_thread_dump(lines))
        dump.flush()
        try:
            samples = read_stacks(dump.name).samples
        except InputError:
            return None
    for sample in samples:
        sample.source = name
    pid = _PID.search(name)
    return OfProcess(inputs=(given,), stacks=stacks_facts(samples), pid=int(pid[1]) if pid else None)


KIND = EvidenceKind(name="admin", recognise=_recognise, read=_read, sole=True)
