"""docs/glossary.md, from the words at the end of pages and full texts."""

from __future__ import annotations

from mqdiag.language import english
from mqdiag.render.sections.glossary import glossary

INTRO = """\
# Words in reports

Made from `mqdiag/knowledge/glossary.toml` by `make docs`. A page has these words at its end, and so has text with
`--detail full`.
"""


def glossary_page() -> str:
    """The page."""
    write = english()
    rows = "\n".join(f"| {write(word)} | {write(meaning)} |" for word, meaning in glossary())
    return f"{INTRO}\n| word | meaning |\n|---|---|\n{rows}\n"
