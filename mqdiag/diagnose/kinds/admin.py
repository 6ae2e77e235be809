"""Output of mqadmin: consumerProgress, consumerStatus, brokerStatus, clusterList, topicStatus."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.facts import AdminFacts, Input
from mqdiag.progress import Progress
from mqdiag.read.admin.reader import is_admin_output, read_admin

NOTHING = "looks like mqadmin output, but no line of it could be read"
COMMANDS = {
    "groups": "consumerProgress",
    "overview": "consumerProgress",
    "broker_statuses": "brokerStatus",
    "brokers": "clusterList",
    "consumers": "consumerStatus",
    "clients": "consumerStatus",
    "topic_queues": "topicStatus",
}


def _recognise(piece: Piece) -> bool:
    return piece.is_text and not piece.packed and is_admin_output(piece.head)


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    merged: dict[str, tuple[object, ...]] = {}
    for piece in pieces:
        with open(piece.path, encoding="utf-8", errors="replace") as lines:
            own = msgspec.structs.asdict(read_admin(piece.name, lines))
        there = {name: rows for name, rows in own.items() if rows}
        if not there:
            found.inputs.append(Input(path=piece.name, kind="admin", bytes=piece.size_bytes, skipped=NOTHING))
            continue
        commands = dict.fromkeys(COMMANDS[name] for name in there)
        found.inputs.append(
            Input(
                path=piece.name,
                kind="admin",
                format=f"mqadmin {', '.join(commands)}",
                bytes=piece.size_bytes,
            )
        )
        merged |= {name: merged.get(name, ()) + rows for name, rows in there.items()}
    if merged:
        found.shared["admin"] = msgspec.convert(merged, AdminFacts, from_attributes=True)
    return found


KIND = EvidenceKind(name="admin", recognise=_recognise, read=_read, sole=True)
