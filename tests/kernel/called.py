"""Which kernels the commands call on committed dumps; `python -m tests.kernel.called` writes the list."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mqdiag.kernel.ahead import LIST
from mqdiag.kernel.folder import Task

FIXTURES = Path(__file__).parents[2] / "fixtures" / "heap"
# The first has collections, threads and strings of all kinds; redaction and `show` need no more than a small one.
DUMP = str(FIXTURES / "app-retains-5.3.3" / "dump.hprof.gz")
SMALL = str(FIXTURES / "no-rocketmq" / "dump.hprof.gz")
LOG = str(FIXTURES.parent / "logs" / "healthy-5.3.3" / "broker" / "broker.log.gz")
# It has calls with bytes, waits for monitors and for locks.
RECORDING = str(FIXTURES.parent / "recordings" / "lock-bound-jdk17" / "recording.jfr.xz")
NO_CACHE = "--no-cache"
ALL_KERNELS = (
    "SELECT (SELECT max(length + count + len(text)) FROM strings), (SELECT max(field) FROM refs),"
    " (SELECT max(distance + retained) FROM objects), (SELECT max(shallow + retained) FROM classes),"
    " (SELECT max(length + filled) FROM arrays), (SELECT max(size) FROM maps), (SELECT max(key) FROM entries)"
)
"""a query for every column that takes a kernel"""
COMMANDS: tuple[tuple[Task, tuple[str, ...]], ...] = (
    ("counts", ("heap", "--quick", DUMP)),
    ("heap", ("heap", DUMP, NO_CACHE)),
    ("show", ("show", SMALL, "java.util.HashMap", "--format", "json", "-o", "class.json", NO_CACHE)),
    ("show", ("show", SMALL, "OBJECT_ID")),
    ("query", ("query", SMALL, ALL_KERNELS, NO_CACHE)),
    ("query", ("query", DUMP, "--recipe", "queues-by-bytes", NO_CACHE)),
    # What the run before kept is checked now, by kernels that `heap` and `query` call too.
    ("show", ("show", SMALL, "OBJECT_ID")),
    ("redact", ("redact", SMALL, "redacted.hprof")),
    ("logs", ("logs", LOG)),
    ("recording", ("recording", RECORDING)),
)
KEEPING: tuple[Task, ...] = ("heap", "query", "show")
"""tasks that read what an earlier run kept"""
SCRIPT = """
import json, sys
from pathlib import Path
from mqdiag.cli import run
from mqdiag.graph import graph_cache
from mqdiag.kernel import folder, native
from mqdiag.kernel.definition import spelled
from mqdiag.read.logs import scan

graph_cache.LEAST_BYTES = 0
scan.KERNEL_FROM_BYTES = 0
is_ready = folder.is_ready
# a log is searched by a kernel only where that is kept, and the list must be there before
folder.is_ready = lambda tasks: "logs" in tasks or is_ready(tasks)
called = {}
load = native._load

def recorded(kernel, types):
    ready = load(kernel, types)
    name = native._file_name(kernel, types)
    size = max(len(data) for data in folder.read(name))
    called["\\t".join((f"{kernel.__module__}.{kernel.__name__}", *map(spelled, types)))] = size
    return ready

native._load = recorded
code = run(json.loads(sys.argv[1]))
Path("called.json").write_text(json.dumps(called))
sys.exit(code)
"""

Called = dict[str, int]
"""bytes of object code, by kernel and types of its arguments as the list has them"""


def called_by_commands() -> list[tuple[Task, Called]]:
    """Run each command in a process of its own, as kernels are loaded once in a process."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for task, arguments in COMMANDS:
            if "OBJECT_ID" in arguments:
                shown = json.loads((Path(folder) / "class.json").read_text())["show"]["class"]
                arguments = (*arguments[:-1], shown["largest"][0]["object_id"])
            done = subprocess.run(
                [sys.executable, "-c", SCRIPT, json.dumps(arguments)],
                cwd=folder,
                env={**os.environ, "XDG_CACHE_HOME": str(Path(folder) / "cache"), "MQDIAG_CACHE_SIZE": "1g"},
                capture_output=True,
                check=False,
            )
            answer = Path(folder) / "called.json"
            assert answer.exists(), done.stderr.decode()
            found.append((task, json.loads(answer.read_text())))
            answer.unlink()
    return found


def lines() -> list[str]:
    """The list as it should be; object code that is large takes long to compile and comes first."""
    tasks: dict[str, set[str]] = {}
    sizes: dict[str, int] = {}
    checks = "mqdiag.graph.kernels.kept_checks."
    for task, called in called_by_commands():
        for line, size in called.items():
            tasks.setdefault(line, set()).update(KEEPING if line.startswith(checks) else (task,))
            sizes[line] = size
    return [
        f"{' '.join(sorted(tasks[line]))}\t{line}"
        for line in sorted(tasks, key=lambda line: (-sizes[line], line))
    ]


if __name__ == "__main__":
    LIST.write_text("".join(f"{line}\n" for line in lines()))
