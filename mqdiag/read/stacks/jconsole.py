"""A thread as JConsole shows it, to the form of `ThreadInfo.toString()`.

    Name: order-sender
    State: BLOCKED on java.lang.Object@1b2c3d owned by: main
    Total blocked: 3  Total waited: 12

    Stack trace:
    com.acme.Shop.run(Shop.java:12)
       - locked java.util.HashMap@7a8b

Source: `ThreadTab` of jdk.jconsole, JDK 6 to 25; JDK 9 and later put module and class loader before a frame.
"""

from __future__ import annotations

import re

from mqdiag.lazy_pattern import lazy_pattern

HEAD = 64 << 10
"""characters in which the first thread stands"""
MARK = lazy_pattern(r"^Name: .{1,300}\n\s*State: [A-Z_]+\b", re.M)
NAME = lazy_pattern(r"^Name: (?P<name>.{1,300}?)\s*$")
STATE = lazy_pattern(
    r"^\s*State: (?P<state>[A-Z_]+)(?: on (?P<object>\S+?))?(?: owned by: (?P<owner>.{1,300}?))?\s*$"
)
FRAME = lazy_pattern(r"^\s*(?:app//|[\w.]+(?:@[\w.+-]+)?/)*(?P<frame>[\w.$<>/-]+\([^()\n]{0,300}\))\s*$")
LOCKED = lazy_pattern(r"^\s*-? ?locked (?P<object>[^\s@]+@[0-9a-f]{1,16})\s*$")
OWNED_BY = " owned by "


def is_jconsole_text(head: str) -> bool:
    """Whether text has the first two lines of a thread in JConsole."""
    start = head[:HEAD]
    return "Name: " in start and "State: " in start and MARK.search(start) is not None


def as_thread_info(text: str) -> str:
    """The same threads in the form of `ThreadInfo.toString()`, without ids."""
    out: list[str] = []
    name = ""
    for line in text.split("\n"):
        if (named := NAME.match(line)) is not None:
            name = named["name"]
        elif name and (state := STATE.match(line)) is not None:
            on = f" on {state['object']}" if state["object"] else ""
            owner = f'{OWNED_BY}"{state["owner"]}" Id=-1' if state["object"] and state["owner"] else ""
            out.append(f'\n"{name}" Id=-1 {state["state"]}{on}{owner}\n')
            name = ""
        elif out and (frame := FRAME.match(line)) is not None:
            out.append(f"\tat {frame['frame']}\n")
        elif out and (held := LOCKED.match(line)) is not None:
            out.append(f"\t-  locked {held['object']}\n")
    return "".join(out)
