"""The commit that a measured page is of."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def commit() -> str:
    """Its first digits, and whether something was changed since; "unknown" outside of a clone."""
    try:
        found = _git("rev-parse", "--short=8", "HEAD")
        return f"{found} with changes" if _git("status", "--porcelain", "--", "mqdiag", "tests") else found
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()
