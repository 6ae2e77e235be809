"""Threads that are read before they are decoded: what is odd in them, and how much work a large dump takes."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import pytest

from mqdiag.read.stacks import body, classic, decode, header, jconsole, patterns, plain_bodies, plain_threads
from mqdiag.read.stacks.body import BodyParser
from mqdiag.read.stacks.reader import read_stacks
from mqdiag.read.stacks.records import Sample, ThreadRecord
from tests.bench.series import SOURCE
from tests.folded import folded
from tests.layers import one_in_each_run, some_later

THREADS = 1_000
ODD = {
    "a name with a quote": ('"worker-{0}"', '"worker "{0}""'),
    "a name with a line break": ('"worker-{0}"', '"worker\n{0}"'),
    "a name in Chinese": ('"worker-{0}"', '"消费线程-{0}"'),
    "a name that is no UTF-8": ('"worker-{0}"', '"worker-\udcff{0}"'),
    "a no-break space in a name": ('"worker-{0}"', '"worker\xa0{0}"'),
    "a time behind the rest of a header that is known": (
        "(X.java:1)\n\n",
        '(X.java:1)\n\n"x" tid=0x7f nid=0x1f runnable\n\n"x" tid=0x7f nid=0x1f runnable cpu=1.50ms\n\n',
    ),
    "an empty time in a header that is known": (
        "(X.java:1)\n\n",
        '(X.java:1)\n\n"x" cpu=1.50ms tid=0x7f nid=0x1f runnable\n\n"x" cpu= tid=0x7f nid=0x1f runnable\n\n',
    ),
    "a name that begins a dump": ('"worker-{0}"', '"Full thread dump {0}"'),
    "a name that ends a dump": ('"worker-{0}"', '"JNI global refs: {0}"'),
    "a header that begins a dump": ("runnable", "Full thread dump"),
    "a header that ends a dump": ("runnable", "JNI global refs: 1"),
    "an entity in a header": ("runnable", "runnable &quot;"),
    "a no-break space in a header": ("runnable", "in\xa0Object.wait()"),
    "a carriage return in a header": ("runnable", "in Obj\rect.wait()"),
    "an id of thousands of digits": (" #{0} prio", " #" + "9" * 5_000 + " prio"),
    "a decimal comma": ("cpu=1.50ms", "cpu=1,50ms"),
    "no Java id": (" #{0} prio", " prio"),
    "a native id in decimal": ("nid=0x1f", "nid=31"),
    "no native id": (" nid=0x1f", ""),
    "a native id that is not there": ("nid=0x1f", "nid=NA"),
    "a daemon": (" prio=5", " daemon prio=5"),
    "allocated bytes": (" tid=", " allocated=12K defined_classes=3 tid="),
    "a carriage return": ("runnable\n", "runnable\r\n"),
    "carriage returns in the stack": (
        "(X.java:1)\n\n",
        "(X.java:1)\r\n\r\n   Locked ownable synchronizers:\r\n\t- <0x0000000012345678> (a a.Lock)\r\n\r\n",
    ),
    "Object.wait": ("runnable", "in Object.wait()"),
    "a header of another tool": (
        " #{0} prio=5 cpu=1.50ms elapsed=9.00s tid=0x7f nid=0x1f runnable",
        " Id={0} WAITING",
    ),
    "a thread of a heap viewer": (
        " #{0} prio=5 cpu=1.50ms elapsed=9.00s tid=0x7f nid=0x1f runnable",
        " prio=5 tid=529 WAITING",
    ),
    "no header": (" #{0} prio=5 cpu=1.50ms elapsed=9.00s tid=0x7f nid=0x1f runnable", ": nothing"),
    "a log line behind the stack": ("(X.java:1)\n\n", "(X.java:1)\n\n2026-11-21 a line of a log\n"),
    "a quote behind the stack": ("(X.java:1)\n\n", '(X.java:1)\n\nsays "no"\n'),
    "synchronizers": (
        "(X.java:1)\n\n",
        "(X.java:1)\n\n   Locked ownable synchronizers:\n\t- <0x0000000012345678> (a a.Lock)\n\n",
    ),
    "no stack": ("   java.lang.Thread.State: WAITING (parking)\n\tat a.X.run(X.java:1)\n", ""),
    "the last line of the dump": ("(X.java:1)\n\n", "(X.java:1)\n\nJNI global refs: 1, weak refs: 0\n\n"),
    "the last line of the dump, without a blank one before it": (
        "(X.java:1)\n\n",
        "(X.java:1)\nJNI global refs: 1\n",
    ),
    "a deadlock": (
        "(X.java:1)\n\n",
        '(X.java:1)\n\nFound one Java-level deadlock:\n=====\n"a":\n  waiting to lock\n',
    ),
    "an entity": ("(X.java:1)", "(X.java:1) &quot;"),
    "the next dump": (
        "(X.java:1)\n\n",
        "(X.java:1)\n\n2026-11-21 09:24:35\nFull thread dump OpenJDK (17 mixed mode):\n\n",
    ),
}
"""what stands there in a usual thread, and what in the odd one"""


def _dump(odd: str | None = None) -> bytes:
    """A dump that is read in several chunks, with one odd thread in its middle."""
    threads = []
    for number in range(THREADS):
        text = (
            f'"worker-{number}" #{number} prio=5 cpu=1.50ms elapsed=9.00s tid=0x7f nid=0x1f runnable\n'
            "   java.lang.Thread.State: WAITING (parking)\n\tat a.X.run(X.java:1)\n\n"
        )
        if odd is not None and number == THREADS // 2:
            usual, other = (part.format(number) for part in ODD[odd])
            assert usual in text
            text = text.replace(usual, other)
        threads.append(text)
    head = "2026-11-21 09:24:30\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n"
    return (head + "".join(threads)).encode(errors="surrogateescape")


def _read(path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch) -> list[Sample]:
    monkeypatch.setattr("mqdiag.read.open.door.PLAIN_CHUNK", chunk)
    samples = read_stacks(str(path)).samples
    for sample in samples:
        # the end of the chunk in which the next dump begins
        sample.stopped_at_byte = None
    return samples


@one_in_each_run(5)
@pytest.mark.parametrize("odd", [None, *ODD])
def test_threads_are_the_same_when_they_are_decoded_first(
    odd: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "jstack.txt"
    path.write_bytes(_dump(odd))
    undecoded = _read(path, 10_000, monkeypatch)
    monkeypatch.setattr(decode.TextPieces, "is_plain", False)
    decoded = _read(path, 10_000, monkeypatch)
    assert undecoded == decoded


def test_a_large_dump_is_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    whole = plain_threads.plain_threads

    def count(data: bytes, bodies: BodyParser) -> plain_threads.PlainThreads:
        found = whole(data, bodies)
        taken.append(len(found.threads))
        return found

    monkeypatch.setattr(plain_threads, "plain_threads", count)
    path = tmp_path / "jstack.txt"
    path.write_bytes(_dump("a name with a quote"))
    _read(path, 10_000, monkeypatch)
    assert sum(taken) >= THREADS * 0.7


def test_each_distinct_stack_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: list[str] = []
    parse = body.parse_stack
    monkeypatch.setattr(body, "parse_stack", lambda shape: (shapes.append(shape), parse(shape))[1])
    with tarfile.open(SOURCE) as archive:
        content = archive.extractfile(archive.getmembers()[0])
        assert content is not None
        path = tmp_path / "jstack.txt"
        path.write_bytes(content.read())
    bodies = BodyParser()
    first = read_stacks(str(path), bodies)
    distinct = len(shapes)
    assert distinct == len(set(shapes)) < len(first.samples[0].threads)
    read_stacks(str(path), bodies)
    assert len(shapes) == distinct


def test_each_header_of_a_series_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next sample differs in its times, which many threads share."""
    parsed: list[bytes] = []
    known_of, times_of = header._known, header._times
    monkeypatch.setattr(header, "_known", lambda name, tail: (parsed.append(name), known_of(name, tail))[1])
    monkeypatch.setattr(header, "_times", lambda shown: (parsed.append(shown), times_of(shown))[1])
    bodies = BodyParser()
    sample = _dump().partition(b"\n\n")[2]
    later = sample.replace(b"cpu=1.50ms elapsed=9.00s", b"cpu=1.75ms elapsed=12.00s")
    samples = [plain_threads.plain_threads(text, bodies).threads for text in (sample, later)]
    assert [len(threads) for threads in samples] == [THREADS - 1] * 2
    assert [threads[0].cpu_ms for threads in samples] == [1.5, 1.75]
    # the last thread may go on, but its header is there
    assert len(parsed) == THREADS + 2


USUAL_LOCK = "<0x00000000fd13{0:04x}> (a a.Lock)"
OTHER_LOCKS = (
    "<0x00000000FD13{0:04X}> (a a.Lock)",
    "<0xfd13{0:04x}> (a a.Lock)",
    "<0x{0:x}> (a a.Lock)",
    "<{0:08x}> (a a.Lock)",
    "<a.Lock@{0:x}>",
    "<0x00000000fd13{0:03x}_> (a a.Lock)",
    "<0x00000000fd13{0:03x}&> (a a.Lock)",
    "<0x00000000fd1{0:03x}\xa0> (a a.Lock)",
    "<0x00000000fd13{0:03x}<> (a a.Lock)",
    "<no object reference available>",
)
"""as JVMs and tools print them; those that are odd stand where an address is expected"""


def _dump_with_locks(other: str) -> bytes:
    threads = []
    for number in range(THREADS):
        lock = other if number % 100 == 55 else USUAL_LOCK
        threads.append(
            f'"worker-{number}" #{number} prio=5 cpu=1.50ms elapsed=9.00s tid=0x7f nid=0x1f runnable\n'
            "   java.lang.Thread.State: BLOCKED (on object monitor)\n"
            f"\tat a.X.<init>(X.java:{number % 7})\n\t- waiting to lock {lock.format(number)}\n"
            f"\tat a.X.run(X.java:1)\n\t- locked {USUAL_LOCK.format(number % 3)}\n\n"
        )
    return _dump().partition(b'"')[0] + "".join(threads).encode() + b"JNI global refs: 1, weak refs: 0\n\n"


@one_in_each_run(5)
@pytest.mark.parametrize("lock", OTHER_LOCKS)
@pytest.mark.parametrize(
    ("limit", "value"),
    some_later(
        [(None, 0), ("MOST_TEXT", 0), ("MOST_TEXT", 1_000), ("MOST_ALIKE", 2)], lambda case: bool(case[1])
    ),
)
def test_locks_are_the_same_when_they_are_decoded_first(
    limit: str | None, value: int, lock: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the text of stacks is not kept, or only that of a few."""
    if limit is not None:
        monkeypatch.setattr(plain_bodies, limit, value)
    path = tmp_path / "jstack.txt"
    path.write_bytes(_dump_with_locks(lock) * 2)
    undecoded = _read(path, 10_000, monkeypatch)
    monkeypatch.setattr(decode.TextPieces, "is_plain", False)
    decoded = _read(path, 10_000, monkeypatch)
    assert [len(sample.threads) for sample in undecoded] == [THREADS] * 2
    assert undecoded == decoded


def test_threads_at_the_same_work_are_parsed_once_whatever_locks_they_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[str] = []
    bodies = BodyParser()
    whole = bodies.parse_block
    monkeypatch.setattr(bodies, "parse_block", lambda text: (parsed.append(text), whole(text))[1])
    stack = (
        "   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat a.X.run(X.java:{1})\n"
        "\t- waiting to lock <0x00000000fd13{0:04x}> (a a.Lock)\n\n"
    )
    threads = [
        f'"worker-{number}" #{number} prio=5 tid=0x7f nid=0x1f runnable\n{stack.format(number, number % 7)}'
        for number in range(THREADS)
    ]
    found = plain_threads.plain_threads("".join([*threads, '"']).encode(), bodies)
    assert [thread.addresses for thread in found.threads] == [
        (f"0x00000000fd13{number:04x}",) for number in range(THREADS)
    ]
    assert len(parsed) == 7


def test_no_header_is_remembered_that_is_longer_than_those_of_a_jvm() -> None:
    line = b'"%s" #1 prio=5 cpu=1.50ms elapsed=9.00s tid=0x7f nid=0x1f runnable %s\n'
    parser = header.HeaderParser()
    long = b"x" * header.LONGEST_KNOWN
    assert parser.read(line % (b"worker", b""), 0) is not None
    assert parser.read(line % (b"worker-1", long), 0) is None
    assert parser.read(line % (long, b""), 0) is None


SERIES_CHANGES = {
    "another order": lambda lines: lines[::-1],
    "threads that ended": lambda lines: lines[:40] + lines[60:],
    "threads that began": lambda lines: [
        *lines[:40],
        *(line.replace(b"w-", b"n-") for line in lines[:9]),
        *lines[40:],
    ],
    "longer times": lambda lines: [line.replace(b"cpu=1", b"cpu=1234") for line in lines],
    "states": lambda lines: [line.replace(b"runnable", b"in Object.wait()") for line in lines],
    "threads that have names and addresses of others": lambda lines: [
        line.replace(b"tid=0x7f1", b"tid=0x7e1") for line in lines
    ],
    "one name": lambda lines: [b'"same"' + line.partition(b'" ')[2].rjust(90) for line in lines],
    "times of an odd form": lambda lines: [
        line.replace(b"elapsed=", odd)
        for line, odd in zip(
            lines,
            [
                b"elapsed=",
                b"elapsed=5",
                b"elapsed=.",
                b"elapsed=1_",
                b"elapsed=0.1",
                b"elapsed= ",
                b"defined_classes=3 elapsed=",
            ]
            * 20,
            strict=False,
        )
    ],
    "seconds that another figure follows": lambda lines: [
        re.sub(rb"elapsed=\S+", b"elapsed=9.5s1", line) for line in lines
    ],
}
"""what the next sample of a series can have"""


@folded("change", SERIES_CHANGES)
def test_headers_say_the_same_in_a_series_as_alone(change: str) -> None:
    lines = [
        b'"w-%d" #%d prio=5 cpu=1.%02dms elapsed=9.%02ds tid=0x7f%d nid=0x1f runnable\n\n' % (n, n, n, n, n)
        for n in range(100)
    ]
    bodies = BodyParser()
    plain_threads.plain_threads(b"".join([*lines, b'"']), bodies)
    for _ in range(2):
        for line in SERIES_CHANGES[change](lines):
            seen = plain_threads.plain_threads(line + b'"', bodies).threads
            assert seen == plain_threads.plain_threads(line + b'"', BodyParser()).threads
            (decoded,) = classic_threads(line)
            assert not seen or seen == [decoded]
        text = b"".join([*SERIES_CHANGES[change](lines), b'"'])
        found = plain_threads.plain_threads(text, bodies)
        assert found == plain_threads.plain_threads(text, BodyParser())


def classic_threads(text: bytes) -> list[ThreadRecord | None]:
    """What the reader of decoded headers makes of one."""
    return [header.parse_header(text.decode().strip()[1:])]


def test_a_known_order_is_found_again_behind_threads_that_are_new(monkeypatch: pytest.MonkeyPatch) -> None:
    unexpected: list[int] = []
    search = header.HeaderParser._unexpected
    monkeypatch.setattr(
        header.HeaderParser,
        "_unexpected",
        lambda self, data, at: (unexpected.append(at), search(self, data, at))[1],
    )
    sample = _dump().partition(b"\n\n")[2]
    bodies = BodyParser()
    plain_threads.plain_threads(sample, bodies)
    unexpected.clear()
    new = b'"new" #5000 prio=5 tid=0x7f nid=0x1f runnable\n\n'
    before, mark, behind = sample.partition(b'"worker-500"')
    found = plain_threads.plain_threads(before + new + mark + behind, bodies)
    assert len(found.threads) == THREADS
    # the first one, the new one, and the one behind it
    assert len(unexpected) == 3


def test_two_threads_of_one_name_keep_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []
    known_of = header._known
    monkeypatch.setattr(header, "_known", lambda name, tail: (parsed.append(name), known_of(name, tail))[1])
    lines = [
        b'"same" #%d prio=5 cpu=1.50ms elapsed=9.00s tid=0x7f%d nid=0x1f runnable\n\n' % (n, n)
        for n in range(9)
    ]
    bodies = BodyParser()
    for _ in range(2):
        found = plain_threads.plain_threads(b"".join([*lines, b'"']), bodies)
        assert [thread.java_id for thread in found.threads] == list(range(9))
    assert len(parsed) == 9


def test_no_more_headers_are_kept_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header, "MOST_KNOWN", 10)
    sample = _dump().partition(b"\n\n")[2]
    bodies = BodyParser()
    for _ in range(2):
        assert len(plain_threads.plain_threads(sample, bodies).threads) == THREADS - 1
        assert bodies.plain is not None
        assert len(bodies.plain.headers._order) <= 10


def test_a_very_long_stack_is_looked_at_undecoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    whole = plain_threads.plain_threads

    def count(data: bytes, bodies: BodyParser) -> plain_threads.PlainThreads:
        looked_at.append(len(data))
        return whole(data, bodies)

    monkeypatch.setattr(plain_threads, "plain_threads", count)
    monkeypatch.setattr(classic, "LONGEST_PLAIN", 20_000)
    path = tmp_path / "jstack.txt"
    path.write_bytes(
        _dump() + b'"deep" #1 prio=5 tid=0x7f nid=0x1f runnable\n' + b"\tat a.X.run(X.java:1)\n" * 20_000
    )
    samples = _read(path, 10_000, monkeypatch)
    assert len(samples[0].threads) == THREADS + 1
    assert sum(looked_at) < 2 * path.stat().st_size


@pytest.mark.parametrize("is_plain", [True, False])
def test_the_end_of_a_cut_dump_is_told_in_bytes(
    is_plain: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "jstack.txt"
    path.write_bytes(_dump().replace(b"worker-", "消费线程-".encode()))
    monkeypatch.setattr("mqdiag.read.open.door.PLAIN_CHUNK", 10_000)
    if not is_plain:
        monkeypatch.setattr(decode.TextPieces, "is_plain", False)
    (sample,) = read_stacks(str(path)).samples
    assert sample.stopped_at_byte == path.stat().st_size


def test_a_dump_of_a_jvm_is_not_searched_for_what_other_tools_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These searches look at each line, and took a quarter of the time of a small dump."""
    searched: list[str] = []

    class Counting:
        def search(self, text: str, *_bounds: int) -> None:
            searched.append(text)

    for module, pattern in ((patterns, "JAVACORE_TAG"), (patterns, "FAILED_CAPTURE"), (jconsole, "MARK")):
        monkeypatch.setattr(module, pattern, Counting())
    path = tmp_path / "jstack.txt"
    path.write_bytes(_dump())
    assert len(read_stacks(str(path)).samples[0].threads) == THREADS
    assert not searched
