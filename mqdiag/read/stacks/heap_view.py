"""Threads of a heap dump as Memory Analyzer writes them: its `.threads` files and the stacks of its reports.

    Thread 0x6c0a1b2c8
      at java.lang.Object.wait(J)V (Native Method)
      at com.acme.Shop.run()V (Shop.java:12)

A report has the thread's name in the place of its address. States and locks are not in a heap dump.
"""

from __future__ import annotations

from mqdiag.read.stacks import patterns

HEAD = 64 << 10
"""characters in which the first stack frame stands"""


def is_analyzer_text(head: str) -> bool:
    """Whether text has frames with JVM signatures, as no thread dump has."""
    found = patterns.JVM_SIGNATURE.search(head, 0, HEAD) is not None
    return found and patterns.MAT_MARK.search(head, 0, HEAD) is not None


def as_thread_info(text: str) -> str:
    """The same threads in the form of `ThreadInfo.toString()`, without states and without ids."""
    out: list[str] = []
    above = ""
    for line in text.split("\n"):
        frame = patterns.MAT_FRAME.match(line)
        if frame is None:
            above = line
            continue
        if above.strip() and not above.startswith((" ", "\t")):
            out.append(f'\n"{above.strip()}" Id=-1\n')
        if out:
            out.append(f"\tat {frame['method']}({frame['where']})\n")
        above = ""
    return "".join(out)
