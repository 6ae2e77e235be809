"""The peers: how each is installed from its registry and called on a dump."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

CRATES = {"hprof-slurp": "0.10.0", "hprof-analyzer": "0.3.2"}


@dataclass(frozen=True, slots=True)
class Peer:
    """One program and its command line for a dump; `clean` removes what it leaves beside the dump."""

    name: str
    command: Callable[[Path], list[str]]
    clean: Callable[[Path], None] = lambda dump: None
    env: dict[str, str] = field(default_factory=dict)
    is_slow: bool = False
    """it takes many times as long as the others"""


def install(folder: Path) -> None:
    """Build the peers that are Rust crates; needs cargo. Those that are there stay."""
    for crate, version in CRATES.items():
        if not (folder / "bin" / crate).exists():
            print(f"building {crate} {version}", file=sys.stderr)
            command = [
                "cargo",
                "install",
                "--quiet",
                "--locked",
                "--root",
                str(folder),
                "--version",
                f"={version}",
            ]
            subprocess.run([*command, crate], check=True)


INFLATE = """
import sys
from isal import igzip
room = bytearray(4 << 20)
with igzip.open(sys.argv[1]) as file:
    while file.readinto(room):
        pass
"""


def ours(*options: str) -> Peer:
    """mqdiag in this environment."""
    binary = str(Path(sys.executable).parent / "mqdiag")
    return Peer(" ".join(("mqdiag heap", *options)), lambda dump: [binary, "heap", *options, str(dump)])


def show(what: str) -> Peer:
    """One class of a dump, with its instances by retained size and the merged paths to all of them."""
    binary = str(Path(sys.executable).parent / "mqdiag")
    return Peer(f"mqdiag show {what}", lambda dump: [binary, "show", str(dump), what])


def inflate() -> Peer:
    """isal, the fastest of the well-kept inflating libraries, alone: the bytes go nowhere."""
    return Peer("inflating with isal", lambda dump: [sys.executable, "-c", INFLATE, str(dump)])


def bare_import() -> Peer:
    """What numba and numpy cost before a line of ours runs."""
    return Peer("import numba, numpy", lambda dump: [sys.executable, "-c", "import numba, numpy"])


def slurp(folder: Path) -> Peer:
    """hprof-slurp: histogram only, two threads."""
    return Peer("hprof-slurp 0.10.0", lambda dump: [str(folder / "bin/hprof-slurp"), str(dump)])


def analyzer(folder: Path) -> Peer:
    """hprof-analyzer: dominators, retained sizes, suspects."""
    cache = folder / "cache"
    return Peer(
        "hprof-analyzer 0.3.2",
        lambda dump: [str(folder / "bin/hprof-analyzer"), str(dump)],
        lambda dump: shutil.rmtree(cache, ignore_errors=True),
        {"XDG_CACHE_HOME": str(cache), "HOME": str(cache)},
    )


def mat(installation: Path) -> Peer:
    """Eclipse MAT: parse and the leak suspects report, from its own installation."""

    def clean(dump: Path) -> None:
        for left in dump.parent.glob(f"{dump.stem}*"):
            if left != dump and left.suffix in (".index", ".threads", ".zip"):
                os.unlink(left)

    script = str(installation / "ParseHeapDump.sh")
    return Peer(
        "Eclipse MAT", lambda dump: [script, str(dump), "org.eclipse.mat.api:suspects"], clean, is_slow=True
    )
