"""Object code that runs without a linker, and what is left to the loader of LLVM."""

from __future__ import annotations

import struct

import pytest

from mqdiag.kernel import native
from mqdiag.kernel.build import build
from mqdiag.kernel.definition import type_code
from mqdiag.kernel.link import link
from mqdiag.kernel.native import ObjectCode
from mqdiag.kernel.self_check import arguments, fault, self_check

MACHINE_AT, AARCH64 = 18, 183


@pytest.fixture(scope="module")
def built() -> ObjectCode:
    """The self-check as LLVM makes it: it calls another kernel of its file and has a constant outside of its code."""
    return ObjectCode(*build(self_check, types()))


def types() -> tuple[object, ...]:
    return tuple(map(type_code, arguments()))


def call(code: ObjectCode) -> object:
    return native._callable("self_check", types(), code.results, native._address(code))


def test_linked_code_gives_the_right_results(built: ObjectCode) -> None:
    linked = native._linked(built)
    assert linked.entry is not None
    assert fault(call(linked)) is None
    assert fault(call(linked)) is None
    assert ObjectCode.from_bytes(linked.to_bytes()) == linked


def test_what_is_not_linked_runs_by_the_loader_of_llvm(built: ObjectCode) -> None:
    assert built.entry is None
    assert fault(call(built)) is None
    assert ObjectCode.from_bytes(built.to_bytes()) == built


def test_code_of_another_processor_or_form_is_not_linked(built: ObjectCode) -> None:
    assert link(built.code, built.symbol) is not None
    assert link(built.code, "another") is None
    foreign = bytearray(built.code)
    struct.pack_into("<H", foreign, MACHINE_AT, AARCH64)
    assert link(bytes(foreign), built.symbol) is None


def test_an_address_of_another_form_is_not_linked(built: ObjectCode) -> None:
    linked = link(built.code, built.symbol)
    assert linked is not None
    whole_address, relative_address = 1, 2
    place = linked.inner[0] - linked.entry  # the function begins its section
    record = struct.pack("<QI", place, whole_address)
    assert built.code.count(record) == 1
    changed = built.code.replace(record, struct.pack("<QI", place, relative_address))
    assert link(changed, built.symbol) is None
