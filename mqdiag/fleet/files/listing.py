"""From the given paths to evidence files with their labels, one at a time: a bucket may hold a million."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence

import msgspec

from mqdiag.errors import InputError
from mqdiag.fleet.files.labels import Labels, Template, default_labels
from mqdiag.fleet.files.manifest import is_manifest, manifest_files
from mqdiag.fleet.files.storage import Entry, Storage, storage
from mqdiag.text import Text, say

_GLOB = frozenset("*?[")
DEEPEST = 64
"""folders in folders: a link to a folder above would have no end"""


class EvidenceFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to analyse."""

    uri: str
    bytes: int = 0
    modified_ns: int | None = None
    labels: Labels
    error: str | None = None
    """why it cannot be read, where the listing knows already"""


class Listing:
    """Goes through the given paths and counts what was left out.

    Args:
        paths: folders, files, globs, manifests; local paths or URIs.
        templates: how labels are read from paths; the first that fits counts.
        leave_out: folders that are not looked into: the run's own output.
    """

    def __init__(
        self, paths: Sequence[str], templates: Sequence[Template] = (), leave_out: Sequence[str] = ()
    ) -> None:
        self._paths = paths
        self._templates = templates
        self._leave_out = frozenset(leave_out)
        self.unlabelled = 0
        """files that fit no template"""
        self.given: dict[str, int] = dict.fromkeys(paths, 0)
        """files found, by given path"""
        self.errors: dict[str, Text] = {}
        """why a given path gave nothing at all"""

    def __iter__(self) -> Iterator[EvidenceFile]:
        for given in self._paths:
            try:
                for found in self._files(given):
                    self.given[given] += 1
                    yield found
            except InputError as error:
                self.errors[given] = error.problem
            except OSError as error:
                self.errors[given] = say(
                    "cannot be listed: {reason}", reason="".join(str(error).splitlines()[:1])
                )
            if not self.given[given]:
                self.errors.setdefault(given, say("no evidence files are there"))

    def _files(self, given: str) -> Iterator[EvidenceFile]:
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
        for entry in self._below(store, root):
            if pattern is not None and not _matches(entry.path, pattern):
                continue
            labelled = self._labelled(store, entry, entry.path[len(root.rstrip("/")) + 1 :])
            if labelled is not None:
                yield labelled

    def _below(self, store: Storage, folder: str, depth: int = 0) -> Iterator[Entry]:
        """All files, folder by folder, so that no more than one folder's names are held."""
        if store.uri(folder) in self._leave_out or depth > DEEPEST:
            return
        for found in store.walk(folder):
            if isinstance(found, Entry):
                if not _hidden(found.path):
                    yield found
            elif not _hidden(found):
                yield from self._below(store, found, depth + 1)

    def _labelled(self, store: Storage, entry: Entry, relative: str) -> EvidenceFile | None:
        if self._templates:
            labels = next(
                (found for one in self._templates if (found := one.labels(relative)) is not None), None
            )
            if labels is None:
                self.unlabelled += 1
                return None
        else:
            labels = default_labels(relative)
        return EvidenceFile(
            uri=store.uri(entry.path), bytes=entry.bytes, modified_ns=entry.modified_ns, labels=labels
        )

    def _of_manifest(self, given: str, store: Storage, path: str) -> Iterator[EvidenceFile]:
        for place, labels in manifest_files(given, store, path):
            other, inner = storage(place) if "://" in place or place.startswith("/") else (store, place)
            entry = other.entry(inner)
            if entry is None:
                yield EvidenceFile(uri=other.uri(inner), labels=labels, error="no such file")
            else:
                yield EvidenceFile(
                    uri=other.uri(inner), bytes=entry.bytes, modified_ns=entry.modified_ns, labels=labels
                )


def _has_glob(path: str) -> bool:
    return not _GLOB.isdisjoint(path)


def _split_glob(path: str) -> tuple[str, str]:
    """The longest folder without wildcards, and the whole pattern."""
    parts = path.split("/")
    plain = next(place for place, part in enumerate(parts) if _has_glob(part))
    return "/".join(parts[:plain]) or "/", path


def _matches(path: str, pattern: str) -> bool:
    """Like a shell's glob with `**`: a star does not cross a "/", and a matched folder stands for all in it."""
    names, wanted = path.split("/"), pattern.split("/")
    return _match_parts(names, wanted)


def _match_parts(names: list[str], wanted: list[str]) -> bool:
    if not wanted:
        return True
    if wanted[0] == "**":
        return any(_match_parts(names[skip:], wanted[1:]) for skip in range(len(names) + 1))
    return bool(names) and fnmatch.fnmatchcase(names[0], wanted[0]) and _match_parts(names[1:], wanted[1:])


def _hidden(path: str) -> bool:
    """What tools keep for themselves: `.git`, `_SUCCESS`, `_temporary`."""
    return path.rpartition("/")[2].startswith((".", "_"))
