"""Stuck, progressing or idle: the decision for one thread from its own samples."""

from __future__ import annotations

from dataclasses import dataclass

from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.align import Track
from mqdiag.threads.same_call import other_calls, same_call
from mqdiag.threads.series import Series
from mqdiag.threads.standing_still import CLOCK_MS, SHORT_RUN_S, STILL_MS, growth, stands_still
from mqdiag.threads.view import View

STUCK = "stuck"
BLOCKED = "blocked"
PROGRESSING = "progressing"
IDLE = "idle"
UNKNOWN = "unknown"

HIGH_MS = 0.2
"""growth up to which the confidence is high"""
LONG_RUN_S = 5.0
"""time that a run of samples must span for an error"""
SURE_RUN_S = 7.5
"""time that it must span to be sure: calls of five or six seconds are slow, and not rare"""
LATE_RUN_SAMPLES = 4
LATE_RUN_S = 7.5
"""what a run must span in a thread that moved earlier in the series"""
TRICKLE_MS_PER_S = 0.5
"""growth of CPU time that an answer of single bytes costs, in a call that is proven to be the same one"""
SPIN_SHARE = 0.05
"""share of one core from which a thread that is found running computes; 20 threads on one core get this much"""
ENOUGH_TIMED = 3
"""samples with CPU time that judge a thread by themselves where others have none"""
EXACT_BYTES = 10 * 1024**2
"""from here on jstack prints allocated= in whole megabytes, which hide what a message needs: a few KiB may do"""
WORK_BYTES_PER_S = 512 * 1024
ADMISSIONS = frozenset({"monitor", "lock", "pool"})
"""waits that end when the thread is let in: what it does then is other work at the same frame of its own"""


@dataclass(slots=True, eq=False)
class Judgement:
    """What is decided about one thread."""

    track: Track
    state: str
    confidence: str | None = None
    reason: str = ""
    first: int = 0
    """sample in which the run of the last work begins"""
    count: int = 0
    """samples in that run"""
    seconds: float | None = None
    cpu_growth: float | None = None
    allocated_growth: int | None = None
    same_addresses: bool = False
    same_frames: bool = False
    candidate: bool = False
    """would be stuck if CPU time were known: decided with its siblings"""
    computing: bool = False
    """found running with CPU time growing in the same work: a loop, or work"""
    starved: bool = False
    """waits for a task that stands in the queue of its own pool"""
    holder: Track | None = None
    """the thread that must move first; names repeat, so not by name"""

    @property
    def still(self) -> bool:
        """Makes no progress."""
        return self.state in (STUCK, BLOCKED)


def judge_track(track: Track, series: Series) -> Judgement:
    """Decide for one thread."""
    last = len(series.moments) - 1
    present = track.present
    views = [view for view in track.views if view is not None]
    if present[-1] != last and series.jvms == 1:
        return Judgement(track, UNKNOWN, reason=say("it ended before the last sample"))
    view = views[-1]
    if _rests(track, views):
        return Judgement(
            track, IDLE, "high" if len(views) > 1 else "medium", say("waits for work in all samples")
        )
    if series.not_judged is not None:
        if _at_rest(track, view):
            return Judgement(track, IDLE, "medium", say("waits for work in the only sample that counts"))
        return Judgement(
            track, UNKNOWN, reason=say("progress cannot be judged: {not_judged}", not_judged=series.not_judged)
        )
    if len(present) == 1:
        return Judgement(track, UNKNOWN, reason=say("it is in the last sample only"))
    if _at_rest(track, view):
        return Judgement(
            track, PROGRESSING, "medium", say("was at work in an earlier sample and waits for work now")
        )
    return _judge_busy(track, series)


def _rests(track: Track, views: list[View]) -> bool:
    first = views[0]
    if not _at_rest(track, first):
        return False
    return all(view is first or _at_rest(track, view) for view in views)


def _at_rest(track: Track, view: View) -> bool:
    """Has nothing to do: in the pool's queue, or, in a thread of no pool, in a wait of its own loop."""
    if view.idle:
        return True
    if track.is_worker or view.in_listener or view.doing in ("running", "monitor", "lock"):
        return False
    if track.role in (roles.POOL, roles.OTHER) and view.own_index < 0:
        # a library's own loop: long polls, cleaners, event loops
        return True
    if track.role == roles.VIRTUAL:
        return view.doing in ("queue", "select", "accept")
    return not view.in_pool_task and view.cause is None


def _judge_busy(track: Track, series: Series) -> Judgement:
    """The run of samples, up to the last, in which the thread is at the same work without progress."""
    present = _timed(track)
    end = present[-1]
    begin = len(present) - 1
    while begin > 0 and all(
        _same_work(track, sample, end) for sample in range(present[begin - 1], present[begin])
    ):
        begin -= 1
    run = present[begin:]
    whole = _measure(track, series, run)
    if len(run) == 1:
        return _moved(whole, say("its work changed between the last two samples"))
    if whole.cpu_growth is None:
        return _without_cpu(whole, series)
    if not stands_still(whole, run) and _is_one_call(whole):
        return _same_call_still(whole)
    best: Judgement | None = None
    starts = range(len(run) - 1)
    if growth(track, run[-2], run[-1]) > STILL_MS and track.last_view.doing != "monitor":
        # what grew between the last two samples grew over every longer run too
        starts = range(0)
    # the longest run that stands still; a thread may have moved first and hang since
    for start in starts:
        measured = whole if start == 0 else _measure(track, series, run[start:])
        if stands_still(measured, run[start:]):
            best = measured
            break
    if best is None or (best.count < 3 and len(present) > 2):
        return _growing(whole)
    if best.count < len(present) and not _hangs_since(best):
        return _moved(whole, say("it moved earlier in the series, though not in the last samples"), "low")
    return _still(best)


def _timed(track: Track) -> list[int]:
    """The samples that count: of two forms of dumps those with CPU time, if there are enough of them.

    The others must show the same work; they hold neither CPU time nor addresses to compare with.
    """
    present = list(track.present)
    timed = [sample for sample in present if (record := track.records[sample]) and record.cpu_ms is not None]
    if len(timed) < ENOUGH_TIMED or len(timed) == len(present):
        return present
    after = range(timed[-1] + 1, present[-1] + 1)
    return timed if all(_same_work(track, sample, timed[-1]) for sample in after) else present


def _hangs_since(run: Judgement) -> bool:
    """Whether a thread that moved first hangs since: a slow message may fill a few samples, not nearly all."""
    return (
        run.count >= LATE_RUN_SAMPLES
        and run.seconds is not None
        and run.seconds >= LATE_RUN_S
        and (run.cpu_growth or 0.0) < CLOCK_MS
    )


def _same_work(track: Track, one: int, other: int) -> bool:
    a, b = track.views[one], track.views[other]
    if a is None or b is None:
        return False
    if a is b:
        return True
    if a.idle != b.idle or a.in_listener != b.in_listener:
        return False
    if track.role != roles.BROKER_SEND and (a.doing in ADMISSIONS) != (b.doing in ADMISSIONS):
        # the lock or the connection was given to it in between; a broker's locks are followed by their owners
        return False
    return a.work == b.work


def _measure(track: Track, series: Series, run: list[int]) -> Judgement:
    """Growth over a run."""
    first, last = track.records[run[0]], track.records[run[-1]]
    assert first is not None
    assert last is not None
    cpu = None
    if first.cpu_ms is not None and last.cpu_ms is not None:
        cpu = round(max(last.cpu_ms - first.cpu_ms, 0.0), 3)
    allocated = None
    if first.allocated_bytes is not None and last.allocated_bytes is not None:
        allocated = max(last.allocated_bytes - first.allocated_bytes, 0)
    same_frames = same_addresses = True
    for index in run[:-1]:
        record = track.records[index]
        if record is not None:
            stack = record.stack
            same_frames = same_frames and (stack is last.stack or stack.frames == last.stack.frames)
            same_addresses = same_addresses and record.addresses == last.addresses
    return Judgement(
        track,
        UNKNOWN,
        first=run[0],
        count=len(run),
        seconds=_seconds(series, first.elapsed_s, last.elapsed_s, run),
        cpu_growth=cpu,
        allocated_growth=allocated,
        same_frames=same_frames,
        same_addresses=same_addresses,
    )


def _seconds(series: Series, first: float | None, last: float | None, run: list[int]) -> float | None:
    if first is not None and last is not None:
        return round(max(last - first, 0.0), 3)
    begin, end = series.moments[run[0]].seconds, series.moments[run[-1]].seconds
    return None if begin is None or end is None else round(end - begin, 3)


def _still(run: Judgement) -> Judgement:
    run.state = STUCK
    view = run.track.last_view
    grew = run.cpu_growth or 0.0
    time = say("an unknown time") if run.seconds is None else f"{run.seconds:.1f} s"
    run.reason = say(
        "the same work in {count} samples over {time}, and its CPU time grew by {grew:decimal} ms",
        count=run.count,
        time=time,
        grew=grew,
    )
    if run.count < 3 or run.seconds is None or run.seconds < SURE_RUN_S:
        run.confidence = "medium"
        run.reason += say("; more samples would make it sure")
    elif view.doing == "sleep" and grew > HIGH_MS:
        run.confidence = "low"
        run.reason += say("; short sleeps one after another, for one message or for many, look alike")
    elif grew <= HIGH_MS or (view.doing == "socket-read" and grew <= STILL_MS and run.same_frames):
        run.confidence = "high"
    else:
        run.confidence = "medium"
        run.reason += say(", which is little but not nothing")
    return run


def _growing(run: Judgement) -> Judgement:
    """The same place in the code, but CPU time went by: work, or a loop."""
    view = run.track.last_view
    assert run.cpu_growth is not None
    if run.seconds is not None and run.seconds < SHORT_RUN_S and run.cpu_growth <= STILL_MS:
        run.reason = say("the samples span {seconds:decimal} s only", seconds=run.seconds)
        return run
    running = sum(
        1
        for index in run.track.present[-run.count :]
        if (view_at := run.track.views[index]) and view_at.doing == "running"
    )
    share = run.cpu_growth / (1000 * run.seconds) if run.seconds else 0.0
    if running * 5 >= run.count * 4 and share >= SPIN_SHARE and (view.in_listener or view.in_pool_task):
        run.computing = True
        if run.allocated_growth is None or not run.seconds:
            run.reason = say(
                (
                    "computes in the same place ({share:percent} of a core); without allocated= a loop looks"
                    " like work"
                ),
                share=share,
            )
            return run
        if run.allocated_growth == 0:
            if (run.track.last.allocated_bytes or 0) >= EXACT_BYTES:
                run.reason = say(
                    "computes ({share:percent} of a core); allocated= is printed too coarsely to decide",
                    share=share,
                )
                return run
            run.state = STUCK
            run.confidence = "high" if run.count >= 3 and run.seconds >= LONG_RUN_S else "medium"
            run.reason = say("computes ({share:percent} of a core) and allocates nothing: a loop", share=share)
            return run
        run.computing = False
        rate = run.allocated_growth / run.seconds
        return _moved(
            run, say("computes, and makes new objects"), "medium" if rate >= WORK_BYTES_PER_S else "low"
        )
    return _moved(run, say("its CPU time grew by {cpu_growth:decimal} ms", cpu_growth=run.cpu_growth))


def _is_one_call(run: Judgement) -> bool:
    """Whether one call fills the series, by its own object, and costs no more than an answer that trickles."""
    return (
        run.count == len(run.track.present)
        and run.cpu_growth is not None
        and run.seconds is not None
        and run.seconds >= SHORT_RUN_S
        and run.cpu_growth <= TRICKLE_MS_PER_S * run.seconds
        and run.same_frames
        and same_call(run.track, run.first)
    )


def _same_call_still(run: Judgement) -> Judgement:
    run.state = STUCK
    run.confidence = "medium"
    run.reason = say(
        (
            "the same call, by its own object, in {count} samples; its CPU time grew by"
            " {cpu_growth:decimal} ms, as under an answer that trickles"
        ),
        count=run.count,
        cpu_growth=run.cpu_growth,
    )
    return run


def _moved(run: Judgement, why: str, confidence: str | None = None) -> Judgement:
    run.state = PROGRESSING
    # CPU time alone is no proof: a loop that tries one message again and again spends it too
    run.confidence = confidence or ("high" if run.count == 1 else "medium")
    run.reason = why
    return run


def _without_cpu(run: Judgement, series: Series) -> Judgement:
    """JDK 8, and files of Thread.dump_to_file: the lock objects and the siblings must tell."""
    run.reason = say("the dumps hold no CPU time")
    if run.seconds is not None and run.seconds < SHORT_RUN_S:
        return run
    run_formats = {series.moments[index].sample.format for index in run.track.present if index >= run.first}
    if run_formats <= {"dump-json", "dump-text"} and other_calls(run.track, run.first):
        return _moved(run, say("each sample shows another call, by the identity of its objects"), "medium")
    if run.same_frames and run.count >= 2 and not (run.count < 3 and len(run.track.present) > 2):
        run.candidate = True
    return run
