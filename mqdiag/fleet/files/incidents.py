"""Files that tell of one incident: same environment, service and host, and close in time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import msgspec

from mqdiag.fleet.files.instances import instance_of
from mqdiag.fleet.files.listing import EvidenceFile
from mqdiag.fleet.files.storage import without_options

LONGEST_S = 6 * 3600
"""an incident ends after so long even where files follow each other closely, as they do with hourly stacks"""
MOST_FILES = 500


class IncidentFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of an incident."""

    uri: str
    bytes: int = 0
    error: str | None = None


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """What goes into one diagnosis."""

    environment: str
    service: str
    host: str
    window_start_ns: int | None
    """time of its first file"""
    bytes: int
    files: tuple[IncidentFile, ...]
    workload: str | None = None
    replica: str | None = None
    revision: str | None = None
    """see `Instance`"""
    labels: tuple[tuple[str, str], ...] = ()
    """further labels by name, of the first file"""
    listing: str
    """hash of what a listing tells of it: unchanged means that nothing needs to be read to know it again"""


def incidents(files: Iterable[EvidenceFile], window_s: float) -> Iterator[Incident]:
    """Group the files of one host of one service; a heap dump starts an incident of its own after another one.

    A folder of `mqdiag capture` is an incident of its own, however many dumps it has.
    """
    row: list[tuple[int, EvidenceFile]] = sorted(
        ((_time(file), file) for file in files), key=lambda pair: (pair[0], pair[1].uri)
    )
    begun: list[tuple[int, EvidenceFile]] = []
    dumps = 0
    for time_ns, file in row:
        is_dump = _is_heap_dump(file)
        of_one = begun and file.capture is not None and begun[-1][1].capture == file.capture
        if begun and (
            len(begun) == MOST_FILES
            or _other_capture(begun[-1][1], file)
            or (
                not of_one
                and (
                    time_ns - begun[-1][0] > window_s * 1e9
                    or time_ns - begun[0][0] > LONGEST_S * 1e9
                    or (dumps and is_dump)
                )
            )
        ):
            yield _incident(begun)
            begun, dumps = [], 0
        begun.append((time_ns, file))
        dumps += is_dump
    if begun:
        yield _incident(begun)


def _time(file: EvidenceFile) -> int:
    if file.labels.time_ns is not None:
        return file.labels.time_ns
    return file.modified_ns or 0


def _other_capture(one: EvidenceFile, other: EvidenceFile) -> bool:
    return None not in (one.capture, other.capture) and one.capture != other.capture


def _is_heap_dump(file: EvidenceFile) -> bool:
    return ".hprof" in without_options(file.uri).rpartition("/")[2].lower()


def _incident(begun: list[tuple[int, EvidenceFile]]) -> Incident:
    first_ns, first = begun[0]
    listed = (part for _, file in begun for part in (file.uri, file.bytes, file.modified_ns))
    instance = instance_of(first.labels.host, dict(first.labels.more))
    return Incident(
        environment=first.labels.environment,
        service=first.labels.service,
        host=first.labels.host,
        window_start_ns=first_ns or None,
        bytes=sum(file.bytes for _, file in begun),
        files=tuple(IncidentFile(uri=file.uri, bytes=file.bytes, error=file.error) for _, file in begun),
        workload=instance.workload,
        replica=instance.replica,
        revision=instance.revision,
        labels=first.labels.more,
        listing=hash_of(
            first.labels.environment,
            first.labels.service,
            first.labels.host,
            *label_parts(first.labels.more),
            *listed,
        ),
    )


def label_parts(labels: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Further labels as parts of a key: other labels make another incident."""
    return (f"{name}={value}" for name, value in labels)


def hash_of(*parts: object) -> str:
    """One key of several texts or numbers, in their order."""
    return hashlib.blake2b("".join(f"{part}\0" for part in parts).encode(), digest_size=16).hexdigest()
