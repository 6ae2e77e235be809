"""Memory that is used for nothing, and other suspects that are no single large object."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.facts.ratios import ratio
from mqdiag.facts.waste import (
    DirectBuffers,
    DuplicateStrings,
    LoaderGroup,
    ThreadLocals,
    Waste,
    WastefulCollections,
)
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Fold, Pairs, Path, Section, Words
from mqdiag.render.tables import Tables
from mqdiag.text import NOTHING, Text, Value, say

TABLES = Tables("heap_waste")

WORTH_SHOWING_BYTES = 1 << 20
WORTH_SHOWING_SHARE = 0.02
"""share of the reachable bytes; some repeats and empty lists are in every heap"""
_TEXTS = 3

Line = tuple[Text, Text, int]
"""name, sentence, and the bytes that decide whether it is worth a line in the short form"""


def waste_section(report: Report, view: View) -> Iterator[Section]:
    """One line for each kind, and the tables behind the lines in the wide form."""
    heap = report.heap
    if heap is None or heap.waste is None:
        return
    lines = list(_lines(heap.waste))
    least = max(WORTH_SHOWING_BYTES, round((heap.shallow_bytes or 0) * WORTH_SHOWING_SHARE))
    parts: list[AnyPart] = []
    for wide in (False, True):
        rows: list[tuple[Words, Value]] = [(name, text) for name, text, size in lines if (size < least) == wide]
        if rows:
            parts.append(Pairs(rows, wide=wide))
    parts += _tables(heap)
    if parts:
        yield Section(
            name="waste", title=say("Waste and other suspects"), short_title=say("Waste"), parts=parts
        )


def _lines(waste: Waste) -> Iterator[Line]:
    if waste.duplicate_strings is not None:
        found = waste.duplicate_strings
        yield say("equal strings"), _strings(found), found.wasted_bytes or found.estimated_bytes or 0
    if waste.collections is not None and waste.collections.classes:
        yield say("spare capacity"), _collections(waste.collections), waste.collections.wasted_bytes
    for group in waste.class_loaders:
        yield say("class loaders"), _loaders(group), group.retained_bytes
    if waste.thread_locals is not None:
        yield say("thread locals"), _locals(waste.thread_locals), waste.thread_locals.retained_bytes
    direct = waste.direct_buffers
    if direct is not None and _own_bytes(direct):
        yield say("direct buffers"), _direct(direct), _own_bytes(direct)
    if direct is not None and direct.netty_bytes:
        yield say("direct buffers of Netty"), _netty(direct), direct.netty_bytes


def _strings(found: DuplicateStrings) -> Text:
    if found.wasted_bytes is None or found.repeated is None:
        return say(
            "about {estimated_bytes:bytes}, from a sample of one in {sampled_one_in:count} of {strings:count}",
            found,
        )
    texts = tuple(say('"{text}" × {strings:count}', each) for each in found.largest[:_TEXTS])
    if found.error_bytes is not None:
        return say(
            "{wasted_bytes:bytes} (± {error_bytes:bytes} in 95 % of all cases) in about {repeated:count} of"
            " {strings:count} strings that repeat another one, from a sample of one in {sampled_one_in:count}{texts}",
            found,
            texts=say(": {texts}", texts=texts) if texts else NOTHING,
        )
    return say(
        "{wasted_bytes:bytes} in {repeated:count} of {strings:count} strings that repeat another one{texts}",
        found,
        texts=say(": {texts}", texts=texts) if texts else NOTHING,
    )


def _collections(found: WastefulCollections) -> Text:
    worst = found.classes[0]
    told = say(
        "{wasted_bytes:bytes} in empty and nearly empty collections, most in {class_name}: of"
        " {collections:count}, {empty:count} are empty and {sparse:count} nearly empty",
        worst,
        wasted_bytes=found.wasted_bytes,
    )
    if found.sampled_one_in == 1:
        return told
    return say(
        "about {told} (± {error_bytes:bytes} in 95 % of all cases, from a sample of one in {sampled_one_in:count})",
        found,
        told=told,
    )


def _loaders(group: LoaderGroup) -> Text:
    closed = say(", {closed:count} of them closed", closed=group.closed) if group.closed else NOTHING
    return say(
        "{loaders:count} of {loader_class}{closed} have the same classes, {retained_bytes:bytes} retained;"
        " `mqdiag show DUMP {object_id}`",
        group,
        closed=closed,
    )


def _locals(found: ThreadLocals) -> Text:
    worst: Text = NOTHING
    if found.threads:
        first = found.threads[0]
        worst = say(
            ", most in thread {thread}: {retained_bytes:bytes}, its largest value is an instance of {largest_class}",
            first,
        )
    stale: Text = NOTHING
    if found.stale_bytes:
        stale = say("; {stale_bytes:bytes} of dropped ThreadLocals", stale_bytes=found.stale_bytes)
    return say(
        "{retained_bytes:bytes} in {entries:count} {entries:value|values}{worst}{stale}",
        found,
        worst=worst,
        stale=stale,
    )


def _own_bytes(found: DirectBuffers) -> int:
    """By the JVM's own count where the dump has it."""
    return found.capacity_bytes if found.reserved_bytes is None else found.reserved_bytes


def _direct(found: DirectBuffers) -> Text:
    garbage: Text = NOTHING
    if found.unreachable_bytes:
        garbage = say(", {unreachable_bytes:bytes} of it in garbage", unreachable_bytes=found.unreachable_bytes)
    if found.limit_bytes is None:
        return say("{own_bytes:bytes} outside the heap{garbage}", own_bytes=_own_bytes(found), garbage=garbage)
    return say(
        "{own_bytes:bytes} outside the heap, {share:percent} of the {limit_bytes:bytes} allowed{garbage}",
        own_bytes=_own_bytes(found),
        share=ratio(_own_bytes(found), found.limit_bytes),
        limit_bytes=found.limit_bytes,
        garbage=garbage,
    )


def _netty(found: DirectBuffers) -> Text:
    if found.netty_limit_bytes is None:
        return say("{netty_bytes:bytes} by its own count", netty_bytes=found.netty_bytes)
    return say(
        "{netty_bytes:bytes} by its own count, of the {netty_limit_bytes:bytes} that it allows itself", found
    )


def _tables(heap: HeapFacts) -> Iterator[AnyPart]:
    waste = heap.waste or Waste()
    strings, locals_, direct = waste.duplicate_strings, waste.thread_locals, waste.direct_buffers
    if strings is not None and strings.largest:
        yield TABLES.table("texts", strings.largest)
    if strings is not None and strings.holders:
        yield TABLES.table("text-holders", strings.holders)
    if waste.collections is not None and waste.collections.classes:
        yield TABLES.table(
            "collections",
            waste.collections.classes,
            note=NOTHING
            if waste.collections.sampled_one_in == 1
            else say(
                "projected from a sample of one in {sampled_one_in:count}",
                sampled_one_in=waste.collections.sampled_one_in,
            ),
        )
    if waste.class_loaders:
        yield TABLES.table("loaders", waste.class_loaders)
        for group in waste.class_loaders:
            if group.path:
                summary = say("References from a GC root to {loader_class} {object_id}", group)
                yield Fold(summary, (Path(group.path),), wide=True)
    if locals_ is not None and locals_.threads:
        yield TABLES.table("thread-locals", locals_.threads)
    if direct is not None:
        yield from _direct_tables(direct)


def _direct_tables(found: DirectBuffers) -> Iterator[AnyPart]:
    yield TABLES.table(
        "direct",
        rows=[
            (say("direct buffers"), found.buffers, found.capacity_bytes),
            (say("without a cleaner"), found.unmanaged_buffers, found.unmanaged_bytes),
            (say("mapped files"), found.mapped_buffers, found.mapped_bytes),
        ],
    )
    if found.holders:
        yield TABLES.table("direct-holders", found.holders)
