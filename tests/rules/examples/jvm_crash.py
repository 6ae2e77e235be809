from __future__ import annotations

from mqdiag.facts import CrashFacts, Facts
from mqdiag.facts.crash import CrashedThread, CrashMemory, CrashReport


def _facts(signal: str | None, *, reports: int = 1) -> Facts:
    report = CrashReport(
        source="hs_err_pid4242.log",
        signal=signal,
        signal_code="BUS_ADRERR",
        problematic_frame="v  ~StubRoutines::jbyte_disjoint_arraycopy",
        frame_kind="vm-stub",
        elapsed_s=86_400.0,
        thread="SendMessageThread_3",
        jre="8.0_121-b13",
        memory=CrashMemory(physical_bytes=8 << 30, physical_free_bytes=1 << 30),
        threads=(CrashedThread(name="SendMessageThread_3", current=True),),
        complete=True,
    )
    return Facts(crash=CrashFacts(reports=(report,) * reports))


def fires() -> Facts:
    """A broker that wrote into a mapped file without space behind it."""
    return _facts("SIGBUS")


def silent() -> Facts:
    """No report."""
    return _facts(None, reports=0)
