"""Times queries over one opened dump: `python -m tests.bench.query DUMP`; prints seconds and anonymous memory."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from mqdiag.graph import open_heap
from mqdiag.query.recipes import recipes
from mqdiag.query.session import Session

TIMES = 4
TEXTS = 20_000
STRING = "java.lang.String"
QUERIES = {
    "classes": "SELECT * FROM classes",
    "objects by class": "SELECT class, count(*), sum(retained) FROM objects GROUP BY class",
    **{name: recipes()[name].sql for name in ("byte-arrays-by-holder", "duplicate-strings", "static-fields")},
}


class Peak(threading.Thread):
    """The most anonymous memory since it was last asked."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._most = 0

    def run(self) -> None:
        while True:
            self._most = max(self._most, _anonymous_kb())
            time.sleep(0.02)

    def megabytes(self) -> int:
        most, self._most = self._most, 0
        return most // 1000


def _anonymous_kb() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1])


def main(path: str) -> None:
    """Print a line for each query."""
    peak = Peak()
    peak.start()

    def timed(name: str, work: Callable[[], object], times: int = TIMES) -> None:
        walls, cpus = [], []
        for _ in range(times):
            wall, cpu = time.monotonic(), time.process_time()
            work()
            walls.append(time.monotonic() - wall)
            cpus.append(time.process_time() - cpu)
        print(f"{min(walls):7.2f} s  {min(cpus):7.2f} s CPU  {peak.megabytes():6d} MB  {name}", flush=True)

    heap = open_heap(path, task="query")
    timed("dominators", lambda: heap.dominance, 1)
    with Session(heap) as session:
        for name, sql in QUERIES.items():
            timed(name, lambda sql=sql: list(session.ask(sql).rows()))  # type: ignore[misc]
    strings = heap.instances(heap.classes.indices_named(STRING))[:TEXTS]
    timed(f"texts of {strings.size:,} strings", lambda: heap.strings(strings))


if __name__ == "__main__":
    main(sys.argv[1])
