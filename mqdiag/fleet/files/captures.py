"""Folders that `mqdiag capture` wrote: their manifest says whose they are, so all files below are one incident."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from mqdiag.fleet.files.labels import Labels, Template, default_labels, parse_time
from mqdiag.fleet.files.storage import Entry, Storage
from mqdiag.read.capture_manifest import MANIFEST, MOST_BYTES, START

_HEAD_BYTES = 256
_NOTES = ("origin.md", "truth.json")
"""what people lay beside a capture: notes about it, no evidence"""


class Capture(msgspec.Struct, frozen=True, kw_only=True):
    """What a listing needs of a capture's manifest."""

    host: str | None = None
    started_at: str | None = None
    folder: str = ""
    """where it lies, inside its file system"""

    def labels(self, relative: str, templates: Sequence[Template]) -> Labels | None:
        """The labels of all files of the folder; None when no template fits it.

        Args:
            relative: path of the manifest below the given folder.
            templates: how labels are read from paths; one may fit the manifest or its folder.
        """
        folder = relative.rpartition("/")[0]
        fits = ((one, one.labels(path)) for one in templates for path in (relative, folder))
        template, found = next((fit for fit in fits if fit[1] is not None), (None, None))
        if not templates:
            found = default_labels(relative)
        if found is None:
            return None
        if self.host and (template is None or not template.names_host):
            found = msgspec.structs.replace(found, host=self.host)
        began = parse_time(self.started_at) if self.started_at else None
        return msgspec.structs.replace(found, time_ns=found.time_ns if began is None else began)


def capture_in(store: Storage, folder: str, names: Sequence[Entry | str]) -> Capture | None:
    """The capture whose manifest is among the names of a folder; None where there is none that can be read."""
    entry = next((one for one in names if isinstance(one, Entry) and _name(one) == MANIFEST), None)
    if entry is None or entry.bytes > MOST_BYTES:
        return None
    try:
        with store.open(entry.path) as file:
            head = file.read(_HEAD_BYTES)
            if START.match(head) is None:
                return None
            found = msgspec.json.decode(head + file.read(MOST_BYTES), type=Capture)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return msgspec.structs.replace(found, folder=folder)


def is_note(entry: Entry) -> bool:
    """Whether a file of a capture's folder is a note about it."""
    return _name(entry) in _NOTES


def _name(entry: Entry) -> str:
    return entry.path.rpartition("/")[2]
