"""Text of thread dumps, in every form that people have, to samples."""

from mqdiag.read.stacks.reader import ReadResult, read_stacks
from mqdiag.read.stacks.records import LockLine, Sample, Stack, ThreadRecord

__all__ = ["LockLine", "ReadResult", "Sample", "Stack", "ThreadRecord", "read_stacks"]
