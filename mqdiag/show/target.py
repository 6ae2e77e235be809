"""Which object or class a person means."""

from __future__ import annotations

import re

from mqdiag.errors import UsageError
from mqdiag.graph import Heap
from mqdiag.spelling import did_you_mean, nearest
from mqdiag.text import Text, say

_HEX = re.compile(r"0x[0-9a-f]{1,16}", re.IGNORECASE | re.ASCII)
_BARE = re.compile(r"[0-9a-f]{1,20}", re.IGNORECASE | re.ASCII)
_MOST_NAMES = 5
_MOST_HINTS = 3
_MAX_ID = (1 << 64) - 1


def find_target(heap: Heap, text: str) -> int | str:
    """The node of an object id, or the name of a class.

    An id is hexadecimal with 0x, or digits that are the hexadecimal or else the decimal id of an object. A class is
    named in full, or by the end of its name when no other class ends so.

    Raises:
        UsageError: there is no such object or class, or several classes fit; the nearest ones are named.
    """
    if _HEX.fullmatch(text):
        return _node(heap, text, int(text, 16))
    if heap.classes.indices_named(text):
        return text
    if _BARE.fullmatch(text):
        for base in (16, 10):
            node = _node_or_none(heap, text, base)
            if node is not None:
                return node
        if text.isdigit():
            raise UsageError(
                say("the dump has no object with the id {text}, read as hexadecimal or decimal", text=text)
            )
    return find_class(heap, text)


def _node_or_none(heap: Heap, text: str, base: int) -> int | None:
    try:
        wanted = int(text, base)
    except ValueError:
        return None
    node = heap.node(wanted) if 0 < wanted <= _MAX_ID else -1
    return node if node >= 0 else None


def _node(heap: Heap, text: str, wanted: int) -> int:
    node = heap.node(wanted) if wanted else -1
    if node < 0:
        raise UsageError(
            say(
                ("the dump has no object with the id {text}; use ids of this dump, as mqdiag heap prints them"),
                text=text,
            )
        )
    return node


def find_class(heap: Heap, text: str) -> str:
    """The class of this name, or the one whose name ends so at a package or nesting border.

    Of several that end so the only one that has instances is meant.

    Raises:
        UsageError: none or several classes fit; the nearest ones are named.
    """
    if heap.classes.indices_named(text):
        return text
    written = text.replace("/", ".")
    names = heap.classes.names
    found = sorted({name for name in names if _ends(name, written)})
    if len(found) > 1:
        counts = {name: _instances(heap, name) for name in found}
        used = [name for name in found if counts[name]]
        if len(used) == 1:
            return used[0]
        shown = sorted(found, key=lambda name: -counts[name])[:_MOST_NAMES]
        several = say(
            "{text} is the end of {found:count} class names: {names}",
            text=repr(text),
            found=len(found),
            names=tuple(shown),
        )
        more = len(found) - len(shown)
        raise UsageError(
            say("{several}, and {more:count} more", several=several, more=more) if more else several
        )
    if found:
        return found[0]
    raise UsageError(_no_such_class(text, names, written))


def _ends(name: str, text: str) -> bool:
    return name == text or (name.endswith(text) and bool(text) and name[-len(text) - 1] in ".$")


def _instances(heap: Heap, name: str) -> int:
    return int(heap.instances(heap.classes.indices_named(name), subclasses=False).size)


def _no_such_class(text: str, names: list[str], written: str) -> Text:
    """The message, with the classes that hold the text in any case, else those that are spelt alike."""
    problem = say("the dump has no class {text}", text=repr(text))
    low = written.lower()
    holding = sorted(
        {name for name in names if low and low in name.lower()}, key=lambda name: (len(name), name)
    )
    if holding:
        return did_you_mean(problem, holding[:_MOST_HINTS], more=max(0, len(holding) - _MOST_HINTS))
    # Spelt wrongly: only the class's own name is compared, since packages are long and alike.
    simple = {_own_name(name.lower()): name for name in names}
    return did_you_mean(problem, [simple[short] for short in nearest(_own_name(low), simple, alike=0.7)])


def _own_name(name: str) -> str:
    return re.split(r"[.$]", name)[-1]
