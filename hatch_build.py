"""Compiles the translations, and writes what is made from the code into the wheel.

That is the index of rules, the packed knowledge, the JSON Schema of reports and the man page.

An editable installation gets the translations in its folder, and finds its rules in their sources.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent


class MadeFiles(BuildHookInterface):
    """Runs before files are collected. The compiled catalogues are artifacts, as git ignores them."""

    PLUGIN_NAME = "custom"
    _made: Path | None = None
    """folder of what is made, while a wheel is built"""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile each catalogue beside its source, and put the index of rules into a package that is built."""
        sys.path.insert(0, str(ROOT))
        try:
            from mqdiag.knowledge import packed
            from mqdiag.language.compile_catalogues import compile_all
        finally:
            sys.path.remove(str(ROOT))
        build_data["artifacts"] += [str(path.relative_to(ROOT)) for path in compile_all()]
        if self.target_name == "wheel" and version == "standard":
            self._made = Path(tempfile.mkdtemp())
            rules = ROOT / "mqdiag" / "rules"
            index = _alone(rules / "index.py")
            self._put(index.write(str(rules)), f"mqdiag/rules/{index.FILE}", build_data)
            knowledge = ROOT / "mqdiag" / "knowledge"
            for folder in sorted({file.parent for file in knowledge.rglob("*.toml")}):
                name = (folder / packed.PACKED).relative_to(ROOT).as_posix()
                self._put(packed.pack(str(folder)), name, build_data)
            for name, text in _made_of_commands_and_types().items():
                self._put(text.encode(), name, build_data)

    def _put(self, data: bytes, name: str, build_data: dict[str, Any]) -> None:
        """Have the wheel hold a file that is made, in the package or in a folder of the system."""
        assert self._made is not None
        written = self._made / name.replace("/", "-")
        written.write_bytes(data)
        place = "shared_data" if name.startswith("share/") else "force_include"
        build_data[place][str(written)] = name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made, which the wheel holds now."""
        if self._made is not None:
            shutil.rmtree(self._made)


def _made_of_commands_and_types() -> dict[str, str]:
    """Files that need the package itself, by their names in the wheel."""
    folders = [str(ROOT), str(ROOT / "docs" / "make")]
    sys.path[:0] = folders
    try:
        from man_page import man_page

        from mqdiag.render.json.schema import schema_text
    finally:
        for folder in folders:
            sys.path.remove(folder)
    return {
        "mqdiag/render/json/report.schema.json": schema_text(),
        "share/man/man1/mqdiag.1": man_page(),
    }


def _alone(path: Path) -> ModuleType:
    """A module without its package, which imports what a build environment does not have."""
    spec = importlib.util.spec_from_file_location(f"_{path.stem}_of_build", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where msgspec looks for the names of its types
    spec.loader.exec_module(module)
    return module
