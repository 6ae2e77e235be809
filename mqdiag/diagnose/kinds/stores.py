"""Stores of brokers: whole folders, listings of their files, and offset files that lie beside those."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind, within_budget
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.facts import Input
from mqdiag.facts.stores import StoreFacts, StoresFacts
from mqdiag.progress import Progress
from mqdiag.read.stores.config_file import NoConfig, config_text, consumer_offsets, delay_offsets, parse_config
from mqdiag.read.stores.folder import is_store_folder, read_store
from mqdiag.read.stores.listing import is_listing, read_listing
from mqdiag.read.stores.pairs import pair_stores
from mqdiag.read.stores.role import role_by_name
from mqdiag.text import say

_OFFSETS = re.compile(
    rb'"offsetTable"\s*:\s*\{\s*(?:\}|"[^"@]{1,255}@[^"]{1,255}"\s*:\s*\{|"?\d{1,3}"?\s*:\s*\d)'
)
_DELAYS = re.compile(rb'"offsetTable"\s*:\s*\{\s*"?\d')
"""delayOffset.json: progress by the number of a delay level"""
ALONE = say("has stored offsets, but there is no store folder or listing of one beside it to compare them with")


_PARTS = re.compile(r"(?:^|/)(?:(?:commitlog|consumequeue|config)/|(?:checkpoint|abort)$)")


def _keeps(member: str) -> bool:
    return _PARTS.search(member) is not None


def _recognise(piece: Piece) -> bool:
    if piece.folder:
        return is_store_folder(Path(piece.path))
    if not piece.is_text or piece.packed:
        return False
    return _is_offsets(piece) or is_listing(piece.head)


def _is_offsets(piece: Piece) -> bool:
    return piece.head.lstrip().startswith(b"{") and _OFFSETS.search(piece.head) is not None


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    stores: list[StoreFacts] = []
    opened: dict[str, str] = {}
    offsets: list[tuple[StoreFacts, Piece]] = []
    for piece in within_budget(pieces, "stores", progress, found):
        if piece.folder:
            store = read_store(Path(piece.path), piece.name, Path(piece.within))
            stores.append(store)
            opened[store.path] = piece.path
            found.inputs.append(Input(path=piece.name, kind="stores", format="store folder"))
        elif _is_offsets(piece):
            _keep_offsets(piece, offsets, found)
        else:
            with open(piece.path, encoding="utf-8", errors="replace") as lines:
                stores += read_listing(piece.name, lines)
            found.inputs.append(piece.read_as("stores", "listing of files"))
    stores = _joined(stores, offsets, found)
    if stores:
        found.shared["stores"] = StoresFacts(stores=tuple(stores), pairs=pair_stores(stores, opened))
    return found


def _keep_offsets(piece: Piece, offsets: list[tuple[StoreFacts, Piece]], found: Collected) -> None:
    try:
        text = config_text(Path(piece.path))
        read = (delay_offsets if _DELAYS.search(piece.head) else consumer_offsets)(parse_config(text))
    except (NoConfig, OSError) as error:
        reason = error.reason if isinstance(error, NoConfig) else say("{reason}", reason=str(error))
        found.inputs.append(Input(path=piece.name, kind="stores", complete=False, error=reason))
        return
    role, role_from = role_by_name(piece.name)
    offsets.append(
        (
            StoreFacts(
                path=piece.name,
                role=role,
                role_from=role_from,
                version="5.x" if '"stateVersion"' in text else "4.x",
                offsets=tuple(read.rows),
                unusable_offsets=read.unusable,
                unreadable={} if read.problem is None else {os.path.basename(piece.name): read.problem},
                offsets_from=os.path.basename(piece.name),
            ),
            piece,
        )
    )


def _joined(
    stores: list[StoreFacts], offsets: list[tuple[StoreFacts, Piece]], found: Collected
) -> list[StoreFacts]:
    """Offset files put to the store without offsets that they belong to: of the same role, or the only one."""
    joined = list(stores)
    for own, piece in offsets:
        lacking = [place for place, store in enumerate(joined) if store.offsets_from is None]
        fitting = [place for place in lacking if own.role is not None and joined[place].role == own.role]
        chosen = fitting or (lacking if own.role is None or len(joined) == 1 else [])
        if len(chosen) != 1:
            found.inputs.append(piece.read_as("stores", skipped=ALONE))
            continue
        joined[chosen[0]] = msgspec.structs.replace(
            joined[chosen[0]],
            offsets=own.offsets,
            unusable_offsets=own.unusable_offsets,
            offsets_from=own.path,
            version=own.version,
            unreadable=joined[chosen[0]].unreadable | own.unreadable,
        )
        found.inputs.append(piece.read_as("stores", "stored offsets"))
    return joined


KIND = EvidenceKind(
    name="stores", recognise=_recognise, read=_read, sole=True, is_folder=is_store_folder, keeps=_keeps
)
