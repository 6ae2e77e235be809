"""Workers: files read side by side, by processes that may fail, be stopped, or lose their parent."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag import workers
from mqdiag.errors import InputError
from mqdiag.language import english
from mqdiag.process_use import own_memory_bytes, used
from mqdiag.text import say
from mqdiag.workers import Died, called_in_worker, read_in_workers, workers_ahead
from tests.layers import CHECK, one_in_each_run
from tests.waiting import PATIENCE_S, wait_until

HERE = __name__
Step = Callable[[], None]


def content_and_process(path: str, step: Step) -> tuple[str, int]:
    """For workers: what a file holds, and who read it."""
    step()
    # So that one worker does not read all files before the other has started.
    (started := Path(path).parent / "started").mkdir(exist_ok=True)
    (started / str(os.getpid())).touch()
    if Path(path).name in "bcd":
        wait_until(lambda: len(list(started.iterdir())) > 1, "another worker")
    return Path(path).read_text(), os.getpid()


def note_process() -> None:
    """For workers: what they do before there is a file; who reads knows that it was done."""
    os.environ["NOTED"] = str(os.getpid())


def noted(path: str, step: Step) -> tuple[str, int]:
    """For workers: as `content_and_process`, by what was noted before."""
    return content_and_process(path, step)[0], int(os.environ["NOTED"])


def die_of_bad_files(path: str, step: Step) -> str:
    """For workers: a bad file ends the process."""
    if Path(path).name == "bad":
        os.kill(os.getpid(), signal.SIGKILL)
    return path


def fail_on_bad_files(path: str, step: Step) -> str:
    """For workers: a bad file raises an exception."""
    if Path(path).name == "bad":
        raise ValueError(path)
    print("what a reader prints is no answer")
    return path


def until_refused(path: str, step: Step) -> str:
    """For workers: a file without an end."""
    try:
        while True:
            step()
    except InputError as error:
        return str(error)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Small files, any of which is worth a worker."""
    monkeypatch.setattr(workers, "BYTES_FOR_A_WORKER", 1)
    for name in ("a", "bad", "c", "d"):
        (tmp_path / name).write_text(name)
    return [str(tmp_path / name) for name in ("a", "bad", "c", "d")]


def read(function: Callable[..., object], paths: list[str], jobs: int = 2) -> dict[int, object]:
    return read_in_workers(
        f"{HERE}.{function.__name__}", [(path,) for path in paths], [1] * len(paths), jobs, lambda _: None
    )


def test_files_are_read_by_several_processes(files: list[str]) -> None:
    before_s, _ = used.so_far()
    found = read(content_and_process, files)
    contents, processes = zip(*(found[place] for place in range(4)), strict=True)  # type: ignore[call-overload]
    assert contents == ("a", "bad", "c", "d")
    assert len(set(processes)) == 2
    assert os.getpid() not in processes
    used_s, memory_bytes = used.so_far()
    assert used_s > before_s
    assert memory_bytes == 0, "none of them runs any more"


def test_workers_that_were_started_ahead_are_taken(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with workers_ahead(2, f"{HERE}.{note_process.__name__}"):
        running = {worker._process.pid for worker in workers._ahead}
        monkeypatch.setattr(workers, "started", pytest.fail)
        found = read(noted, files)
        assert workers._ahead == []
    assert {process for _, process in found.values()} == running
    assert not any(map(_runs, running))


def test_a_worker_that_fails_before_there_is_a_file_reads_all_the_same(files: list[str]) -> None:
    with workers_ahead(2, f"{HERE}.no_such_function"):
        assert len(read(content_and_process, files)) == len(files)


def test_workers_that_nobody_takes_end_with_the_block(files: list[str]) -> None:
    with workers_ahead(2, f"{HERE}.{note_process.__name__}"):
        running = [worker._process.pid for worker in workers._ahead]
        assert all(map(_runs, running))
    assert workers._ahead == []
    assert not any(map(_runs, running))


def test_a_user_who_may_start_no_process_has_no_workers_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "started", _refused)
    with workers_ahead(2, f"{HERE}.{note_process.__name__}"):
        assert workers._ahead == []


def _refused(*_: str) -> None:
    raise OSError


def test_a_worker_that_dies_loses_its_file_only(files: list[str]) -> None:
    found = read(die_of_bad_files, files)
    assert {place: path for place, path in found.items() if place != 1} == {
        0: files[0],
        2: files[2],
        3: files[3],
    }
    died = found[1]
    assert isinstance(died, Died)
    assert english()(died.reason) == "the process that read it was ended by signal 9"


def test_a_worker_answers_by_a_descriptor_of_any_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = workers.started

    def with_high_descriptor(module: str) -> subprocess.Popen[bytes]:
        process = started(module)
        assert process.stdout is not None
        with process.stdout as low:
            process.stdout = os.fdopen(fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 1024), "rb")
        return process

    most, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    monkeypatch.setattr(workers, "started", with_high_descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(most, min(limit, 2048)), limit))
    try:
        (tmp_path / "a").write_text("a")
        found = called_in_worker(f"{HERE}.content_and_process", (str(tmp_path / "a"),), lambda: None)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, limit))
    assert found[0] == "a"


@CHECK
def test_a_file_on_which_a_worker_fails_is_left_to_the_caller(files: list[str]) -> None:
    assert read(fail_on_bad_files, files) == {0: files[0], 2: files[2], 3: files[3]}


@CHECK
def test_reading_ends_where_the_caller_refuses_a_step(files: list[str]) -> None:
    def refuse(share: float) -> None:
        raise InputError("x", say("took too long"), hint=say("wait"))

    found = read_in_workers(f"{HERE}.until_refused", [(path,) for path in files], [1] * 4, 2, refuse)
    assert found == dict.fromkeys(range(4), "x: took too long; wait")


@pytest.mark.parametrize("jobs", [0, 1])
def test_one_job_starts_no_process(jobs: int, files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "started", pytest.fail)
    assert read(content_and_process, files, jobs) == {}


def test_little_to_read_starts_no_process(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "started", pytest.fail)
    monkeypatch.setattr(workers, "BYTES_FOR_A_WORKER", 3)
    assert read(content_and_process, files) == {}


def test_pipes_and_missing_files_are_left_to_the_caller(
    files: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(workers, "started", pytest.fail)
    os.mkfifo(tmp_path / "pipe")
    with open(files[0]) as open_file:
        by_number = f"/dev/fd/{open_file.fileno()}"
        paths = [
            "-",
            str(tmp_path / "pipe"),
            str(tmp_path / "missing"),
            "\0",
            by_number,
            str(tmp_path),
            files[0],
        ]
        assert read(content_and_process, paths) == {}


def test_without_processes_all_is_left_to_the_caller(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(module: str) -> None:
        raise PermissionError(module)

    monkeypatch.setattr(workers, "started", refused)
    assert read(content_and_process, files) == {}


@pytest.mark.parametrize("startable", [0, 1])
def test_with_too_few_threads_those_that_run_read_all_files(
    startable: int, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    start, begun = threading.Thread.start, []

    def refused(thread: threading.Thread) -> None:
        if len(begun) == startable:
            raise RuntimeError("can't start new thread")
        begun.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refused)
    found = read(fail_on_bad_files, files)
    assert found == ({0: files[0], 2: files[2], 3: files[3]} if startable else {})
    assert not any(thread.is_alive() for thread in begun)


@CHECK
def test_an_error_of_the_one_who_listens_is_raised_there(files: list[str]) -> None:
    def closed(share: float) -> None:
        raise BrokenPipeError("standard error is closed")

    with pytest.raises(BrokenPipeError, match="standard error is closed"):
        read_in_workers(f"{HERE}.until_refused", [(path,) for path in files], [1] * 4, 2, closed)
    assert used.so_far()[1] == 0, "no worker runs any more"


PARENT = """
import os, sys, threading, time
from mqdiag import workers
workers.BYTES_FOR_A_WORKER = 1
def tell():
    while len(workers.used._running) < 2:
        time.sleep(0.01)
    print(*workers.used._running, flush=True)
threading.Thread(target=tell, daemon=True).start()
try:
    files = [(path,) for path in sys.argv[1:3]]
    workers.read_in_workers("tests.test_workers.until_refused", files, [1, 1], 2, lambda share: None)
except KeyboardInterrupt:
    sys.exit(130)
"""


@one_in_each_run(2)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_workers_end_with_their_parent(number: signal.Signals, code: int, files: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, *files[:2]],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[1],
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as parent:
        assert parent.stdout is not None
        running = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(running) == 2
        parent.send_signal(number)
        assert parent.wait(PATIENCE_S) == code
    wait_until(lambda: not any(map(_runs, running)), "the end of the workers")


def _runs(pid: int) -> bool:
    return own_memory_bytes(pid) > 0
