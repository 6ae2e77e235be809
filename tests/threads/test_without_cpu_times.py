"""Dumps of JDK 8, which hold no CPU times: files of the kernel beside them, objects of calls, users of pools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.sort.route import diagnose_routed_stacks
from mqdiag.facts import StacksFacts
from mqdiag.progress import Silent
from mqdiag.read.stacks.cpu_times import is_cpu_times, read_cpu_times
from tests.folded import folded
from tests.threads.made import CONSUME, HTTP, MYSQL, RUN, TAKE, At, dump, facts, states

WORKER = "(a java.util.concurrent.ThreadPoolExecutor$Worker)"
APACHE = (
    "java.net.SocketInputStream.socketRead0(Native Method)",
    "org.apache.http.impl.io.SessionInputBufferImpl.fillBuffer(SessionInputBufferImpl.java:153)",
    "org.apache.http.impl.client.CloseableHttpClient.execute(CloseableHttpClient.java:83)",
    "com.acme.Client.call(Client.java:48)",
    *CONSUME,
)
BORROW = (
    "sun.misc.Unsafe.park(Native Method)",
    "com.zaxxer.hikari.util.ConcurrentBag.borrow(ConcurrentBag.java:151)",
    "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:162)",
    "com.acme.Dao.find(Dao.java:33)",
    *CONSUME,
)


QUERY = (
    *MYSQL[:-6],
    "com.zaxxer.hikari.pool.HikariProxyPreparedStatement.executeQuery(HikariProxyPreparedStatement.java)",
    *MYSQL[-6:],
)


def worker(number: int, frames: Sequence[str] = APACHE, state: str = "RUNNABLE", **more: str) -> At:
    moves = more.pop("worker", f"0x00000000e000{number:04x}")
    held = (f"<{moves}> {WORKER}",)
    return At(f"ConsumeMessageThread_CID_{number}", number, frames, state, None, synchronizers=held, **more)


def rows(cpu_ns: dict[int, int]) -> str:
    """As the shell loop of `mqdiag capture` writes them; the native id is 100 more than the Java id."""
    return "".join(f"{100 + number} {ns} 51234 7 5 2\n" for number, ns in cpu_ns.items())


def files(
    folder: Path, samples: Sequence[Sequence[At]], times: Sequence[str], name: str = "proc{}.tsv"
) -> list[str]:
    paths = []
    for number, (threads, text) in enumerate(zip(samples, times, strict=True), 1):
        (folder / f"j{number}.log").write_text(dump(threads, 2.0 * (number - 1)))
        (folder / name.format(number)).write_text(text)
        paths += [str(folder / f"j{number}.log"), str(folder / name.format(number))]
    return paths


def judged(paths: Sequence[str]) -> StacksFacts:
    stacks = diagnose_routed_stacks(paths, Settings(), Silent()).report.stacks
    assert stacks is not None
    return stacks


SAMPLES = [[worker(1), worker(2)] for _ in range(5)]
TIMES = [rows({0: 900_000, 1: 4_266_747, 2: 4_000_000 + 450_000 * sample}) for sample in range(5)]


def test_the_kernels_times_tell_who_moves(tmp_path: Path) -> None:
    stacks = judged(files(tmp_path, SAMPLES, TIMES))
    one, other = stacks.threads[:2]
    assert (one.state, one.confidence, one.cpu_growth_ms) == ("stuck", "medium", 0.0)
    assert (other.state, other.cpu_growth_ms) == ("progressing", 1.8)
    assert stacks.has_cpu


def test_without_them_both_may_hang(tmp_path: Path) -> None:
    stacks = facts(tmp_path, SAMPLES)
    assert {thread.state for thread in stacks.threads[:2]} == {"unknown"}
    assert all(thread.same_call for thread in stacks.threads[:2])


def test_a_folder_is_read_alike(tmp_path: Path) -> None:
    files(tmp_path, SAMPLES, TIMES)
    stacks = diagnose_incident([str(tmp_path)]).report.stacks
    assert stacks is not None
    assert [thread.state for thread in stacks.threads[:2]] == ["stuck", "progressing"]


def test_a_folder_of_a_capture_is_read_alike(tmp_path: Path) -> None:
    for name in ("stacks", "cpu-times"):
        (tmp_path / name).mkdir()
    for number, (threads, text) in enumerate(zip(SAMPLES, TIMES, strict=True), 1):
        (tmp_path / "stacks" / f"{number:02}.txt").write_text(dump(threads, 2.0 * (number - 1)))
        (tmp_path / "cpu-times" / f"{number:02}.txt").write_text(text)
    stacks = diagnose_incident([str(tmp_path)]).report.stacks
    assert stacks is not None
    assert [thread.state for thread in stacks.threads[:2]] == ["stuck", "progressing"]


def test_files_whose_names_have_no_numbers_go_by_their_order(tmp_path: Path) -> None:
    (tmp_path / "console.log").write_text(
        "\n".join(dump(threads, 2.0 * n) for n, threads in enumerate(SAMPLES))
    )
    paths = [str(tmp_path / "console.log")]
    for letter, text in zip("abcde", TIMES, strict=True):
        (tmp_path / f"{letter}.tsv").write_text(text)
        paths.append(str(tmp_path / f"{letter}.tsv"))
    assert [thread.state for thread in judged(paths).threads[:2]] == ["stuck", "progressing"]


def test_times_of_another_process_are_refused(tmp_path: Path) -> None:
    strangers = [re.sub(r"(?m)^", "9", text) for text in TIMES]
    report = diagnose_routed_stacks(files(tmp_path, SAMPLES, strangers), Settings(), Silent()).report
    assert report.stacks is not None
    assert not report.stacks.has_cpu
    assert sum(given.error is not None for given in report.inputs) == 5
    assert {finding.cause for finding in report.findings} >= {"hangs-or-slow"}


def test_top_shows_work_and_no_standstill(tmp_path: Path) -> None:
    head = "top - 21:13:33 up 8 min\n\n    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"

    def top(sample: int) -> str:
        return head + "".join(
            f"   {100 + number} app       20   0  5.2g   1.1g  20m S   0.0   3.1   {time} java\n"
            for number, time in ((0, "1:00.01"), (1, "0:00.42"), (2, f"0:0{sample}.42"))
        )

    stacks = judged(files(tmp_path, SAMPLES, [top(sample) for sample in range(5)], "top{}.txt"))
    assert [thread.state for thread in stacks.threads[:2]] == ["unknown", "progressing"]
    assert stacks.threads[0].same_call is not None


@pytest.mark.parametrize(
    ("line", "ms"),
    [
        ("0x5d9b\t4266747\t3\t2", 4.266747),
        ("23963 4266747 51234 3 2 1", 4.266747),
        ("/proc/77/task/23963/schedstat:4266747 51234 3", 4.266747),
    ],
)
def test_layouts_of_the_kernels_times(line: str, ms: float) -> None:
    text = "".join(
        line.replace("23963", str(23963 + n)).replace("5d9b", f"{0x5D9B + n:x}") + "\n" for n in range(4)
    )
    assert is_cpu_times(text)
    (found,) = read_cpu_times("x", text)
    assert found.by_thread[23963] == ms
    assert len(found.by_thread) == 4


@folded("text", ["1 2\n3 4\n5 6\n", "a b c\n" * 5, "", '"main" #1\n', "1.5 2 3\n" * 9, "12 3 4\n"])
def test_what_is_no_such_file(text: str) -> None:
    assert not is_cpu_times(text)


def test_another_object_of_a_call_is_another_call_if_nothing_moved(tmp_path: Path) -> None:
    samples = [[worker(1, HTTP, stream=f"0x00000000f000000{n}")] for n in range(5)]
    (thread, *_) = facts(tmp_path, samples).threads
    assert (thread.state, thread.confidence) == ("progressing", "medium")


def test_a_collection_moves_the_worker_too(tmp_path: Path) -> None:
    """The address of a call's object changed, and that of the worker with it: one call may fill the series."""
    samples = [
        [worker(1, HTTP, stream=f"0x00000000f000000{n}", worker=f"0x00000000e000000{n}")] for n in range(5)
    ]
    (thread, *_) = facts(tmp_path, samples).threads
    assert thread.state == "unknown"
    assert thread.same_call is not None


def test_what_idle_threads_wait_on_is_a_witness_too(tmp_path: Path) -> None:
    """A plain jstack lists no workers."""
    rests = (*TAKE[:1], "- parking to wait for  <{stream}> (a java.util.Queue$ConditionObject)", *TAKE[1:])

    def sample(number: int, queue: str) -> list[At]:
        at = At("ConsumeMessageThread_CID_1", 1, HTTP, "RUNNABLE", None, f"0x00000000f000000{number}")
        return [at, At("ConsumeMessageThread_CID_2", 2, rests, "WAITING (parking)", None, queue)]

    stays = facts(tmp_path, [sample(number, "0x00000000d0000001") for number in range(5)])
    assert states(stays)["ConsumeMessageThread_CID_1"] == "progressing"
    moves = facts(tmp_path, [sample(number, f"0x00000000d000000{number}") for number in range(5)])
    assert states(moves)["ConsumeMessageThread_CID_1"] == "unknown"


def pool(users: Sequence[int], size: int = 6) -> list[At]:
    return [
        worker(n, QUERY) if n in users else worker(n, BORROW, "TIMED_WAITING (parking)")
        for n in range(1, size + 1)
    ]


def test_the_same_users_of_a_pool_in_all_samples_stand(tmp_path: Path) -> None:
    found = states(facts(tmp_path, [pool((1, 4)) for _ in range(5)]))
    assert [found[f"ConsumeMessageThread_CID_{n}"] for n in range(1, 7)] == [
        "stuck", "blocked", "blocked", "stuck", "blocked", "blocked",
    ]  # fmt: skip


def test_users_that_swap_with_waiting_threads_move(tmp_path: Path) -> None:
    found = states(facts(tmp_path, [pool(users) for users in ((1, 4), (2, 4), (3, 5), (3, 5), (1, 6))]))
    assert not {"stuck", "blocked"} & set(found.values())


def test_two_threads_at_one_connection_prove_nothing(tmp_path: Path) -> None:
    """They swap between two samples every other time: five samples agree by chance in 6 % of such pools."""
    found = states(facts(tmp_path, [pool((1,), 2) for _ in range(5)]))
    assert not {"stuck", "blocked"} & set(found.values())


def test_threads_behind_a_deadlock_are_blocked(tmp_path: Path) -> None:
    one, other = "<0x00000000f0000071> (a com.acme.A)", "<0x00000000f0000072> (a com.acme.B)"

    def at(number: int, wants: str, *holds: str) -> At:
        frames = (
            "com.acme.Pair.take(Pair.java:5)",
            f"- waiting to lock {wants}",
            *(f"- locked {h}" for h in holds),
        )
        return worker(number, (*frames, *CONSUME), "BLOCKED (on object monitor)")

    sample = [at(1, one, other), at(2, other, one), at(3, one), at(4, other)]
    found = states(facts(tmp_path, [sample] * 5))
    assert [found[f"ConsumeMessageThread_CID_{n}"] for n in range(1, 5)] == ["blocked"] * 4


@pytest.mark.parametrize("shown", [0, 1, 3])
@pytest.mark.parametrize("frames", [TAKE, HTTP, APACHE])
def test_missing_frames_are_unknown(tmp_path: Path, frames: tuple[str, ...], shown: int) -> None:
    """What `grep -A5` leaves of a stack, or headers with their states alone."""
    cut = [
        [At(f"ConsumeMessageThread_CID_{n}", n, frames[:shown], "WAITING (parking)", cpu) for n in range(1, 21)]
        for cpu in (1.0, 1.0, 1.0, 1.0, 1.0)
    ]
    path = tmp_path / "series.log"
    path.write_text("\n".join(dump(threads, 2.5 * n) for n, threads in enumerate(cut)))
    report = diagnose_routed_stacks([str(path)], Settings(), Silent()).report
    assert report.answer.state == "undecided"
    assert "input-incomplete" in {found.rule for found in report.findings}
    assert report.stacks is not None
    workers = {thread.state for thread in report.stacks.threads if thread.role == "consume-worker"}
    assert workers <= ({"idle", "unknown"} if frames is TAKE else {"unknown"})


def test_a_frame_that_says_that_a_thread_rests_is_enough(tmp_path: Path) -> None:
    stacks = facts(tmp_path, [[At("ConsumeMessageThread_CID_1", 1, TAKE[:3], "WAITING (parking)", 1.0)]] * 5)
    assert stacks.threads[0].state == "idle"


def test_a_thread_of_native_code_makes_no_dump_incomplete(tmp_path: Path) -> None:
    own = At("agent", 50, ("com.acme.Native.callback(Native.java:7)",), "RUNNABLE", 1.0)
    path = tmp_path / "j.log"
    path.write_text(dump([own, *(At(f"pool-1-thread-{n}", n, TAKE, "WAITING", 1.0) for n in range(1, 9))], 0))
    report = diagnose_routed_stacks([str(path)], Settings(), Silent()).report
    assert all(given.complete for given in report.inputs)


def test_a_blank_line_after_each_line_is_taken_out(tmp_path: Path) -> None:
    plain = "\n".join(dump([worker(n, HTTP) for n in range(1, 6)], 2.5 * sample) for sample in range(5))
    found = []
    for text in (plain, plain.replace("\n", "\n\n")):
        (tmp_path / "j.log").write_text(text)
        found.append(states(judged([str(tmp_path / "j.log")])))
    assert found[0] == found[1]
    assert set(found[0].values()) >= {"stuck"}


def test_thread_that_began_with_a_run_of_its_own_is_whole(tmp_path: Path) -> None:
    stacks = facts(tmp_path, [[At("poller", 9, ("com.acme.Poller.run(Poller.java:7)",), "RUNNABLE", 1.0)]] * 3)
    assert stacks.threads[0].state != "unknown"
    assert RUN.endswith("840)")
