"""What axe-core has against a page that is open in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

FEW_OF_EACH_ROW = r"""
document.querySelectorAll('tbody').forEach((body) => {
  const found = {};
  for (const row of [...body.rows]) {
    const shape = row.outerHTML.replace(/ (?!class=)[\w-]+="[^"]*"/g, '').replace(/>[^<]+</g, '>text<');
    found[shape] = (found[shape] || 0) + 1;
    if (found[shape] > 4) row.remove();
  }
})
"""
"""Of the rows of a table that differ in texts and attributes only, four stay, on backgrounds of both kinds."""


def violations(page: Any) -> list[tuple[str, str]]:
    """Each rule that is broken, and the first element that breaks it: contrast, names, keyboard.

    It takes rows off the page, as axe-core needs milliseconds for each cell, and a long table has thousands alike.
    """
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe-core: run make setup")
    page.evaluate(FEW_OF_EACH_ROW)
    page.evaluate(Path(axe.AXE_FILE_PATH).read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]]
