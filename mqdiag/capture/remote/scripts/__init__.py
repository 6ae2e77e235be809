"""The scripts for the other side, for a POSIX shell with the commands of busybox.

They change nothing there. Those that take a heap dump or a flight recording make files and remove them, also when the
connection is lost; the latter stops what it started.
"""

from __future__ import annotations

from pathlib import Path


def _script(name: str) -> str:
    """A script of this folder without its comments, behind the function that it calls."""
    lines = (Path(__file__).parent / f"{name}.sh").read_text("utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("#"))
    return _script("find_tool") + text if "$(find_tool " in text else text


END_OF_TIMES = b"mqdiag: end of the CPU times\n"
"""the line of a thread dump that ends the CPU times before it"""
END_OF_FILE = _script("end_of_file")
FILES = _script("files")
FREE_KIB = _script("free_kib")
HEAP_DUMP = _script("heap_dump")
JCMD = _script("jcmd")
LIST_JVMS = _script("list_jvms")
NEW_BYTES = _script("new_bytes")
OPEN_FILES = _script("open_files")
RECORDING = _script("recording")
THREAD_DUMP = _script("thread_dump")
