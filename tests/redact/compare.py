"""Reports of an original and its redacted copy: what differs besides the texts that were to be hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.findings import Report
from mqdiag.report_json import encoded

_FILE = re.compile(
    r"\.inputs\[0\]\.(path|bytes|format)|\.answer\.(seen\[\d+\]\.path|next\.command)|\.findings\[\d+\]\.(remedy\[\d+\]|(now|then)\[\d+\]\.command)"
)
"""of the file itself, and commands, which name it and the name server"""
_DUPLICATES = re.compile(r"\.heap\.waste\.duplicate_strings")
_TEXTS = re.compile(
    r".*\.(head_keys|keys|head_msg_id|msg_id|largest_body_msg_id|client_id)"
    r"|.*\.(config|state|store_config)\.\w+|.*\.(title|explanation\[\d+\])|.*\.dead_addresses\[\d+\]"
    r"|\.answer\.(text|reason)|.*\.peers?(\[\d+\]|\.(host|url))?"
)
"""fields whose texts are replaced: their lengths must be the same"""


def reported(path: Path) -> Report:
    """The report of a dump, without the findings about duplicate strings."""
    report = diagnose_heap(path).report
    return msgspec.structs.replace(
        report, findings=tuple(found for found in report.findings if found.rule != "duplicate-strings")
    )


def differences(original: Path, redacted: Path) -> list[str]:
    """What differs and should not."""
    one, other = (msgspec.to_builtins(reported(path), enc_hook=encoded) for path in (original, redacted))
    return [
        f"{place}: {before!r} became {after!r}"
        for place, before, after in _different(one, other, "")
        if not _FILE.fullmatch(place)
        and not _DUPLICATES.match(place)
        and not _is_replaced(place, before, after)
    ]


def _is_replaced(place: str, before: Any, after: Any) -> bool:
    both = isinstance(before, str) and isinstance(after, str)
    return both and len(before) == len(after) and bool(_TEXTS.fullmatch(place))


def _different(one: Any, other: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from _different(one[key], other[key], f"{place}.{key}")
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        for number, (before, after) in enumerate(zip(one, other, strict=True)):
            yield from _different(before, after, f"{place}[{number}]")
    elif one != other:
        yield place, one, other
