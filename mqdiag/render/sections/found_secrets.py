"""What `mqdiag secrets` found: counts and places, never a text."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Paragraph, Section
from mqdiag.render.tables import Tables
from mqdiag.text import say

TABLES = Tables("found_secrets")


def secrets_sections(report: Report, view: View) -> Iterator[Section]:
    """The table, and what was searched."""
    found = report.secrets
    if found is None:
        return
    groups = found.groups
    words = say(
        "{texts:count} {texts:text looks|texts look} like {texts:a secret|secrets}. {arrays:count} arrays of"
        " {size:bytes} were searched.",
        texts=sum(group.texts for group in groups),
        arrays=found.arrays,
        size=found.searched_bytes,
    )
    table = TABLES.table("secrets", groups)
    none = say(
        "No text has a form of the secrets that are looked for. {arrays:count} arrays of {size:bytes} were searched.",
        arrays=found.arrays,
        size=found.searched_bytes,
    )
    parts = (Paragraph(words), table) if groups else (Paragraph(none),)
    yield Section(name="secrets", title=say("Secrets"), parts=parts)
    for given in report.inputs:
        if not given.complete:
            incomplete = say(
                "The dump is incomplete, and there may be more in the rest: {problem}", problem=given.problem
            )
            yield Section(name="incomplete", title=say("Incomplete input"), parts=(Paragraph(incomplete),))
