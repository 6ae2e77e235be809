"""Settings that a description of a pod or a container lists: their values say nothing of what happened.

Source: kubectl describe pod, kubectl get pod -o yaml and -o json (Kubernetes 1.18 to 1.31), docker inspect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.scan import Hit

MOST_BYTES_ABOVE = 32 << 10
"""bytes of a description above a line that are looked at"""
_NAMES = rb"annotations|labels|matchLabels|managedFields|env|args|command|cmd|entrypoint|data|stringData|health"
_SECTION = lazy_pattern(
    rb"[ \t]*(?:Annotations|Labels|Node-Selectors): |\s*(?:Environment|Args|Command|Mounts|Volumes|Tolerations):\s*\Z"
    rb"|\s+(?:Liveness|Readiness|Startup): "
    rb"|\s*(?:- )?(?:" + _NAMES + rb"):\s*\Z|\s*\"(?i:" + _NAMES + rb")\": ?[\[{]"
)
"""the first line of a section of settings: by kubectl describe, in YAML, and in JSON; past probes of docker too"""
_MESSAGE = lazy_pattern(rb"\s+(?:- )?(?:[Mm]essage|\"message\"):\s{0,20}\"?(?!OOMKilled)\S")
"""the last words of a program, which Kubernetes repeats"""
_KEY = lazy_pattern(rb"\s*(?:- )?\"?message\"?:(?:\s|\Z)")
_TERMINATED = lazy_pattern(rb"\s*(?:- )?\"?terminated\"?:")
_IN_ONE_LINE = lazy_pattern(r"\"terminated\": ?\{[^{}\n]*?\"message\": ?\"(?:[^\"\\]|\\.)*\Z")
LONGEST_MESSAGE = 4 << 10
"""bytes of what a container said last that the kubelet keeps"""
LONGEST_KEY = 200
_SAID, _CODE = b" Message: ", b" Exit Code: "
_ENDED = lazy_pattern(rb"State: +Terminated[^\n]*\n(?:[ \t]+Reason: [^\n]*\n)?\Z")
"""what kubectl describe prints above such words"""
_JOINED = lazy_pattern(rb"[^\s-]\s+\S+:\s*\Z")
"""a key that stood on a line of its own, until the lines of a paste were joined; nobody knows then what is below it"""
_NEXT_SECTION = lazy_pattern(rb"\S\s+[A-Z]\w+:\s*\Z")
"""such a key of kubectl describe behind a setting"""


def is_a_setting(block: bytes, start: int, line: bytes) -> bool:
    """Whether a line belongs to a section of settings, by the indentation of the lines above it.

    Args:
        block: what the line stands in.
        start: where the line begins.
        line: the line.
    """
    return _is_in(_SECTION, block, start, line)


def is_in_a_message(block: bytes, start: int, line: bytes) -> bool:
    """Whether a line belongs to what a program said last, as the state of its container shows it."""
    return _MESSAGE.match(line) is not None or _is_in(_KEY, block, start, line)


def has_last_words(text: bytes) -> bool:
    """Whether kubectl describe printed in a text what a container said last, which may look like any log."""
    at = text.find(_SAID)
    while at >= 0:
        begin = text.rfind(b"\n", 0, at) + 1
        if _ENDED.search(text[max(begin - 2 * LONGEST_KEY, 0) : begin]) is not None:
            return True
        at = text.find(_SAID, at + 1)
    return False


def is_of_last_words(hit: Hit, before: str) -> bool:
    """Whether a statement may stand in what a container said last, which a user may have written.

    Args:
        hit: the line.
        before: what of it stands before the statement.
    """
    block, start, line = hit.block, hit.start, hit.line
    at = before.rfind('"terminated":', max(len(before) - 2 * LONGEST_MESSAGE, 0))
    if at >= 0 and _IN_ONE_LINE.match(before, at) is not None:
        return True
    if line[:1] in b" \t" and _is_in_ended_state(block, start, line):
        return True
    return _is_below_a_message(block, start)


def _is_in_ended_state(block: bytes, start: int, line: bytes) -> bool:
    """Whether a line is of the message of a container that ended, in YAML or in JSON of several lines."""
    above = _enclosing(block, start, line)
    if _KEY.match(line) is None and not any(_KEY.match(one) is not None for one in above):
        return False
    return _TERMINATED.match(next(above, b"")) is not None


def _is_below_a_message(block: bytes, start: int) -> bool:
    """Whether a line may be one of a message of kubectl describe, which has its further lines at the left edge.

    It ends above the line of an exit code. Where there are several of these, only the last one is none of its text.
    """
    lowest = max(start - LONGEST_MESSAGE - LONGEST_KEY, 0)
    end = block.find(b"\n", start)
    at = block.rfind(_SAID, lowest, len(block) if end < 0 else end)
    while at >= 0:
        begin = block.rfind(b"\n", 0, at) + 1
        above = block[max(begin - 2 * LONGEST_KEY, 0) : begin]
        if _ENDED.search(above) is not None and not is_a_setting(block, begin, block[begin : at + len(_SAID)]):
            most = at + LONGEST_MESSAGE + LONGEST_KEY
            last = block.rfind(_CODE, at, most)
            if start < (most if last < 0 else block.rfind(b"\n", at, last) + 1):
                return True
        at = block.rfind(_SAID, lowest, at)
    return False


def _is_in(section: re.Pattern[bytes], block: bytes, start: int, line: bytes) -> bool:
    if section.match(line) is not None:
        return True
    found = next((above for above in _enclosing(block, start, line) if section.match(above) is not None), None)
    return found is not None and _NEXT_SECTION.search(found) is None


def _enclosing(block: bytes, start: int, line: bytes) -> Iterator[bytes]:
    """The lines above that begin what a line stands in, the innermost first."""
    depth = _depth(line)
    is_item = line.lstrip().startswith(b"- ")
    lowest = max(start - MOST_BYTES_ABOVE, 0)
    while start > lowest and depth:
        end = start - 1
        start = block.rfind(b"\n", 0, end) + 1
        above = block[start:end]
        if not above.strip():
            continue
        its_depth, its_item = _depth(above), above.lstrip().startswith(b"- ")
        # the key of a list in YAML may stand as far to the left as its items
        encloses = its_depth < depth or (its_depth == depth and is_item and not its_item)
        if encloses:
            yield above
        if _JOINED.search(above) is not None:
            return
        if encloses:
            depth, is_item = its_depth, its_item


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))
