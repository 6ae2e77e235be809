"""Small texts and archives that are made to cost much: each run ends within the budget of `SECURITY.md`."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from tests.hostile.bounded import run as run_alone
from tests.hostile.conftest import Run
from tests.hostile.crafted_texts import ANY, LARGE_THREAD_DUMPS, LOGS, THREAD_DUMPS, one_process, ring_of_locks
from tests.layers import CHECK, NIGHTLY, one_in_each_run

ENDLESS = 1 << 62


def written(text: str, folder: Path) -> Path:
    path = folder / "evidence.txt"
    path.write_text(text)
    return path


@one_in_each_run(6)
@pytest.mark.parametrize("attack", THREAD_DUMPS)
def test_stacks_ends_within_its_budget(run: Run, attack: str, tmp_path: Path) -> None:
    run("stacks", written(THREAD_DUMPS[attack](), tmp_path)).check(0, 1, 3)


@NIGHTLY
@pytest.mark.parametrize("attack", LARGE_THREAD_DUMPS)
def test_stacks_ends_within_its_budget_of_a_larger_dump(attack: str, tmp_path: Path) -> None:
    run_alone("stacks", written(LARGE_THREAD_DUMPS[attack](), tmp_path)).check(0, 1)


@one_in_each_run(8)
@pytest.mark.parametrize("attack", LOGS)
def test_logs_ends_within_its_budget(run: Run, attack: str, tmp_path: Path) -> None:
    run("logs", written(LOGS[attack](), tmp_path)).check(0, 1, 3)


@one_in_each_run(8)
@pytest.mark.parametrize("attack", ANY)
def test_diagnose_ends_within_its_budget(run: Run, attack: str, tmp_path: Path) -> None:
    run("diagnose", written(ANY[attack](), tmp_path)).check(0, 1, 3)


@CHECK
def test_a_folder_of_many_processes_is_read_in_time(run: Run, tmp_path: Path) -> None:
    """Each is judged by itself: 200 of them once took 12 s, and four times as long for twice as many."""
    for number in range(250):
        (tmp_path / f"pod-{number}").mkdir()
        (tmp_path / f"pod-{number}" / "jstack.txt").write_text(one_process(number))
    run("diagnose", tmp_path).check(0, 1, 3)


@NIGHTLY
@pytest.mark.parametrize("attack", {**THREAD_DUMPS, **LOGS})
def test_diagnose_ends_within_its_budget_of_every_other_attack(attack: str, tmp_path: Path) -> None:
    run_alone("diagnose", written({**THREAD_DUMPS, **LOGS}[attack](), tmp_path)).check(0, 1, 3)


@NIGHTLY
@pytest.mark.parametrize("name", ["markdown", "html", "json", "junit", "sarif", "github"])
def test_a_ring_of_locks_is_written_in_every_format(name: str, tmp_path: Path) -> None:
    run_alone("stacks", written(ring_of_locks(1_000), tmp_path), "--format", name).check(1)


@pytest.mark.parametrize("command", ["logs", "stacks", "heap", "diagnose", "redact"])
def test_a_device_without_end_is_refused(run: Run, command: str, tmp_path: Path) -> None:
    more = [tmp_path / "redacted.hprof"] if command == "redact" else []
    done = run(command, "/dev/zero", *more)
    done.check(3)
    assert "device" in done.err or "is not a regular file" in done.err


@CHECK
@pytest.mark.parametrize("command", ["logs", "stacks"])
def test_a_device_without_end_is_refused_as_standard_input(command: str) -> None:
    done = run_alone(command, "-", stdin=Path("/dev/zero"))
    done.check(3)
    assert "is a device" in done.err


def test_a_device_without_end_is_refused_as_configuration(run: Run, tmp_path: Path) -> None:
    done = run("stacks", "--config", "/dev/zero", written("", tmp_path))
    done.check(2)
    assert "too many for a configuration" in done.err


@pytest.mark.parametrize(("parts", "lines"), [(30_000, 1), (200, 2_500)])
def test_a_key_of_thousands_of_parts_ends_within_its_budget(
    run: Run, parts: int, lines: int, tmp_path: Path
) -> None:
    """60 KB in one line once took 8 s; with as many parts in many lines a file may have 1 MiB."""
    config = tmp_path / "mqdiag.toml"
    config.write_text(f"[{'a.' * parts}b]\n" * lines)
    run("stacks", "--config", config, written("", tmp_path), most_cpu_s=5).check(2)


def header(size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """A tar header that declares a size, in the form for large numbers."""
    made = bytearray(tarfile.TarInfo("broker.log").tobuf(tarfile.GNU_FORMAT))
    made[124:136] = b"\x80" + size.to_bytes(11, "big")
    made[156:157] = kind
    made[148:156] = b" " * 8
    made[148:156] = b"%06o\0 " % sum(made)
    return bytes(made)


@pytest.mark.parametrize(
    "kind", [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, b"?"]
)
def test_a_tar_header_that_declares_an_endless_member(run: Run, kind: bytes, tmp_path: Path) -> None:
    path = tmp_path / "evidence.tar"
    path.write_bytes(header(ENDLESS, kind) + b"2026-11-21 10:00:00,000 WARN x - y\n".ljust(1024, b"\0"))
    run("diagnose", path).check(3)


def test_a_tar_header_that_declares_an_endless_hole(run: Run, tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("broker.log")
        member.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(ENDLESS)}
        archive.addfile(member)
    path = tmp_path / "evidence.tar"
    path.write_bytes(out.getvalue())
    done = run("diagnose", path)
    done.check(3)
    assert "unpacks to more than 256 MiB" in done.err


def test_what_stands_before_an_endless_member_is_read(run: Run, tmp_path: Path) -> None:
    log = b"2026-11-21 10:00:00,000 WARN BrokerFastFailure - [TIMEOUT_CLEAN_QUEUE]broker busy\n" * 10
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("first.log")
        member.size = len(log)
        archive.addfile(member, io.BytesIO(log))
    path = tmp_path / "evidence.tar"
    path.write_bytes(out.getvalue()[: 512 + 1024] + header(ENDLESS) + bytes(512))
    done = run("diagnose", path, "--format", "json")
    done.check(0, 1)
    assert b"evidence.tar!first.log" in done.out
