"""How a JVM would place objects: the writer puts addresses accordingly, so that sizes can be learned from them."""

from __future__ import annotations

from dataclasses import dataclass

from tests.writers.hprof_records import OBJECT, WIDTHS


@dataclass(frozen=True, slots=True)
class JvmLayout:
    """Widths that no hprof file states."""

    reference_bytes: int = 4
    header_bytes: int = 12
    alignment: int = 8
    array_base: int = 16
    base_address: int = 0xE000_0000

    def align(self, size: int) -> int:
        """Rounded up to the object alignment."""
        return -(-size // self.alignment) * self.alignment

    def instance(self, kinds: list[int]) -> int:
        """Shallow size of an instance with fields of these types, packed without holes."""
        return self.align(self.header_bytes + sum(self.width(kind) for kind in kinds))

    def array(self, kind: int, length: int) -> int:
        """Shallow size of an array."""
        width = self.width(kind)
        base = -(-self.array_base // 8) * 8 if width == 8 else self.array_base
        return self.align(base + length * width)

    def width(self, kind: int) -> int:
        """Bytes of a field in memory."""
        return self.reference_bytes if kind == OBJECT else WIDTHS[kind]


COMPRESSED = JvmLayout()
"""64 bits below 32 GB of heap, the default"""
WIDE = JvmLayout(reference_bytes=8, header_bytes=16, array_base=20, base_address=0x7F00_0000_0000)
"""-XX:-UseCompressedOops -XX:-UseCompressedClassPointers"""
WIDE_REFERENCES = JvmLayout(reference_bytes=8, header_bytes=12, base_address=0x7F00_0000_0000)
"""-XX:-UseCompressedOops"""
COMPACT_HEADERS = JvmLayout(header_bytes=8, array_base=12)
"""JEP 519, -XX:+UseCompactObjectHeaders"""
ALIGNED_16 = JvmLayout(alignment=16, base_address=0x8_0000_0000)
"""-XX:ObjectAlignmentInBytes=16: compressed references up to 64 GB"""
BITS_32 = JvmLayout(reference_bytes=4, header_bytes=8, array_base=12, base_address=0x2000_0000)
"""a 32-bit JVM, ids of 4 bytes"""
