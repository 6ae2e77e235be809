"""Times the reading of a dense recording, which a JVM of this machine makes first.

    python -m tests.bench.recordings [--times 5] [--seconds 44] [--keep dense.jfr]

Six consume threads (`fixtures/rig/plain/.../Dense.java`) write to sockets, read from them, wait for a monitor and a
lock, park and throw, under mqdiag's own settings with all thresholds at 0: about 6 MB of events a second. Each run
reads it once with `read_recording` in a process of its own, kernels compiled, the file in the page cache. Prints
megabytes for each second on the clock and of processor time; and the load before and after, for a loaded machine is
slower. Needs a JDK.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = (
    ROOT
    / "fixtures"
    / "rig"
    / "plain"
    / "src"
    / "main"
    / "java"
    / "org"
    / "mqdiag"
    / "rig"
    / "plain"
    / "Dense.java"
)
_CLASS = "org.mqdiag.rig.plain.Dense"
SETTINGS = ROOT / "mqdiag" / "knowledge" / "recordings" / "mqdiag.jfc"
_READS = """
import sys, time, numpy
from mqdiag.recordings.collect import read_recording
data = numpy.memmap(sys.argv[1], numpy.uint8, "r")
clock, cpu = time.perf_counter(), time.process_time()
facts = read_recording(sys.argv[1], data).facts
print(time.perf_counter() - clock, time.process_time() - cpu, facts.events, facts.chunks)
"""


def make(target: Path, seconds: int) -> None:
    """Let a JVM write a dense recording of about so many seconds."""
    with tempfile.TemporaryDirectory(prefix="mqdiag-bench-") as folder:
        settings = Path(folder) / "dense.jfc"
        text = re.sub(r'("threshold">)[^<]*', r"\g<1>0 ms", SETTINGS.read_text("utf-8"))
        settings.write_text(re.sub(r'("throttle">)[^<]*', r"\g<1>off", text), "utf-8")
        subprocess.run(["javac", "-d", folder, str(SOURCE)], check=True)
        options = f"settings={settings},filename={target},dumponexit=true,maxsize=1g"
        subprocess.run(
            [
                "java",
                "-Xmx256m",
                f"-XX:StartFlightRecording={options}",
                "-cp",
                folder,
                "org.mqdiag.rig.plain.Dense",
                str(seconds),
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )


def main() -> int:
    """Make the recording, read it several times, print each run and the medians."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.recordings", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="runs, default: %(default)s")
    parser.add_argument("--seconds", type=int, default=44, help="that the JVM works, default: %(default)s")
    parser.add_argument("--keep", type=Path, help="read this recording; made where it is not there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mqdiag-bench-") as folder:
        recording = options.keep or Path(folder) / "dense.jfr"
        if not recording.exists():
            make(recording.absolute(), options.seconds)
        megabytes = recording.stat().st_size / 1e6
        print("load average", *(f"{load:.1f}" for load in os.getloadavg()))
        print(f"{'MB':>5} {'wall s':>7} {'MB/s':>6} {'CPU s':>7} {'MB/s':>6}")
        walls, cpus = [], []
        for _ in range(options.times):
            command = [sys.executable, "-c", _READS, str(recording)]
            printed = subprocess.run(
                command, cwd=ROOT, check=True, capture_output=True, text=True
            ).stdout.split()
            walls.append(float(printed[0]))
            cpus.append(float(printed[1]))
            print(_row(megabytes, walls[-1], cpus[-1]), f" {printed[2]} events, {printed[3]} chunks")
        print(_row(megabytes, statistics.median(walls), statistics.median(cpus)), " medians")
        print("load average", *(f"{load:.1f}" for load in os.getloadavg()))
    return 0


def _row(megabytes: float, wall_s: float, cpu_s: float) -> str:
    return f"{megabytes:5.0f} {wall_s:7.2f} {megabytes / wall_s:6.0f} {cpu_s:7.2f} {megabytes / cpu_s:6.0f}"


if __name__ == "__main__":
    sys.exit(main())
