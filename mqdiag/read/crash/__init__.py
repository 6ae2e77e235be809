"""What the JVM writes when it crashes: the report, a part of it, or its head on a console."""

from mqdiag.read.crash.reader import HEADS, begins_as_crash_report, is_crash_report, read_crash

__all__ = ["HEADS", "begins_as_crash_report", "is_crash_report", "read_crash"]
