"""Small files that an error was found with, by a fuzzer or by hand: `corpus/READER/what is wrong with it`.

The readers are those of `tests/fuzz`. A file of another kind of attack is written by the test that tries it.
"""

from __future__ import annotations

import pytest

from tests.fuzz.readers import in_time, readers
from tests.fuzz.seeds import CORPUS

FILES = sorted(str(path.relative_to(CORPUS)) for path in CORPUS.glob("*/*"))


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_once_ended_a_reader_is_read(name: str) -> None:
    path = CORPUS / name
    for reader in (path.parent.name, "diagnose"):
        in_time(readers()[reader], path)
