"""Logs of a whole machine, where each line names the program that wrote it: syslog and systemd's journal."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.journals import BY_NUMBERS, BY_WORDS, HOST, TIME

_HEAD = lazy_pattern(rf"{BY_NUMBERS}|{BY_WORDS}|\{{.{{0,4000}}?\"(?:SYSLOG_IDENTIFIER|_TRANSPORT)\"")
_OF_SYSTEM = lazy_pattern(
    rf"(?:<\d{{1,3}}>)?(?:1 \d{{4}}-\d\d-\d\dT\S{{1,40}}|{TIME}) {HOST} "
    r"(?:kernel(?:: | - )|(?:systemd|init\.scope)(?:\[1\]: | 1 ))"
    # journalctl -o json: fields that begin with a bar below are the journal's own
    r"|\{(?=.{0,4000}?\"_TRANSPORT\" ?: ?\"kernel\"|.{0,4000}?\"_PID\" ?: ?\"1\")"
)
"""what the kernel or the first process writes, which with-unit shows by its unit"""
_BY_TRANSPORT = lazy_pattern(r"\{.{0,4000}?\"_TRANSPORT\" ?: ?\"kernel\"")
_REPORT = (b"invoked oom-killer: ", b"Mem-Info:", b"oom-kill:constraint=", b"ut of memory: Kill")
"""words of lines that the kernel prints when it has no memory left"""
_BYTES_ABOVE, _BYTES_BELOW = 64 << 10, 8 << 10
"""bytes of such a report, which lists all processes"""
_BOOT = b"-- "
"""begins what journalctl itself says of a boot"""


def is_journal(lines: Sequence[bytes]) -> bool:
    """Whether each line tells the program that wrote it; a program's text of several lines does so in each of them.

    Args:
        lines: of the log, without indented ones.
    """
    texts = [line.decode(errors="replace") for line in lines if not line.startswith(_BOOT)]
    return bool(texts) and all(_HEAD.match(text) is not None for text in texts)


def is_of_the_system(line: bytes) -> bool:
    """Whether the kernel or systemd itself wrote a line of such a log."""
    return _OF_SYSTEM.match(line.decode(errors="replace")) is not None


def stands_in_a_report(line: bytes, block: bytes, start: int) -> bool:
    """Whether more than one line shows that the kernel wrote it, or systemd: any program may give itself its name.

    Args:
        line: of the kernel or systemd.
        block: what it stands in.
        start: where it begins.
    """
    text = line.decode(errors="replace")
    if not any(word in line for word in _REPORT) and b"Killed process " not in line:
        return True
    if _BY_TRANSPORT.match(text) is not None:
        return True
    end = start + len(line)
    for word in _REPORT:
        if word not in line:
            for at in (
                block.rfind(word, max(start - _BYTES_ABOVE, 0), start),
                block.find(word, end, end + _BYTES_BELOW),
            ):
                if at >= 0 and is_of_the_system(block[block.rfind(b"\n", 0, at) + 1 : at]):
                    return True
    return False
