"""Text of thread dumps, in every form that people have, to samples."""

from mqdiag.read.stacks.reader import MARKS, ReadResult, is_of_a_tool, read_stacks
from mqdiag.read.stacks.records import LockLine, Sample, Stack, ThreadRecord

__all__ = [
    "MARKS",
    "LockLine",
    "ReadResult",
    "Sample",
    "Stack",
    "ThreadRecord",
    "is_of_a_tool",
    "read_stacks",
]
