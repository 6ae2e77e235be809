"""Folders in which tools keep their own files, and sources of programs: seldom evidence, unless somebody names them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from mqdiag.diagnose.sort.piece import Piece
from mqdiag.read.sniff import Content
from mqdiag.read.stacks.patterns import is_dump_file

SOURCES = (
    ".c",
    ".cc",
    ".cpp",
    ".cs",
    ".css",
    ".go",
    ".h",
    ".j2",
    ".java",
    ".js",
    ".kt",
    ".proto",
    ".py",
    ".rs",
    ".scala",
    ".toml",
    ".ts",
)
"""ends of names of programs and their settings, which quote the words of logs and dumps"""
_FOLDERS_OF_TOOLS = frozenset(("node_modules", "__pycache__", "site-packages"))
_OF_TOOLS = (*SOURCES, ".map", ".md", ".mjs", ".pyc", ".pyi", ".so")
_SHORT_HEAD = 16 << 10
_DUMPS = frozenset((Content.HEAP_DUMP, Content.RECORDING))
_ENVIRONMENT = "pyvenv.cfg"
"""file of a Python environment, which holds thousands of others"""


def is_of_tools(folder: str, entry: str) -> bool:
    """Whether an entry of a folder is a folder in which tools keep their own files."""
    path = os.path.join(folder, entry)
    named = entry.startswith(".") or entry in _FOLDERS_OF_TOOLS
    return (named and os.path.isdir(path)) or os.path.exists(os.path.join(path, _ENVIRONMENT))


def files_below(folder: str) -> Iterator[str]:
    """Regular files below a folder of tools but those that only tools write."""
    for where, _, files in os.walk(folder):
        for file in sorted(files):
            path = os.path.join(where, file)
            if not file.endswith(_OF_TOOLS) and stat.S_ISREG(os.lstat(path).st_mode):
                yield path


def is_evidence(path: str) -> bool:
    """Whether a file is a dump, a recording or a log by its first bytes."""
    with open(path, "rb") as file:
        head = file.read(_SHORT_HEAD)
    piece = Piece(name=path, path=path, size_bytes=len(head), head=head)
    return piece.content in _DUMPS or (piece.is_text and (piece.is_mostly_records or is_dump_file(head)))
