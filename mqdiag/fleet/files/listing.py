"""From the given paths to evidence files with their labels, one at a time: a bucket may hold a million."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from mqdiag.errors import InputError, first_line
from mqdiag.facts.fleet import LeftOut
from mqdiag.fleet.files.captures import Capture, capture_in, is_note
from mqdiag.fleet.files.labelling import Labelling
from mqdiag.fleet.files.labels import UNKNOWN, Labels, Template, default_labels
from mqdiag.fleet.files.manifest import is_manifest, manifest_files
from mqdiag.fleet.files.storage import Entry, Storage, escaped, named_in_utf8, storage
from mqdiag.read.capture_manifest import MANIFEST
from mqdiag.text import Text, say

Identity = tuple[int, int | None]
"""size and time of a file as a listing tells them"""
_GLOB = frozenset("*?[")
DEEPEST = 64
"""folders in folders"""
_STRAY_NAME = "has a name that is not valid UTF-8; rename it"


class EvidenceFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to analyse."""

    uri: str
    bytes: int = 0
    modified_ns: int | None = None
    labels: Labels
    error: str | None = None
    """why it cannot be read, if the listing knows already; then the URI can be that of a folder"""
    capture: str | None = None
    """the folder of `mqdiag capture` that it is from, as a URI"""


class Listing:
    """Goes through the given paths and counts what was left out.

    Args:
        paths: folders, files, globs, manifests; local paths or URIs.
        templates: how labels are read from paths; the first that fits counts.
        leave_out: folders that are not looked into: the run's own output.
        since_ns: files of an earlier time are left out; None takes all.
        only: the files to take, by URI; one that has changed since is left for later. None takes all.
    """

    def __init__(
        self,
        paths: Sequence[str],
        templates: Sequence[Template] = (),
        leave_out: Sequence[str] = (),
        since_ns: int | None = None,
        only: Mapping[str, Identity] | None = None,
    ) -> None:
        self._paths = paths
        self._templates = templates
        self._leave_out = frozenset(leave_out)
        self._since_ns = since_ns
        self._only = only
        self._left_out = Counter[str]()
        self._labelling = Labelling()
        self.given: dict[str, int] = dict.fromkeys(paths, 0)
        """files found, by given path"""
        self.errors: dict[str, Text] = {}
        """why a given path gave nothing at all"""

    @property
    def left_out(self) -> LeftOut:
        """What was there and is not analysed, counted as far as the listing has come."""
        return LeftOut(**self._left_out)

    @property
    def doubts(self) -> tuple[Text, ...]:
        """What looks wrong about the labels, as far as the listing has come."""
        return self._labelling.doubts()

    def __iter__(self) -> Iterator[EvidenceFile]:
        for given in self._paths:
            try:
                for found in self._files(given):
                    self.given[given] += 1
                    if self._is_too_old(found):
                        self._left_out["too_old"] += 1
                    elif self._only is None or self._only.get(found.uri) == (found.bytes, found.modified_ns):
                        yield found
            except InputError as error:
                self.errors[given] = error.problem
            except OSError as error:
                self.errors[given] = say("cannot be listed: {reason}", reason=first_line(error))
            if not self.given[given]:
                self.errors.setdefault(given, say("no evidence files are there"))

    def _is_too_old(self, file: EvidenceFile) -> bool:
        """A file without any time is taken: nothing says that it is old."""
        time_ns = file.labels.time_ns if file.labels.time_ns is not None else file.modified_ns
        return self._since_ns is not None and time_ns is not None and time_ns < self._since_ns

    def _files(self, given: str) -> Iterator[EvidenceFile]:
        if not named_in_utf8(given):
            raise InputError(escaped(given), say("has a name that is not valid UTF-8; rename it"))
        store, path = storage(given)
        if is_manifest(path):
            yield from self._of_manifest(given, store, path)
            return
        entry = None if _has_glob(path) else store.entry(path)
        if entry is not None:
            labelled = self._labelled(store, entry, entry.path.rpartition("/")[2])
            if labelled is not None:
                yield labelled
            return
        root, pattern = _split_glob(path) if _has_glob(path) else (path, None)
        if not store.is_folder(root):
            raise InputError(given, say("no such file or folder"))
        start = len(root.rstrip("/")) + 1
        for found, capture in self._below(store, root):
            if isinstance(found, tuple):
                yield self._lost_folder(store, *found, start)
            elif pattern is None or _matches(found.path.split("/"), pattern.split("/")):
                labelled = self._labelled(store, found, found.path[start:], capture, start)
                if labelled is not None:
                    yield labelled

    def _below(
        self, store: Storage, folder: str, depth: int = 0, capture: Capture | None = None
    ) -> Iterator[tuple[Entry | tuple[str, str], Capture | None]]:
        """All files with their capture, folder by folder, so that no more than one folder's names are held.

        A folder that gives no names comes with the reason.
        """
        if store.uri(folder) in self._leave_out:
            return
        try:
            if depth > DEEPEST:
                raise OSError(f"more than {DEEPEST} folders deep")
            names = store.walk(folder)
        except OSError as error:
            if not depth:
                raise
            yield (folder, first_line(error)), capture
            return
        capture = capture_in(store, folder, names) or capture
        for name in names:
            if isinstance(name, Entry):
                if capture is not None and is_note(name):
                    self._left_out["notes"] += 1
                elif not _hidden(name.path):
                    yield name, capture
            elif _hidden(name):
                continue
            elif store.is_link(name):
                self._left_out["linked_folders"] += 1
            elif not named_in_utf8(name):
                yield (name, _STRAY_NAME), capture
            else:
                yield from self._below(store, name, depth + 1, capture)

    def _lost_folder(self, store: Storage, folder: str, reason: str, start: int) -> EvidenceFile:
        """A folder without a listing is lost evidence of the service that it would belong to."""
        relative = escaped(folder[start:])
        inside = default_labels(f"{relative}/{UNKNOWN}")
        labels = Labels(service=UNKNOWN, host=relative) if self._templates else inside
        return EvidenceFile(uri=store.uri(folder), labels=labels, error=reason)

    def _labelled(
        self, store: Storage, entry: Entry, inside: str, capture: Capture | None = None, start: int = 0
    ) -> EvidenceFile | None:
        relative = escaped(inside)
        if capture is not None:
            labels = capture.labels(f"{capture.folder}/{MANIFEST}"[start:], self._templates)
            if labels is not None:
                return _evidence(store.uri(entry.path), entry, labels, store.uri(capture.folder))
        if self._templates:
            labels = next(
                (found for one in self._templates if (found := one.labels(relative)) is not None), None
            )
            if labels is None:
                self._left_out["unlabelled"] += 1
                return None
        else:
            labels = default_labels(relative)
            self._labelling.by_folders(relative)
        self._labelling.labelled(labels)
        return _evidence(store.uri(entry.path), entry, labels)

    def _of_manifest(self, given: str, store: Storage, path: str) -> Iterator[EvidenceFile]:
        for place, labels in manifest_files(given, store, path):
            other, inner = storage(place) if "://" in place or place.startswith("/") else (store, place)
            try:
                entry, reason = other.entry(inner), "no such file"
            except OSError as error:
                if not other.is_local:
                    raise  # a store that does not answer is not asked for every row
                entry, reason = None, first_line(error)
            if entry is None:
                yield EvidenceFile(uri=other.uri(inner), labels=labels, error=reason)
            else:
                yield _evidence(other.uri(inner), entry, labels)


def _evidence(uri: str, entry: Entry, labels: Labels, capture: str | None = None) -> EvidenceFile:
    return EvidenceFile(
        uri=uri,
        bytes=entry.bytes,
        modified_ns=entry.modified_ns,
        labels=labels,
        capture=capture,
        error=None if named_in_utf8(entry.path) else _STRAY_NAME,
    )


def _has_glob(path: str) -> bool:
    return not _GLOB.isdisjoint(path)


def _split_glob(path: str) -> tuple[str, str]:
    """The longest folder without wildcards, and the whole pattern."""
    parts = path.split("/")
    plain = next(place for place, part in enumerate(parts) if _has_glob(part))
    return "/".join(parts[:plain]) or "/", path


def _matches(names: list[str], wanted: list[str]) -> bool:
    """Like a shell's glob with `**`: a star does not cross a "/", and a matched folder stands for all in it."""
    if not wanted:
        return True
    if wanted[0] == "**":
        return any(_matches(names[skip:], wanted[1:]) for skip in range(len(names) + 1))
    return bool(names) and fnmatch.fnmatchcase(names[0], wanted[0]) and _matches(names[1:], wanted[1:])


def _hidden(path: str) -> bool:
    """What tools keep for themselves: `.git`, `_SUCCESS`, `_temporary`."""
    return path.rpartition("/")[2].startswith((".", "_"))
