"""Compiles the catalogues for gettext. Needs Babel; `make setup` and the build of the wheel call it."""

from __future__ import annotations

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from mqdiag.files import whole_file

FOLDER = Path(__file__).parent / "catalogues"


def compile_all() -> list[Path]:
    """Write each catalogue's compiled form beside it; the files that were written."""
    written = []
    for source in sorted(FOLDER.rglob("*.po")):
        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parts[-3])
        target = source.with_suffix(".mo")
        with whole_file(target) as compiled:
            write_mo(compiled, catalogue)
        written.append(target)
    return written


if __name__ == "__main__":
    compile_all()
