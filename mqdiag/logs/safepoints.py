"""Pauses of the whole JVM by what they consist of: the way to the safepoint, and the work there.

Lines: "Total time for which application threads were stopped" of JDK 8 to 12 (-XX:+PrintGCApplicationStoppedTime,
-Xlog:safepoint), and `Safepoint "…", … Reaching safepoint: … ns, At safepoint: … ns, Total: … ns` since JDK 13.
Source: SafepointTracing::end, RuntimeService::record_safepoint_end.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Span

LONG_MS = 1000
MOST_OPERATIONS = 200
_STOPPED = lazy_pattern(
    r"application threads were stopped: (?P<total>\d{1,9}[.,]\d{1,9}) seconds"
    r"(?:, Stopping threads took: (?P<reaching>\d{1,9}[.,]\d{1,9}) seconds)?"
)
_SAFEPOINT = lazy_pattern(
    r'Safepoint "(?P<operation>[^"]{1,100})".{0,200}?Reaching safepoint: +(?P<reaching>\d{1,18}) ns'
    r".{0,200}?Total: +(?P<total>\d{1,18}) ns"
)


class SafepointTally(msgspec.Struct):
    """All such pauses of one log."""

    pauses: int = 0
    total_ms: float = 0.0
    reaching_ms: float | None = None
    """None while no line tells it: JDK 7 and early 8 print the sum only"""
    long: int = 0
    longest_ms: float = 0.0
    longest_reaching_ms: float | None = None
    longest_operation: str | None = None
    longest_at: int | None = None
    span: Span = msgspec.field(default_factory=Span)
    operations: Counter[str] = msgspec.field(default_factory=Counter)
    """milliseconds by the VM's operation"""

    def see(self, message: Message, at: int | None) -> None:
        """Count one pause."""
        reaching: float | None
        operation: str | None = None
        found = _SAFEPOINT.search(message.text)
        if found is not None:
            total, reaching = int(found["total"]) / 1e6, int(found["reaching"]) / 1e6
            operation = found["operation"]
            if found["operation"] in self.operations or len(self.operations) < MOST_OPERATIONS:
                self.operations[found["operation"]] += round(total)
        else:
            found = _STOPPED.search(message.text)
            if found is None:
                return
            total = _milliseconds(found["total"])
            reaching = _milliseconds(found["reaching"]) if found["reaching"] else None
        self.pauses += 1
        self.total_ms += total
        if reaching is not None:
            self.reaching_ms = (self.reaching_ms or 0.0) + reaching
        self.long += total >= LONG_MS
        self.span.see(at)
        if total > self.longest_ms:
            self.longest_ms, self.longest_reaching_ms = total, reaching
            self.longest_operation, self.longest_at = operation, at


def _milliseconds(seconds: str) -> float:
    """Some locales print a decimal comma."""
    return float(seconds.replace(",", ".")) * 1000
