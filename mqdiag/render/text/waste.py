"""Leak suspects that are no single large holder: one line for each kind that takes much."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.facts.waste import DirectBuffers, DuplicateStrings, LoaderGroup, ThreadLocals, WastefulCollections
from mqdiag.render.text.page import Page
from mqdiag.render.wording.class_names import fit
from mqdiag.render.wording.sizes import number, share, size

WORTH_SHOWING_BYTES = 1 << 20
WORTH_SHOWING_SHARE = 0.02
"""of the reachable bytes; some repeats and empty lists are in every heap"""
CLASS_WIDTH = 60
TEXTS_SHOWN = 3


def show_waste(page: Page, heap: HeapFacts) -> None:
    """Repeated strings, spare room, loaders, thread locals, direct buffers; nothing where there is little of it."""
    rows = list(_rows(heap))
    if rows:
        page.heading("Waste and other suspects")
        page.pairs(rows)


def _rows(heap: HeapFacts) -> Iterator[tuple[str, str]]:
    waste = heap.waste
    if waste is None:
        return
    least = max(WORTH_SHOWING_BYTES, round((heap.shallow_bytes or 0) * WORTH_SHOWING_SHARE))
    strings, collections, locals_ = waste.duplicate_strings, waste.collections, waste.thread_locals
    if strings is not None and (strings.wasted_bytes or strings.estimated_bytes or 0) >= least:
        yield "equal strings", _strings(strings)
    if collections is not None and collections.wasted_bytes >= least:
        yield "spare room", _collections(collections)
    for group in waste.class_loaders:
        if group.closed or group.retained_bytes >= least:
            yield "class loaders", _loaders(group)
    if locals_ is not None and locals_.retained_bytes >= least:
        yield "thread locals", _locals(locals_)
    direct = waste.direct_buffers
    if direct is not None and _direct_bytes(direct) >= WORTH_SHOWING_BYTES:
        yield "direct buffers", _direct(direct)


def _strings(found: DuplicateStrings) -> str:
    if found.wasted_bytes is None or found.repeated is None:
        return (
            f"about {size(found.estimated_bytes)}, from a sample of one in"
            f" {found.sampled_one_in} of {number(found.strings)}"
        )
    texts = ", ".join(f'"{each.text}" × {number(each.strings)}' for each in found.largest[:TEXTS_SHOWN])
    return (
        f"{size(found.wasted_bytes)} in {number(found.repeated)} of {number(found.strings)} strings that repeat"
        f" another one: {texts}"
    )


def _collections(found: WastefulCollections) -> str:
    about = "about " if found.sampled_one_in > 1 else ""
    worst = found.classes[0]
    return (
        f"{about}{size(found.wasted_bytes)} in empty and nearly empty collections, most in"
        f" {fit(worst.class_name, CLASS_WIDTH)}: {number(worst.empty)} empty, {number(worst.sparse)} nearly so,"
        f" of {number(worst.collections)}"
    )


def _loaders(group: LoaderGroup) -> str:
    closed = f", {number(group.closed)} of them closed" if group.closed else ""
    return (
        f"{number(group.loaders)} of {fit(group.loader_class, CLASS_WIDTH)}{closed} have the same classes,"
        f" {size(group.retained_bytes)} retained; `mqdiag show DUMP {group.object_id}`"
    )


def _locals(found: ThreadLocals) -> str:
    text = f"{size(found.retained_bytes)} in {number(found.entries)} values"
    if found.threads:
        worst = found.threads[0]
        text += (
            f", most in thread {fit(worst.thread, CLASS_WIDTH)}: {size(worst.retained_bytes)},"
            f" its largest value: {fit(worst.largest_class, CLASS_WIDTH)}"
        )
    if found.stale_bytes:
        text += f"; {size(found.stale_bytes)} of dropped ThreadLocals"
    return text


def _direct_bytes(found: DirectBuffers) -> int:
    own = found.capacity_bytes if found.reserved_bytes is None else found.reserved_bytes
    return own + (found.netty_bytes or 0)


def _direct(found: DirectBuffers) -> str:
    own = found.capacity_bytes if found.reserved_bytes is None else found.reserved_bytes
    parts = []
    if own:
        limit = "" if found.limit_bytes is None else f" of {size(found.limit_bytes)}"
        used = "" if not found.limit_bytes else f" ({share(own, found.limit_bytes)})"
        parts.append(f"{size(own)}{limit} allowed{used}" if limit else size(own))
    if found.netty_bytes:
        limit = (
            ""
            if found.netty_limit_bytes is None
            else f" of {size(found.netty_limit_bytes)} that it allows itself"
        )
        parts.append(f"Netty {size(found.netty_bytes)}{limit}")
    if found.unreachable_bytes:
        parts.append(f"{size(found.unreachable_bytes)} in garbage")
    return "outside the heap: " + "; ".join(parts)
