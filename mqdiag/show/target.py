"""Which object or class a person means."""

from __future__ import annotations

import difflib
import re

from mqdiag.errors import UsageError
from mqdiag.graph import Heap
from mqdiag.text import say

_HEX = re.compile(r"0x[0-9a-f]{1,16}", re.IGNORECASE | re.ASCII)
_BARE = re.compile(r"[0-9a-f]{1,20}", re.IGNORECASE | re.ASCII)
_MOST_NAMES = 5
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
                (
                    "the dump has no object with the id {text}; ids are those of this very dump, as mqdiag"
                    " heap prints them"
                ),
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
        more = f", and {len(found) - len(shown)} more" if len(found) > len(shown) else ""
        raise UsageError(
            say(
                "{text} is the end of {found} class names: {shown}{more}",
                text=repr(text),
                found=len(found),
                shown=tuple(shown),
                more=more,
            )
        )
    if found:
        return found[0]
    raise UsageError(say("the dump has no class {text}{near}", text=repr(text), near=_near(names, written)))


def _ends(name: str, text: str) -> bool:
    return name == text or (name.endswith(text) and bool(text) and name[-len(text) - 1] in ".$")


def _instances(heap: Heap, name: str) -> int:
    return int(heap.instances(heap.classes.indices_named(name), subclasses=False).size)


def _near(names: list[str], text: str) -> str:
    """Names that hold the text, whatever the case; else those that are written alike."""
    low = text.lower()
    holding = sorted(
        {name for name in names if low and low in name.lower()}, key=lambda name: (len(name), name)
    )
    if holding:
        more = f", or one of {len(holding) - 3} more" if len(holding) > 3 else ""
        return f"; did you mean {' or '.join(holding[:3])}{more}?"
    # Written wrongly: the class's own name decides, packages are long and alike.
    simple = {re.split(r"[.$]", name)[-1].lower(): name for name in names}
    close = difflib.get_close_matches(re.split(r"[.$]", low)[-1], simple, n=3, cutoff=0.7)
    return f"; did you mean {' or '.join(simple[short] for short in close)}?" if close else ""
