"""What takes memory in any Java heap without a use."""

from __future__ import annotations

from mqdiag.facts.waste import Waste
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.cells import count_cell, share_cell, size_cell, table
from mqdiag.render.html.page.parts import AnyPart, Bullets, Fold, Pairs, Section
from mqdiag.render.wording.sizes import number, size
from mqdiag.text import say


def waste_section(report: Report, view: View) -> Section | None:
    """Nothing when the dump was not looked at for it."""
    waste = None if report.heap is None else report.heap.waste
    if waste is None:
        return None
    parts = [*_strings(waste), *_collections(waste), *_loaders(waste), *_locals(waste), *_direct(waste)]
    return Section(name="waste", title=say("Waste and other suspects"), parts=parts) if parts else None


def _strings(waste: Waste) -> list[AnyPart]:
    found = waste.duplicate_strings
    if found is None:
        return []
    wasted = found.wasted_bytes if found.wasted_bytes is not None else found.estimated_bytes
    about = "" if found.wasted_bytes is not None else say(" (by a sample)")
    parts: list[AnyPart] = [
        Pairs(
            [(say("strings"), number(found.strings)), (say("repeated for nothing"), f"{size(wasted)}{about}")]
        )
    ]
    if found.largest:
        rows = [
            (one.text, count_cell(one.strings), size_cell(one.wasted_bytes), one.held_by or "")
            for one in found.largest
        ]
        parts.append(
            table("texts", "Texts repeated most", ("text", "#strings", "#wasted", "mostly held by"), rows)
        )
    if found.holders:
        holders = [(one.held_by, share_cell(one.share)) for one in found.holders]
        parts.append(table("text-holders", "Who holds repeated texts", ("field", "#share"), holders))
    return parts


def _collections(waste: Waste) -> list[AnyPart]:
    found = waste.collections
    if found is None or not found.classes:
        return []
    note = (
        ""
        if found.sampled_one_in == 1
        else say("projected from one in {sampled_one_in}", sampled_one_in=found.sampled_one_in)
    )
    rows = [
        (
            one.class_name,
            count_cell(one.collections),
            count_cell(one.empty),
            size_cell(one.empty_bytes),
            count_cell(one.sparse),
            size_cell(one.spare_bytes),
        )
        for one in found.classes
    ]
    heads = ("class", "#collections", "#empty", "#their bytes", "#nearly empty", "#spare bytes")
    return [table("collections", "Empty and nearly empty collections", heads, rows, note)]


def _loaders(waste: Waste) -> list[AnyPart]:
    if not waste.class_loaders:
        return []
    rows = [
        (
            one.loader_class,
            count_cell(one.loaders),
            count_cell(one.closed),
            count_cell(one.repeated_classes),
            one.example_class,
            size_cell(one.retained_bytes),
        )
        for one in waste.class_loaders
    ]
    heads = ("loader", "#loaders", "#closed", "#classes repeated", "for example", "#retained")
    parts: list[AnyPart] = [table("loaders", "Class loaders with the same classes", heads, rows)]
    parts += [
        Fold(
            summary=say(
                "How {loader_class} {object_id} hangs on a GC root",
                loader_class=one.loader_class,
                object_id=one.object_id,
            ),
            parts=[Bullets(one.path)],
        )
        for one in waste.class_loaders
        if one.path
    ]
    return parts


def _locals(waste: Waste) -> list[AnyPart]:
    found = waste.thread_locals
    if found is None or not found.threads:
        return []
    rows = [
        (one.thread, count_cell(one.entries), size_cell(one.retained_bytes), one.largest_class)
        for one in found.threads
    ]
    heads = ("thread", "#values", "#retained", "largest value")
    return [table("thread-locals", "Thread locals", heads, rows)]


def _direct(waste: Waste) -> list[AnyPart]:
    found = waste.direct_buffers
    if found is None:
        return []
    limit = (
        ""
        if found.limit_bytes is None
        else say(" of at most {limit_bytes:bytes}", limit_bytes=found.limit_bytes)
    )
    pairs = [(say("direct buffers"), f"{number(found.buffers)}, {size(found.capacity_bytes)}{limit}")]
    if found.mapped_buffers:
        pairs.append((say("mapped files"), f"{number(found.mapped_buffers)}, {size(found.mapped_bytes)}"))
    if found.netty_bytes is not None:
        pairs.append((say("counted by Netty"), size(found.netty_bytes)))
    parts: list[AnyPart] = [Pairs(pairs)]
    if found.holders:
        rows = [
            (one.class_name, count_cell(one.buffers), size_cell(one.capacity_bytes)) for one in found.holders
        ]
        parts.append(
            table("direct", "Who holds direct buffers", ("class", "#buffers", "#off-heap bytes"), rows)
        )
    return parts
