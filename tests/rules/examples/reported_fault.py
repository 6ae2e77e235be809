from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.log_lines import LevelLineFacts, ReportedFault
from mqdiag.facts.logs import LogsFacts


def _facts(lines: int) -> Facts:
    reported = ReportedFault(
        part="tls-mode",
        component="NettyRemotingServer",
        lines=lines,
        is_error=False,
        in_own_log=True,
        path="remoting.log",
        line=11,
        text="2026-03-02 10:01:40 WARN NettyServerCodecThread_3 - Clients intend to establish an SSL connection while"
        " this server is running in SSL disabled mode",
    )
    return Facts(logs=LogsFacts(lines=4000, level_lines=LevelLineFacts(faults=lines, reported=(reported,))))


def fires() -> Facts:
    """The log of a broker has eight lines in which clients want TLS and the broker does not."""
    return _facts(8)


def silent() -> Facts:
    """One such line: a client that was set wrong for a moment."""
    return _facts(1)
