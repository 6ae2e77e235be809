"""What to take where a thread waits for a virtual one; the analysis of threads and a rule give the same advice."""

from __future__ import annotations

from mqdiag.text import say

DUMP_VIRTUAL_THREADS = say(
    "Take `jcmd PID Thread.dump_to_file -format=json FILE` five times, a few seconds apart, and give the files to"
    " `mqdiag stacks`. This JVM has virtual threads, which jstack and Thread.print leave out: the answer may have to"
    " come from one of them."
)
