"""Generic detectors: checks that a card describes by itself, so that a rule of a common shape needs no Python."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mqdiag.knowledge.detect import Detect
from mqdiag.rules.detectors.drifts import in_drifts
from mqdiag.rules.detectors.lines import in_lines
from mqdiag.rules.detectors.rows import in_rows
from mqdiag.rules.detectors.statements import in_statements
from mqdiag.rules.draft import Check

if TYPE_CHECKING:
    from mqdiag.rules.rule import Rule


def checks_of(rule: Rule, detect: Detect) -> list[tuple[tuple[str, ...], Check]]:
    """The checks that a card describes, each with the kinds of evidence that it needs."""
    checks: list[Check] = [
        *(partial(in_lines, rule, one) for one in detect.lines),
        *(partial(in_rows, rule, one) for one in detect.rows),
        *(partial(in_drifts, rule, one) for one in detect.drifts),
        *([partial(in_statements, rule)] if detect.statements else []),
    ]
    return [((kind,), check) for kind, check in zip(detect.evidence, checks, strict=True)]
