"""The section on waste: nothing where there is little, each kind in a line where there is much."""

from __future__ import annotations

import msgspec

from mqdiag.facts.waste import (
    CollectionClass,
    DirectBuffers,
    DuplicateStrings,
    LoaderGroup,
    RepeatedText,
    ThreadLocals,
    ThreadLocalsOf,
    Waste,
    WastefulCollections,
)
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.text import render
from tests.render import samples
from tests.text_width import too_wide

MIB = 1 << 20
HEAD = "Waste and other suspects"


def waste(size: int, *, text: str = "EUR") -> Waste:
    """Every kind, each of this size."""
    maps = CollectionClass(
        class_name="java.util.HashMap", collections=9, empty=3, empty_bytes=size, sparse=4, spare_bytes=0
    )
    return Waste(
        duplicate_strings=DuplicateStrings(
            strings=5000,
            repeated=4000,
            wasted_bytes=size,
            largest=(RepeatedText(text=text, strings=3999, wasted_bytes=size),),
        ),
        collections=WastefulCollections(collections=9, wasted_bytes=size, classes=(maps,)),
        class_loaders=(
            LoaderGroup(
                loader_class="app.Loader",
                loaders=3,
                closed=0,
                example_class="app.A",
                repeated_classes=7,
                retained_bytes=size,
                object_id="0x7f",
            ),
        ),
        thread_locals=ThreadLocals(
            entries=6,
            retained_bytes=size,
            stale_entries=0,
            stale_bytes=0,
            threads=(
                ThreadLocalsOf(
                    thread="worker-1",
                    object_id="0x1",
                    entries=2,
                    retained_bytes=size,
                    largest_class="app.Buffer",
                ),
            ),
        ),
        direct_buffers=DirectBuffers(
            buffers=2,
            capacity_bytes=size,
            unreachable_bytes=0,
            unmanaged_buffers=0,
            unmanaged_bytes=0,
            mapped_buffers=0,
            mapped_bytes=0,
            reserved_bytes=size,
            limit_bytes=4 * size,
        ),
    )


def shown(found: Waste | None) -> str:
    assert samples.HEALTHY.heap is not None
    heap = msgspec.structs.replace(samples.HEALTHY.heap, shallow_bytes=1000 * MIB, waste=found)
    report: Report = msgspec.structs.replace(samples.HEALTHY, heap=heap)
    answer = msgspec.structs.replace(report.answer, state="undecided")  # a decided one has it on demand
    text = render(msgspec.structs.replace(report, answer=answer), View())
    assert too_wide(text) == []
    return " ".join(text.split())


def test_little_waste_is_not_shown() -> None:
    assert HEAD not in shown(None)
    assert HEAD not in shown(Waste())
    assert HEAD not in shown(waste(MIB - 1))


def test_each_kind_has_its_line() -> None:
    text = shown(waste(100 * MIB))
    for part in (
        HEAD,
        'equal strings 100 MiB in 4,000 of 5,000 strings that repeat another one: "EUR" × 3,999',
        "spare capacity 100 MiB in empty and nearly empty collections, most in java.util.HashMap: of 9, 3 are empty",
        "class loaders 3 of app.Loader have the same classes, 100 MiB retained; `mqdiag show DUMP 0x7f`",
        "thread locals 100 MiB in 6 values, most in thread worker-1: 100 MiB,"
        " its largest value is an instance of app.Buffer",
        "direct buffers 100 MiB outside the heap, 25 % of the 400 MiB allowed",
    ):
        assert part in text, part


def test_an_estimate_says_what_it_is() -> None:
    strings = DuplicateStrings(strings=2_000_000, sampled_one_in=64, estimated_bytes=100 * MIB)
    assert "equal strings about 100 MiB, from a sample of one in 64 of 2,000,000" in shown(
        Waste(duplicate_strings=strings)
    )
    drawn = DuplicateStrings(
        strings=9_000_000,
        sampled_one_in=32,
        repeated=8_000_000,
        wasted_bytes=400 * MIB,
        error_bytes=20 * MIB,
    )
    told = shown(Waste(duplicate_strings=drawn))
    assert "400 MiB (± 20 MiB in 95 % of all cases) in about 8,000,000 of 9,000,000 strings" in told
    assert "from a sample of one in 32" in told


def test_texts_from_the_dump_are_made_harmless() -> None:
    assert "\x1b" not in shown(waste(100 * MIB, text="\x1b[31mred\n"))
