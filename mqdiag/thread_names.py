"""Names of many threads in little space."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import commonprefix
from string import digits

from mqdiag.text import Text, say

_LONG_PREFIX = 20
"""characters of a beginning that names in a table are shown without"""
_LONGEST_NUMBER = 9
_MOST_PLAIN = 6


def grouped_names(names: Sequence[str]) -> Text:
    """Names with their numbers as ranges, such as "ConsumeMessageThread_CID_1..20"; repeated names are counted."""
    numbers: dict[str, set[int]] = {}
    plain: list[str] = []
    for name in names:
        prefix = name.rstrip(digits)
        if 0 < len(name) - len(prefix) <= _LONGEST_NUMBER:
            numbers.setdefault(prefix, set()).add(int(name[len(prefix) :]))
        else:
            plain.append(name)
    shown = (*(prefix + _ranges(sorted(own)) for prefix, own in numbers.items()), *plain[:_MOST_PLAIN])
    text = Text("{names}", {"names": shown})
    if len(plain) > _MOST_PLAIN:
        text = say("{names}, {more:count} more", names=shown, more=len(plain) - _MOST_PLAIN)
    unique = sum(map(len, numbers.values())) + len(plain)
    if len(names) > unique:
        text = say("{names} ({threads:count} threads)", names=text, threads=len(names))
    return text


def shared_prefix(names: Sequence[str]) -> str:
    """The beginning of all names, where it is so long that a table has no room for it; "" otherwise."""
    shared = commonprefix(list(names))  # noqa: RUF071
    shared = shared[: max(shared.rfind(sign) for sign in "_- ")].rstrip("_- ") if shared else ""
    return shared if len(set(names)) > 1 and len(shared) >= _LONG_PREFIX else ""


def _ranges(numbers: list[int]) -> str:
    parts: list[str] = []
    start = last = numbers[0]
    for number in [*numbers[1:], -1]:
        if number == last + 1:
            last = number
            continue
        parts.append(str(start) if start == last else f"{start}..{last}")
        start = last = number
    return ",".join(parts)
