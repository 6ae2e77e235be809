"""Leak suspects that are no single large holder: one line for each kind that takes much."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.facts.waste import DirectBuffers, DuplicateStrings, LoaderGroup, ThreadLocals, WastefulCollections
from mqdiag.render.text.page import Page
from mqdiag.render.wording.class_names import fit
from mqdiag.render.wording.sizes import number, share, size
from mqdiag.text import say

WORTH_SHOWING_BYTES = 1 << 20
WORTH_SHOWING_SHARE = 0.02
"""of the reachable bytes; some repeats and empty lists are in every heap"""
CLASS_WIDTH = 60
TEXTS_SHOWN = 3


def show_waste(page: Page, heap: HeapFacts) -> None:
    """Repeated strings, spare room, loaders, thread locals, direct buffers; nothing where there is little of it."""
    rows = list(_rows(heap))
    if rows:
        page.heading(say("Waste and other suspects"))
        page.pairs(rows)


def _rows(heap: HeapFacts) -> Iterator[tuple[str, str]]:
    waste = heap.waste
    if waste is None:
        return
    least = max(WORTH_SHOWING_BYTES, round((heap.shallow_bytes or 0) * WORTH_SHOWING_SHARE))
    strings, collections, locals_ = waste.duplicate_strings, waste.collections, waste.thread_locals
    if strings is not None and (strings.wasted_bytes or strings.estimated_bytes or 0) >= least:
        yield say("equal strings"), _strings(strings)
    if collections is not None and collections.wasted_bytes >= least:
        yield say("spare room"), _collections(collections)
    for group in waste.class_loaders:
        if group.closed or group.retained_bytes >= least:
            yield say("class loaders"), _loaders(group)
    if locals_ is not None and locals_.retained_bytes >= least:
        yield say("thread locals"), _locals(locals_)
    direct = waste.direct_buffers
    if direct is not None and _direct_bytes(direct) >= WORTH_SHOWING_BYTES:
        yield say("direct buffers"), _direct(direct)


def _strings(found: DuplicateStrings) -> str:
    if found.wasted_bytes is None or found.repeated is None:
        return say(
            "about {estimated_bytes:bytes}, from a sample of one in {sampled_one_in} of {strings:count}",
            estimated_bytes=found.estimated_bytes,
            sampled_one_in=found.sampled_one_in,
            strings=found.strings,
        )
    texts = ", ".join(f'"{each.text}" × {number(each.strings)}' for each in found.largest[:TEXTS_SHOWN])
    return say(
        (
            "{wasted_bytes:bytes} in {repeated:count} of {strings:count} strings that repeat another"
            " one: {texts}"
        ),
        wasted_bytes=found.wasted_bytes,
        repeated=found.repeated,
        strings=found.strings,
        texts=texts,
    )


def _collections(found: WastefulCollections) -> str:
    about = "about " if found.sampled_one_in > 1 else ""
    worst = found.classes[0]
    return say(
        (
            "{about}{wasted_bytes:bytes} in empty and nearly empty collections, most in {class_name}:"
            " {empty:count} empty, {sparse:count} nearly so, of {collections:count}"
        ),
        about=about,
        wasted_bytes=found.wasted_bytes,
        class_name=fit(worst.class_name, CLASS_WIDTH),
        empty=worst.empty,
        sparse=worst.sparse,
        collections=worst.collections,
    )


def _loaders(group: LoaderGroup) -> str:
    closed = say(", {closed:count} of them closed", closed=group.closed) if group.closed else ""
    return say(
        (
            "{loaders:count} of {loader_class}{closed} have the same classes, {retained_bytes:bytes}"
            " retained; `mqdiag show DUMP {object_id}`"
        ),
        loaders=group.loaders,
        loader_class=fit(group.loader_class, CLASS_WIDTH),
        closed=closed,
        retained_bytes=group.retained_bytes,
        object_id=group.object_id,
    )


def _locals(found: ThreadLocals) -> str:
    text = say(
        "{retained_bytes:bytes} in {entries:count} values",
        retained_bytes=found.retained_bytes,
        entries=found.entries,
    )
    if found.threads:
        worst = found.threads[0]
        text += say(
            ", most in thread {thread}: {retained_bytes:bytes}, its largest value: {largest_class}",
            thread=fit(worst.thread, CLASS_WIDTH),
            retained_bytes=worst.retained_bytes,
            largest_class=fit(worst.largest_class, CLASS_WIDTH),
        )
    if found.stale_bytes:
        text += say("; {stale_bytes:bytes} of dropped ThreadLocals", stale_bytes=found.stale_bytes)
    return text


def _direct_bytes(found: DirectBuffers) -> int:
    own = found.capacity_bytes if found.reserved_bytes is None else found.reserved_bytes
    return own + (found.netty_bytes or 0)


def _direct(found: DirectBuffers) -> str:
    own = found.capacity_bytes if found.reserved_bytes is None else found.reserved_bytes
    parts = []
    if own:
        limit = (
            "" if found.limit_bytes is None else say(" of {limit_bytes:bytes}", limit_bytes=found.limit_bytes)
        )
        used = "" if not found.limit_bytes else f" ({share(own, found.limit_bytes)})"
        parts.append(
            say("{own:bytes}{limit} allowed{used}", own=own, limit=limit, used=used) if limit else size(own)
        )
    if found.netty_bytes:
        limit = (
            ""
            if found.netty_limit_bytes is None
            else say(
                " of {netty_limit_bytes:bytes} that it allows itself", netty_limit_bytes=found.netty_limit_bytes
            )
        )
        parts.append(say("Netty {netty_bytes:bytes}{limit}", netty_bytes=found.netty_bytes, limit=limit))
    if found.unreachable_bytes:
        parts.append(say("{unreachable_bytes:bytes} in garbage", unreachable_bytes=found.unreachable_bytes))
    return say("outside the heap: ") + "; ".join(parts)
