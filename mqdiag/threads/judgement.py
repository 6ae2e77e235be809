"""The decisions about one thread, revision by revision, and the view of all threads that a pass gets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from mqdiag.facts.vocabulary import ConfidenceLevel, Role, State
from mqdiag.text import Text
from mqdiag.threads import roles
from mqdiag.threads.locks import LockGraph, Wait
from mqdiag.threads.measured_limits import LONG_RUN_S
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

OWN_SAMPLES = "own samples"
"""the name under which the first decision is kept"""
Site = tuple[int, str | None, tuple[str, ...]]
"""JVM, pool and work: the threads of a pool at one call"""
_T = TypeVar("_T")


def site_of(track: Track) -> Site:
    """The pool and the call that a thread is in."""
    return track.jvm, track.pool, track.last_meaning.work


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """The last samples in which a thread is at the same work, and what grew over them."""

    first: int = 0
    """index of the sample in which the run begins"""
    count: int = 0
    """number of samples"""
    seconds: float | None = None
    cpu_growth_ms: float | None = None
    allocated_growth_bytes: int | None = None
    same_addresses: bool = False
    same_frames: bool = False


class Revision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision about a thread; the next pass that knows better makes another one."""

    made_by: str = OWN_SAMPLES
    """name of the pass"""
    state: State
    confidence: ConfidenceLevel | None = None
    reason: Text
    run: Run = Run()
    unchanged: bool = False
    """the samples show no change, but hold no CPU time: other threads may decide"""
    may_be_meant: bool = False
    """stands in a call outside of any task, such as a long poll: no fault unless others wait for it"""
    computing: bool = False
    """found running while CPU time grew in the same work: a loop, or work"""
    spinning: bool = False
    """waits in a way that uses CPU time: it may move on, or never"""
    starved: bool = False
    """waits for a task that its own pool has in its queue"""
    waits_for: Track | None = None
    """the thread that must move first; two threads can have one name, so this is no name"""
    may_wait_for: Track | None = None
    """a thread that may have to move first: it uses a pooled connection, perhaps of another pool"""
    user_gives_cause: bool = False
    """the likely cause is what the thread that may have to move first waits for"""
    in_crowd: bool = False
    """a single dump decides, by what many threads wait for"""
    second_connection: bool = False
    """it has a connection of the pool that it waits for"""
    absent_owner: str | None = None
    """name of the thread that must move first, where its own lines are not in the dump"""


class Judgement(msgspec.Struct, eq=False):
    """What is decided about one thread, with all decisions that led to it."""

    track: Track
    now: Revision
    """the decision that holds"""
    earlier: tuple[Revision, ...] = ()
    """the decisions before it; the first one is from the thread's own samples"""

    def revise(self, revision: Revision) -> None:
        """Let another decision hold."""
        self.earlier = (*self.earlier, self.now)
        self.now = revision

    @property
    def state(self) -> State:
        """The state that holds."""
        return self.now.state

    @property
    def run(self) -> Run:
        """The run of samples that the decision rests on."""
        return self.now.run

    @property
    def makes_no_progress(self) -> bool:
        """Whether the thread is stuck or blocked."""
        return self.now.state in ("stuck", "blocked")

    @property
    def is_in_same_call(self) -> bool:
        """Whether all samples show the thread in one call, or in equal calls, and nothing tells which."""
        run = self.now.run
        return (
            self.now.state == "unknown"
            and self.now.unchanged
            and (self.track.role not in (roles.JVM, roles.CARRIER) or self.track.last_meaning.serves_in_turn)
            and run.count == len(self.track.judged)
            and (run.seconds is None or run.seconds >= LONG_RUN_S)
        )

    def history(self) -> str:
        """All decisions in order: "stuck by own samples -> blocked by lock owner"."""
        return " -> ".join(f"{revision.state} by {revision.made_by}" for revision in (*self.earlier, self.now))


class World:
    """All threads of a series; nothing in it changes while a pass runs."""

    def __init__(self, judgements: list[Judgement], graphs: list[LockGraph], series: Series) -> None:
        self.judgements = judgements
        self.by_track = {judgement.track: judgement for judgement in judgements}
        self.graphs = graphs
        """who waits for whom, by sample"""
        self.series = series
        forms = {moment.sample.format: index for index, moment in enumerate(series.moments)}
        self.last_samples = sorted(forms.values())
        """indices of the last sample of each form of dump"""
        self.by_place: dict[tuple[Role, StackMeaning], list[Judgement]] = defaultdict(list)
        """threads of one role that show one stack in their last sample"""
        for judgement in judgements:
            self.by_place[judgement.track.role, judgement.track.last_meaning].append(judgement)
        self._worked_out: dict[Callable[[World], Any], Any] = {}

    def last_wait(self, track: Track) -> Wait | None:
        """What a thread waits for in its last sample.

        If that names no owner, another form of dump may: JDK 25 names owners in Thread.dump_to_file, jstack with -l.
        """
        wait = self.graphs[track.judged[-1]].waits.get(track)
        if wait is None or wait.owner is not None:
            return wait
        others = (
            self.graphs[index].waits.get(track) for index in reversed(track.seen) if index in self.last_samples
        )
        return next((other for other in others if other is not None and other.owner is not None), wait)

    def once(self, work_out: Callable[[World], _T]) -> _T:
        """Give what `work_out` finds, found once in a pass, however many threads ask for it."""
        if work_out not in self._worked_out:
            self._worked_out[work_out] = work_out(self)
        found: _T = self._worked_out[work_out]
        return found

    def forget(self) -> None:
        """Forget what was found: decisions have changed."""
        self._worked_out.clear()
