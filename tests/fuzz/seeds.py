"""What the fuzzer begins with: pieces of the committed evidence, and the words that the readers look for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mqdiag.logs.statements import searched
from mqdiag.read.stacks.reader import MARKS
from tests.hostile.crafted_texts import ANY, LOGS, THREAD_DUMPS

FIXTURES = Path(__file__).parents[2] / "fixtures"
LARGEST = 16 << 10
"""bytes of a seed: of longer files the beginning, up to a whole line"""
CORPUS = Path(__file__).parents[1] / "hostile" / "corpus"
"""what was found before, by reader"""
_FOLDERS = ("admin", "logs", "public", "stacks", "stores", "reports")
_TEXTS = (".txt", ".log", ".json", ".out", ".gc", ".1")
_OWN = ("truth.json", "first_run.json")


def write_seeds(folder: Path, most: int) -> int:
    """Write the seeds into a folder, evenly drawn from all files, and return their number."""
    files = sorted(
        file
        for name in _FOLDERS
        for file in (FIXTURES / name).rglob("*")
        if file.is_file() and file.name.endswith(_TEXTS) and file.name not in _OWN
    )
    step = max(len(files) // most, 1)
    texts = [_beginning(file.read_bytes()) for file in files[::step]]
    texts += [_beginning(make().encode()) for make in (*ANY.values(), *LOGS.values(), *THREAD_DUMPS.values())]
    texts += [_beginning(file.read_bytes()) for file in sorted(CORPUS.glob("*/*"))]
    for number, text in enumerate(texts):
        (folder / f"seed-{number:04}").write_bytes(text)
    return len(texts)


def write_dictionary(path: Path) -> None:
    """Write the words as a dictionary of libFuzzer."""
    words = {literal for literal in (*searched().literals, *MARKS) if len(literal) <= 64}
    with open(path, "w", encoding="ascii") as file:
        for word in sorted(words):
            file.write('"' + "".join(_escaped(word)) + '"\n')


def _beginning(data: bytes) -> bytes:
    return data if len(data) <= LARGEST else data[: data.rfind(b"\n", 0, LARGEST) + 1] or data[:LARGEST]


def _escaped(word: bytes) -> Iterator[str]:
    for byte in word:
        plain = re.match(rb'[^"\\\x00-\x1f\x7f-\xff]', bytes([byte]))
        yield chr(byte) if plain else f"\\x{byte:02x}"
