"""What the consume threads of each group did with their time.

Events tell how long a wait took. Samples of Java code tell how long a thread ran. Time between events is explained by
looks where there is one: thread dumps and samples of native code. The rest is unknown, and said to be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from mqdiag.facts.recordings import RecordedThread, ThreadBudget
from mqdiag.facts.stacks import CallNode
from mqdiag.facts.vocabulary import Doing
from mqdiag.read.jfr.distinct import grouped
from mqdiag.read.jfr.kernels.between import Events, share_time
from mqdiag.recordings import spans as kinds
from mqdiag.recordings.constants import ThreadKey
from mqdiag.recordings.looks import Look, is_wait
from mqdiag.recordings.open_waits import SURE_LOOKS, SURE_SECONDS, OpenWait
from mqdiag.recordings.places import Places
from mqdiag.recordings.samples import JAVA, Samples
from mqdiag.recordings.spans import SpansByThread, ThreadSpans
from mqdiag.recordings.times import NS_PER_MS, NS_PER_S, instant, ms
from mqdiag.threads.call_tree import calls_of, tree_of
from mqdiag.threads.roles import NamedRole, role_of_name
from mqdiag.threads.stack_meaning import StackMeaning

LONG_GAP_NS = NS_PER_S
"""time without events that looks explain; shorter ones are between two calls"""
_LONGER = 3
"""times the longest wait of the thread that ended: one that goes on so much longer is another kind of wait"""
MOST_THREADS = 200
PARTS = ("idle", "running", "native", "socket", "file", "lock", "park", "sleep", "unknown")
_LOOPS = 0.8
"""share of its time that a thread runs that may be in a loop; of the rest of the samples some are lost"""
_LOOP_SAMPLES = 20
_NO_OBJECTS = 64 << 10
"""bytes that the recording itself may make in a thread"""
_BY_KIND = {
    kinds.SOCKET_READ: "socket",
    kinds.SOCKET_WRITE: "socket",
    kinds.FILE_READ: "file",
    kinds.FILE_WRITE: "file",
    kinds.FILE_FORCE: "file",
    kinds.MONITOR: "lock",
    kinds.SLEEP: "sleep",
    kinds.PARK: "park",
    kinds.WAIT: "park",
}
_BY_DOING = {
    "idle": "idle",
    "running": "running",
    "socket-read": "socket",
    "socket-write": "socket",
    "connect": "socket",
    "dns": "socket",
    "accept": "socket",
    "select": "socket",
    "file-read": "file",
    "file-write": "file",
    "file-sync": "file",
    "file-lock": "file",
    "monitor": "lock",
    "lock": "lock",
    "class-init": "lock",
    "sleep": "sleep",
}
_DOING_OF_PART: dict[str, Doing] = {
    "running": "running",
    "socket": "socket-read",
    "file": "file-read",
    "lock": "lock",
    "park": "park",
    "sleep": "sleep",
}
_EVENT_OF_DOING = {
    "socket-read": "jdk.SocketRead",
    "socket-write": "jdk.SocketWrite",
    "monitor": "jdk.JavaMonitorEnter",
    "sleep": "jdk.ThreadSleep",
    "object-wait": "jdk.JavaMonitorWait",
}
"""events that tell the end of such a wait; all others are parks"""
_ENDS_TOLD_MS = 100.0
"""a threshold below which an event tells of each call that matters"""


class OneThread(msgspec.Struct):
    """One thread's time, as it is added up."""

    begin_ns: int
    end_ns: int
    ended_ns: float = 0.0
    blind_ns: float = 0.0
    """the longest gap of which nothing is known"""
    parts: dict[str, float] = msgspec.field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    stacks: dict[tuple[StackMeaning, str], float] = msgspec.field(default_factory=lambda: defaultdict(float))
    """nanoseconds by (stack, part), without idle time"""

    def add(self, meaning: StackMeaning, part: str, took: float) -> None:
        """Time that was spent at a stack."""
        self.stacks[(meaning, part)] += took


class Budgets:
    """Time of consume threads.

    Args:
        threads: by number.
        places: stacks.
        period_ns: of samples of Java code.
        thresholds_ms: by type of event that was recorded.
        allocated: bytes that a thread made, by java id.
    """

    def __init__(
        self,
        threads: Sequence[ThreadKey],
        places: Places,
        period_ns: int,
        thresholds_ms: Mapping[str, float],
        allocated: Mapping[int, int],
    ) -> None:
        self._threads = threads
        self._places = places
        self._period_ns = period_ns
        self._thresholds = thresholds_ms
        self._allocated = allocated
        self.open_waits: list[OpenWait] = []
        self._told: list[RecordedThread] = []
        self._spent: list[tuple[str, OneThread]] = []
        """consume threads with their time"""

    def threads(self) -> tuple[RecordedThread, ...]:
        """Consume threads, those whose time is least known first; complete behind `of_groups`."""
        return tuple(sorted(self._told, key=lambda one: (-one.blind_ms, one.thread))[:MOST_THREADS])

    def time_by_call(self) -> tuple[CallNode, ...]:
        """Time of consume threads by call, in milliseconds; complete behind `of_groups`."""
        times: dict[tuple[StackMeaning, Doing], float] = defaultdict(float)
        threads: dict[tuple[StackMeaning, Doing], set[str]] = defaultdict(set)
        for name, one in self._spent:
            for (meaning, part), took in one.stacks.items():
                fits = _BY_DOING.get(meaning.doing, "park") == part
                spent = meaning, meaning.doing if fits else _DOING_OF_PART.get(part, "running")
                times[spent] += took
                threads[spent].add(name)
        return tree_of(
            calls_of(meaning, doing, round(took / NS_PER_MS), threads[(meaning, doing)])
            for (meaning, doing), took in times.items()
            if took >= NS_PER_MS
        )

    def of_groups(
        self,
        spans: SpansByThread,
        samples: Samples,
        looks: Mapping[int, list[Look]],
        workers: Mapping[int, NamedRole],
        window: tuple[int, int],
        lives: Mapping[int, tuple[int, int]],
    ) -> tuple[ThreadBudget, ...]:
        """The budget of each group.

        Args:
            spans, samples: of all threads.
            looks: by thread.
            workers: what the names of consume threads say, by their number.
            window: begin and end of the recording, in nanoseconds of the epoch.
            lives: begin and end of threads that did not live all the time.
        """
        by_group: dict[str, list[OneThread]] = defaultdict(list)
        of_java = samples.taken(samples.kind == JAVA)
        samples_of = dict(grouped(of_java.thread))
        none = np.zeros(0, np.int64)
        for number, own in spans.each(workers):
            thread, named = self._threads[number], workers[number]
            begin, end = lives.get(number, window)
            one = OneThread(begin_ns=begin, end_ns=max(begin, end))
            own_looks, own_samples = looks.get(number, []), of_java.taken(samples_of.get(number, none))
            self._spend(one, own, own_samples, own_looks)
            self._open(number, own, own_samples, own_looks)
            if one.parts["running"] >= _LOOPS * (one.end_ns - one.begin_ns):
                self._loop(number, own, own_samples)
            self._told.append(self._thread(thread.name, one, own))
            self._spent.append((thread.name, one))
            by_group[named.group or named.pool or thread.name].append(one)
        return tuple(_budget(group, found) for group, found in sorted(by_group.items()))

    def _thread(self, name: str, one: OneThread, own: ThreadSpans) -> RecordedThread:
        own = _waits(own)
        meanings = [self._places.meaning(place) if place else None for place in own.stack.tolist()]
        at_work = [one is not None and one.in_listener and not one.idle for one in meanings]
        lots = np.flatnonzero(np.array(at_work, np.bool_) & (own.events > 0))
        return RecordedThread(
            thread=name,
            group=role_of_name(name).group,
            ended=int(own.events[lots].sum()),
            last_ended_at=instant(int(own.last_ns[lots].max())) if len(lots) else None,
            blind_ms=ms(one.blind_ns),
        )

    def _spend(self, one: OneThread, own: ThreadSpans, samples: Samples, looks: list[Look]) -> None:
        """Add up spans, and the gaps before, between and behind them; of spans that overlap the first one counts."""
        own = _waits(own)
        took, inside = np.zeros(len(own.kind), np.int64), np.zeros(len(samples.at_ns), np.uint8)
        room = min(len(own.order), (one.end_ns - one.begin_ns) // LONG_GAP_NS) + 1
        long_gaps, sums = np.zeros((3, room), np.int64), np.zeros(2, np.int64)
        found = share_time(
            Events(own.start_ns, own.duration_ns, own.order, own.lot),
            one.begin_ns,
            one.end_ns,
            samples.at_ns,
            self._period_ns,
            LONG_GAP_NS,
            took,
            inside,
            long_gaps,
            sums,
        )
        for kind, stack, total in zip(own.kind.tolist(), own.stack.tolist(), took.tolist(), strict=True):
            if kind in _BY_KIND:
                self._span(one, kind, stack, float(total))
        one.parts["running"] += float(sums[0])
        stacks, counts = np.unique(samples.stack[inside != 0], return_counts=True)
        for stack, count in zip(stacks.tolist(), counts.tolist(), strict=True):
            if stack:
                one.add(self._places.meaning(stack), "running", count * self._period_ns)
        one.parts["unknown"] += float(sums[1])
        for begin, end, rest in long_gaps[:, :found].T.tolist():
            seen = [look for look in looks if begin <= look.at_ns <= end]
            if not seen:
                one.blind_ns = max(one.blind_ns, float(rest))
            _explain(one, float(rest), seen)

    def _span(self, one: OneThread, kind: int, stack: int, took: float) -> None:
        part = _BY_KIND[kind]
        meaning = self._places.meaning(stack) if stack else None
        if meaning is not None and part == "park":
            part = "idle" if meaning.idle else "lock" if meaning.doing == "lock" else "park"
        one.parts[part] += took
        if part != "idle":
            one.ended_ns += took
        if part != "idle" and meaning is not None:
            one.add(meaning, part, took)

    def _open(self, number: int, own: ThreadSpans, samples: Samples, looks: list[Look]) -> None:
        """A wait that all last looks show, and whose end no event tells."""
        ended = int(own.last_ns.max(initial=0))
        run = [look for look in looks if look.at_ns > max(ended, int(samples.at_ns.max(initial=0)))]
        # of stacks that were taken from outside some lack their lower frames
        shown = next((look.meaning for look in reversed(run) if look.meaning.in_listener), None)
        if shown is None or not is_wait(shown):
            return
        if self._thresholds.get(_EVENT_OF_DOING.get(shown.doing, "jdk.ThreadPark"), np.inf) > _ENDS_TOLD_MS:
            return
        while run and not _may_be(run[0].meaning, shown):
            run.pop(0)
        if not run or not all(_may_be(look.meaning, shown) for look in run):
            return
        seconds = (run[-1].at_ns - run[0].at_ns) / NS_PER_S
        longest = int(own.duration_ns.max(initial=0)) / NS_PER_S
        # a call as long as those that ended may end too
        if len(run) >= SURE_LOOKS and seconds >= max(SURE_SECONDS, _LONGER * longest):
            last = max(ended, int(samples.at_ns.max(initial=0))) or None
            self.open_waits.append(
                OpenWait(self._threads[number].name, shown, len(run), seconds, run[0].at_ns, last)
            )

    def _loop(self, number: int, own: ThreadSpans, samples: Samples) -> None:
        """A thread that runs in one method all the time, ends no wait and makes no objects: work makes some."""
        grown = self._allocated.get(self._threads[number].java_id)
        if len(own.lot) or grown is None or grown > _NO_OBJECTS or len(samples.at_ns) < _LOOP_SAMPLES:
            return
        meanings = [self._places.meaning(place) for place in np.unique(samples.stack).tolist() if place]
        frames = {_method(meaning.own_frame) for meaning in meanings}
        seconds = (int(samples.at_ns[-1]) - int(samples.at_ns[0])) / NS_PER_S
        if len(frames) == 1 and seconds >= SURE_SECONDS and all(one.in_listener for one in meanings):
            name = self._threads[number].name
            first = int(samples.at_ns[0])
            self.open_waits.append(
                OpenWait(name, meanings[0], len(samples.at_ns), seconds, first, None, computes=True)
            )


def _waits(own: ThreadSpans) -> ThreadSpans:
    """Those that a budget counts: a thread that keeps its carrier waits by another event."""
    counts = own.kind != kinds.PINNED
    return own if counts.all() else own.only(counts)


def _explain(one: OneThread, rest: float, seen: list[Look]) -> None:
    """A long time without events: shared out among what the looks saw."""
    if not seen:
        one.parts["unknown"] += rest
    with_frame = sum(look.meaning.own_frame is not None for look in seen)
    for look in seen:
        meaning = look.meaning
        part = "idle" if meaning.idle else _BY_DOING.get(meaning.doing, "park")
        if part == "running" and look.is_native:
            part = "native"
        one.parts[part] += rest / len(seen)
        if part != "idle" and (meaning.own_frame or not with_frame):
            # stacks that were taken from outside lack frames: they are of the same calls
            one.add(meaning, part, rest / (with_frame or len(seen)))


def _may_be(one: StackMeaning, other: StackMeaning) -> bool:
    """Whether both stacks may show one wait."""
    return one.doing == other.doing and (
        one.own_frame is None or _method(one.own_frame) == _method(other.own_frame)
    )


def _place(frame: str) -> str:
    """Method and line: recordings and dumps write them in their own ways."""
    method, _, place = frame.partition("(")
    return f"{method}:{''.join(filter(str.isdecimal, place.rpartition(':')[2]))}"


def _method(frame: str | None) -> str | None:
    """Without its line: recordings and dumps write it in their own ways."""
    return None if frame is None else frame.partition("(")[0]


def _frames(found: list[OneThread]) -> tuple[dict[tuple[str, str], float], dict[str, str]]:
    """(nanoseconds by (the application's own frame as `_place` has it, part), frames as they are shown by place)."""
    frames: dict[tuple[str, str], float] = defaultdict(float)
    shown: dict[str, str] = {}
    for one in found:
        for (meaning, part), took in one.stacks.items():
            if meaning.own_frame is None:
                continue
            place = _place(meaning.own_frame)
            frames[(place, part)] += took
            # a thread dump knows the name of the file
            if place not in shown or ".java:" in meaning.own_frame:
                shown[place] = meaning.own_frame
    return frames, shown


def _budget(group: str, found: list[OneThread]) -> ThreadBudget:
    parts = {name: sum(one.parts[name] for one in found) for name in PARTS}
    frames, shown_as = _frames(found)
    by_frame: dict[str, float] = defaultdict(float)
    for (frame, _), took in frames.items():
        by_frame[frame] += took
    most = max(by_frame, key=by_frame.__getitem__) if by_frame else None
    of_frame = {part: took for (name, part), took in frames.items() if name == most}
    part = max(of_frame, key=of_frame.__getitem__) if of_frame else ""
    explained = sum(took for name, took in parts.items() if name not in ("idle", "unknown"))
    return ThreadBudget(
        group=group,
        threads=len(found),
        wall_ms=ms(sum(one.end_ns - one.begin_ns for one in found)),
        ended_ms=ms(sum(one.ended_ns for one in found)),
        **{f"{name}_ms": ms(took) for name, took in parts.items()},
        frame=None if most is None else shown_as[most],
        doing=_DOING_OF_PART.get(part),
        frame_share=None if most is None or not explained else round(min(by_frame[most] / explained, 1.0), 4),
    )
