"""Logs of a whole machine, where each line names the program that wrote it: syslog and systemd's journal.

Source: RFC 3164, rsyslog's forms of times, journalctl's outputs short and short-iso, which indent what goes on below.
"""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.lazy_pattern import lazy_pattern

_HEAD = lazy_pattern(
    rb"(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{0,16}) \S{1,255} "
    rb"(?:(?P<system>kernel|systemd\[1\])|[\w./@()-]{1,100}(?:\[\d{1,10}\])?): "
)
_BOOT = b"-- "
"""begins what journalctl itself says of a boot"""


def is_journal(lines: Sequence[bytes]) -> bool:
    """Whether each line tells the program that wrote it; a program's text of several lines does so in each of them.

    Args:
        lines: of the log, without indented ones.
    """
    told = [_HEAD.match(line) is not None for line in lines if not line.startswith(_BOOT)]
    return bool(told) and all(told)


def is_of_the_system(line: bytes) -> bool:
    """Whether the kernel or systemd itself wrote a line of such a log."""
    head = _HEAD.match(line)
    return head is not None and head["system"] is not None
