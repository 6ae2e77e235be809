"""A store folder as a whole."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from mqdiag.facts.stores import StoreFacts
from mqdiag.read.stores.commit_log import CommitLog
from mqdiag.read.stores.config_file import (
    NoConfig,
    OffsetsRead,
    config_text,
    consumer_offsets,
    delay_offsets,
    parse_config,
)
from mqdiag.read.stores.queues import MOST_QUEUES, QueuesRead, read_queues
from mqdiag.read.stores.role import role_of
from mqdiag.text import Text, say

_LATEST_MS = 32_503_680_000_000
"""the year 3000: what lies beyond is no time"""
NOT_READ = {
    "batchconsumequeue": say("batch queues of 5.x have entries of another form"),
    "lmqConsumerOffset.json": say("offsets of light queues are not compared"),
}
ROCKSDB = say(
    "is kept in RocksDB, which is not read; mqadmin exportMetadata and consumerProgress show its content"
)


def is_store_folder(path: Path) -> bool:
    """Whether a folder is a broker's store: the queues or the log, and one more of its parts."""
    parts = ("commitlog", "consumequeue", "config", "checkpoint", "index")
    there = [(path / part).exists() for part in parts]
    return (there[0] or there[1]) and sum(there) >= 2


def read_store(path: Path, name: str | None = None, within: Path | None = None) -> StoreFacts:
    """Read a store folder; what cannot be read is named, the rest stands.

    Args:
        path: the folder.
        name: what the user calls it.
        within: a real path; settings beside the store are looked for below it alone, without it in the store.
    """
    unreadable: dict[str, Text] = {}
    role, role_from = role_of(path, Path(os.path.realpath(path)) if within is None else within)
    offsets, offsets_from, newer = _offsets(path, unreadable)
    topics, topics_newer = _topics(path, unreadable)
    log = CommitLog(str(path / "commitlog"))
    read = QueuesRead()
    try:
        read = read_queues(path, log)
    except OSError as error:
        unreadable["consumequeue"] = say("cannot be read: {reason}", reason=error.strerror or str(error))
    finally:
        log.close()
    if log.empty:
        unreadable["commitlog"] = say("has no files")
    elif read.problem:
        unreadable["commitlog"] = read.problem
    if not read.queues and not (path / "consumequeue").is_dir():
        unreadable.setdefault("consumequeue", say("is not there"))
    if read.cut:
        unreadable["consumequeue"] = say(
            "has {most:count} queues or more; no others were read", most=MOST_QUEUES
        )
    _other_forms(path, unreadable)
    return StoreFacts(
        path=name or str(path),
        role=role,
        role_from=role_from,
        version=None if newer is None and topics_newer is None else "5.x" if newer or topics_newer else "4.x",
        stopped_in_order=not (path / "abort").exists(),
        commit_log_min=None if log.empty else log.start,
        commit_log_max=read.commit_log_max,
        commit_log_at_most=None if log.empty else log.end,
        last_stored_at=_instant(read.last_stored_ms),
        checkpoint_at=_checkpoint(path / "checkpoint"),
        topics=topics,
        queues=tuple(read.queues),
        offsets=tuple(offsets.rows),
        unusable_offsets=offsets.unusable,
        offsets_from=offsets_from,
        unreadable=unreadable,
    )


def _offsets(path: Path, unreadable: dict[str, Text]) -> tuple[OffsetsRead, str | None, bool | None]:
    """Stored offsets, the file they are from, and whether a 5.x broker wrote it."""
    found = OffsetsRead()
    told: str | None = None
    newer: bool | None = None
    # ConfigManager.load takes the .bak when the file itself is missing or empty
    for name in ("consumerOffset.json", "consumerOffset.json.bak"):
        try:
            text = config_text(path / "config" / name)
            found, told = consumer_offsets(parse_config(text)), name
        except FileNotFoundError:
            unreadable.setdefault("consumerOffset.json", say("is not there"))
        except (NoConfig, OSError) as error:
            unreadable[name] = _why(error)
        else:
            # DataVersion.stateVersion came with 5.0
            newer = '"stateVersion"' in text
            if found.problem is not None:
                unreadable[name] = found.problem
            break
    try:
        delayed = delay_offsets(parse_config(config_text(path / "config" / "delayOffset.json")))
    except FileNotFoundError:
        pass
    except (NoConfig, OSError) as error:
        unreadable["delayOffset.json"] = _why(error)
    else:
        found.rows += delayed.rows
        found.unusable += delayed.unusable
        if delayed.problem is not None:
            unreadable["delayOffset.json"] = delayed.problem
    return found, told, newer


def _topics(path: Path, unreadable: dict[str, Text]) -> tuple[tuple[str, ...] | None, bool | None]:
    try:
        text = config_text(path / "config" / "topics.json")
        table = parse_config(text).get("topicConfigTable")
    except FileNotFoundError:
        return None, None
    except (NoConfig, OSError) as error:
        unreadable["topics.json"] = _why(error)
        return None, None
    return (tuple(sorted(table)) if isinstance(table, dict) else None), '"stateVersion"' in text


def _other_forms(path: Path, unreadable: dict[str, Text]) -> None:
    unreadable |= {
        name: why
        for name, why in NOT_READ.items()
        if (path / name).exists() or (path / "config" / name).exists()
    }
    for parent in (path, path / "config"):
        try:
            folders = [entry.name for entry in os.scandir(parent) if entry.is_dir()]
        except OSError:
            continue
        for folder in sorted(folders):
            if (parent / folder / "CURRENT").is_file():
                unreadable[folder] = ROCKSDB


def _checkpoint(path: Path) -> str | None:
    """The first number of StoreCheckpoint, physicMsgTimestamp."""
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except OSError:
        return None
    return _instant(int.from_bytes(head)) if len(head) == 8 else None


def _instant(milliseconds: int | None) -> str | None:
    if milliseconds is None or not 0 < milliseconds < _LATEST_MS:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


def _why(error: NoConfig | OSError) -> Text:
    if isinstance(error, NoConfig):
        return error.reason
    return say("cannot be read: {reason}", reason=error.strerror or str(error))
