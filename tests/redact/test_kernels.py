"""The kernels against plain Python: the hash, letters, numbers."""

from __future__ import annotations

import numpy as np
import pytest

from mqdiag.kernel import kernel
from mqdiag.redact.kernels.text_hash import hash_text, hash_texts, write_letters
from tests.layers import one_in_each_run

MASK = (1 << 64) - 1
KEY = bytes(range(16))
VECTORS = {
    # From the reference implementation of SipHash-2-4 (vectors.h), message bytes 00 01 02 ...
    0: 0x726FDB47DD0E0E31,
    1: 0x74F839C593DC67FD,
    7: 0xAB0200F58B01D137,
    8: 0x93F5F5799A932462,
    15: 0xA129CA6149BE45E5,
    63: 0x958A324CEB064572,
}


@kernel
def hash_one(data, begin, end, key0, key1, found):
    """The hash of one stretch."""
    found[0] = hash_text(data, begin, end, key0, key1)


@one_in_each_run(4)
@pytest.mark.parametrize("length", VECTORS)
@pytest.mark.parametrize("behind", [0, 3, 20], ids=lambda left: f"{left} bytes behind")
def test_the_hash_is_siphash_wherever_the_text_stands(length: int, behind: int) -> None:
    key0, key1 = (np.uint64(int.from_bytes(KEY[at : at + 8], "little")) for at in (0, 8))
    data = np.frombuffer(b"\xff\xff\xff" + bytes(range(length)) + b"\xff" * behind, np.uint8)
    found = np.zeros(1, np.uint64)
    hash_one(data, 3, 3 + length, key0, key1, found)
    assert int(found[0]) == VECTORS[length]
    hash_texts(data, np.array([3]), np.array([3 + length]), key0, key1, found)
    assert int(found[0]) == VECTORS[length]


def letters(text: bytes, width: int, seed: int) -> bytes:
    """What `write_letters` makes, letter by letter."""
    count = len(text) // width
    nibbles: list[int] = []
    while len(nibbles) < count:
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        word = ((seed ^ seed >> 30) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ word >> 27) * 0x94D049BB133111EB) & MASK
        word ^= word >> 31
        nibbles += [word >> 4 * place & 15 for place in range(16)]
    made = [97 + nibble for nibble in nibbles[:count]]
    if made and made[0] == text[width - 1]:
        made[0] = 97 + (made[0] - 96) % 16
    return b"".join(bytes(width - 1) + bytes([letter]) for letter in made)


@one_in_each_run(2)
@pytest.mark.parametrize("width", [1, 2])
def test_letters_fill_a_text_and_nothing_else(width: int) -> None:
    for count in (*range(20), 31, 32, 33, 100):
        for seed in (7, 0xFEDCBA9876543210):
            for behind in (0, 5, 9):
                text = (b"p" if width == 1 else b"\0p") * count
                # A first letter that is the one which was there is another one then.
                text = letters(text, width, seed)
                data = np.frombuffer(b"<<<" + text + b">" * behind, np.uint8).copy()
                write_letters(data, 3, 3 + len(text), width, np.uint64(seed))
                assert bytes(data) == b"<<<" + letters(text, width, seed) + b">" * behind
                assert count == 0 or data[3 + width - 1] != text[width - 1]
