"""The first bytes of a dump (trap 8 of naive readers)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.errors import InputError
from tests.graph.opening import dump_of
from tests.writers import hprof_records as hprof
from tests.writers.hprof_writer import DumpWriter


def small(version: str = "1.0.2", id_size: int = 8) -> DumpWriter:
    dump = DumpWriter(version=version, id_size=id_size, captured_at_ms=2**40 + 7)
    dump.instance(dump.java_class("A"))
    return dump


@pytest.mark.parametrize("version", ["1.0.1", "1.0.2", "1.0.3"])
def test_trap_08_versions_in_use(version: str, tmp_path: Path) -> None:
    header = dump_of(small(version), tmp_path).header
    assert (header.version, header.id_size, header.captured_at_ms) == (version, 8, 2**40 + 7)


@pytest.mark.parametrize("version", ["1.0.9", "2.0", "1.0 beta 3", ""])
def test_trap_08_another_version_is_named(version: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"version|header"):
        dump_of(small(version), tmp_path)


@pytest.mark.parametrize("id_size", [0, 1, 2, 5, 16, 2**31])
def test_trap_08_another_id_size_is_refused(id_size: int, tmp_path: Path) -> None:
    start = hprof.header("1.0.2", 8, 0)
    broken = start[:19] + id_size.to_bytes(4, "big") + start[23:] + small().records()
    with pytest.raises(InputError, match=f"object ids of {id_size} bytes") as told:
        dump_of(broken, tmp_path)
    assert told.value.offset == 19


@pytest.mark.parametrize("size", range(1, 31))
def test_trap_08_a_cut_header_is_refused(size: int, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        dump_of(small().to_bytes()[:size], tmp_path)
