"""What is kept of one dump: a file for each part of its graph."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from mqdiag.cache.array_file import ArrayFile, Unusable, size_of, write_arrays
from mqdiag.cache.folder import CacheFolder, Origin
from mqdiag.progress import Progress
from mqdiag.text import Text, say
from mqdiag.trusted import Untrusted


class Entry:
    """The files of one dump, all opened at once: another run may remove them at any time.

    Args:
        folder: where they are.
        key: of the dump.
        parts: names of all parts that there may be.
        progress: hears in a line that files are not used.
        origin: the file that it is read from.
    """

    def __init__(
        self, folder: CacheFolder, key: str, parts: tuple[str, ...], progress: Progress, origin: Origin
    ) -> None:
        self._folder, self._key, self._progress = folder, key, progress
        self._origin: Origin | None = origin
        self._files: dict[str, ArrayFile] = {}
        for part in parts:
            try:
                descriptor = folder.open(self._name(part))
                if descriptor is None:
                    continue
                try:
                    self._files[part] = ArrayFile(descriptor, os.path.join(folder.path, self._name(part)), key)
                finally:
                    os.close(descriptor)
            except (Unusable, Untrusted) as error:
                self.refuse(error.reason)
                return
            folder.used(self._name(part))

    def part(self, name: str) -> ArrayFile | None:
        """The file of a part; None where there is none that can be used."""
        return self._files.get(name)

    def refuse(self, reason: Text) -> None:
        """Use and keep nothing of it any more."""
        self._progress.note(
            say(
                "what an earlier run kept of this dump is not used, and computed again: {reason}", reason=reason
            )
        )
        self._files.clear()
        self._folder.remove(self._key)

    def write(
        self,
        part: str,
        numbers: Mapping[str, int],
        words: Mapping[str, str],
        arrays: Mapping[str, NDArray[Any]],
    ) -> None:
        """Keep a part."""
        self._folder.write(
            self._name(part),
            size_of(arrays),
            lambda file: write_arrays(file, self._key, numbers, words, arrays),
        )
        if self._origin is not None:
            self._folder.note_origin(self._key, self._origin)
            self._origin = None

    def _name(self, part: str) -> str:
        return f"{self._key}.{part}"
