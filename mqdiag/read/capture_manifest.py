"""How the manifest of `mqdiag capture` is told from other files of its name."""

from __future__ import annotations

import re

MANIFEST = "manifest.json"
MOST_BYTES = 16 << 20
"""size above which a file is none"""
START = re.compile(rb'\s*\{\s*"mqdiag_capture"\s*:')
"""how it begins"""
