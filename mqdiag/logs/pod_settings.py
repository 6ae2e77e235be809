"""Settings that a description of a pod or a container lists: their values say nothing of what happened.

Source: kubectl describe pod, kubectl get pod -o yaml and -o json (Kubernetes 1.18 to 1.31), docker inspect.
"""

from __future__ import annotations

import re

from mqdiag.lazy_pattern import lazy_pattern

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
_BLOCK = lazy_pattern(rb"\s*(?:- )?message: ?[|>][-+]?\s*\Z")
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
    return _MESSAGE.match(line) is not None or _is_in(_BLOCK, block, start, line)


def _is_in(section: re.Pattern[bytes], block: bytes, start: int, line: bytes) -> bool:
    if section.match(line) is not None:
        return True
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
        if encloses and section.match(above) is not None:
            return _NEXT_SECTION.search(above) is None
        if _JOINED.search(above) is not None:
            return False
        if encloses:
            depth, is_item = its_depth, its_item
    return False


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))
