"""Fuzzing of the kernels, compiled with bounds checks: dumps of which one field was changed on purpose.

`python -m tests.fuzz.kernels SECONDS FINDINGS SEED`, with NUMBA_BOUNDSCHECK=1 and a folder of kernels of its own.
Prints a JSON object with the numbers of dumps by mutation and by how they ended. Compiled code tells no coverage, so
the mutations are drawn by turns.
"""

from __future__ import annotations

import faulthandler
import gzip
import json
import os
import random
import struct
import sys
import time
import traceback
from collections import Counter
from itertools import cycle
from pathlib import Path

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.errors import InputError
from tests.fuzz.readers import file_of
from tests.graph.hostile import examine
from tests.hostile.typed_mutations import MUTATIONS, ParsedDump, parsed

FIXTURES = Path(__file__).parents[2] / "fixtures" / "heap"
DUMPS = ("stuck-one-4.9.8", "oversized-oom-4.3.2", "orderly-4.9.8", "healthy-busy-5.3.3", "app-retains-5.3.3")
MOST_MUTATIONS = 3
"""of one dump"""
HANG_SECONDS = 120


def one_dump(path: Path) -> str:
    """How a dump ended: all that the graph can answer, and the whole diagnosis."""
    ended = examine(str(path))
    diagnosis = diagnose_heap(path)
    for crash in diagnosis.crashes:
        raise crash
    assert not diagnosis.report.failed
    return ended


def changed(dumps: list[ParsedDump], mutation: str, draw: random.Random) -> bytes:
    """A dump with one to three changes, of which the first is of this kind."""
    data = MUTATIONS[mutation](draw.choice(dumps), draw)
    for _ in range(draw.randrange(MOST_MUTATIONS)):
        try:
            data = MUTATIONS[draw.choice(list(MUTATIONS))](parsed(data), draw)
        except (KeyError, IndexError, ValueError, struct.error):
            return data  # the mutator itself can read it no longer
    return data


def main() -> None:
    """Run for some seconds."""
    seconds, findings, seed = float(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    assert os.environ.get("NUMBA_BOUNDSCHECK") == "1", "set NUMBA_BOUNDSCHECK=1"
    faulthandler.enable()
    dumps = [parsed(gzip.decompress((FIXTURES / name / "dump.hprof.gz").read_bytes())) for name in DUMPS]
    draw = random.Random(seed)
    by_mutation: Counter[str] = Counter()
    by_end: Counter[str] = Counter()
    with file_of(dumps[0].data) as path:
        one_dump(path)  # compiles the kernels
    end = time.monotonic() + seconds
    for mutation in cycle(MUTATIONS):
        if time.monotonic() > end:
            break
        data = changed(dumps, mutation, draw)
        by_mutation[mutation] += 1
        with file_of(data) as path:
            # kept before it is run: a crash of the process leaves it behind
            kept = findings / f"kernels-{mutation}-{by_mutation[mutation]}.hprof"
            kept.write_bytes(data)
            faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
            try:
                by_end[one_dump(path)] += 1
            except InputError:
                by_end["refused"] += 1
            except Exception as error:
                by_end["failed"] += 1
                kept.with_suffix(".why").write_text("".join(traceback.format_exception(error)))
                continue
            finally:
                faulthandler.cancel_dump_traceback_later()
            kept.unlink()
    print(json.dumps({"mutations": by_mutation, "ends": by_end}))


if __name__ == "__main__":
    main()
