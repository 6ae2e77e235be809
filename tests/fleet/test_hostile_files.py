"""Every hostile file of `tests/hostile` in one fleet: each is one incident of its own, and the others are unharmed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag.config import Settings
from mqdiag.fleet.options import Limits
from mqdiag.fleet.work.analyse import Request
from mqdiag.fleet.work.child import WarmChild
from tests.fleet.made_fleet import heap, put
from tests.fleet.runs import command, environment, rows, run
from tests.hostile.crafted_archives import BOMBS
from tests.hostile.crafted_dumps import ATTACKS
from tests.hostile.crafted_texts import ANY, LOGS, THREAD_DUMPS
from tests.layers import CHECK, NIGHTLY

SLOW_TO_MAKE = ("bomb.zip",)
"""a minute; nested.zip is of its kind"""
FILES: dict[str, Callable[[], bytes]] = {
    **{f"{name}.hprof": attack for name, attack in ATTACKS.items()},
    **{
        f"{name}.txt": lambda attack=attack: attack().encode()  # type: ignore[misc]
        for name, attack in {**THREAD_DUMPS, **LOGS, **ANY}.items()
    },
    **{f"bomb-{name}": bomb for name, bomb in BOMBS.items() if name not in SLOW_TO_MAKE},
}
"""by a name that ends as the kind of file does"""
QUICK = ("superclass_ring.hprof", "nested_brackets.txt", "bomb-overlapping.zip", "bomb-hole.tar")
SERIES = Path(__file__).parents[2] / "fixtures/stacks/latch-stuck/series.tar.gz"


def place(name: str) -> str:
    """Where the file lies below the fleet's folder: its name is the host."""
    host, _, ending = name.partition(".")
    return f"hostile/{host}-{ending.replace('.', '-')}/20261121-080000.{ending}"


@CHECK
def test_a_process_that_analysed_hostile_files_goes_on(tmp_path: Path) -> None:
    child = WarmChild(Limits(memory_bytes=1 << 30))
    try:
        for name in QUICK:
            path = put(tmp_path, place(name), FILES[name]())
            request = Request(paths={str(path): name}, settings=Settings(), classes=5, scratch=str(tmp_path))
            found = child.analyse(request)
            (incident,) = found["incidents"]
            assert incident["status"] in ("ok", "incomplete", "failed")
            assert bool(found["failures"]) == (incident["status"] == "failed")
        request = Request(paths={str(SERIES): "it"}, settings=Settings(), classes=5, scratch=str(tmp_path))
        assert child.analyse(request)["incidents"][0]["status"] == "ok"
    finally:
        child.close()


@NIGHTLY
@pytest.mark.xdist_group("fleet")
@pytest.mark.usefixtures("_java")
def test_a_fleet_with_every_hostile_file_ends_and_the_others_are_unharmed(tmp_path: Path) -> None:
    for host in ("p1", "p2"):
        put(tmp_path, f"in/payments/{host}/20261121-080000.hprof", heap("stuck-one-4.9.8"))
        shutil.copy(SERIES, tmp_path / f"in/payments/{host}/20261121-080100.tar.gz")
    for name, made in FILES.items():
        path = tmp_path / "in" / place(name)
        path.parent.mkdir(parents=True)
        path.write_bytes(made())
    done = run(
        str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--template", "{service}/{host}/{time}.*",
        "--max-input", "64m", "--memory", "1g", "--time-limit", "120",
    )  # fmt: skip
    assert done.code == 1, done.err
    assert "Traceback" not in done.err, done.err
    incidents = rows(tmp_path / "out", "incidents")
    status = {row["host"]: row["status"] for row in incidents}
    assert len(status) == len(incidents) == len(FILES) + 2
    assert (status.pop("p1"), status.pop("p2")) == ("ok", "ok")
    assert set(status.values()) <= {"ok", "incomplete", "failed"}
    failures = rows(tmp_path / "out", "failures")
    hosts = [row["host"] for row in failures]
    failed = {host for host, state in status.items() if state == "failed"}
    assert failed <= set(hosts), "a file that gave nothing has its reason"
    assert not {row["kind"] for row in failures} & {"fault", "crash", "lost", "no-room"}
    assert all(row["reason"] for row in failures)
    found = {row["rule"] for row in rows(tmp_path / "out", "findings") if row["host"] == "p1"}
    assert {"stuck-consumer-thread", "offset-stuck-at-head"} <= found
    assert not [file for file in (tmp_path / "out/_staging").rglob("*") if file.is_file()]


@pytest.mark.xdist_group("fleet")
@pytest.mark.usefixtures("_java")
def test_a_run_in_the_folder_of_the_evidence_runs_no_module_of_it(tmp_path: Path) -> None:
    put(tmp_path, "in/payments/p1/20261121-080000.tar.gz", SERIES.read_bytes())
    for name in ("json", "msgspec", "mqdiag", "numpy"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    program, *words = command("in", "--out", "out")
    done = subprocess.run(
        [program, "-P", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(),
        timeout=600,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert not (tmp_path / "ran").exists()
