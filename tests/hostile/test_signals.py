"""Ctrl-C at any moment: one line or none, never a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.crafted_texts import ring_of_locks
from tests.layers import CHECK

pytestmark = CHECK


INTERRUPTED = (-signal.SIGINT, 128 + signal.SIGINT)
AT_IMPORT = """
import os, signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)
wanted, sys.argv = sys.argv[1], ["mqdiag", *sys.argv[2:]]
sys.meta_path.insert(0, Interrupt())
from mqdiag.__main__ import start
start()
"""


@pytest.mark.parametrize(
    "module", ["mqdiag.cli", "click", "mqdiag.cli.stacks", "mqdiag.diagnose.stacks", "mqdiag.render.text"]
)
def test_an_interrupt_while_a_module_is_imported_prints_no_traceback(module: str, tmp_path: Path) -> None:
    dump = tmp_path / "stacks.txt"
    dump.write_text(ring_of_locks(10))
    done = subprocess.run(
        [sys.executable, "-c", AT_IMPORT, module, "stacks", str(dump)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in INTERRUPTED
    assert done.stderr.strip() in ("", "mqdiag: interrupted")


def test_an_ignored_interrupt_stays_ignored(tmp_path: Path) -> None:
    dump = tmp_path / "stacks.txt"
    dump.write_text(ring_of_locks(10))
    done = subprocess.run(
        [sys.executable, "-c", AT_IMPORT, "mqdiag.cli.stacks", "stacks", str(dump)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert (done.returncode, done.stderr) == (1, "")
