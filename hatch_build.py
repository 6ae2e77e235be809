"""Compiles the translations into the wheel; an editable installation gets them in its folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent


class Translations(BuildHookInterface):
    """Runs before files are collected; the compiled catalogues are artifacts, as git ignores them."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile each catalogue beside its source."""
        sys.path.insert(0, str(ROOT))
        try:
            from mqdiag.language.compile_catalogues import compile_all
        finally:
            sys.path.remove(str(ROOT))
        build_data["artifacts"] += [str(path.relative_to(ROOT)) for path in compile_all()]
