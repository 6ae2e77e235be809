"""The report for a person at a terminal: the verdict first, the tables after it, the gaps last."""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.text.admin import show_admin
from mqdiag.render.text.broker import show_brokers
from mqdiag.render.text.consumers import show_consumers, show_queues
from mqdiag.render.text.diff import show_diff
from mqdiag.render.text.findings import show_findings
from mqdiag.render.text.fleet import show_fleet
from mqdiag.render.text.healthy import show_healthy, show_healthy_part
from mqdiag.render.text.heap import show_classes, show_dump, show_holders, show_suspects
from mqdiag.render.text.inputs import show_unreadable
from mqdiag.render.text.logs import show_logs
from mqdiag.render.text.page import Page
from mqdiag.render.text.show import show_shown
from mqdiag.render.text.stacks import show_stacks
from mqdiag.render.text.stores import show_stores
from mqdiag.render.text.threads import show_threads
from mqdiag.render.text.unchecked import show_unchecked
from mqdiag.render.text.verdict import show_surer, show_verdict
from mqdiag.render.text.waste import show_waste


def render(report: Report, view: View) -> str:
    """Verdict, evidence and remedies; then what they rest on; then what could not be checked."""
    page = Page(view)
    if report.show is not None:
        show_shown(page, report, report.show)
        return page.text()
    if report.diff is not None:
        show_diff(page, report, report.diff)
    else:
        show_healthy(page, report)
    show_verdict(page, report)
    show_findings(page, report)
    show_healthy_part(page, report)
    show_unreadable(page, report)
    if report.fleet is not None:
        show_fleet(page, report.fleet)
    if report.heap is not None:
        show_dump(page, report)
        show_brokers(page, report.heap)
        show_consumers(page, report.heap)
        show_queues(page, report.heap)
        show_holders(page, report.heap)
        show_suspects(page, report.heap)
        show_waste(page, report.heap)
        show_classes(page, report.heap)
        show_threads(page, report.heap)
    if report.stacks is not None:
        show_stacks(page, report.stacks)
    if report.logs is not None:
        show_logs(page, report.logs)
    if report.stores is not None:
        show_stores(page, report.stores)
    if report.admin is not None:
        show_admin(page, report.admin)
    show_unchecked(page, report)
    if report.verdict is not None:
        show_surer(page, report.verdict)
    return page.text()
