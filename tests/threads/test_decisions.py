"""Thresholds and doubtful cases, on dumps made for them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.language import english
from mqdiag.threads import same_work
from tests.threads.made import CONSUME, HTTP, MYSQL, READ, SLEEP, TAKE, At, dump, facts, report, states

WORKER = "ConsumeMessageThread_CID_1"


def one(
    frames: tuple[str, ...], cpus: list[float | None], state: str = "RUNNABLE", **more: str
) -> list[list[At]]:
    return [[At(WORKER, 26, frames, state, cpu, **more)] for cpu in cpus]


@pytest.mark.parametrize(
    ("grew", "state", "confidence"),
    [
        (0.0, "stuck", "high"),
        (0.4, "stuck", "high"),
        (0.9, "progressing", "medium"),
        (16.0, "progressing", "medium"),
    ],
)
def test_cpu_time_decides_on_a_read(tmp_path: Path, grew: float, state: str, confidence: str) -> None:
    cpus: list[float | None] = [1 + grew * number / 4 for number in range(5)]
    stacks = facts(tmp_path, one(MYSQL, cpus))
    thread = stacks.threads[0]
    assert (thread.state, thread.confidence) == (state, confidence)


def test_a_pool_wait_that_times_out_and_fails_is_no_standstill(tmp_path: Path) -> None:
    """0.8 ms over the series: the slowest progress that was measured."""
    frames = (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "com.zaxxer.hikari.util.ConcurrentBag.borrow(ConcurrentBag.java:151)",
        "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:162)",
        "com.acme.Dao.find(Dao.java:33)",
        *HTTP[-5:],
    )
    stacks = facts(tmp_path, one(frames, [1.0, 1.2, 1.4, 1.6, 1.8], "TIMED_WAITING (parking)"))
    assert stacks.threads[0].state == "progressing"


@pytest.mark.parametrize(
    "growths",
    [
        # one call of 6 s after another: HttpURLConnection, MySQL Connector/J, 10 threads each
        (0.0, 0.73, 0.0, 0.0),
        (0.0, 0.0, 0.36, 0.0),
        (0.0, 0.57, 0.0),
        (0.36, 0.0),
        # one call of 2.4 s after another
        (0.30, 0.35),
        (0.3,),
    ],
)
@pytest.mark.parametrize("frames", [HTTP, MYSQL])
def test_a_message_that_is_done_between_two_samples_is_progress(
    tmp_path: Path, frames: tuple[str, ...], growths: tuple[float, ...]
) -> None:
    """Once the code is warm a whole message costs no more than that."""
    cpus: list[float | None] = [5.0]
    for growth in growths:
        cpus.append((cpus[-1] or 0.0) + growth)
    samples = one(frames, cpus)
    for number, sample in enumerate(samples):
        sample[0].stream = f"0x00000000f000000{number}"
    assert facts(tmp_path, samples).threads[0].state == "progressing"


@pytest.mark.parametrize(
    "growths", [(0.0, 0.0, 0.11, 0.0), (0.09, 0.0, 0.07, 0.07), (0.06, 0.0), (0.06, 0.0, 0.04, 0.0)]
)
def test_one_sleep_after_another_is_progress(tmp_path: Path, growths: tuple[float, ...]) -> None:
    """A message that only sleeps costs a twentieth of a millisecond; one long sleep costs nothing."""
    cpus: list[float | None] = [5.0]
    for growth in growths:
        cpus.append((cpus[-1] or 0.0) + growth)
    stacks = facts(tmp_path, one(SLEEP, cpus, "TIMED_WAITING (sleeping)"))
    assert stacks.threads[0].state == "progressing"


def test_silence_that_others_at_the_call_came_back_from_is_no_standstill(tmp_path: Path) -> None:
    """Calls of 12 s in a series of 10 s: some threads come back within it, others do not."""

    def at(number: int, cpu: float) -> At:
        return At(f"ConsumeMessageThread_CID_{number}", 26 + number, MYSQL, "RUNNABLE", cpu)

    samples = [[at(1, 1.0), at(2, 1.0 if sample < 4 else 1.5)] for sample in range(5)]
    assert [thread.state for thread in facts(tmp_path, samples).threads[:2]] == ["unknown", "progressing"]
    # the same silence beside threads that come back at once
    samples = [[at(1, 1.0), at(2, 1.0 + sample)] for sample in range(5)]
    assert [thread.state for thread in facts(tmp_path, samples).threads[:2]] == ["stuck", "progressing"]


def test_who_got_the_lock_between_two_samples_moved(tmp_path: Path) -> None:
    waits = At(WORKER, 26, ("com.acme.Client.backOff(Client.java:60)", *CONSUME), "BLOCKED (on object monitor)")
    sleeps = At(WORKER, 26, SLEEP, "TIMED_WAITING (sleeping)")
    stacks = facts(tmp_path, [[waits], [waits], [waits], [waits], [sleeps]])
    assert stacks.threads[0].state == "progressing"


@pytest.mark.parametrize("every", [12.0, 40.0])
def test_a_long_series_does_not_free_who_waits_for_a_monitor(tmp_path: Path, every: float) -> None:
    """What the look at the monitor costs adds up."""
    frames = ("com.acme.Ledger.post(Ledger.java:17)", *CONSUME)
    samples = [
        [At(WORKER, 26, frames, "BLOCKED (on object monitor)", 1.0 + 0.02 * every * n)] for n in range(5)
    ]
    assert facts(tmp_path, samples, every=every).threads[0].state == "blocked"


@pytest.mark.parametrize(
    "body",
    [
        "okhttp3.internal.http1.Http1ExchangeCodec$FixedLengthSource.read(Http1ExchangeCodec.kt:368)",
        "org.apache.http.impl.io.ContentLengthInputStream.read(ContentLengthInputStream.java:178)",
    ],
)
@pytest.mark.parametrize("growths", [(0.28, 0.19, 0.27, 0.14), (0.11, 0.2, 0.23, 0.29), (0.25, 0.3)])
def test_an_answer_that_trickles_is_one_call(tmp_path: Path, body: str, growths: tuple[float, ...]) -> None:
    """In the midst of an answer the same growth is bytes that come, one by one; before it, it is messages."""
    for line, state in ((body, "stuck"), ("com.acme.Codec.readHead(Codec.java:9)", "progressing")):
        frames = (*READ, line, "com.acme.Client.call(Client.java:48)", *CONSUME)
        cpus: list[float | None] = [5.0]
        for growth in growths:
            cpus.append((cpus[-1] or 0.0) + growth)
        assert facts(tmp_path, one(frames, cpus)).threads[0].state == state


def test_a_library_that_waits_in_steps_does_not_move_by_them(tmp_path: Path) -> None:
    """The MongoDB driver looks for a server twice a second; frames and CPU time of a real series."""
    frames = (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:276)",
        "com.mongodb.internal.connection.BaseCluster.getDescription(BaseCluster.java:204)",
        "com.mongodb.client.internal.MongoCollectionImpl.countDocuments(MongoCollectionImpl.java:184)",
        "com.acme.Dao.find(Dao.java:33)",
        *CONSUME,
    )
    cpus: list[float | None] = [4.0, 4.25, 4.48, 4.7, 4.88]
    (found,) = report(tmp_path, one(frames, cpus, "TIMED_WAITING (parking)")).findings
    assert (found.rule, found.confidence) == ("stuck-wait", "medium")
    assert any("serverSelectionTimeoutMS" in english()(line) for line in found.remedy)


def test_a_slow_sleeper_is_not_stuck_because_the_last_samples_look_alike(tmp_path: Path) -> None:
    """Six seconds a message: three samples in one sleep, after it moved."""
    cpus: list[float | None] = [1.0, 1.4, 1.8, 1.8, 1.8]
    stacks = facts(tmp_path, one(SLEEP, cpus, "TIMED_WAITING (sleeping)"))
    assert stacks.threads[0].state == "progressing"


def test_a_thread_that_hangs_since_the_second_sample(tmp_path: Path) -> None:
    samples = [[At(WORKER, 26, TAKE, "WAITING (parking)", 1.0)]]
    samples += [[At(WORKER, 26, HTTP, "RUNNABLE", 3.0)]] * 4
    stacks = facts(tmp_path, samples)
    assert (stacks.threads[0].state, stacks.threads[0].confidence) == ("stuck", "high")


def test_two_samples_make_a_warning_of_medium_confidence(tmp_path: Path) -> None:
    found = report(tmp_path, one(HTTP, [1.0, 1.0]), every=6.0).findings
    assert [(item.rule, item.severity, item.confidence) for item in found] == [
        ("stuck-socket-read", "warning", "medium")
    ]


@pytest.mark.parametrize("cpu", [1.0, None])
@pytest.mark.parametrize("every", [1.5, 4.0])
def test_a_short_silence_is_neither_a_standstill_nor_health(
    tmp_path: Path, every: float, cpu: float | None
) -> None:
    """A call of six seconds looks the same over four."""
    made = report(tmp_path, one(HTTP, [cpu, cpu]), every=every)
    assert [(item.rule, item.cause) for item in made.findings] == [("progress-not-judged", "short-series")]
    assert made.answer.state == "undecided"
    assert "Client.call(Client.java:48)" in english()(made.findings[0].explanation[-1])


def test_samples_half_a_second_apart_say_nothing(tmp_path: Path) -> None:
    stacks = facts(tmp_path, one(HTTP, [1.0, 1.0]), every=0.4)
    assert stacks.not_judged_because == "too-close"
    assert stacks.threads[0].state == "unknown"


def test_without_cpu_time_the_stream_of_one_answer_tells(tmp_path: Path) -> None:
    stuck = facts(tmp_path, one(HTTP, [None] * 5))
    assert (stuck.threads[0].state, stuck.threads[0].confidence) == ("stuck", "medium")
    moving = [[At(WORKER, 26, HTTP, "RUNNABLE", None, f"0x00000000f000000{number}")] for number in range(5)]
    assert facts(tmp_path, moving).threads[0].state == "unknown"


def test_without_cpu_time_a_pooled_connection_tells_nothing(tmp_path: Path) -> None:
    found = report(tmp_path, one(MYSQL, [None] * 5))
    assert found.stacks is not None
    assert found.stacks.threads[0].state == "unknown"
    assert [(item.rule, item.cause) for item in found.findings] == [("stuck-socket-read", "hangs-or-slow")]


def test_without_cpu_time_equal_stacks_of_a_whole_pool_tell_nothing(tmp_path: Path) -> None:
    """Twenty busy threads on JDK 8 looked like that over five samples: their kept connections have the addresses."""

    def sample() -> list[At]:
        return [
            At(f"ConsumeMessageThread_CID_{n}", 26 + n, MYSQL, "RUNNABLE", None, f"0x00000000f00000{n:02}")
            for n in range(20)
        ]

    stacks = facts(tmp_path, [sample() for _ in range(5)])
    workers = [thread for thread in stacks.threads if thread.role == "consume-worker"]
    assert {thread.state for thread in workers} == {"unknown"}
    assert {(thread.same_call.samples, thread.same_call.seconds) for thread in workers if thread.same_call} == {
        (5, 10.0)
    }
    (same,) = stacks.same_calls
    assert (len(same.threads), same.pool_size, same.kind, same.cause) == (
        20,
        20,
        "socket-read",
        "slow-database",
    )
    assert (same.samples, same.seconds, same.decided) == (5, 10.0, False)
    assert same.frame == "com.acme.Dao.find(Dao.java:33)"
    assert not stacks.standstills


@pytest.mark.parametrize("cpu", [None, 1.0])
def test_dumps_without_times_make_no_error(tmp_path: Path, cpu: float | None) -> None:
    """They may have been taken at one moment, in which a busy consumer that is healthy looks stuck too."""
    threads = [At(f"ConsumeMessageThread_CID_{number}", 26 + number, MYSQL, cpu=cpu) for number in range(20)]
    # one more thread in each, so that they are not one dump given again
    others = [At(f"http-{number}", 90 + number, TAKE, "WAITING", cpu) for number in range(5)]
    dumps = [dump([*threads, *others[:number]], 0, date=False) for number in range(5)]
    (tmp_path / "series.log").write_text(re.sub(r" elapsed=[0-9.]+s", "", "\n".join(dumps)))
    made = diagnose_stacks([tmp_path / "series.log"]).report
    assert made.stacks is not None
    assert made.stacks.seconds is None
    if cpu is None:
        assert "stuck" not in {thread.state for thread in made.stacks.threads}
        return
    (found,) = [finding for finding in made.findings if finding.rule == "stuck-socket-read"]
    assert (found.severity, found.confidence) == ("warning", "low")


@pytest.mark.parametrize(
    ("allocated", "state"),
    [
        (["295K"] * 5, "stuck"),
        (["295K", "302K", "306K", "308K", "314K"], "progressing"),
        (["31M"] * 5, "unknown"),
        ([None] * 5, "unknown"),
    ],
)
def test_allocated_tells_a_loop_from_work(tmp_path: Path, allocated: list[str | None], state: str) -> None:
    frames = (
        "java.util.regex.Pattern$Loop.match(Pattern.java:4877)",
        "com.acme.Rules.apply(Rules.java:9)",
        *HTTP[-5:],
    )
    samples = [
        [At(WORKER, 26, frames, "RUNNABLE", 1000.0 * number, allocated=given)]
        for number, given in enumerate(allocated, 1)
    ]
    found = report(tmp_path, samples)
    assert found.stacks is not None
    assert found.stacks.threads[0].state == state
    rules = [item.rule for item in found.findings]
    assert ("cpu-bound-listener" in rules) == (state != "progressing")


def test_a_thread_made_again_under_the_same_name_is_another_one(tmp_path: Path) -> None:
    samples = [[At(WORKER, 26 + number, HTTP, "RUNNABLE", 1.0)] for number in range(5)]
    stacks = facts(tmp_path, samples)
    assert len([thread for thread in stacks.threads if thread.name == WORKER]) == 5
    assert "stuck" not in states(stacks).values()


def test_two_threads_of_one_name_keep_apart(tmp_path: Path) -> None:
    samples = [
        [
            At("ConsumeMessageThread_1", 26, HTTP, "RUNNABLE", 1.0),
            At("ConsumeMessageThread_1", 46, TAKE, "WAITING (parking)", 1.0),
        ]
    ] * 5
    stacks = facts(tmp_path, samples)
    by_id = {thread.java_id: thread.state for thread in stacks.threads}
    assert (by_id[26], by_id[46]) == ("stuck", "idle")


def test_a_queue_of_its_own_below_the_listener_is_not_idle(tmp_path: Path) -> None:
    frames = (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
        *HTTP[-5:],
    )
    found = report(tmp_path, one(frames, [1.0] * 5, "WAITING (parking)"))
    assert [(item.rule, item.cause) for item in found.findings] == [("stuck-wait", "missing-timeout")]


def test_what_a_thread_started_from_decides_nothing(tmp_path: Path) -> None:
    """Differences of decimals are not exact: 72.02 - 72.0 is below 0.02, and 14.13 - 14.11 is not."""
    grown = [0.0, 0.02, 0.05, 0.07]
    starts = [round(0.11 * number, 2) for number in range(700)]
    samples = [
        [
            At(f"{WORKER}{number}", 26 + number, MYSQL, "RUNNABLE", start + more)
            for number, start in enumerate(starts)
        ]
        for more in grown
    ]
    threads = [thread for thread in facts(tmp_path, samples).threads if thread.java_id]
    assert len({(thread.state, thread.confidence, str(thread.reason)) for thread in threads}) == 1


@pytest.mark.parametrize(
    ("locks", "same", "others"),
    [
        # a lock that is shared from a later sample on is another case than one of which no two are the same
        ("ABB", ["XYY", "BAA"], ["ABC", "AAB", "AAA", "ABA"]),
        ("AAA", ["XXX"], ["AAB", "ABC"]),
        ("ABC", ["XYZ", "CBA"], ["ABA", "AAB"]),
    ],
)
def test_which_locks_are_one_whatever_their_addresses(locks: str, same: list[str], others: list[str]) -> None:
    def known(text: str) -> object:
        return same_work._which_are_one([(f"0x{lock}",) for lock in text])

    assert {known(text) for text in same} == {known(locks)}
    assert all(known(text) != known(locks) for text in others)
