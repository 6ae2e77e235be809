"""What `mqdiag secrets` found: counts and places, never a text."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Column, Paragraph, Section, Table
from mqdiag.text import say

_NOWHERE = say("(nothing reaches it)")


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
    table = Table(
        name="secrets",
        columns=(
            Column(say("kind"), of="kind", whole=True),
            Column(say("texts"), "count", of="texts"),
            Column(say("different"), "count", of="distinct"),
            Column(say("held by"), of="held_by", none=_NOWHERE, java=True),
            Column(say("first one"), of="object_id", whole=True),
        ),
        rows_of=groups,
    )
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
