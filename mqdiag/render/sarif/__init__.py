"""SARIF 2.1.0, the format in which code scanners exchange results.

Results keep their `partialFingerprints` over dumps and hosts, so a server knows an old finding from a new one;
accepted ones carry a suppression with its reason.
"""

from __future__ import annotations

from typing import Any

import msgspec

from mqdiag.findings import Report
from mqdiag.language import Writer
from mqdiag.render import View
from mqdiag.render.sarif.artifacts import artifact
from mqdiag.render.sarif.notifications import notifications
from mqdiag.render.sarif.results import result
from mqdiag.render.sarif.rules import rule
from mqdiag.render.wording.ci_commands import Syntax
from mqdiag.render.wording.safe import safe
from mqdiag.report_json import encoded
from mqdiag.text import Text

SYNTAX = Syntax.JSON
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(report: Report, view: View) -> str:
    """One log with one run."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_shown(_run(report, view.write), view.write)]}
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _tool(report: Report, write: Writer) -> dict[str, Any]:
    rules = [rule(card, write) for card in report.rule_cards]
    return {"driver": {"name": "mqdiag", "version": report.mqdiag, "rules": rules}}


def _run(report: Report, write: Writer) -> dict[str, Any]:
    return {
        "tool": _tool(report, write),
        "invocations": [
            {
                "executionSuccessful": not report.failed and any(given.was_read for given in report.inputs),
                "toolExecutionNotifications": notifications(report, write),
            }
        ],
        "artifacts": [artifact(given) for given in report.inputs],
        "results": [result(finding, report, write) for finding in (*report.findings, *report.ignored)],
        "columnKind": "unicodeCodePoints",
        "properties": {
            "checked": report.checked,
            "skipped": msgspec.to_builtins(report.skipped, enc_hook=encoded),
        },
    }


def _shown(value: Any, write: Writer) -> Any:
    """Texts for a viewer: what is invisible or active in a name from evidence is an escape."""
    if isinstance(value, str | Text):
        return safe(write(value), limit=None)
    if isinstance(value, dict):
        return {_shown(key, write): _shown(inner, write) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(inner, write) for inner in value]
    return value
