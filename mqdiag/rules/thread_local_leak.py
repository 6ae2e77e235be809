"""Thread locals hold a large part of the heap."""

from __future__ import annotations

from mqdiag.facts.waste import ThreadLocals
from mqdiag.findings import Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.waste import Wasted

MOST_SHOWN = 3
"""threads and classes that the explanation names"""

RULE = Rule("thread-local-leak")


@RULE.waste
def in_heap(heap: Wasted, limits: Limits) -> Findings:
    """One finding: orphaned values if they are many, else all thread locals if they are large."""
    found = heap.waste.thread_locals
    if found is None:
        return
    orphaned = found.stale_bytes or 0
    orphaned_share, share = heap.share(orphaned), heap.share(found.retained_bytes)
    if orphaned >= limits["least_bytes"] and orphaned_share >= limits["orphaned_share"]:
        yield _said("thread-locals-orphaned", found, orphaned_share)
    elif found.retained_bytes >= limits["least_bytes"] and share >= limits["share_warning"]:
        yield _said("thread-locals-kept", found, share)


def _said(name: str, found: ThreadLocals, share: float) -> Draft:
    return RULE.case(
        name,
        found,
        subject=Subject(object_class=found.threads[0].largest_class if found.threads else None),
        evidence={
            "orphaned_entries": found.stale_entries,
            "orphaned_bytes": found.stale_bytes,
            "share": round(share, 4),
            "threads": tuple(each.thread for each in found.threads),
            "entries_by_thread": tuple(each.entries for each in found.threads),
            "retained_bytes_by_thread": tuple(each.retained_bytes for each in found.threads),
        },
        words={"shown": "; ".join(found.values[:MOST_SHOWN]) or None},
        rows={
            "threads": tuple(
                {
                    "thread": each.thread,
                    "held_bytes": each.retained_bytes,
                    "held": each.entries,
                    "largest_class": each.largest_class,
                }
                for each in found.threads[:MOST_SHOWN]
            )
        },
        weight=share,
    )
