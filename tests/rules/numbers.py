"""The numbers that a finding's sentences state, against those that its evidence carries."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import Finding
from mqdiag.report_json import text_fields
from mqdiag.text import Text


def unproven(finding: Finding) -> set[float]:
    """Numbers in its sentences that neither its evidence nor its subject has; pids and ports are none of them."""
    carried = {*finding.evidence.values(), finding.subject.queue_id}
    return set(_numbers(_sentences(finding))) - set(_numbers(tuple(carried)))


def _sentences(finding: Finding) -> tuple[Text, ...]:
    fields = (getattr(finding, name) for name in text_fields())
    return tuple(text for field in fields for text in (field if isinstance(field, tuple) else (field,)))


def _numbers(value: object) -> Iterator[float]:
    if isinstance(value, Text):
        for name, inner in value.values.items():
            if name != "pid" and not name.endswith(("_pid", "_port")):
                yield from _numbers(inner)
    elif isinstance(value, tuple):
        for inner in value:
            yield from _numbers(inner)
    elif isinstance(value, str):
        if value.isdigit():
            yield int(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value
