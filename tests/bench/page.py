"""How long a page takes to make and to open: `python -m tests.bench.page [EVIDENCE...]`.

For each piece of evidence: bytes, elements, milliseconds to render beyond the analysis, and milliseconds until the page
is interactive in Chromium, the fastest of several.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.render import View, renderer

FIXTURES = Path(__file__).parents[2] / "fixtures"
COMMITTED = ("incidents/stuck-http", "heap/stuck-one-5.3.3/dump.hprof.gz", "logs/page-cache-busy-5.3.3")
ROUNDS = 5
INTERACTIVE = "performance.getEntriesByType('navigation')[0].domInteractive"
ELEMENTS = "document.querySelectorAll('*').length"


def main(*evidence: str) -> None:
    """Print a line for each."""
    print(f"{'bytes':>9} {'elements':>9} {'render ms':>10} {'interactive ms':>15}  evidence")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for given in evidence or [str(FIXTURES / name) for name in COMMITTED]:
            report = diagnose_incident([Path(given)]).report
            render = renderer("html")
            page, render_ms = "", []
            for _ in range(ROUNDS):
                started = time.perf_counter()
                page = render(report, View())
                render_ms.append(1000 * (time.perf_counter() - started))
            target = Path(folder) / "report.html"
            target.write_text(page, encoding="utf-8")
            opened = [_open(browser, target) for _ in range(ROUNDS)]
            elements, interactive_ms = opened[0][0], min(ready for _, ready in opened)
            print(f"{len(page.encode()):9} {elements:9} {render_ms[0]:10.0f} {interactive_ms:15.0f}  {given}")
        browser.close()


def _open(browser: Browser, path: Path) -> tuple[int, float]:
    page = browser.new_page()
    page.goto(path.as_uri())
    found = page.evaluate(ELEMENTS), page.evaluate(INTERACTIVE)
    page.close()
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
