"""What could not be checked, and why: the report's own limits, said as plainly as its findings."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.findings import Report
from mqdiag.render.text.page import Page
from mqdiag.text import say

NAMES_SHOWN = 3


def show_unchecked(page: Page, report: Report) -> None:
    """Rules grouped by the reason that they share, then single values that could not be read."""
    by_reason: dict[str, list[str]] = {}
    for skipped in report.skipped:
        by_reason.setdefault(skipped.reason, []).append(skipped.rule)
    unknown = {} if report.heap is None else _unknown(report.heap)
    if not by_reason and not unknown and not report.failed:
        return
    page.heading(say("Not checked, and why"))
    for failed in report.failed:
        page.hanging(
            "-",
            say("{rule} crashed, which is a fault of mqdiag: {error}", rule=failed.rule, error=failed.error),
        )
    for reason, rules in by_reason.items():
        page.hanging("-", say("{head}: {text}", head=reason, text=_some(sorted(set(rules)))))
    page.bullets(f"{', '.join(names)}: {reason}" for reason, names in unknown.items())


def _some(rules: list[str]) -> str:
    if len(rules) <= NAMES_SHOWN + 1:
        return ", ".join(rules)
    return say(
        "{rules} and {rules_2} more rules",
        rules=", ".join(rules[:NAMES_SHOWN]),
        rules_2=len(rules) - NAMES_SHOWN,
    )


def _unknown(heap: HeapFacts) -> dict[str, list[str]]:
    """Names of values by the reason that they share."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in heap.unknown.items():
        by_reason.setdefault(reason, []).append(name.replace("_", " "))
    for consumer in heap.consumers:
        for name, reason in consumer.unknown.items():
            by_reason.setdefault(reason, []).append(say("{name} of {group}", name=name, group=consumer.group))
    return by_reason
