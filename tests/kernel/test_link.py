"""Object code that runs without a linker, and what is left to the loader of LLVM."""

from __future__ import annotations

import io
import os
import platform
import struct

import pytest

from mqdiag.kernel import native
from mqdiag.kernel.build import build
from mqdiag.kernel.definition import ADDRESS_BYTES, type_code
from mqdiag.kernel.link import _CONTENT, _RELOCATIONS, _SECTION, _SYMBOLS, Linked, _Section, link
from mqdiag.kernel.native import ObjectCode
from mqdiag.kernel.self_check import arguments, fault, self_check
from tests.folded import folded

MACHINE_AT, AARCH64 = 18, 183
STRINGS = 3
"""type of a section"""
only_x86_64 = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="kernels of other processors are not linked"
)


@pytest.fixture(scope="module")
def built() -> ObjectCode:
    """The self-check as LLVM makes it: it has a constant outside of its code."""
    return ObjectCode(*build(self_check, types()))


def types() -> tuple[object, ...]:
    return tuple(map(type_code, arguments()))


def first_section(code: bytes, kind: int) -> tuple[int, int, _Section]:
    """The first section of a type that has content: its number, where it is described, and how."""
    sections_at, count = struct.unpack_from("<Q", code, 40)[0], struct.unpack_from("<H", code, 60)[0]
    for number in range(count):
        at = sections_at + number * _SECTION.size
        section = _Section(*_SECTION.unpack_from(code, at))
        if section.kind == kind and section.size:
            return number, at, section
    raise AssertionError(f"no section of type {kind}")


def changed_section(code: bytes, kind: int, /, **fields: int) -> bytes:
    """The object code with other fields in that section."""
    _, at, section = first_section(code, kind)
    changed = bytearray(code)
    _SECTION.pack_into(changed, at, *section._replace(**fields))
    return bytes(changed)


def linked(built: ObjectCode) -> Linked:
    piece = link(built.code, built.symbol)
    assert piece is not None
    return piece


def call(code: ObjectCode) -> object:
    return native._callable("self_check", types(), code.results, native._address(code))


@only_x86_64
def test_linked_code_gives_the_right_results(built: ObjectCode) -> None:
    code = native._linked(built)
    assert code.entry is not None
    assert fault(call(code)) is None
    assert fault(call(code)) is None
    assert ObjectCode.from_bytes(code.to_bytes()) == code


def test_what_is_not_linked_runs_by_the_loader_of_llvm(built: ObjectCode) -> None:
    assert built.entry is None
    assert fault(call(built)) is None
    assert ObjectCode.from_bytes(built.to_bytes()) == built


@only_x86_64
def test_code_of_another_processor_or_form_is_not_linked(built: ObjectCode) -> None:
    assert link(built.code, built.symbol) is not None
    assert link(built.code, "another") is None
    foreign = bytearray(built.code)
    struct.pack_into("<H", foreign, MACHINE_AT, AARCH64)
    assert link(bytes(foreign), built.symbol) is None


@only_x86_64
def test_an_address_of_another_form_is_not_linked(built: ObjectCode) -> None:
    piece = linked(built)
    whole_address, relative_address = 1, 2
    place = piece.inner[0] - piece.entry  # the function begins its section
    record = struct.pack("<QI", place, whole_address)
    assert built.code.count(record) == 1
    changed = built.code.replace(record, struct.pack("<QI", place, relative_address))
    assert link(changed, built.symbol) is None


@only_x86_64
def test_an_address_beyond_the_end_of_its_section_is_not_linked(built: ObjectCode) -> None:
    """The address of the constant is told to be in the section of the constant, which is too short for it."""
    number, _, constants = first_section(built.code, _CONTENT)
    piece = linked(built)
    end = piece.inner[0] - piece.entry + ADDRESS_BYTES
    assert constants.size < end < len(piece.code)
    assert link(changed_section(built.code, _RELOCATIONS, info=number), built.symbol) is None


@only_x86_64
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (_SYMBOLS, {"kind": 0}),
        (STRINGS, {"kind": _SYMBOLS}),
        (_CONTENT, {"alignment": 0}),
        (_CONTENT, {"alignment": 1 << 40}),
    ],
    ids=["no symbols", "two tables of symbols", "no alignment", "too large an alignment"],
)
def test_sections_of_another_form_are_not_linked(built: ObjectCode, kind: int, fields: dict[str, int]) -> None:
    assert link(changed_section(built.code, kind), built.symbol) is not None
    assert link(changed_section(built.code, kind, **fields), built.symbol) is None


@only_x86_64
@pytest.mark.parametrize(("name", "is_linked"), [("memset", True), ("memcmp", False)])
def test_a_function_that_no_kernel_calls_today_is_left_to_llvm(
    built: ObjectCode, monkeypatch: pytest.MonkeyPatch, name: str, is_linked: bool
) -> None:
    piece = linked(built)._replace(outer={name: [0]})
    monkeypatch.setattr(f"{link.__module__}.link", lambda *_: piece)
    assert native._linked(built) == (built._replace(**piece._asdict()) if is_linked else built)


@only_x86_64
def test_a_function_that_libc_lacks_is_refused(built: ObjectCode, monkeypatch: pytest.MonkeyPatch) -> None:
    piece = linked(built)._replace(outer={"no_such_function": [0]})
    monkeypatch.setattr(f"{link.__module__}.link", lambda *_: piece)
    with pytest.raises(NotImplementedError, match="calls no_such_function, which libc does not have"):
        native._linked(built)


def test_a_changed_head_is_not_believed(built: ObjectCode) -> None:
    for code in (built, native._linked(built)):
        data = code.to_bytes()
        head, _, _ = data.removesuffix(code.code).rpartition(b"\n")
        for place in range(len(head) + 1):
            changed = bytearray(data)
            changed[place] ^= 1
            assert ObjectCode.from_bytes(bytes(changed)) is None, place


SOUND = ObjectCode("f", ("i8",), bytes(24), entry=23, inner=[0, 16], outer={"memset": [8]})


@folded(
    "fields",
    [
        {"entry": -1},
        {"entry": 24},
        {"entry": None},
        {"inner": [-1]},
        {"inner": [17]},
        {"outer": {"memset": [17]}},
        {"outer": {"system": [8]}},
        {"entry": "0"},
        {"results": 1},
    ],
    str,
)
def test_places_outside_of_the_code_and_other_functions_are_not_believed(fields: dict[str, object]) -> None:
    """The checksum is right, as in a file that a faulty version wrote."""
    assert ObjectCode.from_bytes(SOUND.to_bytes()) == SOUND
    assert ObjectCode.from_bytes(SOUND._replace(**fields).to_bytes()) is None


@pytest.mark.parametrize(
    ("told", "key"),
    [
        ("processor\t: 0\ncpu\t\t: POWER9\n\ntimebase\t: 512000000\n", os.uname().nodename),
        ("processor\t: 0\nmodel\t: 85\nflags\t: avx\n\nprocessor\t: 1\n", "model\t: 85\nflags\t: avx"),
    ],
    ids=["POWER", "x86"],
)
def test_processors_are_told_apart(monkeypatch: pytest.MonkeyPatch, told: str, key: str) -> None:
    monkeypatch.setattr(native, "open", lambda *_, **__: io.BytesIO(told.encode()), raising=False)
    assert native._processor.__wrapped__() == key
