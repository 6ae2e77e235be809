"""Times `mqdiag logs` on real broker logs, repeated to a size, and on the worst flood among them.

    python -m tests.bench.logs [MEGABYTES]

Prints megabytes a second of processor time, start of Python included, and the peak of memory.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path

from tests.bench.measure import best

ROOT = Path(__file__).parents[2] / "fixtures" / "logs"
HEALTHY = ("healthy-4.3.2/broker/*.gz", "healthy-5.3.3/broker/*.gz", "pool-in-order-5.3.3/broker/*.gz")
TROUBLED = ("*/broker/*.gz",)
FLOOD = ("power-loss-4.3.2/broker/storeerror.log.gz",)


def main() -> int:
    """Write each kind of log, read it three times, print the best."""
    size = int(sys.argv[1] if len(sys.argv) > 1 else 1000) * 1_000_000
    print(f"{'MB/s':>6} {'CPU s':>7} {'memory MB':>10}  log of {size / 1e6:,.0f} MB")
    with tempfile.TemporaryDirectory(prefix="mqdiag-bench-") as folder:
        for name, patterns in (("healthy brokers", HEALTHY), ("all brokers", TROUBLED), ("a flood", FLOOD)):
            path = Path(folder) / "broker.log"
            _write(path, patterns, size)
            run = best([str(Path(sys.executable).parent / "mqdiag"), "logs", str(path)], 3)
            speed = path.stat().st_size / 1e6 / run.cpu_s
            print(f"{speed:6.0f} {run.cpu_s:7.2f} {run.anonymous_bytes / 1e6:10.0f}  {name}", flush=True)
    return 0


def _write(path: Path, patterns: tuple[str, ...], size: int) -> None:
    files = sorted(file for pattern in patterns for file in ROOT.glob(pattern) if "gc.log" not in file.name)
    once = b"".join(gzip.decompress(file.read_bytes()) for file in files)
    with open(path, "wb") as target:
        for _ in range(-(-size // len(once))):
            target.write(once)


if __name__ == "__main__":
    sys.exit(main())
