"""Object code laid out as one piece of memory, so that a run can map and call it without a linker.

numba compiles for the large code model of x86-64: each address in the code takes 64 bits. So the sections that a run
needs stand one behind the other here, and the places of all addresses are listed for `native`, which adds where the
piece lies. Source: System V ABI, AMD64 supplement, "Object Files".
"""

from __future__ import annotations

import mmap
import struct
from typing import NamedTuple

from mqdiag.kernel.definition import ADDRESS_BYTES

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_X86_64, _LITTLE_ENDIAN_64 = 62, b"\x7fELF\x02\x01"
_CONTENT, _SYMBOLS, _RELOCATIONS, _ZEROS = 1, 2, 4, 8
"""types of sections"""
_WRITTEN, _LOADED = 1, 2
"""flags of sections"""
_WHOLE_ADDRESS = 1
"""R_X86_64_64: the address of a symbol, and a number to add to it"""
_OUTSIDE = 0
"""number of the section of a symbol that the object code lacks"""


class Linked(NamedTuple):
    """One piece of code, and what to write into it when it is loaded."""

    code: bytes
    entry: int
    """where the function begins"""
    inner: list[int]
    """places with eight bytes that hold an offset from the beginning of the piece, where its address belongs"""
    outer: dict[str, list[int]]
    """places of eight zero bytes for the address of a function of another library, by its name"""


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class _Symbol(NamedTuple):
    name: int
    info: int
    other: int
    section: int
    value: int
    size: int


def link(object_code: bytes, function: str) -> Linked | None:
    """Lay out object code that LLVM has just made.

    Returns:
        None for another processor, and for code of a form that numba does not make today.
    """
    head = _HEADER.unpack_from(object_code)
    machine, sections_at, count = head[2], head[6], head[12]
    if head[0][:6] != _LITTLE_ENDIAN_64 or machine != _X86_64:
        return None
    sections = [
        _Section(*_SECTION.unpack_from(object_code, sections_at + _SECTION.size * at)) for at in range(count)
    ]
    tables = [section for section in sections if section.kind == _SYMBOLS]
    if len(tables) != 1:
        return None
    table = tables[0]
    symbols = [_Symbol(*fields) for fields in _SYMBOL.iter_unpack(_body(object_code, table))]
    names = _body(object_code, sections[table.link])
    begins: dict[int, int] = {}
    code = bytearray()
    for number, section in enumerate(sections):
        if section.kind not in (_CONTENT, _ZEROS) or not section.flags & _LOADED or not section.size:
            continue
        if section.kind == _ZEROS or section.flags & _WRITTEN:
            return None
        # The piece begins at a page, so a section cannot be aligned to more than one.
        if not 0 < section.alignment <= mmap.PAGESIZE:
            return None
        code += bytes(-len(code) % section.alignment)
        begins[number] = len(code)
        code += _body(object_code, section)
    inner: list[int] = []
    outer: dict[str, list[int]] = {}
    for section in sections:
        if section.kind != _RELOCATIONS or section.info not in begins:
            continue
        for offset, kind, added in _RELOCATION.iter_unpack(_body(object_code, section)):
            symbol = symbols[kind >> 32]
            if kind & 0xFFFF_FFFF != _WHOLE_ADDRESS:
                return None
            if offset + ADDRESS_BYTES > sections[section.info].size:
                return None
            place = begins[section.info] + offset
            if symbol.section == _OUTSIDE and not added:
                outer.setdefault(_name(names, symbol), []).append(place)
            elif symbol.section in begins:
                struct.pack_into("<q", code, place, begins[symbol.section] + symbol.value + added)
                inner.append(place)
            else:
                return None
    for symbol in symbols:
        if symbol.section in begins and _name(names, symbol) == function:
            if symbol.value >= sections[symbol.section].size:
                return None
            return Linked(bytes(code), begins[symbol.section] + symbol.value, inner, outer)
    return None


def _body(object_code: bytes, section: _Section) -> bytes:
    return object_code[section.offset : section.offset + section.size]


def _name(names: bytes, symbol: _Symbol) -> str:
    return names[symbol.name : names.index(b"\0", symbol.name)].decode()
