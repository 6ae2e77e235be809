"""`mqdiag redact` against `cp` of the same file, in turns: `python -m tests.bench.redaction DUMP [ROUNDS]`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def timed(command: list[str], target: Path) -> tuple[float, float]:
    """(seconds, peak resident megabytes) of a whole process that writes a file."""
    target.unlink(missing_ok=True)
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return time.perf_counter() - started, usage.ru_maxrss / 1024


def main(dump: str, rounds: str = "5") -> None:
    """Print the fastest of each, and how they compare."""
    runs: dict[str, list[tuple[float, float]]] = {"cp": [], "mqdiag redact": []}
    with tempfile.TemporaryDirectory(dir=Path(dump).resolve().parent) as folder:
        target = Path(folder) / "copy.hprof"
        for _ in range(int(rounds)):
            runs["cp"].append(timed(["cp", dump, str(target)], target))
            command = [sys.executable, "-m", "mqdiag", "redact", dump, str(target)]
            runs["mqdiag redact"].append(timed(command, target))
    fastest = {name: min(seconds for seconds, _ in timings) for name, timings in runs.items()}
    for name, timings in runs.items():
        print(f"{name}: {', '.join(f'{seconds:.2f}' for seconds, _ in timings)} s")
    print(f"fastest: {fastest['cp']:.2f} s and {fastest['mqdiag redact']:.2f} s")
    print(f"speed of cp: {fastest['cp'] / fastest['mqdiag redact']:.0%}")
    print(f"peak resident: {max(peak for _, peak in runs['mqdiag redact']):.0f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
